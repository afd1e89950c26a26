//! The facts of the built-in rules' patterns, known before the program runs.
//!
//! To read a pattern takes longer than all else that an ordinary edit needs. The table is made
//! from `templates/rules.toml` by a test below, which also fails when it is out of date.

use super::{Facts, Needles, Scope};

/// One pattern: its source, what [`Needles::known`] takes, and the other fields of [`Facts`].
struct Row {
    source: &'static str,
    needles: (&'static [(&'static str, bool)], bool),
    may_be_empty: bool,
    stepwise: bool,
    boundary: bool,
}

include!("builtin_table.in");

/// Returns the facts of a pattern, when it is one of the built-in rules'.
pub(super) fn facts(source: &str, scope: Scope) -> Option<Facts> {
    let table = match scope {
        Scope::Line => LINES,
        Scope::File => FILES,
    };
    let row = table.binary_search_by(|row| row.source.cmp(source)).ok();
    row.and_then(|index| table.get(index)).map(|row| Facts {
        needles: Needles::known(row.needles.0, row.needles.1),
        may_be_empty: row.may_be_empty,
        stepwise: row.stepwise,
        boundary: row.boundary,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::engine::dialect;
    use crate::engine::rules::{Form, load};
    use std::collections::BTreeMap;
    use std::fmt::Write as _;
    use std::path::Path;

    const RULES: &str = include_str!("../../../templates/rules.toml");

    /// Returns the facts of every pattern under these keys, as they are read without the table.
    fn read(keys: &[&str], scope: Scope) -> BTreeMap<String, Facts> {
        let book = load(RULES, Form::Toml, "rules.toml").unwrap();
        let sources =
            book.rules.iter().flat_map(|rule| keys.iter().flat_map(|key| rule.under(key)));
        let facts = |source: &str| Facts::of(&dialect::read(source, scope).unwrap()).unwrap();
        sources.map(|source| (source.to_owned(), facts(source))).collect()
    }

    fn write(name: &str, rows: &BTreeMap<String, Facts>, out: &mut String) {
        writeln!(out, "const {name}: &[Row] = &[").unwrap();
        for (source, Facts { needles, may_be_empty, stepwise, boundary }) in rows {
            let (needles, whole) = needles.parts();
            writeln!(
                out,
                "    Row {{ source: {source:?}, needles: (&{needles:?}, {whole}), \
                 may_be_empty: {may_be_empty}, stepwise: {stepwise}, boundary: {boundary} }},"
            )
            .unwrap();
        }
        out.push_str("];\n");
    }

    /// `SNAPSHOTS=overwrite cargo test --lib builtin` writes the table anew.
    #[test]
    fn the_table_holds_the_facts_of_the_built_in_rules() {
        let lines = read(&["forbid", "when"], Scope::Line);
        let files = read(&["require"], Scope::File);
        let mut table = String::new();
        write("LINES", &lines, &mut table);
        write("FILES", &files, &mut table);
        if std::env::var_os("SNAPSHOTS").is_some_and(|value| value == "overwrite") {
            let path = "src/engine/pattern/builtin_table.in";
            std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(path), &table).unwrap();
        }
        assert_eq!(table, include_str!("builtin_table.in"), "the table is out of date");
        for (rows, scope) in [(lines, Scope::Line), (files, Scope::File)] {
            assert!(!rows.is_empty());
            for (source, expected) in rows {
                assert_eq!(facts(&source, scope), Some(expected), "{source}");
            }
        }
        assert_eq!(facts("no pattern of ours", Scope::Line), None);
    }
}
