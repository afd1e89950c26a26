//! A record as a line of a table for spreadsheets.
//!
//! Every cell is quoted. One that a spreadsheet would take for a formula begins with an
//! apostrophe: paths and reasons are other people's text.

use crate::domain::Verdict;
use crate::domain::sanitize::visible;
use crate::store::stored::Stored;
use std::io::{self, Write};

/// The names of the columns.
pub const HEADER: &str = "time,seq,id,kind,hook,tool,question,path,verdict,rules,reasons,session,\
                          redacted,hash\r\n";

/// Writes the line of a record.
pub fn write(record: &Stored, kind: &str, out: &mut dyn Write) -> io::Result<()> {
    let rules: Vec<_> = record.outcomes().into_iter().map(|outcome| outcome.rule).collect();
    let cells = [
        record.moment().map(|moment| moment.to_string()).unwrap_or_default(),
        record.seq().map(|seq| seq.to_string()).unwrap_or_default(),
        record.id().to_owned(),
        kind.to_owned(),
        record.hook().unwrap_or_default().to_owned(),
        record.tool().unwrap_or_default().to_owned(),
        record.question().unwrap_or_default().to_owned(),
        record.path().unwrap_or_default().to_owned(),
        record.verdict().map(Verdict::word).unwrap_or_default().to_owned(),
        rules.join(" "),
        record.reasons().collect::<Vec<_>>().join("; "),
        record.session().unwrap_or_default().to_owned(),
        record.is_redacted().to_string(),
        record.hash().to_owned(),
    ];
    let cells: Vec<String> = cells.iter().map(|cell| quoted(cell)).collect();
    write!(out, "{}\r\n", cells.join(","))
}

fn quoted(text: &str) -> String {
    let text = visible(text).replace('"', "\"\"");
    let formula = ['=', '+', '-', '@', '\\', '|', '＝', '＋', '－', '＠'];
    // Blanks before it do not stop every spreadsheet.
    let apostrophe = if text.trim_start().starts_with(formula) { "'" } else { "" };
    format!("\"{apostrophe}{text}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula_or_ends_early() {
        for (text, cell) in [
            ("a.py", "\"a.py\""),
            ("a, \"b\"", "\"a, \"\"b\"\"\""),
            ("=1+1", "\"'=1+1\""),
            (" @SUM(A1)", "\"' @SUM(A1)\""),
            ("-2", "\"'-2\""),
            ("＝1", "\"'＝1\""),
            ("\t=1", "\"'\\t=1\""),
            ("a\r\n=1", "\"a\\r\\n=1\""),
            ("", "\"\""),
        ] {
            assert_eq!(quoted(text), cell);
        }
    }
}
