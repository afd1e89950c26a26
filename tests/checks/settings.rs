//! What `install` does to settings that others wrote.

use crate::support::{House, Said, binary, payload, said};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;

const RULES: &str = "[[rule]]\nid = \"r\"\npaths = [\"**\"]\nforbid = [\"BANNED\"]\n";

fn settings(house: &House) -> String {
    fs::read_to_string(house.root().join(".claude/settings.json")).unwrap()
}

/// Runs the command of our entry as the agent does.
fn called(house: &House) -> Said {
    let settings: Value = serde_json::from_str(&settings(house)).unwrap();
    let command = &settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"];
    let mut shell = std::process::Command::new("/bin/sh");
    shell.args(["-c", command.as_str().unwrap()]).current_dir(house.root());
    let write = payload("Write", &json!({"file_path": "a.txt", "content": "BANNED\n"}));
    said(shell, write.to_string().as_bytes())
}

#[test]
fn what_others_wrote_stays_and_comes_back_to_the_last_byte() {
    let before = "{\n  // my notes\n  \"model\": \"x\", \"futureKey\": {\"a\":[1,2]},\n  \
        \"permissions\": {\"deny\": [\"Read(.env)\"]},\n  \
        \"hooks\": {\"PreToolUse\": [{\"matcher\": \"Edit\", \"hooks\": \
        [{\"type\":\"command\",\"command\":\"echo mine\"}]}], \
        \"Stop\": [{\"hooks\":[{\"type\":\"command\",\"command\":\"echo s\"}]}]},\n}\n";
    let house = House::new().rules(RULES).file(".claude/settings.json", before);
    for _ in 0..2 {
        assert_eq!(house.run(&["install"], "").status, Some(0));
        let after = settings(&house);
        assert_eq!(after.matches("solvi-hook could not run").count(), 3, "{after}");
        for kept in ["// my notes", "echo mine", "echo s", "futureKey", "Read(.env)"] {
            assert!(after.contains(kept), "{after}");
        }
    }
    assert_eq!(house.run(&["uninstall"], "").status, Some(0));
    assert_eq!(settings(&house), before);
}

#[test]
fn broken_settings_are_told_with_the_place_and_left() {
    let house = House::new().rules(RULES).file(".claude/settings.json", "{\"hooks\": {");
    let said = house.run(&["install"], "");
    assert_eq!(said.status, Some(2), "{said:?}");
    assert!(said.stderr.contains("is not JSON") && said.stderr.contains("line 1"), "{said:?}");
    assert_eq!(settings(&house), "{\"hooks\": {");
}

#[test]
fn a_link_is_never_replaced_by_a_file() {
    let house = House::new().rules(RULES).file("dots/s.json", "{}\n").file(".claude/x", "");
    let link = house.root().join(".claude/settings.json");
    std::os::unix::fs::symlink("../dots/s.json", &link).unwrap();
    assert_eq!(house.run(&["install"], "").status, Some(0));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(settings(&house).contains("solvi-hook"));
    called(&house).expect("deny", &["r: "]);

    let house = House::new().rules(RULES).file(".claude/x", "");
    let outside = house.home().join("s.json");
    fs::write(&outside, "{}\n").unwrap();
    let link = house.root().join(".claude/settings.json");
    std::os::unix::fs::symlink(&outside, &link).unwrap();
    let said = house.run(&["install"], "");
    assert_eq!(said.status, Some(2), "{said:?}");
    assert!(said.stderr.contains("leads out of the project"), "{said:?}");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&outside).unwrap(), "{}\n");
}

#[test]
fn a_program_in_a_folder_with_spaces_and_quotes_is_called() {
    let house = House::new().rules(RULES);
    let folder = house.home().join("with space/b'in $x");
    fs::create_dir_all(&folder).unwrap();
    let program = folder.join("solvi-hook");
    fs::copy(binary(), &program).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = std::process::Command::new(&program);
    command.args(["install"]).current_dir(house.root()).env_clear().env("HOME", house.home());
    let said = said(command, b"");
    assert_eq!(said.status, Some(0), "{said:?}");
    called(&house).expect("deny", &["r: "]);
}
