//! `require_def`: Python functions that the file must define, with a body.
//!
//! A body of nothing but `pass` and constants is none, but in a revision of Alembic that merges
//! branches: where all of them are empty there is nothing to undo. What cannot be parsed cannot be
//! checked: there is no certain part in what a broken file lacks.

use super::{Check, Kind, Problem, Seen, Subject};
use crate::domain::{Content, Spot};
use crate::engine::python;

/// The kind.
pub const KIND: Kind = Kind {
    key: "require_def",
    about: "Python functions that the file after the edit must define, with a body",
    read,
};

struct RequireDef(Vec<String>);

fn read(names: &[String]) -> Result<Box<dyn Check>, Problem> {
    for (item, name) in names.iter().enumerate() {
        if !python::identifier(name) {
            let text = format!(
                "`{name}` cannot be the name of a function: write the name alone, such as \
                 `upgrade`, for a method too"
            );
            return Err(Problem { item, text });
        }
    }
    Ok(Box::new(RequireDef(names.iter().map(|name| python::folded(name).into_owned()).collect())))
}

impl Check for RequireDef {
    fn needs_file(&self) -> bool {
        true
    }

    fn look(&self, subject: &Subject<'_>) -> Seen {
        let change = subject.change;
        if !python::is_python(change) {
            return Seen::default();
        }
        match &change.after {
            Content::Text(_) => {}
            Content::Absent => return Seen::default(),
            Content::Binary => return Seen::unknown("the file after the edit is a binary file"),
            Content::Unknown(why) => return Seen::unknown(why),
        }
        if let Some(name) = change.undecodable() {
            return Seen::unknown(python::not_decoded(name));
        }
        let module = subject.module();
        if let Some(flaw) = module.flaw {
            return Seen::unknown(flaw.told(change));
        }
        let idle = |name: &String| module.function(name).is_some_and(|function| function.idle);
        if module.merges && self.0.iter().all(idle) {
            return Seen::default();
        }
        let spot = |line, what| Spot { line, ..Spot::of_file(what) };
        let missing = |name: &String| match module.function(name) {
            None => Some(spot(0, format!("no function {name}()"))),
            Some(function) if function.idle => {
                Some(spot(function.row + 1, format!("{name}() does nothing")))
            }
            Some(_) => None,
        };
        Seen { spots: self.0.iter().filter_map(missing).collect(), unknown: None }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::domain::{Change, Place, RepoPath};
    use crate::engine::pattern::Budget;
    use std::cell::OnceCell;

    fn place(path: &str) -> Place {
        Place::Inside(RepoPath::new(path).unwrap())
    }

    fn look_at(change: &Change) -> Seen {
        let check = read(&["up".to_owned()]).unwrap_or_else(|problem| panic!("{problem:?}"));
        check.look(&Subject::new(change, &change.added, &OnceCell::new(), &Budget::default()))
    }

    fn look(source: &str) -> Seen {
        look_at(&Change::of_text("Write", place("m.py"), "", source.to_owned()))
    }

    #[test]
    fn a_function_with_a_body_is_enough() {
        let cases = [
            "def up(): x()",
            "async def up(): x()",
            "class M:\n  def up(self): x()",
            "def a():\n  def up(): x()",
            "def up(): return None",
            "def up(): raise NotImplementedError",
            "def up():\n  'what it does'\n  x()",
            "def up(): f'{x()}'",
            "def up(): 1, x()",
            "def ｕp(): x()",
            "def up(): pass\ndef up(): x()",
        ];
        for source in cases {
            assert_eq!(look(source), Seen::default(), "{source}");
        }
    }

    #[test]
    fn a_missing_or_idle_function_is_told() {
        let idle = "up() does nothing";
        let cases = [
            ("", 0, "no function up()"),
            ("up = lambda: x()", 0, "no function up()"),
            ("class up: pass", 0, "no function up()"),
            ("\ndef up(): pass", 2, idle),
            ("@cached\ndef up(): ...", 2, idle),
            ("def up():\n  'a' 'b'\n  # later\n  pass; 1; (None)", 1, idle),
            ("def up(): x()\ndef up(): pass", 2, idle),
            ("def up(): x()\nclass M:\n  def up(self): pass", 3, idle),
        ];
        for (source, line, what) in cases {
            let spot = Spot { line, ..Spot::of_file(what) };
            assert_eq!(look(source), Seen { spots: vec![spot], unknown: None }, "{source}");
        }
    }

    #[test]
    fn a_revision_that_merges_branches_may_do_nothing() {
        let up = "def up():\n    pass\n";
        for several in
            ["('a', 'b')", "['a', 'b']", "'a', 'b'", "(\n    'a',\n    'b',\n)", "('a', 'b', 'c')"]
        {
            for name in ["down_revision", "down_revision: tuple[str, ...] | None"] {
                let source = format!("{name} = {several}\n{up}");
                assert_eq!(look(&source), Seen::default(), "{source}");
            }
        }
        for one in ["down_revision = 'a'", "down_revision = ('a',)", "down_revision = ('a')"] {
            assert!(!look(&format!("{one}\n{up}")).spots.is_empty(), "{one}");
        }
        let inside = "def f():\n    down_revision = ('a', 'b')\n";
        let later = "down_revision = ('a', 'b')\ndown_revision = 'a'\n";
        for before in [inside, later] {
            assert!(!look(&format!("{before}{up}")).spots.is_empty(), "{before}");
        }
        let check =
            read(&["up".to_owned(), "down".to_owned()]).unwrap_or_else(|bad| panic!("{bad:?}"));
        let merge = format!("down_revision = ('a', 'b')\n{up}def down():\n    x()\n");
        let change = Change::of_text("Write", place("m.py"), "", merge);
        let (module, budget) = (OnceCell::new(), Budget::default());
        let seen = check.look(&Subject::new(&change, &change.added, &module, &budget));
        assert_eq!(seen.spots.len(), 1, "one half of a change is no merge");
    }

    #[test]
    fn what_cannot_be_read_is_unknown_and_what_is_no_python_is_fine() {
        let broken = look("def up(): x()\ndef (:");
        assert_eq!(broken, Seen::unknown("the file does not parse as Python (line 2)"));
        let unknown = Change::of_lines("Edit", place("m.py"), Vec::new(), "not found");
        assert_eq!(look_at(&unknown), Seen::unknown("not found"));
        let text = Change::of_text("Write", place("m.txt"), "", "x".to_owned());
        assert_eq!(look_at(&text), Seen::default());
        let deletion = Change::of_deletion("apply_patch", place("m.py"));
        assert_eq!(look_at(&deletion), Seen::default());
    }

    #[test]
    fn what_is_no_name_of_a_function_is_refused() {
        for name in ["", "up()", "M.up", "1up", "lambda", "a b"] {
            let problem = read(&["up".to_owned(), name.to_owned()]).err();
            assert_eq!(problem.map(|problem| problem.item), Some(1), "{name}");
        }
    }
}
