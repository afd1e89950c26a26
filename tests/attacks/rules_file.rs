//! Rules that are gone, that cannot be looked at, or that are a link: what evaluates then, and who
//! is told.

#![cfg(unix)]

use crate::checks::desk::{BANNED, Desk};
use crate::support::{House, Said, payload, said};
use serde_json::json;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

/// A rule that the built-in ones do not have.
const RULES: &str = "[[rule]]\nid = \"no-token\"\npaths = [\"**\"]\nforbid = [\"BANNED[_]WORD\"]\n";

#[track_caller]
fn denied(said: &Said) {
    said.expect("deny", &["no-token"]);
}

/// Asserts that a hook asks because of the rules, and that what it says names the cause.
#[track_caller]
fn asked(said: &Said, cause: &str) {
    said.expect("ask", &["rules-file", cause]);
}

/// Runs `pre-edit` as somebody who is not root.
fn as_nobody(house: &House, change: impl Fn(&Path)) -> Said {
    let root = house.root();
    let above = root.parent().unwrap().to_owned();
    let everyone = |path: &Path| {
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
    };
    everyone(&above);
    everyone(&root);
    change(&root);
    let input = json!({"file_path": "a.txt", "content": BANNED});
    let payload = payload("Write", &input).to_string();
    // The program may be in a folder that only its owner can enter.
    let program = above.join("solvi-hook");
    fs::copy(crate::support::binary(), &program).unwrap();
    everyone(&program);
    let is_root = fs::metadata("/proc/self")
        .is_ok_and(|meta| std::os::unix::fs::MetadataExt::uid(&meta) == 0);
    loop {
        let mut command = house.command(&[]);
        if is_root {
            let path = std::env::var_os("PATH").unwrap_or_default();
            command = std::process::Command::new("setpriv");
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program);
            command.current_dir(&root).env_clear().env("HOME", &above).env("PATH", path);
        }
        command.args(["pre-edit", "--no-store", "--project"]).arg(&root);
        let said = said(command, payload.as_bytes());
        // The copy was written just now: another test's child may still hold it open.
        if !said.stderr.contains("Text file busy") {
            return said;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn a_tracked_rules_file_that_is_gone_from_the_tree_still_judges_edits() {
    for name in ["solvi-rules.toml", ".config/solvi-rules.toml", ".claude/solvi-rules.toml"] {
        let desk = Desk::judged_by("version = 1\n", &[(name, RULES)]);
        if name != "solvi-rules.toml" {
            desk.git(&["rm", "-qf", "solvi-rules.toml"]);
            desk.commit("one rules file");
        }
        denied(&desk.proposes("b.py", BANNED));
        desk.remove(name);
        denied(&desk.proposes("b.py", BANNED));
        // In every form of the index.
        desk.git(&["update-index", "--index-version", "4"]);
        denied(&desk.proposes("b.py", BANNED));
        desk.git(&["update-index", "--index-version", "2"]);
        desk.git(&["update-index", "--split-index"]);
        denied(&desk.proposes("b.py", BANNED));
    }
}

#[test]
fn a_sparse_checkout_without_the_rules_file_is_judged_by_it() {
    let desk = Desk::judged_by("version = 1\n", &[(".config/solvi-rules.toml", RULES)]);
    desk.git(&["rm", "-qf", "solvi-rules.toml"]);
    desk.write("src/a.py", "1\n").commit("one rules file");
    for arguments in [
        &["sparse-checkout", "set", "--cone", "src"][..],
        &["sparse-checkout", "set", "--cone", "--sparse-index", "src"],
    ] {
        desk.git(arguments);
        assert!(!desk.root.join(".config").exists());
        denied(&desk.proposes("b.py", BANNED));
    }
}

#[test]
fn the_rules_that_judge_are_named() {
    let desk = Desk::judged_by(RULES, &[]);
    let told = |desk: &Desk| {
        let input = json!({"file_path": "b.py", "content": "x\n"});
        let payload = payload("Write", &input).to_string();
        desk.run(&["pre-edit", "--explain", "--no-store"], payload).stderr
    };
    assert!(told(&desk).contains("solvi-rules.toml (1 rule)"), "{}", told(&desk));
    desk.remove("solvi-rules.toml");
    assert!(told(&desk).contains("solvi-rules.toml@index (1 rule)"), "{}", told(&desk));
    desk.write("team/rules.toml", RULES).link("team/rules.toml", "solvi-rules.toml");
    let link = "solvi-rules.toml -> team/rules.toml (1 rule)";
    assert!(told(&desk).contains(link), "{}", told(&desk));
    let said = desk.run(&["rules", "check"], "");
    assert!(said.stdout.contains("solvi-rules.toml -> team/rules.toml: 1 rule"), "{said:?}");
    let said = desk.run(&["doctor"], "");
    assert!(said.stdout.contains("solvi-rules.toml -> team/rules.toml: 1 rule"), "{said:?}");
}

#[test]
fn an_index_that_is_damaged_or_another_ones_takes_no_rule_away() {
    let index = |change: fn(&Path)| {
        let desk = Desk::judged_by(RULES, &[]);
        desk.remove("solvi-rules.toml");
        change(&desk.root.join(".git/index"));
        let input = json!({"file_path": "b.py", "content": BANNED});
        desk.run(&["pre-edit", "--no-store"], payload("Write", &input).to_string())
    };
    asked(&index(|path| fs::write(path, "").unwrap()), "the index");
    asked(&index(|path| fs::write(path, "DIR").unwrap()), "the index");
    let cut = |path: &Path| fs::write(path, &fs::read(path).unwrap()[..40]).unwrap();
    asked(&index(cut), "the index");
    // The environment of another repository.
    let desk = Desk::judged_by(RULES, &[]);
    let other = Desk::judged_by("version = 1\n", &[]);
    desk.remove("solvi-rules.toml");
    let input = json!({"file_path": "b.py", "content": BANNED});
    let mut command = desk.command(&["pre-edit", "--no-store"]);
    command.env("GIT_DIR", other.root.join(".git"));
    denied(&said(command, payload("Write", &input).to_string().as_bytes()));
}

#[test]
fn a_project_in_a_folder_of_a_repository_has_its_own_rules_in_the_index() {
    let desk = Desk::judged_by("version = 1\n", &[("sub/solvi-rules.toml", RULES)]);
    desk.remove("sub/solvi-rules.toml");
    let input = json!({"file_path": "b.py", "content": BANNED});
    let arguments = ["pre-edit", "--no-store", "--project", "sub"];
    denied(&desk.run(&arguments, payload("Write", &input).to_string()));
}

#[test]
fn what_a_rules_file_leads_to_is_a_persons_to_change() {
    let desk = Desk::judged_by("version = 1\n", &[("team/rules.toml", RULES)]);
    desk.remove("solvi-rules.toml").link("team/rules.toml", "solvi-rules.toml");
    denied(&desk.proposes("b.py", BANNED));
    desk.proposes("team/rules.toml", "version = 1\n").expect("ask", &["own-files"]);
    desk.proposes("solvi-rules.toml", "version = 1\n").expect("ask", &["own-files"]);
}

#[test]
fn rules_that_cannot_be_looked_at_ask() {
    type Attack = fn(&Path);
    let attacks: &[(Attack, &str)] = &[
        (|root| symlink("solvi-rules.toml", root.join("solvi-rules.toml")).unwrap(), "symbolic"),
        (|root| symlink("nowhere", root.join("solvi-rules.toml")).unwrap(), "cannot be read"),
        (|root| symlink("/dev/zero", root.join("solvi-rules.toml")).unwrap(), "regular file"),
        (|root| symlink("x".repeat(300), root.join("solvi-rules.toml")).unwrap(), "too long"),
        (|root| fs::create_dir(root.join("solvi-rules.toml")).unwrap(), "regular file"),
        (|root| symlink(".claude", root.join(".claude")).unwrap(), "symbolic"),
        (|root| symlink("nowhere", root.join(".config")).unwrap(), "cannot be looked at"),
        (
            |root| {
                fs::write(root.join("f"), "").unwrap();
                symlink("f/x", root.join("solvi-rules.toml")).unwrap();
            },
            "cannot be read",
        ),
        (
            |root| {
                fs::create_dir(root.join(".git/index")).unwrap();
            },
            "cannot be looked at",
        ),
    ];
    for (number, (attack, cause)) in attacks.iter().enumerate() {
        let house = House::new();
        attack(&house.root());
        let said = house.write("a.txt", BANNED);
        assert_eq!(said.verdict(), "ask", "attack {number}: {said:?}");
        assert!(said.reason().contains(cause), "attack {number}: {}", said.reason());
        let check = house.run(&["rules", "check"], "");
        assert_eq!(check.status, Some(2), "attack {number}: {check:?}");
    }
}

#[test]
fn rules_behind_a_folder_that_may_not_be_searched_ask() {
    let attacks: [fn(&Path); 3] = [
        |root| {
            fs::create_dir(root.join(".claude")).unwrap();
            fs::write(root.join(".claude/solvi-rules.toml"), RULES).unwrap();
            fs::set_permissions(root.join(".claude"), fs::Permissions::from_mode(0o000)).unwrap();
        },
        |root| {
            fs::write(root.join("solvi-rules.toml"), RULES).unwrap();
            fs::set_permissions(root.join("solvi-rules.toml"), fs::Permissions::from_mode(0o000))
                .unwrap();
        },
        |root| {
            fs::write(root.join(".git/index"), "DIRC").unwrap();
            fs::set_permissions(root.join(".git/index"), fs::Permissions::from_mode(0o000))
                .unwrap();
        },
    ];
    for attack in attacks {
        let house = House::new();
        asked(&as_nobody(&house, attack), "Permission denied");
        for path in [".claude", "solvi-rules.toml", ".git/index"] {
            let _ = fs::set_permissions(house.root().join(path), fs::Permissions::from_mode(0o700));
        }
    }
}

#[test]
fn a_file_where_a_folder_of_rules_may_be_is_a_projects_own() {
    let house = House::new().file(".config", "CONFIG_X=y\n").file(".claude", "");
    assert_eq!(house.write("a.txt", "x\n").verdict(), "allow");
}

#[test]
fn a_project_that_is_not_there_is_no_project_without_rules() {
    let house = House::new();
    let input = json!({"file_path": "a.py", "content": "x"});
    for named in ["/nonexistent", "gone", "a\u{301}", ""] {
        if named.is_empty() {
            continue;
        }
        let said = house.edit_with(&["--project", named], "Write", input.clone());
        said.expect("ask", &["is not a directory"]);
        for command in [
            &["check-staged", "--no-store"][..],
            &["check-diff"],
            &["check-diff", "--patch", "-"],
            &["pre-push", "origin"],
            &["rules", "check"],
            &["doctor"],
        ] {
            let said = house.run(&[command, &["--project", named]].concat(), "");
            assert_eq!(said.status, Some(2), "{command:?} {said:?}");
            assert!(said.stderr.contains("is not a directory"), "{command:?} {said:?}");
        }
    }
}
