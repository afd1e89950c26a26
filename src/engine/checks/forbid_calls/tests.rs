//! Forbidden calls are found by whatever name they go.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::domain::{Numbering, Place, RepoPath};
use crate::engine::pattern::Budget;
use std::cell::OnceCell;

const DANGEROUS: &[&str] = &["eval", "exec", "os.system", "subprocess.*(shell=True)"];

fn place(path: &str) -> Place {
    Place::Inside(RepoPath::new(path).unwrap())
}

fn look_at(change: &Change, patterns: &[&str]) -> Seen {
    let patterns: Vec<String> = patterns.iter().map(|&one| one.to_owned()).collect();
    let check = read(&patterns).unwrap_or_else(|problem| panic!("{problem:?}"));
    check.look(&Subject::new(change, &change.added, &OnceCell::new(), &Budget::default()))
}

fn look(source: &str, patterns: &[&str]) -> Seen {
    look_at(&Change::of_text("Write", place("a.py"), "", source.to_owned()), patterns)
}

fn told(seen: &Seen) -> Vec<(usize, &str)> {
    seen.spots.iter().map(|spot| (spot.line, spot.what.as_str())).collect()
}

fn unknown_file(lines: &[(usize, &str)]) -> Change {
    let line = |&(number, text): &(usize, &str)| Line { number, text: text.to_owned() };
    let lines = lines.iter().map(line).collect();
    Change::of_lines("Edit", place("a.py"), lines, "the old text is not in the file")
}

#[test]
fn a_call_is_known_by_every_name_of_its_function() {
    let cases = [
        ("os.system('a')", "os.system", (1, "calls os.system")),
        ("os . system ('a')", "os.system", (1, "calls os.system")),
        ("(os.system)('a')", "os.system", (1, "calls os.system")),
        ("import os as o\no.system('a')", "os.system", (2, "calls os.system")),
        ("import os.path\nos.path.join(a)", "os.path.join", (2, "calls os.path.join")),
        ("import os.path as p\np.join(a)", "os.path.join", (2, "calls os.path.join")),
        ("from os import system\nsystem('a')", "os.system", (2, "calls os.system")),
        ("from os import (path,\n system as s)\ns('a')", "os.system", (3, "calls os.system")),
        ("s('a')\ndef f():\n from os import system as s", "os.system", (1, "calls os.system")),
        ("from a import b\nb.c.d()", "a.b.c.*", (2, "calls a.b.c.d")),
        ("ｅval('1')", "eval", (1, "calls eval")),
        ("eval('1')", "ｅval", (1, "calls eval")),
        ("from os import sｙstem\nsystem('a')", "os.system", (2, "calls os.system")),
        ("eval('1')", "builtins.eval", (1, "calls eval")),
        ("a.b.c.load(x)", "a.*.load", (1, "calls a.b.c.load")),
        ("exec1()\nexec22()", "exec?", (1, "calls exec1")),
        ("run_b()\nrun_c()", "run_[ab]", (1, "calls run_b")),
        ("run_a()\nrun_c()", "run_[!ab]", (2, "calls run_c")),
        ("x.loads(b)", "*.load*", (1, "calls x.loads")),
        ("anything()", "*", (1, "calls anything")),
        ("anything()", "**", (1, "calls anything")),
    ];
    for (source, pattern, spot) in cases {
        let seen = look(source, &[pattern]);
        assert_eq!((told(&seen), &seen.unknown), (vec![spot], &None), "{pattern} in {source}");
    }
}

#[test]
fn a_call_is_found_wherever_python_runs_it() {
    let cases = [
        "f'{eval(1)}'",
        "f'{x:{eval(1)}}'",
        "@eval(1)\ndef f(): pass",
        "def f(x=eval(1)): pass",
        "f = lambda x=eval(1): x",
        "[x for x in eval(1)]",
        "g([*eval(1)])",
        "x: eval(1) = 2",
        "class A(eval(1)): pass",
        "match eval(1):\n  case _: pass",
        "eval\\\n(1)",
        "type X = eval(1)",
        "type(eval(1)).x = 2",
        "print eval(1)",
        "@eval\ndef f(): pass",
    ];
    for source in cases {
        let seen = look(source, &["eval"]);
        assert_eq!((told(&seen), &seen.unknown), (vec![(1, "calls eval")], &None), "{source}");
    }
    assert_eq!(told(&look("exec 'x' in y", &["exec"])), [(1, "calls exec")]);
    assert_eq!(told(&look("type(x).y = 2", &["type"])), [(1, "calls type")]);
}

#[test]
fn what_only_looks_like_a_forbidden_call_is_none() {
    let cases = [
        "x = 'eval(1)'",
        "'''\neval(1)\n'''",
        "# eval(1)",
        "model.eval()",
        "Eval(1)",
        "evaluate(1)",
        "def eval(x): pass",
        "isinstance(eval, type)",
        "model(model.eval)",
        "f([x.eval])",
        "from .os import system\nsystem('a')",
        "import os\nos.path.system('a')",
        "match x:\n  case eval(a=1): pass",
        "node = head\nwhile node: node = node.next; node.eval()",
    ];
    for source in cases {
        assert_eq!(look(source, DANGEROUS), Seen::default(), "{source}");
    }
}

#[test]
fn a_keyword_counts_as_far_as_it_is_constant() {
    let spot = (Some("calls subprocess.run(shell=True)"), false);
    let ask = (None, true);
    let fine = (None, false);
    let cases = [
        ("shell=True", spot),
        ("shell = (1)", spot),
        ("shell='yes'", spot),
        ("shell=0.5", spot),
        ("shell=...", spot),
        ("shell=-1", spot),
        ("**{'shell': True}", spot),
        ("ｓhell=True", spot),
        ("shell=False", fine),
        ("shell=None", fine),
        ("shell=0x0", fine),
        ("shell=0.0e5", fine),
        ("shell=b''", fine),
        ("**{'check': True}", fine),
        ("check=True", fine),
        ("", fine),
        ("shell=S", ask),
        ("shell=not False", ask),
        ("shell=f'{x}'", ask),
        ("**options", ask),
        ("**{key: True}", ask),
        ("**{'shell': x}", ask),
    ];
    for (argument, expected) in cases {
        let seen = look(&format!("import subprocess as sp\nsp.run(a, {argument})"), DANGEROUS);
        let what = told(&seen).first().map(|(_, what)| *what);
        assert_eq!((what, seen.unknown.is_some()), expected, "{argument}");
    }
    let seen = look("subprocess.run(a, shell=S)", DANGEROUS);
    let asked = "line 1 calls subprocess.run, and only a run shows whether `shell` is true";
    assert_eq!(seen.unknown.as_deref(), Some(asked));
}

/// Ways around a list of names that were collected for such checks, and how far a look at
/// the syntax follows them.
#[test]
fn ways_around_a_forbidden_name_are_seen_as_far_as_names_are_written_out() {
    let seen = [
        "__import__('os').system('x')",
        "importlib.import_module('os').system('x')",
        "from importlib import import_module\nm = import_module('os')\nm.system('x')",
        "import builtins\nbuiltins.eval('1')",
        "from builtins import eval as e\ne('1')",
        "__builtins__.eval('1')",
        "getattr(os, 'system')('x')",
        "[*getattr(os, 'system', None)('x')]",
        "run = os.system\nrun('x')",
        "run: Any = os.system\nrun('x')",
        "a = b = os.system\nb('x')",
        "o = os\nr = o.system\nr('x')",
        "self.run = os.system\nself.run('x')",
        "os = os.system\nos('x')",
        "(e := eval)('1')",
        "def f(e=eval): e('1')",
        "from os import *\nsystem('x')",
        "from os import *\nrun = system\nrun('x')",
        "from subprocess import *\nrun('x', shell=True)",
        "from os import system as p\np('x')\nfrom math import sqrt as p",
        "def f(os): os.system('x')",
        "globals()['eval']('1')",
        "vars()['eval']('1')",
        "globals().get('eval')('1')",
        "globals()['__builtins__']['eval']('1')",
        "__builtins__['eval']('1')",
        "__builtins__.__dict__['eval']('1')",
        "vars(os)['system']('x')",
        "os.__dict__['system']('x')",
        "sys.modules['os'].system('x')",
        "from sys import modules\nmodules['os'].system('x')",
        "os.__getattribute__('system')('x')",
        "object.__getattribute__(os, 'system')('x')",
        "operator.attrgetter('system')(os)('x')",
        "from operator import attrgetter as ag\nag('system')(os)('x')",
        "operator.methodcaller('system', 'x')(os)",
        "eval.__call__('1')",
        "os.system.__call__.__call__('x')",
        "from importlib import import_module as im\nim('os').system('x')",
        "imp = __import__\nimp('os').system('x')",
        "__import__(name='os').system('x')",
        "g = getattr\ng(os, 'system')('x')",
        "class A: s = os.system\nA.s('x')",
        "class A:\n  s = os.system\n  def f(self): self.s('x')",
        "class A:\n  s = os.system\n  s('x')",
        "r, s = os.system, 1\nr('x')",
        "(r, [s, *t]) = 1, [os.system, 2, 3]\ns('x')",
        "*r, s = 1, 2, os.system\ns('x')",
        "r = os.system if x else print\nr('x')",
        "r = x or os.system\nr('x')",
        "(os.system if x else print)('x')",
        "for f in (print, os.system): f('x')",
        "[f('x') for f in [os.system]]",
        "def f():\n  global r\n  r = os.system\nr('x')",
        "functools.partial(os.system, 'x')()",
        "list(map(os.system, ['x']))",
        "subprocess.run('x', -1, None, None, None, None, None, True, True)",
        "subprocess.run(*['x', -1, None, None, None, None, None, True, 1])",
    ];
    for source in seen {
        let seen = look(source, DANGEROUS);
        assert_eq!(seen.spots.len(), 1, "{source}");
    }
    let handed_on = [
        "(lambda f: f('1'))(eval)",
        "(lambda: eval)()('1')",
        "apply(eval, x)",
        "Thread(target=os.system)",
        "x = [eval]\nx[0]('1')",
        "x = {'a': eval}",
        "x['a'] = eval",
        "def f(): return os.system",
        "from os import system as s\nf(s)",
        "f(eval if x else print)",
        "f(e := eval)",
    ];
    for source in handed_on {
        let seen = look(source, DANGEROUS);
        let why = seen.unknown.unwrap_or_default();
        assert!(seen.spots.is_empty() && why.contains(" hands "), "{source}: {why}");
    }
    let not_seen = [
        "getattr(os, 'sys' + 'tem')('x')",
        "from .os import system\nsystem('x')",
        "import posix\nposix.system('x')",
        "os.path.os.system('x')",
        "get().system('x')",
        "mods['os'].system('x')",
        "def f():\n  run = os.system\nrun('x')",
        "subprocess.run('x', -1, None, None, None, None, None, True, False)",
        "subprocess.run(*x)",
        "f(subprocess.run)",
    ];
    for source in not_seen {
        assert_eq!(look(source, DANGEROUS), Seen::default(), "{source}");
    }
}

/// Returns what an edit of a whole file's text is told of.
fn edited(before: &str, after: &str) -> Seen {
    let change = Change::of_text("Edit", place("a.py"), before, after.to_owned());
    let patterns: Vec<String> = DANGEROUS.iter().map(|&one| one.to_owned()).collect();
    let check = read(&patterns).unwrap_or_else(|problem| panic!("{problem:?}"));
    check
        .look(&Subject::new(&change, &change.added, &OnceCell::new(), &Budget::default()).brought())
}

#[test]
fn what_an_edit_makes_of_an_old_line_is_found_and_what_it_moves_is_not() {
    let found = [
        ("from a import b\nloads(x)\n", "from os import system as loads\nloads(x)\n", 2),
        ("import a as o\no.system(1)\n", "import os as o\no.system(1)\n", 2),
        ("loads(x)\n", "loads = eval\nloads(x)\n", 2),
        ("'''\neval(x)\n'''\n", "eval(x)\n", 1),
        ("'''\neval(x)\n'''\n", "\neval(x)\n\n", 2),
        ("# eval(x)\n", "eval(x)\n", 1),
        ("eval(x)\n", "eval(x)\neval(x)\n", 2),
        ("eval(x)\n", "eval(y)\n", 1),
        ("f(x)\neval(x)\n", "f(x)\nexec(x)\n", 2),
        ("subprocess.run(x, shell=\nFalse)\n", "subprocess.run(x, shell=\nTrue)\n", 2),
    ];
    for (before, after, line) in found {
        let seen = edited(before, after);
        let lines: Vec<usize> = seen.spots.iter().map(|spot| spot.line).collect();
        assert_eq!((lines, &seen.unknown), (vec![line], &None), "{after}");
    }
    let seen = edited("run(x)\n", "run = eval\n\nrun(x)\n");
    let what = "calls eval (the line is not new; the edit makes it this call)";
    assert_eq!(told(&seen), [(3, what)]);
    let silent = [
        ("eval(x)\n", "import a\neval(x)\n"),
        ("eval(x)\n", "if y:\n    eval(x)\n"),
        ("eval(x)\nf()\n", "f()\neval(x)\n"),
        ("eval(x, y)\n", "eval(\n    x,\n    y,\n)\n"),
        ("eval('x')\neval('y')\n", "eval(\"y\")\n"),
        ("f(eval)\n", "def g():\n    f(eval)\n"),
    ];
    for (before, after) in silent {
        assert_eq!(edited(before, after), Seen::default(), "{after}");
    }
}

#[test]
fn valid_python_that_the_grammar_cannot_read_hides_nothing_and_blocks_nothing() {
    for source in [
        "class A[T = int]: pass\nmodel.eval()\n",
        "def f[T: int = bool, *U = *tuple[int]](x): pass\nmodel.eval()\n",
        "type X[T = int] = list[T]\nmodel.eval()\n",
        "def f():\n    x = (\n1,\n  2)\n    return x\nmodel.eval()\n",
        "def f():\n    x = [  # why\n1]\nmodel.eval()\n",
    ] {
        assert_eq!(look(source, DANGEROUS), Seen::default(), "{source}");
        let seen = look(&format!("{source}eval(1)\n"), DANGEROUS);
        let line = source.lines().count() + 1;
        assert_eq!((told(&seen), &seen.unknown), (vec![(line, "calls eval")], &None), "{source}");
    }
    // What does not parse elsewhere is none of the edit's business.
    let before = "def (:\n    pass\n\n\nx = 1\n";
    assert_eq!(edited(before, &format!("{before}y = 2\n")), Seen::default());
    assert!(edited(before, &format!("{before}model.eval()\n")).unknown.is_some());
}

#[test]
fn a_star_import_is_no_evidence_for_a_glob_about_names_it_hardly_brings() {
    let star = "from pickle import *\nclass Own: pass\n";
    let cases = [
        ("loads(x)", vec![(3, "calls pickle.loads")]),
        ("print(x)", vec![]),
        ("Own()", vec![]),
        ("self.loads(x)", vec![]),
        ("raise ValueError(x)", vec![]),
    ];
    for (line, spots) in cases {
        assert_eq!(told(&look(&format!("{star}{line}"), &["pickle.*"])), spots, "{line}");
    }
    assert_eq!(told(&look("from os import *\nopen(x)", &["os.open"])).len(), 1);
}

#[test]
fn a_call_is_told_once_at_its_first_added_line() {
    let before = "eval('1')\nsp.run(\n    'ls',\n    shell=False,\n)\n";
    let after = before.replace("False", "True");
    let change = Change::of_text("Edit", place("a.py"), before, after);
    let patterns = ["eval", "sp.run(shell=True)", "sp.*"];
    let spots = look_at(&change, &patterns).spots;
    let what = "calls sp.run(shell=True)".to_owned();
    assert_eq!(spots, [Spot { line: 4, text: "    shell=True,".to_owned(), span: None, what }]);

    let seen = look("exec(eval('1'))\nprint(\n  eval('2'))", DANGEROUS);
    assert_eq!(told(&seen), [(1, "calls eval"), (1, "calls exec"), (3, "calls eval")]);
}

#[test]
fn lines_are_counted_by_line_feeds_alone() {
    let cases = [
        ("a = '\u{2028}\u{2028}'\neval(1)\n", 2),
        ("import os\n\x0cx = 1\neval(1)\n", 3),
        ("\u{feff}a = 1\r\neval(1)\r\n", 2),
        // A lone carriage return ends the comment for Python, but no line of the file.
        ("a = 1\n# b\reval(1)\n", 2),
        ("'''\r\r'''\neval(1)\n", 2),
    ];
    for (source, line) in cases {
        let seen = look(source, &["eval"]);
        assert_eq!((told(&seen), &seen.unknown), (vec![(line, "calls eval")], &None), "{source:?}");
    }
}

#[test]
fn a_text_that_does_not_parse_is_told_beside_the_calls_made_out_in_it() {
    let cases = [
        ("eval('1')\ndef (:\n", vec![(1, "calls eval")], "(line 2)"),
        ("os.system('1')\ndef (:\n", vec![(1, "calls os.system")], "(line 2)"),
        ("m.eval('1')\ndef (:\n", vec![], "(line 2)"),
        ("subprocess.run(a, shell=True)\ndef (:\n", vec![], "(line 2)"),
        ("x = (  # eval\n", vec![], "(line 1)"),
        ("\n\nx = '\0'\n", vec![], "(line 3)"),
        ("eval('\0')\n", vec![(1, "calls eval")], "(line 1)"),
    ];
    for (source, spots, place) in cases {
        let seen = look(source, DANGEROUS);
        let unknown = Some(format!("the file does not parse as Python {place}"));
        assert_eq!((told(&seen), &seen.unknown), (spots, &unknown), "{source:?}");
    }
}

#[test]
fn a_text_without_the_names_is_parsed_only_when_it_looks_torn() {
    let check = read(&["os.system".to_owned(), "a.b(shell=True)".to_owned()]).unwrap();
    for (source, parsed) in [
        ("system = x\n", false),
        ("x = (\n", true),
        ("a.b()\n", false),
        ("a.b(**c)\n", true),
        ("import os\nx.system()\n", true),
    ] {
        let change = Change::of_text("Write", place("a.py"), "", source.to_owned());
        let module = OnceCell::new();
        assert_eq!(
            check.look(&Subject::new(&change, &[], &module, &Budget::default())),
            Seen::default()
        );
        assert!(module.get().is_none(), "nothing is judged: {source}");
        check.look(&Subject::new(&change, &change.added, &module, &Budget::default()));
        assert_eq!(module.get().is_some(), parsed, "{source}");
    }
}

#[test]
fn the_added_lines_stand_in_for_a_file_that_is_not_known() {
    let seen = look_at(&unknown_file(&[(1, "a = 1"), (2, "eval(a)"), (1, "eval(b)")]), DANGEROUS);
    let lines: Vec<&str> = seen.spots.iter().map(|spot| spot.text.as_str()).collect();
    assert_eq!((lines, &seen.unknown), (vec!["eval(b)", "eval(a)"], &None));

    let cases = [
        ("foo(1)", 0, None),
        ("    return eval(1)", 1, Some("only lines from inside a block are known of the file")),
        ("    return foo(1)", 0, Some("only lines from inside a block are known of the file")),
        (
            "eval) (",
            0,
            Some("what is known of the file does not parse as Python (line 7 of the new text)"),
        ),
    ];
    for (text, spots, unknown) in cases {
        let seen = look_at(&unknown_file(&[(7, text)]), DANGEROUS);
        assert_eq!((seen.spots.len(), seen.unknown.as_deref()), (spots, unknown), "{text}");
    }
}

fn part(text: &str) -> Change {
    let lines: Vec<(usize, &str)> = (7..).zip(text.lines()).collect();
    Change { numbering: Numbering::File, ..unknown_file(&lines) }
}

#[test]
fn what_the_lines_of_a_patch_prove_is_found_as_in_a_file() {
    for text in ["os.system('x')", "import subprocess as sp\nsp.run(a, shell=True)"] {
        let seen = look_at(&part(text), DANGEROUS);
        assert_eq!((seen.spots.len(), seen.unknown), (1, None), "{text}");
    }
    let seen = look_at(&part("eval(1)\nr(1)"), DANGEROUS);
    assert_eq!((told(&seen), seen.unknown.is_some()), (vec![(7, "calls eval")], true));
}

/// What imports above a patch's lines make of a call in these, and how far that is suspected.
#[test]
fn a_call_that_an_import_outside_the_patch_may_make_a_forbidden_one_is_not_known() {
    let not_known = [
        ("from os import system as r", "r('x')", "r", "os.system"),
        ("from os import *", "system('x')", "system", "os.system"),
        ("import os as o", "o.system('x')", "o.system", "os.system"),
        ("import os as o", "r = o.system\nr('x')", "r", "os.system"),
        ("import subprocess as sp", "sp.run(a, shell=True)", "sp.run", "subprocess.*(shell=True)"),
        ("import subprocess as sp", "sp.run(a, **b)", "sp.run", "subprocess.*(shell=True)"),
    ];
    for (above, text, name, forbidden) in not_known {
        let seen = look_at(&part(text), DANGEROUS);
        let line = 6 + text.lines().count();
        let why = format!(
            "line {line} calls {name}, which an import outside the patch may make {forbidden}"
        );
        assert_eq!((told(&seen), &seen.unknown), (vec![], &Some(why)), "{text}");
        assert_ne!(look(&format!("{above}\n{text}"), DANGEROUS), Seen::default(), "{above}");
    }
    let settled = [
        "sp.run(a, shell=False)",
        "o.path('x')",
        "print(len(x))",
        "raise KeyError(str(x))",
        "def r(): pass\nr('x')",
        "import sys as o\no.system('x')",
        "for o in x:\n  o.system('x')",
        "class A:\n  def f(self, o):\n    self.system('x')\n    o.system('x')",
        "r = 'r(1)'",
    ];
    for text in settled {
        assert_eq!(look_at(&part(text), DANGEROUS), Seen::default(), "{text}");
    }
    let not_suspected = [
        ("from os import system as print", "print('x')"),
        ("import builtins as b", "b.eval('x')"),
        ("import os\nself.run = os.system", "self.run('x')"),
        ("import os\nos.system(", "'x')"),
    ];
    for (above, text) in not_suspected {
        let unknown = look_at(&part(text), DANGEROUS).unknown;
        assert!(!unknown.is_some_and(|why| why.contains("import")), "{text}");
        assert_eq!(look(&format!("{above}\n{text}"), DANGEROUS).spots.len(), 1, "{above}");
    }
}

#[test]
fn many_calls_that_an_import_may_stand_behind_are_told_as_one() {
    let seen = look_at(&part("a()\nb()\nc()"), &["os.system"]);
    let why = "line 7 calls a, which an import outside the patch may make os.system \
               (and so for 2 more)";
    assert_eq!(seen.unknown.as_deref(), Some(why));
    let seen = look_at(&part("a()"), &["own", "own.eval(shell=True)"]);
    assert_eq!(seen, Seen::default(), "no import makes a call one of these");
}

#[test]
fn a_pattern_that_could_never_match_is_refused_by_its_place_in_the_list() {
    let problem = read(&["eval".to_owned(), "exec()".to_owned()]).err();
    let text = "a call is named without brackets: write `exec`".to_owned();
    assert_eq!(problem, Some(Problem { item: 1, text }));
}

#[test]
fn what_is_no_text_or_not_sure_to_be_all_is_told() {
    let mut change = Change::of_text("Write", place("a.py"), "", "x = 1\n".to_owned());
    change.unsure = Some("the file cannot be read".to_owned());
    assert_eq!(look_at(&change, DANGEROUS), Seen::unknown("the file cannot be read"));
    change.after = Content::Binary;
    assert!(look_at(&change, DANGEROUS).unknown.is_some());
    assert_eq!(look_at(&Change::of_deletion("Patch", place("a.py")), DANGEROUS), Seen::default());
}
