//! Rules files that take over the built-in rules, and those that do not.

use super::desk::Desk;
use crate::support::House;

/// What the built-in rule `no-debugger-left` forbids.
const DEBUGGER: &str = "import pdb; pdb.set_trace()\n";

const OWN: &str = "[[rule]]\nid = \"no-token\"\npaths = [\"**\"]\nforbid = [\"BANNED\"]\n";

fn rules(top: &str, more: &str) -> String {
    format!("{top}\n{OWN}{more}")
}

fn found(rules: &str, text: &str) -> Vec<String> {
    let desk = Desk::judged_by(rules, &[]);
    desk.write("a.py", text).stage();
    desk.staged().found()
}

#[test]
fn the_built_in_rules_count_beside_the_files_own_when_it_takes_them_over() {
    let text = format!("BANNED\n{DEBUGGER}");
    let (own, debugger) = ("no-token a.py:1", "no-debugger-left a.py:2");
    assert_eq!(found(OWN, &text), [own]);
    let extends = "extends = [\"builtin\"]";
    let mut both = found(&rules(extends, ""), &text);
    both.sort_unstable();
    assert_eq!(both, [debugger, own]);
    assert_eq!(found(&rules("extends = \"builtin\"", ""), &text).len(), 2);
    let disabled = rules("extends = [\"builtin\"]\ndisable = [\"no-debugger-left\"]", "");
    assert_eq!(found(&disabled, &text), [own]);
}

#[test]
fn a_rule_takes_the_place_of_the_inherited_one_that_has_its_id() {
    let own = "[[rule]]\nid = \"no-debugger-left\"\npaths = [\"**\"]\nforbid = [\"MARK\"]\n";
    let rules = rules("extends = [\"builtin\"]", own);
    assert_eq!(found(&rules, DEBUGGER), [""; 0]);
    assert_eq!(found(&rules, "MARK\n"), ["no-debugger-left a.py:1"]);
}

#[test]
fn every_output_says_whether_the_built_in_rules_count() {
    for (rules, line, json) in [
        (OWN.to_owned(), "rules: solvi-rules.toml@index (1), built-in rules off\n", true),
        (
            rules("extends = [\"builtin\"]", ""),
            "rules: solvi-rules.toml@index (1) + built-in (",
            false,
        ),
    ] {
        let desk = Desk::judged_by(&rules, &[]);
        desk.write("a.py", "BANNED\n").stage();
        let said = desk.run(&["check-staged", "--no-store"], "").stdout;
        assert!(said.contains(line), "{said}");
        let said = desk.run(&["check-staged", "--no-store", "--format", "json"], "").stdout;
        let report: serde_json::Value = serde_json::from_str(&said).unwrap();
        assert_eq!(report["rules"][1]["name"], "built-in", "{said}");
        assert_eq!(report["rules"][1]["off"] == true, json, "{said}");
        let said = desk.run(&["rules", "check"], "").stdout;
        let about = if json { "1 rule, and the built-in rules off" } else { "1 rule, and " };
        assert!(said.contains(about), "{said}");
        assert!(desk.run(&["doctor"], "").stdout.contains(about));
    }
}

#[test]
fn what_a_file_no_longer_takes_over_is_loosened() {
    let desk = Desk::judged_by(&rules("extends = [\"builtin\"]", ""), &[]);
    let loosened = |rules: &str| {
        desk.write("solvi-rules.toml", rules).stage();
        let told = desk.staged();
        let said = told.said.stdout.clone();
        desk.git(&["reset", "-q", "--hard"]);
        said
    };
    let said = loosened(&rules("extends = [\"builtin\"]\ndisable = [\"no-debugger-left\"]", ""));
    assert!(said.contains("rule `no-debugger-left`: it is disabled"), "{said}");
    let said = loosened(OWN);
    assert!(said.contains("rule `no-debugger-left`: it is deleted"), "{said}");
    assert!(said.contains("rule `no-tokens`: it is deleted"), "{said}");
    let weaker = "[[rule]]\nid = \"no-debugger-left\"\npaths = [\"a\"]\n";
    let said = loosened(&rules("extends = [\"builtin\"]", weaker));
    assert!(said.contains("rule `no-debugger-left`: "), "{said}");
    // To begin with a file of one's own is no loosening.
    let desk = Desk::judged_by("", &[]);
    desk.git(&["rm", "-q", "--cached", "solvi-rules.toml"]);
    desk.git(&["commit", "-q", "-m", "no rules"]);
    desk.write("solvi-rules.toml", rules("extends = [\"builtin\"]", "")).stage();
    // Its own pattern is a line that the rule meets.
    assert_eq!(desk.staged().found(), ["no-token solvi-rules.toml:5"]);
}

#[test]
fn what_cannot_be_taken_over_is_an_error_with_a_way_out() {
    for (top, wanted) in [
        ("extends = [\"strict\"]", "`extends` names `strict`, which is not known"),
        ("extends = 5", "`extends` holds a number or date, where a string is expected"),
        ("disable = [\"no-tokens\"]", "`disable` has no effect without `extends`"),
        (
            "extends = [\"builtin\"]\ndisable = [\"no-debuger-left\"]",
            "help: did you mean `no-debugger-left`?",
        ),
        ("extends = [\"builtin\"]\ndisable = [\"x\"]", "`solvi-hook rules sample` lists them"),
        ("extend = [\"builtin\"]", "unknown key `extend`; did you mean `extends`?"),
    ] {
        let house = House::new().rules(&rules(top, ""));
        let said = house.run(&["rules", "check"], "");
        assert_eq!(said.status, Some(2), "{top}");
        assert!(said.stdout.contains(wanted), "{wanted} is not in\n{}", said.stdout);
        let write =
            "{\"tool_name\":\"Write\",\"tool_input\":{\"file_path\":\"a\",\"content\":\"\"}}";
        let reply = house.run(&["pre-edit", "--no-store"], write).stdout;
        assert!(reply.contains("\"permissionDecision\":\"ask\""), "{top}: {reply}");
    }
    // Two rules of the file with one id that is inherited too.
    let twice = "[[rule]]\nid = \"no-tokens\"\npaths = [\"**\"]\n".repeat(2);
    let house = House::new().rules(&rules("extends = [\"builtin\"]", &twice));
    let said = house.run(&["rules", "check"], "").stdout;
    assert!(said.contains("rule `no-tokens`: its id stands twice"), "{said}");
}

#[test]
fn a_rule_that_covers_none_of_gits_files_is_a_warning() {
    let own = "[[rule]]\nid = \"idle\"\npaths = [\"lib/**\"]\nforbid = [\"x\"]\n";
    let desk = Desk::judged_by(&rules("extends = [\"builtin\"]", own), &[("src/a.py", "1\n")]);
    let said = desk.run(&["rules", "check"], "");
    assert_eq!(said.status, Some(0), "{said:?}");
    let warnings = said.stdout.matches("warning: ").count();
    assert_eq!(warnings, 1, "{}", said.stdout);
    assert!(said.stdout.contains("rule `idle`: `paths` covers none of 2 files"), "{said:?}");
    desk.write("lib/a.py", "1\n").stage();
    assert_eq!(desk.run(&["rules", "check"], "").stdout.matches("warning: ").count(), 0);
}
