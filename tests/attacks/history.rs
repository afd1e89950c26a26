//! Pushes, commits and ranges that would be their own judge: by rules that they loosen, by rules
//! that nobody committed, or by leaving in the history what the end does not show.

#![cfg(unix)]

use crate::checks::desk::{BANNED, Desk, Told};
use crate::git::yard::Yard;
use std::time::Instant;

/// Rules of which each attack loosens one.
const RULES: &str = r#"version = 1
[[rule]]
id = "no-token"
paths = ["**", "!legacy/**"]
forbid = ["BANNED[_]WORD"]
[[rule]]
id = "secret"
paths = ["**"]
forbid = ["house_[0-9a-f]{8}"]
redact = true
"#;

const SECRET: &str = "k = house_01234567\n";

fn desk() -> Desk {
    Desk::judged_by(RULES, &[("a.py", "1\n")])
}

/// A repository whose `main` is on a remote.
fn pushed(desk: Desk) -> Desk {
    let bare = desk.beside("remote.git");
    let bare = bare.to_str().unwrap();
    desk.git(&["init", "-q", "--bare", "-b", "main", bare]);
    desk.git(&["remote", "add", "origin", bare]);
    desk.git(&["push", "-q", "origin", "main"]);
    desk
}

impl Desk {
    /// Runs `pre-push` for HEAD on a branch that the remote has at a revision.
    fn pushes(&self, branch: &str, theirs: &str) -> Told {
        self.pushes_with(&[], branch, theirs)
    }

    fn pushes_with(&self, arguments: &[&str], branch: &str, theirs: &str) -> Told {
        let head = self.word(&["rev-parse", "HEAD"]);
        let theirs = match theirs {
            "" => "0".repeat(head.len()),
            theirs => self.word(&["rev-parse", theirs]),
        };
        let line = format!("refs/heads/x {head} refs/heads/{branch} {theirs}\n");
        let fixed = ["pre-push", "origin", "--no-store", "--format", "json"];
        Told::of(self.run(&[&fixed, arguments].concat(), line))
    }

    /// Returns which rules evaluated.
    fn by(told: &Told) -> Vec<String> {
        let sets = told.list("rules").iter().filter(|set| set["off"] != true);
        sets.map(|set| format!("{} ({})", set["name"].as_str().unwrap(), set["count"])).collect()
    }
}

/// Each way to loosen the rules, and what is told of it.
const LOOSER: &[(&str, &str, &str)] = &[
    ("forbid = [\"BANNED[_]WORD\"]", "forbid = [\"OTHER\"]", "rule `no-token`: `forbid` lacks 1"),
    ("forbid = [\"BANNED[_]WORD\"]", "forbid = [\"^BANNED_WORD$$\"]", "`forbid` lacks 1 of 1"),
    ("\"!legacy/**\"", "\"!legacy/**\", \"!*.py\"", "`paths` has `!*.py`"),
    ("\"**\", \"!legacy/**\"", "\"src/**\"", "`paths` lacks `**`"),
    ("id = \"no-token\"", "id = \"no-token\"\non_fail = \"warn\"", "`on_fail` is warn, was deny"),
    ("id = \"no-token\"", "id = \"no-token\"\nonly = \"tracked\"", "`only` is tracked, was any"),
    ("id = \"no-token\"", "id = \"no-token\"\non = \"edit\"", "`on` lacks commit, push, ci"),
    ("redact = true", "redact = false", "rule `secret`: `redact` is off"),
    ("id = \"no-token\"\npaths = [\"**\", ", "id = \"token\"\npaths = [\"x\", ", "it is deleted"),
];

#[test]
fn a_change_that_loosens_its_own_rules_is_checked_by_those_it_had() {
    for (from, to, told) in LOOSER {
        let desk = pushed(desk());
        let loose = RULES.replace(from, to);
        assert_ne!(loose, RULES);
        let names = |found: &Told, status: i32| {
            let what = found.list("findings").iter().flat_map(|it| it["spots"].as_array().unwrap());
            let what: Vec<&str> = what.map(|spot| spot["what"].as_str().unwrap()).collect();
            assert!(what.iter().any(|what| what.contains(told)), "{told}: {found:#?}");
            let rules: Vec<&str> =
                found.list("findings").iter().map(|it| it["rule"].as_str().unwrap()).collect();
            assert!(rules.contains(&"rules-loosened"), "{told}: {found:#?}");
            assert_eq!(found.status, status, "{told}: {found:#?}");
            if !told.contains("secret") {
                assert!(rules.contains(&"no-token"), "{told}: {found:#?}");
            }
        };
        desk.write("solvi-rules.toml", &loose).write("b.py", BANNED).stage();
        names(&desk.staged(), 1);
        let fails = ["--fail-on", "ask"];
        names(&desk.diff(&[&["--staged"], &fails[..]].concat()), 1);
        names(&desk.diff(&fails), 1);
        desk.git(&["commit", "-q", "-m", "both"]);
        names(&desk.diff(&[&["HEAD~1..HEAD"], &fails[..]].concat()), 1);
        names(&desk.diff(&[&["HEAD~1...HEAD"], &fails[..]].concat()), 1);
        names(&desk.diff(&[&["HEAD~1..HEAD", "--each-commit"], &fails[..]].concat()), 1);
        names(&desk.pushes("main", "HEAD~1"), 1);
        names(&desk.pushes("topic", ""), 1);
        // The set that is named is the only one.
        let one = desk.diff(&["HEAD~1..HEAD", "--rules-from", "HEAD~1"]);
        assert_eq!(Desk::by(&one), ["solvi-rules.toml@HEAD~1 (2)"]);
    }
}

#[test]
fn a_loosening_alone_asks_and_a_tightening_says_nothing() {
    let desk = pushed(desk());
    desk.write("solvi-rules.toml", RULES.replace("\"!legacy/**\"", "\"tests/**\"")).stage();
    desk.staged().passes();
    desk.write("solvi-rules.toml", RULES.replace("BANNED[_]WORD\"", "BANNED[_]WORD\", \"[x]y\""));
    desk.stage();
    desk.staged().passes();
    desk.write("solvi-rules.toml", format!("# why\n{RULES}").replace('\n', "\r\n")).stage();
    desk.staged().passes();
    desk.write("solvi-rules.toml", "version = 1\n").stage();
    let what = ["rules-loosened solvi-rules.toml"; 2];
    desk.staged().is(1, &what);
    desk.diff(&[]).is(0, &what);
    desk.commit("none");
    desk.pushes("main", "HEAD~1").is(1, &what);
    // It is told once: the next commit begins with these rules.
    desk.write("b.py", "1\n").stage();
    desk.staged().passes();
}

#[test]
fn a_rules_file_that_is_deleted_or_moved_is_told() {
    let desk = pushed(desk());
    desk.git(&["rm", "-q", "solvi-rules.toml"]);
    desk.write("b.py", BANNED).stage();
    let told = desk.staged();
    assert_eq!(told.status, 1, "{told:#?}");
    assert!(told.found().contains(&"no-token b.py:1".to_owned()), "{told:#?}");
    assert_eq!(told.found().iter().filter(|it| it.starts_with("rules-loosened")).count(), 3);
    desk.git(&["reset", "-q", "--hard"]);
    desk.write(".config/x", "");
    desk.git(&["mv", "solvi-rules.toml", ".config/solvi-rules.toml"]);
    desk.staged().is(1, &["rules-loosened .config/solvi-rules.toml"]);
    // Out of the places where it is looked for.
    desk.git(&["mv", ".config/solvi-rules.toml", "rules.toml"]);
    let told = desk.staged();
    assert_eq!(told.found().iter().filter(|it| it.starts_with("rules-loosened")).count(), 3);
    // A link out of the repository has no rules that a commit could hold.
    desk.git(&["reset", "-q", "--hard"]);
    desk.remove("solvi-rules.toml").link("/etc/hostname", "solvi-rules.toml").stage();
    let told = desk.staged();
    assert_eq!(told.status, 2, "{told:#?}");
    assert!(told.said.stderr.contains("leads out of the repository"), "{told:#?}");
    // A link whose target reads as rules is a link all the same.
    desk.remove("solvi-rules.toml").link("version = 1", "solvi-rules.toml").stage();
    let told = desk.staged();
    assert!(told.said.stderr.contains("leads to nothing that git tracks"), "{told:#?}");
    desk.write("team.toml", "version = 1\n");
    desk.remove("solvi-rules.toml").link("team.toml", "solvi-rules.toml").stage();
    let told = desk.staged();
    assert_eq!(told.status, 1, "{told:#?}");
    let sets = ["solvi-rules.toml@HEAD (2)", "solvi-rules.toml@index -> team.toml (0)"];
    assert_eq!(Desk::by(&told), sets);
}

#[test]
fn a_first_file_of_ones_own_switches_the_built_in_rules_off_and_says_so() {
    let yard = Yard::of(&[("a.py", "1\n")]);
    let desk = Desk(yard);
    let token = format!("token = \"ghp_{}\"\n", "1a2B3c4D5e6F7g8H9i0J1k2L3m4N5o6P7q8R");
    desk.write("solvi-rules.toml", RULES).write("b.py", &token).stage();
    let told = desk.staged();
    let of = |rule: &str| {
        let list = told.list("findings").iter();
        list.filter(|it| it["rule"] == rule).count()
    };
    assert_eq!(of("rules-loosened"), 1, "{told:#?}");
    assert_eq!(told.status, 1, "{told:#?}");
    assert!(told.said.stdout.contains("is switched off"), "{told:#?}");
    assert!(Desk::by(&told).iter().any(|set| set.starts_with("built-in (")), "{told:#?}");
    assert!(told.found().iter().any(|it| it.contains(" b.py:1")), "{told:#?}");
}

#[test]
fn what_nobody_committed_evaluates_no_push() {
    let desk = pushed(desk());
    desk.write("b.py", BANNED).commit("bad");
    desk.write("solvi-rules.toml", "version = 1\n");
    desk.pushes("main", "HEAD~1").refuses(&["no-token b.py:1"]);
    desk.stage();
    desk.pushes("main", "HEAD~1").refuses(&["no-token b.py:1"]);
    desk.remove("solvi-rules.toml").link("solvi-rules.toml", "solvi-rules.toml");
    desk.pushes("main", "HEAD~1").refuses(&["no-token b.py:1"]);
    desk.diff(&["HEAD~1..HEAD"]).refuses(&["no-token b.py:1"]);
    // Neither do rules in a place that is named and that a commit has.
    desk.git(&["reset", "-q", "--hard"]);
    desk.write("team.toml", RULES).commit("team").write("team.toml", "");
    desk.pushes_with(&["--rules", "team.toml"], "main", "HEAD~2").refuses(&["no-token b.py:1"]);
    // Stricter rules that nobody committed stop nothing either.
    let desk = pushed(self::desk());
    desk.write("b.py", "fine\n").commit("good");
    desk.write("solvi-rules.toml", RULES.replace("BANNED[_]WORD", "fine"));
    desk.pushes("main", "HEAD~1").passes();
}

#[test]
fn rules_that_are_nowhere_committed_are_named_and_do_not_count() {
    let desk = pushed(Desk(Yard::of(&[("a.py", "1\n")])));
    desk.write("b.py", "1\n").commit("b").write("solvi-rules.toml", RULES);
    let told = desk.pushes("main", "HEAD~1");
    assert!(told.notes().contains("solvi-rules.toml is not committed"), "{told:#?}");
    assert!(Desk::by(&told).iter().any(|set| set.starts_with("built-in (")), "{told:#?}");
}

#[test]
fn the_base_that_cannot_be_read_stops_no_correction_and_is_told() {
    for broken in
        ["[[rule]]\nid = 1\n", "[[rule]]\nid = \"x\"\npaths = [\"**\"]\nforbid = [\"(\"]\n"]
    {
        let desk = pushed(Desk::judged_by(broken, &[]));
        desk.write("solvi-rules.toml", RULES).write("b.py", "fine\n").stage();
        let told = desk.staged();
        assert_eq!(told.status, 1, "{told:#?}");
        let list = told.list("findings");
        assert!(list.iter().all(|it| it["rule"] == "rules-loosened"), "{told:#?}");
        assert!(told.said.stdout.contains("cannot be read"), "{told:#?}");
    }
    let desk = pushed(desk());
    desk.write("solvi-rules.toml", "[[rule]]\nid = 1\n").write("b.py", BANNED).stage();
    assert_eq!(desk.staged().status, 2);
    desk.git(&["commit", "-q", "-m", "broken"]);
    assert_eq!(desk.pushes("main", "HEAD~1").status, 2);
    assert_eq!(desk.diff(&["HEAD~1..HEAD"]).status, 2);
}

#[test]
fn a_merge_brings_rules_of_others_and_loosens_none() {
    let desk = pushed(desk());
    desk.git(&["checkout", "-q", "-b", "topic"]);
    desk.write("t.py", "1\n").commit("t");
    desk.git(&["push", "-q", "origin", "topic"]);
    desk.git(&["checkout", "-q", "main"]);
    desk.write("solvi-rules.toml", RULES.replace("BANNED[_]WORD", "OTHE[R]")).commit("decided");
    desk.git(&["push", "-q", "origin", "main"]);
    desk.git(&["checkout", "-q", "topic"]);
    desk.git(&["merge", "-q", "--no-commit", "--no-ff", "main"]);
    desk.staged().passes();
    desk.git(&["commit", "-q", "-m", "merged"]);
    desk.pushes("topic", "topic~1").passes();
    // What the merge itself adds to it is its own.
    desk.git(&["reset", "-q", "--hard", "HEAD~1"]);
    desk.git(&["merge", "-q", "--no-commit", "--no-ff", "main"]);
    desk.write("solvi-rules.toml", "version = 1\n").stage();
    let told = desk.staged();
    assert_eq!(told.status, 1, "{told:#?}");
}

#[test]
fn rules_that_the_base_got_meanwhile_are_not_deleted_by_a_branch() {
    let desk = desk();
    desk.git(&["checkout", "-q", "-b", "topic"]);
    desk.write("t.py", "LATER\n").commit("t");
    desk.git(&["checkout", "-q", "main"]);
    let later = "[[rule]]\nid = \"later\"\npaths = [\"**\"]\nforbid = [\"LATER\"]\n";
    desk.write("solvi-rules.toml", format!("{RULES}{later}")).commit("later");
    desk.git(&["checkout", "-q", "topic"]);
    desk.diff(&["main...topic"]).refuses(&["later t.py:1"]);
}

#[test]
fn a_secret_that_a_later_commit_removes_is_found_with_its_commit() {
    let desk = pushed(desk());
    desk.write("a.py", SECRET).commit("with the key").write("a.py", "1\n2\n").commit("without");
    let told = desk.pushes("main", "HEAD~2");
    told.refuses(&["secret a.py:1"]);
    assert_eq!(told.list("findings")[0]["commit"]["subject"], "with the key");
    assert!(!told.said.stdout.contains("house_01234567"), "{told:#?}");
    assert!(told.notes().contains("every commit of the push"), "{told:#?}");
    // A new branch, and the file itself gone.
    desk.remove("a.py").commit("gone");
    desk.pushes("topic", "").refuses(&["secret a.py:1"]);
    // Of other rules only the end counts.
    let desk = pushed(self::desk());
    desk.write("b.py", BANNED).commit("bad").remove("b.py").commit("good");
    let told = desk.pushes("main", "HEAD~2");
    assert!(told.passes().notes().contains("the others at what it changes in the end"));
}

#[test]
fn a_secret_that_stays_is_told_once_and_one_that_was_there_is_not() {
    let desk = pushed(Desk::judged_by(RULES, &[("old.py", SECRET)]));
    desk.write("a.py", SECRET).commit("one").write("b.py", "1\n").commit("two");
    desk.pushes("main", "HEAD~2").refuses(&["secret a.py:1"]);
    let desk = pushed(Desk::judged_by(RULES, &[("old.py", &format!("{SECRET}1\n2\n3\n"))]));
    desk.git(&["mv", "old.py", "new.py"]);
    desk.commit("moved").write("c.py", "1\n").commit("two");
    desk.pushes("main", "HEAD~2").passes();
    desk.remove("new.py").commit("three");
    desk.pushes("main", "HEAD~3").passes();
}

#[test]
fn a_secret_in_a_merge_and_on_a_side_branch_is_found() {
    let desk = pushed(desk());
    desk.git(&["checkout", "-q", "-b", "side"]);
    desk.write("s.py", SECRET).commit("side").remove("s.py").write("s2.py", "1\n").commit("clean");
    desk.git(&["checkout", "-q", "main"]);
    desk.write("m.py", "1\n").commit("m");
    desk.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    let told = desk.pushes("main", "origin/main");
    assert_eq!(told.refuses(&["secret s.py:1"]).list("findings")[0]["commit"]["subject"], "side");
    // An evil merge: no parent has the line.
    let desk = pushed(self::desk());
    desk.git(&["checkout", "-q", "-b", "side"]);
    desk.write("s.py", "1\n").commit("side").git(&["checkout", "-q", "main"]);
    desk.write("m.py", "1\n").commit("m");
    desk.git(&["merge", "-q", "--no-commit", "--no-ff", "side"]);
    desk.write("evil.py", SECRET).commit("merge").remove("evil.py").commit("clean");
    desk.pushes("main", "origin/main").refuses(&["secret evil.py:1"]);
}

#[test]
fn what_the_remote_has_already_is_not_looked_at_again() {
    let desk = pushed(desk());
    desk.git(&["checkout", "-q", "-b", "old"]);
    desk.write("s.py", SECRET).commit("leaked").remove("s.py").commit("clean");
    desk.git(&["push", "-q", "origin", "old"]);
    desk.git(&["checkout", "-q", "main"]);
    desk.git(&["merge", "-q", "--no-ff", "-m", "merge", "old"]);
    desk.pushes("main", "origin/main").passes();
}

#[test]
fn a_secret_is_found_in_the_history_by_rules_of_either_side() {
    let desk = pushed(desk());
    desk.write("solvi-rules.toml", RULES.replace("redact = true", "on_fail = \"warn\""));
    desk.write("a.py", SECRET).commit("both").write("a.py", "1\n").commit("without");
    let told = desk.pushes("main", "HEAD~2");
    assert!(told.found().contains(&"secret a.py:1".to_owned()), "{told:#?}");
    assert!(!told.said.stdout.contains("house_01234567"), "{told:#?}");
}

/// Runs `pre-push` for one line of git's, whose local object is named as git does.
fn line(desk: &Desk, object: &str, name: &str, theirs: &str, more: &[&str]) -> Told {
    let object = desk.word(&["rev-parse", object]);
    let theirs = match theirs {
        "" => "0".repeat(object.len()),
        theirs => desk.word(&["rev-parse", theirs]),
    };
    let fixed = ["pre-push", "origin", "--no-store", "--format", "json"];
    Told::of(desk.run(&[&fixed, more].concat(), format!("x {object} {name} {theirs}\n")))
}

#[test]
fn a_secret_that_only_a_tag_or_another_ref_brings_is_found() {
    let desk = pushed(desk());
    desk.write("a.py", SECRET).commit("with the key").git(&["tag", "light"]);
    desk.git(&["tag", "-a", "-m", "m", "heavy"]);
    desk.git(&["tag", "-a", "-m", "m", "twice", "heavy"]);
    desk.write("a.py", "1\n2\n").commit("without").git(&["tag", "later"]);
    for tag in ["light", "heavy", "twice", "later"] {
        for name in ["refs/tags/v1", "refs/changes/1", "refs/x", "refs/notes/n"] {
            let told = line(&desk, tag, name, "", &[]);
            told.refuses(&["secret a.py:1"]);
            assert!(!told.said.stdout.contains("house_01234567"), "{told:#?}");
        }
    }
    // Whoever moves a tag brings what is new.
    desk.write("b.py", BANNED).commit("banned").git(&["tag", "banned"]);
    line(&desk, "banned", "refs/tags/v1", "later", &[]).refuses(&["no-token b.py:1"]);
    // What the commits were without rules, the remote's branch has.
    let desk = pushed(self::desk());
    desk.git(&["rm", "-q", "solvi-rules.toml"]);
    desk.write("a.py", SECRET).commit("neither rules").git(&["tag", "bare"]);
    let told = line(&desk, "bare", "refs/tags/v1", "", &[]);
    let loosened = ["rules-loosened solvi-rules.toml"; 3];
    told.refuses(&[&["secret a.py:1"], &loosened[..]].concat());
    // Beside a branch that is pushed.
    let desk = pushed(self::desk());
    desk.git(&["checkout", "-q", "--detach"]);
    desk.write("t.py", SECRET).commit("t").git(&["tag", "aside"]);
    desk.git(&["checkout", "-q", "main"]);
    desk.write("m.py", "1\n").commit("m");
    let ids = ["HEAD", "origin/main", "aside"].map(|name| desk.word(&["rev-parse", name]));
    let [head, base, aside] = ids;
    let zero = "0".repeat(head.len());
    let lines = format!(
        "refs/tags/a {aside} refs/tags/a {zero}\nrefs/heads/main {head} refs/heads/main {base}\n"
    );
    let fixed = ["pre-push", "origin", "--no-store", "--format", "json"];
    Told::of(desk.run(&fixed, lines)).refuses(&["secret t.py:1"]);
}

#[test]
fn tags_of_what_the_remote_has_say_nothing_and_of_no_commit_cannot_be_checked() {
    let desk = pushed(Desk::judged_by(RULES, &[("old.py", SECRET)]));
    desk.git(&["tag", "-a", "-m", "m", "v1"]);
    let quiet = desk.run(
        &["pre-push", "origin"],
        format!("x {} refs/tags/v1 {}\n", desk.word(&["rev-parse", "v1"]), "0".repeat(40)),
    );
    assert_eq!((quiet.status, quiet.stdout.as_str(), quiet.stderr.as_str()), (Some(0), "", ""));
    // A tree has paths, and is compared with what the default branch has.
    let sends = |object: &str, more: &[&str]| {
        let git =
            format!("x {} refs/tags/v2 {}\n", desk.word(&["rev-parse", object]), "0".repeat(40));
        desk.run(&[&["pre-push", "origin"], more].concat(), git)
    };
    let quiet = sends("HEAD^{tree}", &[]);
    assert_eq!((quiet.status, quiet.stdout.as_str()), (Some(0), ""), "{quiet:#?}");
    desk.write("b.py", BANNED).stage();
    let tree = desk.word(&["write-tree"]);
    line(&desk, &tree, "refs/tags/v2", "", &[]).refuses(&["no-token b.py:1"]);
    let told = line(&desk, "HEAD:old.py", "refs/tags/v2", "", &[]);
    assert_eq!(told.said.status, Some(2), "{told:#?}");
    assert!(told.said.stderr.contains("`refs/tags/v2` is a file without a path"), "{told:#?}");
    let told = sends("HEAD:old.py", &["--allow-unknown"]);
    assert_eq!((told.status, told.stdout.as_str()), (Some(0), ""), "{told:#?}");
}

#[test]
fn what_goes_to_a_review_server_is_checked_as_a_branch_is() {
    let desk = pushed(desk());
    desk.write("b.py", BANNED).commit("bad");
    line(&desk, "HEAD", "refs/for/main", "", &[]).refuses(&["no-token b.py:1"]);
    line(&desk, "HEAD", "refs/for/main%topic=x", "", &[]).refuses(&["no-token b.py:1"]);
}

#[test]
fn a_revision_that_is_a_range_is_not_compared_with_itself() {
    let desk = Desk::judged_by(RULES, &[]);
    desk.write("b.py", BANNED).commit("bad");
    for spec in ["HEAD^!", "HEAD^@", "HEAD~1..HEAD^!", "^HEAD", "HEAD^-"] {
        let told = desk.run(&["check-diff", spec], "");
        assert_eq!(told.status, Some(2), "{spec}: {told:#?}");
    }
}

#[test]
fn a_repository_that_git_no_longer_takes_for_one_is_told_when_the_agent_stops() {
    let stop = |desk: &Desk| {
        let cwd = desk.word(&["-C", ".", "rev-parse", "--git-dir"]);
        assert_eq!(cwd, ".git");
        desk.write("b.py", BANNED);
        move |desk: &Desk| {
            let payload = serde_json::json!({"hook_event_name": "Stop", "session_id": "s",
                "cwd": ".", "stop_hook_active": false});
            desk.run(&["hook", "--agent", "claude"], payload.to_string())
        }
    };
    let desk = self::desk();
    let stops = stop(&desk);
    assert!(stops(&desk).stdout.contains("block"));
    desk.git(&["config", "core.bare", "true"]);
    let told = stops(&desk);
    assert!(told.stdout.contains("is not checked: git's configuration"), "{told:#?}");
    let desk = self::desk();
    let stops = stop(&desk);
    desk.remove(".git/HEAD");
    let told = stops(&desk);
    assert!(told.stdout.contains("is not checked: `.git` is not a git repository"), "{told:#?}");
}

#[test]
fn a_bare_repository_is_checked_by_the_rules_of_the_revision() {
    let desk = desk();
    desk.write("b.py", BANNED).commit("bad");
    let bare = desk.beside("b.git");
    desk.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    let desk = Desk(desk.0.at(bare));
    let told = desk.diff(&["HEAD~1..HEAD"]);
    told.refuses(&["no-token b.py:1"]);
    assert_eq!(Desk::by(&told), ["solvi-rules.toml@HEAD (2)"]);
    let text = desk.run(&["check-diff", "HEAD~1..HEAD"], "").stdout;
    assert!(text.contains("\nrules: solvi-rules.toml@HEAD (2), built-in rules off\n"), "{text}");
}

#[test]
fn every_format_that_has_a_place_for_it_says_which_rules_evaluated() {
    let rule = "[[rule]]\nid = \"a\"\npaths = [\"x\"]\n";
    let desk = Desk::judged_by(rule, &[]);
    desk.write("b.py", "1\n").stage();
    for format in ["text", "json", "jsonl", "sarif", "github", "junit", "markdown"] {
        let said = desk.run(&["check-staged", "--no-store", "--format", format], "");
        let told = said.stdout.replace("&#64;", "@");
        assert!(told.contains("solvi-rules.toml@index"), "{format}: {said:?}");
    }
}

#[test]
fn a_working_tree_without_its_rules_is_checked_by_those_of_git() {
    let desk = desk();
    desk.remove("solvi-rules.toml").write("b.py", BANNED);
    let told = desk.diff(&[]);
    told.refuses(&["no-token b.py:1"]);
    assert_eq!(Desk::by(&told), ["solvi-rules.toml@index (2)"]);
    // Gone from the index as well.
    desk.git(&["rm", "-q", "--cached", "solvi-rules.toml"]);
    let told = desk.diff(&[]);
    assert!(told.found().contains(&"no-token b.py:1".to_owned()), "{told:#?}");
    assert!(told.found().contains(&"rules-loosened solvi-rules.toml".to_owned()), "{told:#?}");
}

#[test]
fn a_patch_that_loosens_the_rules_is_told() {
    let desk = desk();
    let loose = RULES.replace("BANNED[_]WORD", "OTHE[R]");
    desk.write("solvi-rules.toml", &loose).write("b.py", BANNED).stage();
    let patch = desk.git(&["diff", "--cached"]);
    let told = |desk: &Desk| {
        let arguments = ["check-diff", "--patch", "-", "--format", "json"];
        Told::of(desk.run(&arguments, &patch))
    };
    for _ in 0..2 {
        let told = told(&desk);
        assert_eq!(told.found(), ["no-token b.py:1", "rules-loosened solvi-rules.toml:3"]);
        assert_eq!(told.status, 1);
        desk.git(&["reset", "-q", "--hard"]);
    }
}

#[test]
fn a_patch_that_moves_or_deletes_the_rules_is_told() {
    let desk = desk();
    let moved = "diff --git a/solvi-rules.toml b/old.toml\nsimilarity index 100%\n\
        rename from solvi-rules.toml\nrename to old.toml\n";
    let arguments = ["check-diff", "--patch", "-", "--format", "json", "--fail-on", "ask"];
    let told = Told::of(desk.run(&arguments, moved));
    assert!(told.found().iter().any(|it| it.starts_with("rules-loosened ")), "{told:#?}");
    assert_eq!(told.status, 1);
    let copied = moved.replace("rename", "copy");
    let told = Told::of(desk.run(&arguments, copied));
    assert!(!told.found().iter().any(|it| it.starts_with("rules-loosened ")), "{told:#?}");
    desk.git(&["rm", "-q", "--cached", "solvi-rules.toml"]);
    let deleted = desk.git(&["diff", "--cached"]);
    let told = Told::of(desk.run(&arguments, deleted));
    assert!(told.found().iter().any(|it| it.starts_with("rules-loosened ")), "{told:#?}");
}

#[test]
fn a_first_commit_and_a_first_push_have_no_base() {
    let desk = Desk(Yard::new());
    desk.write("solvi-rules.toml", RULES).write("a.py", "1\n").stage();
    assert_eq!(Desk::by(desk.staged().passes()), ["solvi-rules.toml@index (2)"]);
    desk.commit("first");
    let empty = "4b825dc642cb6eb9a060e54bf8d69288fbee4904..HEAD";
    let told = desk.diff(&[empty]);
    assert_eq!(Desk::by(told.passes()), ["solvi-rules.toml@HEAD (2)"]);
    desk.git(&["checkout", "-q", "--detach"]);
    desk.write("b.py", BANNED).stage();
    desk.staged().refuses(&["no-token b.py:1"]);
}

#[test]
fn a_long_push_is_looked_through_in_time() {
    let desk = pushed(desk());
    let mut stream = String::new();
    for number in 1..=1000 {
        use std::fmt::Write;
        let text = format!("line {number}\n");
        let _ = write!(
            stream,
            "commit refs/heads/main\ncommitter a <a@example.org> {number} +0000\ndata 1\nc\n{}\
             M 100644 inline f{}.txt\ndata {}\n{text}\n",
            if number == 1 { "from refs/heads/main^0\n" } else { "" },
            number % 50,
            text.len(),
        );
    }
    let mut command = desk.0.command();
    command.args(["fast-import", "--quiet"]);
    let imported = crate::support::said(command, stream.as_bytes());
    assert_eq!(imported.status, Some(0), "{imported:?}");
    let begun = Instant::now();
    desk.git(&["reset", "-q", "--hard", "main"]);
    desk.pushes("main", "origin/main").passes();
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}
