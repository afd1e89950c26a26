//! No space, and no right to write. Space is taken away by a limit on the size of files, which
//! needs no right of its own: a write beyond it fails in the middle, as on a full disk.

use super::{denied, deny, house, ids, report, shell, store};
use std::fs;

const NOT_RECORDED: &str = "This decision is not recorded: cannot ";

#[test]
fn on_a_full_disk_the_verdict_stands_and_the_store_stays_whole() {
    let house = house();
    deny(&house);
    deny(&house);
    let before = fs::read(store(&house)).unwrap();
    let head = fs::read(store(&house).with_extension("jsonl.head")).unwrap();
    // A block is 512 bytes: the first limit ends within the record, the second before everything.
    for blocks in [before.len().div_ceil(512) + 2, 0] {
        let full = format!("trap '' XFSZ; ulimit -f {blocks}");
        let said = shell(&house, &full, &denied(&"k".repeat(5_000)));
        said.expect("deny", &["no-token", NOT_RECORDED]);
        assert_eq!(fs::read(store(&house)).unwrap(), before, "{blocks} blocks");
        assert_eq!(fs::read(store(&house).with_extension("jsonl.head")).unwrap(), head);
        assert!(report(&house).is_intact());
    }
    deny(&house).expect("deny", &["(recorded as "]);
    assert!(report(&house).is_intact());
    assert_eq!(ids(&house).len(), 3);
}

#[test]
fn where_nothing_may_be_written_the_verdict_stands() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;

    let house = house();
    deny(&house);
    let open = |path: &std::path::Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    let root = house.root();
    open(root.parent().unwrap(), 0o755);
    open(&root.join(".solvi"), 0o755);
    open(&root.join(".solvi/traces"), 0o555);
    let run = || {
        let mut hook = house.command(&["pre-edit"]);
        // Root may write everywhere, so that it must become somebody else.
        if fs::File::create(root.join(".solvi/traces/probe")).is_ok() {
            fs::remove_file(root.join(".solvi/traces/probe")).unwrap();
            if store(&house).exists() {
                open(&store(&house), 0o444);
            }
            hook.uid(65_534);
        }
        crate::support::said(hook, denied("").as_bytes())
    };
    run().expect("deny", &["no-token", "This decision is not recorded: "]);
    fs::remove_file(store(&house)).unwrap();
    run().expect("deny", &["no-token", "This decision is not recorded: "]);
    open(&root.join(".solvi/traces"), 0o700);
}
