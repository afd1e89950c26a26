//! What was there before `install` is there after `uninstall`: for each agent, whatever its
//! settings held, and however often and by whichever program we were put in.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::{Options, Program, entries, install};
use crate::cli::agent_settings::{Scope, Target};
use crate::cli::uninstall::uninstall;
use crate::clients::wiring::{Form, Wiring, of, wirings};
use crate::store::hook_groups::Outcome;
use crate::store::settings::Settings;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What a settings file may hold before us.
const TEXTS: &[Option<&str>] = &[
    None,
    Some(""),
    Some("\n"),
    Some(" \r\n\t\n"),
    Some("\u{feff}"),
    Some("{}"),
    Some("{}\n"),
    Some("{}\n\n"),
    Some("{ }"),
    Some("{\n}\n"),
    Some("{\n\n}\n"),
    Some("\n{\n  \n}"),
    Some("{}\r\n"),
    Some("{\r\n}\r\n"),
    Some("{\t}"),
    Some("\u{feff}{}\n"),
    Some("{\"hooks\": {}}"),
    Some("{\n  \"hooks\": {}\n}\n"),
    Some("{\n  \"hooks\": {\n\n  }\n}\n"),
    Some("{\"version\": 1}"),
    Some("{\n  \"version\": 1\n}\n"),
    Some("{\n\n  \"version\": 1\n}\n"),
    Some("{\"version\":1,\"hooks\":{}}\n"),
    Some("{\n\t\"a\": 1,\n\n\t\"b\": [\n\t\t2\n\t]\n}\n"),
    Some("{ // why\n}\n"),
    Some("// why\n{}\n"),
    Some("{\r\n\t\"a\": 1, /* why */\r\n\t\"hooks\": {\"Later\": []},\r\n}\r\n"),
    Some("{\n  \"hooks\": {\n    EVENTS\n  }\n}\n"),
    Some("{\"hooks\":{EVENTS}}"),
    Some("{\n  \"version\": 1,\n  \"hooks\": {\n    \"Later\": [],\n\n    EVENTS\n  }\n}\n"),
];

/// How we come to be in the settings: the programs that put us in, one after the other.
const WAYS: &[&[&str]] = &[
    &["solvi-hook"],
    &["solvi-hook", "solvi-hook"],
    &["'/old place/solvi-hook'", "solvi-hook"],
    &["solvi-hook", OLDER, "solvi-hook"],
];

/// Stands for entries with another sub-command in the place of ours.
const OLDER: &str = "older";

struct House {
    folder: tempfile::TempDir,
    target: Target,
}

impl House {
    fn new(wiring: &'static Wiring, scope: Scope) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("project");
        let user = folder.path().join("home").join(wiring.user_folder);
        for (file, text) in [("solvi-rules.toml", "version = 1\n"), ("home/x", "")] {
            let file = if text.is_empty() { folder.path().join(file) } else { project.join(file) };
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        fs::create_dir_all(&user).unwrap();
        Self { folder, target: Target { wiring, project, scope, user: Some(user) } }
    }

    fn file(&self) -> PathBuf {
        self.target.file(self.target.scope).unwrap()
    }

    fn hold(&self, text: Option<&str>) {
        let file = self.file();
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        match text {
            Some(text) => fs::write(file, text).unwrap(),
            None => _ = fs::remove_file(file),
        }
    }

    fn held(&self) -> Option<String> {
        fs::read_to_string(self.file()).ok()
    }

    fn options(&self, program: &str) -> Options {
        Options {
            target: self.target.clone(),
            rules: None,
            approve: false,
            program: Program::Given(program.to_owned()),
            edits: true,
            replace_solvi: false,
            dry_run: false,
            sample: "",
        }
    }

    fn install(&self, program: &str) {
        install(&self.options(program)).unwrap();
        assert!(self.held().unwrap().contains("solvi-hook"));
    }

    fn uninstall(&self) -> String {
        uninstall(&self.target, false).unwrap().join("\n")
    }

    /// Puts us in on a way and takes us out, without waiting for the disk as `install` does, which
    /// would take most of a minute for a table. Returns what was there with us in it.
    fn through(&self, way: &[&str]) -> String {
        let put = |change: &dyn Fn(&Settings) -> Outcome| {
            let (file, settings) = (self.file(), self.target.read().unwrap());
            let mark = fs::read(&file).is_ok_and(|held| held.starts_with("\u{feff}".as_bytes()));
            match settings.left(&change(&settings)) {
                Some(text) if mark => fs::write(file, format!("\u{feff}{text}")).unwrap(),
                Some(text) => fs::write(file, text).unwrap(),
                None => fs::remove_file(file).unwrap(),
            }
        };
        for program in way {
            if *program == OLDER {
                let older =
                    fs::read_to_string(self.file()).unwrap().replace(" hook -", " pre-edit -");
                fs::write(self.file(), older).unwrap();
            } else {
                let (entries, _) = entries(&self.options(program)).unwrap();
                put(&|settings| settings.merge(&entries).unwrap());
            }
        }
        let with = fs::read_to_string(self.file()).unwrap();
        assert!(with.contains("solvi-hook hook --agent"), "{with}");
        put(&|settings| settings.unmerge().unwrap());
        with
    }

    /// Returns every file with what it holds, and every folder.
    fn tree(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        fn of(folder: &Path, tree: &mut BTreeMap<PathBuf, Option<Vec<u8>>>) {
            for found in fs::read_dir(folder).unwrap() {
                let path = found.unwrap().path();
                if path.is_dir() {
                    of(&path, tree);
                }
                tree.insert(path.clone(), fs::read(path).ok());
            }
        }
        let mut tree = BTreeMap::new();
        of(self.folder.path(), &mut tree);
        tree
    }
}

/// Returns the agents whose settings hold entries, each with every scope that it has.
fn places() -> impl Iterator<Item = (&'static Wiring, Scope)> {
    let with_entries = wirings().filter(|wiring| matches!(wiring.form, Form::Entries(_)));
    let scopes = |wiring: &'static Wiring| {
        let local = wiring.local.map(|_| Scope::Local);
        [Some(Scope::Project), local, Some(Scope::User)].into_iter().flatten()
    };
    with_entries.flat_map(move |wiring| scopes(wiring).map(move |scope| (wiring, scope)))
}

/// Returns somebody else's hooks at the events of an agent that we are at.
fn events(wiring: &Wiring) -> &'static str {
    match wiring.name {
        "copilot" => {
            "\"preToolUse\": [{\"bash\": \"mine\"}],\n\n    \"postToolUse\": [{\"bash\": \"mine\"}]"
        }
        "cursor" => {
            "\"preToolUse\": [{\"command\": \"mine\"}],\n\n    \
             \"afterFileEdit\": [{\"command\": \"mine\"}]"
        }
        "gemini" => {
            "\"BeforeTool\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}],\n\n    \
             \"AfterTool\": []"
        }
        _ => {
            "\"PreToolUse\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}],\n\n    \
             \"PostToolUse\": []"
        }
    }
}

#[test]
fn whatever_was_there_comes_back_to_the_last_byte() {
    for (wiring, scope) in places().filter(|(_, scope)| *scope == Scope::Project) {
        let house = House::new(wiring, scope);
        for text in TEXTS {
            let text = text.map(|text| text.replace("EVENTS", events(wiring)));
            for way in WAYS {
                house.hold(text.as_deref());
                let with = house.through(way);
                let place = format!("{} {way:?}: {with:?}", wiring.name);
                assert_eq!(house.held(), text, "{place}");
            }
        }
    }
}

#[test]
fn tables_come_back_and_stay_when_they_are_empty() {
    let hook = "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"mine\"\n";
    let house = House::new(of("codex").unwrap(), Scope::Project);
    let file = house.target.project.join(".codex/config.toml");
    fs::create_dir(file.parent().unwrap()).unwrap();
    for text in [hook.to_owned(), hook.replace('\n', "\r\n"), format!("\u{feff}a = 1\n{hook}")] {
        for way in WAYS {
            fs::write(&file, &text).unwrap();
            let with = house.through(way);
            assert_eq!(fs::read_to_string(&file).unwrap(), text, "{way:?}: {with:?}");
        }
    }
    house.install("solvi-hook");
    let ours = fs::read_to_string(&file).unwrap();
    fs::write(&file, ours.split_once("\n\n").unwrap().1).unwrap();
    house.uninstall();
    assert_eq!(fs::read_to_string(&file).unwrap(), "");
}

#[test]
fn every_file_and_folder_is_as_it_was() {
    for (wiring, scope) in places() {
        for text in [None, Some(""), Some("\u{feff}{}\n")] {
            let house = House::new(wiring, scope);
            if text.is_some() {
                house.hold(text);
            }
            let before = house.tree();
            house.install("solvi-hook");
            house.uninstall();
            assert_eq!(house.tree(), before, "{} {scope:?} {text:?}", wiring.name);
        }
    }
}

#[test]
fn what_somebody_put_into_a_file_of_ours_stays_until_it_is_out_again() {
    for (wiring, scope) in places() {
        let house = House::new(wiring, scope);
        let before = house.tree();
        house.install("solvi-hook");
        let made = house.held().unwrap();
        house.hold(Some(&made.replacen('{', "{\n  \"theirs\": true,", 1)));
        house.uninstall();
        let left = house.held().unwrap();
        assert!(left.contains("\"theirs\": true") && !left.contains("solvi-hook"), "{left}");

        house.hold(Some(&made.replacen('{', "{\n", 1).replace('\n', "\r\n")));
        house.uninstall();
        assert_eq!(house.tree(), before, "{}", wiring.name);
    }
}

#[test]
fn a_file_that_a_program_wrote_anew_stays() {
    let house = House::new(of("claude").unwrap(), Scope::Project);
    house.install("solvi-hook");
    let anew: serde_json::Value = serde_json::from_str(&house.held().unwrap()).unwrap();
    house.hold(Some(&serde_json::to_string_pretty(&anew).unwrap()));
    house.uninstall();
    assert_eq!(house.held().as_deref(), Some("{}"));
}

#[test]
fn folders_go_as_far_as_they_are_empty() {
    let copilot = || House::new(of("copilot").unwrap(), Scope::Project);
    let house = copilot();
    house.install("solvi-hook");
    let said = house.uninstall();
    for line in [
        ".github/hooks/solvi-hook.json: removed, nothing else is in it",
        ".github/hooks: removed, it is empty",
        ".github: removed, it is empty",
    ] {
        assert!(said.lines().any(|it| it == line), "{said}");
    }
    let house = copilot();
    let other = house.target.project.join(".github/other");
    fs::create_dir_all(other.parent().unwrap()).unwrap();
    fs::write(&other, "").unwrap();
    house.install("solvi-hook");
    assert!(!house.uninstall().contains(".github: removed"));
    assert!(other.exists() && !house.target.project.join(".github/hooks").exists());
}

#[test]
fn without_edits_a_file_of_ours_goes_too() {
    let house = House::new(of("claude").unwrap(), Scope::Project);
    let before = house.tree();
    house.install("solvi-hook");
    install(&Options { edits: false, ..house.options("solvi-hook") }).unwrap();
    assert_eq!(house.tree(), before);
}

#[test]
fn a_dry_run_tells_which_file_would_go() {
    let house = House::new(of("cursor").unwrap(), Scope::Project);
    house.install("solvi-hook");
    let before = house.tree();
    let said = uninstall(&house.target, true).unwrap().join("\n");
    let header = "--- a/.cursor/hooks.json\n+++ /dev/null\n@@ -1,";
    assert!(said.contains(header) && !said.contains("\n+{"), "{said}");
    let end = "\n.cursor/hooks.json: would remove, nothing else is in it\n\
               .cursor: would remove, it is empty\ndry run: nothing was written";
    assert!(said.ends_with(end), "{said}");
    assert_eq!(house.tree(), before);
}

#[test]
fn an_extension_goes_with_its_folders_and_a_stranger_in_its_place_stays() {
    for scope in [Scope::Project, Scope::User] {
        let house = House::new(of("pi").unwrap(), scope);
        let before = house.tree();
        let program = std::env::current_exe().unwrap();
        house.install(program.to_str().unwrap());
        house.uninstall();
        assert_eq!(house.tree(), before);
        house.hold(Some(""));
        assert!(install(&house.options(program.to_str().unwrap())).is_err());
        assert!(uninstall(&house.target, false).is_err());
        assert_eq!(house.held().as_deref(), Some(""));
    }
}

#[cfg(unix)]
#[test]
fn of_a_link_only_what_it_leads_to_goes() {
    let house = House::new(of("claude").unwrap(), Scope::Project);
    fs::create_dir(house.target.project.join(".claude")).unwrap();
    std::os::unix::fs::symlink("../made.json", house.file()).unwrap();
    let before = house.tree();
    house.install("solvi-hook");
    let said = house.uninstall();
    assert!(!said.contains(".claude: removed"), "{said}");
    assert_eq!(house.tree(), before);
}
