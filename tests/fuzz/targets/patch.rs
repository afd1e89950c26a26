//! Any text in a patch envelope: it is read or refused, and every added line that is numbered in
//! the file stands there in the file after the patch.

#![no_main]

use libfuzzer_sys::fuzz_target;
use solvi_hook::clients::payload;
use solvi_hook::domain::{Action, Content, Files, Numbering, Place, RepoPath, Stored, diff};

/// Two files that a patch may meet.
struct TwoFiles;

impl Files for TwoFiles {
    fn place(&self, written: &str) -> Result<Place, String> {
        RepoPath::new(written).map(Place::Inside).ok_or_else(|| "outside".to_owned())
    }

    fn read(&self, place: &Place) -> Stored {
        match place.as_str() {
            "a" => Stored::Bytes(b"one\ntwo\nthree\ntwo\n".to_vec()),
            "b" => Stored::Bytes(b"one\r\ntwo\r\n".to_vec()),
            _ => Stored::Absent,
        }
    }
}

fuzz_target!(|text: &str| {
    let patch = format!("*** Begin Patch\n{text}\n*** End Patch");
    let escaped: String = patch.chars().flat_map(json_escape).collect();
    let payload = format!("{{\"tool_name\":\"apply_patch\",\"tool_input\":{{\"input\":\"{escaped}\"}}}}");
    let Ok(event) = payload::read(payload.as_bytes(), &TwoFiles) else { return };
    let Action::Edit(changes) = event.action else { panic!("a patch is an edit") };
    assert!(!changes.is_empty(), "a patch changes something");
    for change in changes {
        if let (Content::Text(after), Numbering::File) = (&change.after, change.numbering) {
            let lines: Vec<&str> = diff::lines(after).collect();
            for line in &change.added {
                assert_eq!(lines.get(line.number - 1), Some(&line.text.as_str()));
            }
        }
    }
});

fn json_escape(char: char) -> Vec<char> {
    match char {
        '"' | '\\' => vec!['\\', char],
        char if char < ' ' => format!("\\u{:04x}", u32::from(char)).chars().collect(),
        char => vec![char],
    }
}
