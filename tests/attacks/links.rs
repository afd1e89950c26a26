//! Links, devices and forged text in the place of files that the hook writes.

#![cfg(unix)]

use crate::support::{House, Said};
use serde_json::json;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

const SOLVI: &str = ".solvi";
const TRACES: &str = ".solvi/traces";
const STORE: &str = ".solvi/traces/hooks.jsonl";
const HASH: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// What stands outside of the project, as it must stay.
const OUTSIDE: &str = "# a file of the person's\n";

/// A project in which one edit was recorded, and a file outside of it.
fn house() -> House {
    let house = House::new();
    assert_eq!(edit(&house).verdict(), "allow");
    fs::write(outside(&house), OUTSIDE).unwrap();
    house
}

fn outside(house: &House) -> PathBuf {
    house.home().join("outside")
}

fn edit(house: &House) -> Said {
    house.write("a.txt", "fine\n")
}

/// Forgets records, so that the next writer finds that some are missing.
fn forget(house: &House) {
    fs::write(house.root().join(STORE), "").unwrap();
}

/// What is put in the place of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Link,
    Dangling,
    Hard,
    Pipe,
    Socket,
    Folder,
    Foreign,
}

const KINDS: [Kind; 7] =
    [Kind::Link, Kind::Dangling, Kind::Hard, Kind::Pipe, Kind::Socket, Kind::Folder, Kind::Foreign];

impl Kind {
    /// Puts it there; none where this machine cannot.
    fn put(self, house: &House, path: &Path) -> Option<()> {
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap();
        } else {
            let _ = fs::remove_file(path);
        }
        match self {
            Self::Link => symlink(outside(house), path).ok(),
            Self::Dangling => symlink(house.home().join("made"), path).ok(),
            Self::Hard => fs::hard_link(outside(house), path).ok(),
            Self::Pipe => {
                let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
                made.success().then_some(())
            }
            Self::Socket => std::os::unix::net::UnixListener::bind(path).ok().map(drop),
            Self::Folder => fs::create_dir(path).ok(),
            Self::Foreign => {
                fs::write(path, "").unwrap();
                std::os::unix::fs::chown(path, Some(4321), None).ok()
            }
        }
    }
}

/// Asserts that nothing outside was written or made.
#[track_caller]
fn untouched(house: &House, what: &str) {
    assert_eq!(fs::read_to_string(outside(house)).unwrap(), OUTSIDE, "{what}");
    assert!(!house.home().join("made").exists(), "{what}");
}

#[test]
fn what_stands_in_the_place_of_a_file_of_ours_asks() {
    for name in ["hooks.jsonl", "hooks.jsonl.head", "hooks.jsonl.missing", "../.gitignore"] {
        for kind in KINDS {
            let what = format!("{kind:?} {name}");
            let house = house();
            if name.ends_with("missing") {
                forget(&house);
            }
            let path = house.root().join(TRACES).join(name);
            if kind.put(&house, &path).is_none() {
                continue;
            }
            let said = edit(&house);
            let file = path.file_name().unwrap().to_string_lossy();
            assert_eq!(said.verdict(), "ask", "{what}: {said:?}");
            assert!(said.reason().contains(&*file), "{what}: {}", said.reason());
            untouched(&house, &what);
            // An edit that is denied stays denied.
            let house =
                house.rules("[[rule]]\nid = \"r\"\npaths = [\"**\"]\nforbid = [\"fine\"]\n");
            edit(&house).expect("deny", &["This decision is not recorded: "]);
            untouched(&house, &what);
        }
    }
}

#[test]
fn what_stands_in_the_place_of_a_folder_of_ours_asks() {
    for folder in [SOLVI, TRACES] {
        for kind in [Kind::Link, Kind::Dangling, Kind::Pipe, Kind::Socket] {
            let what = format!("{kind:?} {folder}");
            let house = house();
            let elsewhere = house.home().join("elsewhere");
            fs::rename(house.root().join(folder), &elsewhere).unwrap();
            kind.put(&house, &house.root().join(folder)).unwrap();
            edit(&house).expect("ask", &[folder]);
            untouched(&house, &what);
            // A link to the very folder that was there is one too.
            fs::remove_file(house.root().join(folder)).unwrap();
            symlink(&elsewhere, house.root().join(folder)).unwrap();
            edit(&house).expect("ask", &[folder, "is a symbolic link"]);
        }
    }
}

#[test]
fn a_name_that_is_only_used_in_passing_is_taken_back() {
    // A file of this name is made anew, so that what stands there is removed, and not followed.
    for kind in [Kind::Link, Kind::Dangling, Kind::Hard, Kind::Pipe, Kind::Socket, Kind::Foreign] {
        let house = house();
        let store = house.root().join(STORE);
        fs::remove_file(store.with_extension("jsonl.head")).unwrap();
        if kind.put(&house, &store.with_extension("jsonl.head.tmp")).is_none() {
            continue;
        }
        assert_eq!(edit(&house).verdict(), "allow", "{kind:?}");
        untouched(&house, &format!("{kind:?}"));
        assert!(fs::symlink_metadata(store.with_extension("jsonl.head")).unwrap().is_file());
        assert_eq!(house.run(&["verify"], "").status, Some(0), "{kind:?}");
    }
}

#[test]
fn no_text_of_the_head_is_carried_into_another_file() {
    let forged = [
        json!({"count": 9, "hash": "$(touch ran)"}).to_string(),
        json!({"count": 9, "hash": "\ntouch ran\n"}).to_string(),
        json!({"count": 9, "hash": HASH.to_uppercase()}).to_string(),
        json!({"count": 9, "hash": format!("{HASH}0")}).to_string(),
        json!({"count": 9, "hash": &HASH[..63]}).to_string(),
        json!({"count": u64::MAX, "hash": HASH}).to_string(),
        json!({"count": -1, "hash": HASH}).to_string(),
        json!({"count": 1.5, "hash": HASH}).to_string(),
        json!({"count": "9", "hash": HASH}).to_string(),
        json!({"count": 9, "hash": [HASH]}).to_string(),
        json!([9, "$(touch ran)"]).to_string(),
        "$(touch ran)".to_owned(),
    ];
    for head in forged {
        let house = house();
        fs::write(house.root().join(STORE).with_extension("jsonl.head"), &head).unwrap();
        edit(&house).expect("ask", &["the head file held what solvi-hook never writes"]);
        for file in fs::read_dir(house.root().join(TRACES)).unwrap() {
            let text = fs::read_to_string(file.unwrap().path()).unwrap();
            assert!(!text.contains("touch") && !text.contains(&HASH[..60]), "{head}: {text}");
        }
        // It was recorded, and a new head was written.
        assert_eq!(edit(&house).verdict(), "allow", "{head}");
        assert_eq!(house.run(&["verify"], "").status, Some(0), "{head}");
    }
    // What a writer may leave is believed as far as it goes, and kept as it was parsed.
    let house = house();
    let head = format!("{{\"count\": 9, \"more\": \"$(touch ran)\", \"hash\": \"{HASH}\"}}");
    fs::write(house.root().join(STORE).with_extension("jsonl.head"), head).unwrap();
    edit(&house);
    let missing = house.root().join(STORE).with_extension("jsonl.missing");
    let missing = fs::read_to_string(missing).unwrap_or_default();
    assert!(!missing.contains("touch"), "{missing}");
}

#[test]
fn commands_of_a_person_follow_no_link_either() {
    let commands: [(&[&str], &[&str]); 4] = [
        (&["traces", "rotate"], &["", ".head", ".missing"]),
        (&["traces", "rotate", "--keep", "1d"], &[".retired"]),
        (&["redact", "ID", "--note", "x"], &["", ".head"]),
        (&["anchor"], &[""]),
    ];
    for (command, endings) in commands {
        for ending in endings {
            for kind in [Kind::Link, Kind::Dangling, Kind::Hard, Kind::Pipe, Kind::Foreign] {
                let what = format!("{command:?} {ending} {kind:?}");
                let house = house();
                let path = house.root().join(format!("{STORE}{ending}"));
                let record = fs::read_to_string(house.root().join(STORE)).unwrap();
                let record: serde_json::Value = serde_json::from_str(record.trim()).unwrap();
                let id = record["id"].as_str().unwrap();
                if *ending == ".retired" {
                    // Old enough to be deleted.
                    house.run(&["traces", "rotate"], "");
                    edit(&house);
                    age(&house);
                }
                if kind.put(&house, &path).is_none() {
                    continue;
                }
                let args: Vec<&str> =
                    command.iter().map(|it| if *it == "ID" { id } else { *it }).collect();
                let said = house.run(&args, "");
                untouched(&house, &what);
                // Reading needs no more than a plain file, whosever it is.
                let reads = command[0] == "anchor" && matches!(kind, Kind::Hard | Kind::Foreign);
                assert!(reads || said.status == Some(2), "{what}: {said:?}");
                assert!(said.stderr.len() < 1000, "{what}: {said:?}");
            }
        }
    }
}

/// Makes the newest file say that the one before it was sealed long ago.
fn age(house: &House) {
    let store = house.root().join(STORE);
    let text = fs::read_to_string(&store).unwrap();
    let line = text.lines().next().unwrap();
    let mut record: serde_json::Value = serde_json::from_str(line).unwrap();
    record["time"] = json!(1.0);
    fs::write(&store, text.replacen(line, &record.to_string(), 1)).unwrap();
}

#[test]
fn names_that_a_rewriting_uses_in_passing_are_not_followed() {
    for (command, ending) in [
        ("redact", ".rewrite"),
        ("redact", ".head.tmp"),
        ("rotate", ".next"),
        ("rotate", ".head.tmp"),
    ] {
        for kind in [Kind::Link, Kind::Dangling, Kind::Hard, Kind::Pipe, Kind::Foreign] {
            let house = house();
            let record = fs::read_to_string(house.root().join(STORE)).unwrap();
            let record: serde_json::Value = serde_json::from_str(record.trim()).unwrap();
            if kind.put(&house, &house.root().join(format!("{STORE}{ending}"))).is_none() {
                continue;
            }
            let id = record["id"].as_str().unwrap();
            let said = match command {
                "redact" => house.run(&["redact", id, "--note", "x"], ""),
                _ => house.run(&["traces", "rotate"], ""),
            };
            let what = format!("{command} {ending} {kind:?}");
            assert_eq!(said.status, Some(0), "{what}: {said:?}");
            untouched(&house, &what);
            assert_eq!(house.run(&["verify"], "").status, Some(0), "{what}");
        }
    }
}

#[test]
fn a_store_elsewhere_is_found_through_links_and_is_no_link_itself() {
    for (store, ending) in
        [("linked/t.jsonl", ".jsonl"), ("linked/t.db", ".db"), ("linked/.solvi/t.jsonl", ".jsonl")]
    {
        let house = house();
        let real = house.home().join("real");
        fs::create_dir(&real).unwrap();
        symlink(&real, house.home().join("linked")).unwrap();
        let named = house.home().join(store);
        let named = named.to_str().unwrap();
        let run = || {
            let input = json!({"file_path": "a.txt", "content": "fine\n"});
            house.edit_with(&["--store", named], "Write", input)
        };
        assert_eq!(run().verdict(), "allow", "{store}");
        assert_eq!(house.run(&["verify", named], "").status, Some(0), "{store}");
        for kind in [Kind::Link, Kind::Hard, Kind::Pipe, Kind::Foreign] {
            if kind.put(&house, Path::new(named)).is_none() {
                continue;
            }
            run().expect("ask", &[ending]);
            untouched(&house, store);
        }
    }
}

#[test]
fn a_file_with_two_names_in_one_folder_is_what_a_rotation_leaves() {
    let house = house();
    let store = house.root().join(STORE);
    fs::hard_link(&store, store.with_file_name("hooks.000001.jsonl")).unwrap();
    assert_eq!(edit(&house).verdict(), "allow");
    assert_eq!(house.run(&["traces", "rotate"], "").status, Some(0));
    assert_eq!(house.run(&["verify"], "").status, Some(0));
    // Any other second name would have one file of ours written into another.
    for (name, second) in [("", ".missing"), ("", ".head"), (".head", ".x")] {
        let house = self::house();
        let store = house.root().join(STORE);
        let [name, second] = [name, second].map(|it| store.with_extension(format!("jsonl{it}")));
        let _ = fs::remove_file(&second);
        fs::hard_link(name, second).unwrap();
        edit(&house).expect("ask", &["a hard link"]);
    }
}

#[test]
fn the_choices_of_a_person_follow_no_link() {
    for name in ["solvi-hook.choices.json", "solvi-hook.choices.lock"] {
        for kind in [Kind::Link, Kind::Dangling, Kind::Hard, Kind::Pipe, Kind::Foreign] {
            let house = house();
            let folder = house.home().join(".pi/agent");
            fs::create_dir_all(&folder).unwrap();
            if kind.put(&house, &folder.join(name)).is_none() {
                continue;
            }
            let said = house.run(&["choices", "disable", "edits"], "");
            assert_eq!(said.status, Some(2), "{name} {kind:?}: {said:?}");
            untouched(&house, name);
        }
    }
}

#[test]
fn doctor_names_what_is_given_by_a_link() {
    for link in [SOLVI, ".solvi/.gitignore", ".git"] {
        let house = house();
        let path = house.root().join(link);
        let elsewhere = house.home().join("elsewhere");
        fs::rename(&path, &elsewhere).unwrap();
        symlink(&elsewhere, &path).unwrap();
        let said = house.run(&["doctor"], "");
        assert!(said.stdout.contains(&format!("{link} is a symbolic link")), "{link}: {said:?}");
    }
}

#[test]
fn what_is_made_is_private_and_ours() {
    let house = house();
    for path in [SOLVI, TRACES, STORE, ".solvi/traces/hooks.jsonl.head", ".solvi/.gitignore"] {
        let there = fs::metadata(house.root().join(path)).unwrap();
        assert_eq!(there.permissions().mode() & 0o077, 0, "{path}");
        assert_eq!(there.uid(), fs::metadata(house.root()).unwrap().uid(), "{path}");
    }
}

/// Two processes: one exchanges the store for a link again and again, the other writes to it.
#[test]
fn an_exchange_in_the_middle_does_not_lead_elsewhere() {
    use std::sync::atomic::{AtomicBool, Ordering};

    let house = house();
    let store = house.root().join(STORE);
    let (link, aside) = (store.with_extension("link"), store.with_extension("aside"));
    symlink(outside(&house), &link).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let _ = fs::rename(&store, &aside);
                let _ = symlink(outside(&house), &store);
                let _ = fs::remove_file(&store);
                let _ = fs::rename(&aside, &store);
            }
        });
        for _ in 0..40 {
            let verdict = edit(&house).verdict();
            assert!(["allow", "ask"].contains(&verdict.as_str()), "{verdict}");
        }
        done.store(true, Ordering::Relaxed);
    });
    untouched(&house, "exchanged");
}
