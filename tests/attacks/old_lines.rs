//! Changes that turn a line which was there before into a finding.

#![cfg(unix)]

use crate::checks::desk::Desk;
use crate::support::payload;
use serde_json::json;

const RULES: &str = r#"
version = 1
[[rule]]
id = "dyn"
paths = ["**"]
forbid_calls = ["exec", "eval", "os.system", "pickle.loads", "subprocess.*(shell=True)"]
"#;

/// What the file holds, what it will hold, and whether that is stopped.
const CASES: &[(&str, &str, bool)] = &[
    (
        "from json import loads\n\ndef f(x):\n    return loads(x)\n",
        "from pickle import loads\n\ndef f(x):\n    return loads(x)\n",
        true,
    ),
    ("import json as j\nj.loads(x)\n", "import pickle as j\nj.loads(x)\n", true),
    ("\n\nrun(x)\n", "run = eval\n\nrun(x)\n", true),
    ("\"\"\"\nos.system(x)\n\"\"\"\n", "os.system(x)\n", true),
    (
        "import subprocess as s\nK = {}\ns.run(x, **K)\n",
        "import subprocess as s\nK = {}\ns.run(x, **{'shell': 1})\n",
        true,
    ),
    ("def f(run): run(x)\n", "def f(run=eval): run(x)\n", true),
    (
        "class A:\n    r = print\n    def f(self): self.r(x)\n",
        "class A:\n    r = eval\n    def f(self): self.r(x)\n",
        true,
    ),
    ("for r in (print,):\n    r(x)\n", "for r in (print, exec):\n    r(x)\n", true),
    ("a, *r = 1, print\nr[0](x)\n", "a, *r = 1, eval\nr[0](x)\n", true),
    ("next(r for r in [print])(x)\n", "next(r for r in [eval])(x)\n", true),
    ("match print:\n    case r:\n        r(x)\n", "match eval:\n    case r:\n        r(x)\n", true),
    ("if 0:\n    pass\neval(x)\n", "if 1:\n    pass\neval(x)\n", false),
    ("import a\neval(x)\n", "import b\neval(x)\n", false),
    ("eval(x)\n", "def f():\n    eval(x)\n", false),
    ("eval(x)\na = 1\n", "a = 1\neval(x)\n", false),
    ("eval(x)\n", "", false),
];

/// Runs every case in one way to bring the change in.
fn each(way: impl Fn(&Desk, &str, &str) -> bool) {
    for (before, after, stopped) in CASES {
        let desk = Desk::judged_by(RULES, &[("a.py", before)]);
        assert_eq!(way(&desk, before, after), *stopped, "{after}");
    }
}

#[test]
fn an_edit_that_turns_an_old_line_into_a_call_is_stopped() {
    each(|desk, before, after| {
        let written = desk.proposes("a.py", after).verdict();
        let (old, new) = (before, after);
        let input = json!({"file_path": "a.py", "old_string": old, "new_string": new});
        let edited = desk.run(&["pre-edit"], payload("Edit", &input).to_string()).verdict();
        assert_eq!(written, edited);
        written != "allow"
    });
}

#[test]
fn a_commit_a_range_a_patch_and_a_push_are_stopped_alike() {
    each(|desk, _, after| {
        desk.write("a.py", after).stage();
        let staged = desk.run(&["check-staged", "--no-store"], "").status;
        let patch = desk.word(&["diff", "--cached"]);
        desk.commit("two");
        let range = desk.run(&["check-diff", "HEAD~1..HEAD"], "").status;
        desk.git(&["reset", "-q", "--hard", "HEAD~1"]);
        let patched = desk.run(&["check-diff", "--patch", "-"], format!("{patch}\n")).status;
        assert_eq!((staged, range), (patched, patched), "{after}");
        staged != Some(0)
    });
}

#[test]
fn the_old_line_is_shown_with_what_the_edit_did() {
    let desk = Desk::judged_by(RULES, &[("a.py", "x = 1\nrun(x)\n")]);
    let said = desk.proposes("a.py", "from os import system as run\nx = 1\nrun(x)\n");
    said.expect("deny", &["line 3: run(x)", "calls os.system", "the line is not new"]);
}

#[test]
fn a_file_moved_to_where_the_rule_covers_it_is_judged_as_a_whole() {
    let rules = RULES.replace("\"**\"", "\"src/**\"");
    let desk = Desk::judged_by(&rules, &[("a.py", "eval(x)\n")]);
    std::fs::create_dir_all(desk.root.join("src")).unwrap();
    desk.git(&["mv", "a.py", "src/a.py"]);
    assert_eq!(desk.run(&["check-staged", "--no-store"], "").status, Some(1));
}

#[test]
fn a_cell_is_judged_in_the_notebook_as_in_its_edit() {
    let notebook = |cell: &str| {
        json!({"cells": [{"cell_type": "code", "id": "a", "source": [cell]}], "nbformat": 4})
            .to_string()
    };
    let rules =
        format!("{RULES}\n[[rule]]\nid = \"start\"\npaths = [\"**\"]\nforbid = ['^BANNED']\n");
    for (cell, stopped) in [
        ("eval(x)", true),
        ("%time\nimport os\nos.system('x')", true),
        ("x\nBANNED", true),
        ("x = 'eval(1)'", false),
        ("!ls\nmodel.eval()", false),
    ] {
        let desk = Desk::judged_by(&rules, &[("n.ipynb", &notebook("x"))]);
        let input = json!({"notebook_path": "n.ipynb", "cell_id": "a", "new_source": cell});
        let edited = desk.run(&["pre-edit"], payload("NotebookEdit", &input).to_string());
        let written = desk.proposes("n.ipynb", &notebook(cell)).verdict();
        desk.write("n.ipynb", notebook(cell)).stage();
        let staged = desk.run(&["check-staged", "--no-store"], "").status;
        assert_eq!((written.as_str() != "allow", staged != Some(0)), (stopped, stopped), "{cell}");
        assert!(!stopped || edited.verdict() != "allow", "{cell}");
    }
    for odd in [
        r#"{"cells": [], "cells": [{"cell_type": "code", "source": ["eval(1)"]}]}"#,
        r#"{"cells": [{"cell_type": "raw", "cell_type": "code", "source": "\u0065val(1)"}]}"#,
        r#"{"worksheets": [{"cells": [{"cell_type": "code", "input": ["ev", "al(1)"]}]}]}"#,
    ] {
        let desk = Desk::judged_by(&rules, &[]);
        desk.proposes("n.ipynb", odd).expect("deny", &["calls eval"]);
    }
    // What was there before is none of the edit's business.
    let desk = Desk::judged_by(&rules, &[("n.ipynb", &notebook("eval(x)"))]);
    desk.proposes("n.ipynb", &notebook("eval(x)\ny = 1")).expect("allow", &[]);
}
