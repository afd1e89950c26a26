//! Files that are not text to us and are text to a shell: NUL padding, byte order marks, CR-only lines.

#![cfg(unix)]

use crate::checks::desk::Desk;
use serde_json::json;
use std::fs;

const RULES: &str = r#"
version = 1
[[rule]]
id = "anywhere"
paths = ["src/**"]
forbid = ["FORBIDDEN"]
[[rule]]
id = "at-the-beginning"
paths = ["line/**"]
forbid = ["^FORBIDDEN"]
[[rule]]
id = "calls"
paths = ["**/*.py"]
forbid_calls = ["eval", "os.system"]
"#;

/// Stages a file, and returns the exit status of `check-staged`.
fn staged(path: &str, bytes: &[u8]) -> Option<i32> {
    let desk = Desk::judged_by(RULES, &[]);
    let file = desk.root.join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, bytes).unwrap();
    desk.git(&["add", "-A"]);
    desk.run(&["check-staged", "--no-store"], "").status
}

fn wide(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}

#[test]
fn nothing_hides_a_line_that_a_shell_runs() {
    let script = b"#!/bin/sh\nFORBIDDEN\n";
    let noise: Vec<u8> = (0..4000_u32).map(|at| (at * 7919 % 251) as u8).collect();
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("NUL behind", [script, [0; 300].as_slice()].concat()),
        ("NUL before", [[0; 300].as_slice(), b"\n", script].concat()),
        ("NUL within the word", b"#!/bin/sh\nFORB\0ID\0DEN\n".to_vec()),
        ("NUL between all letters", b"F\0O\0R\0B\0I\0D\0D\0E\0N\0".to_vec()),
        ("noise behind", [script, noise.as_slice()].concat()),
        ("noise before", [noise.as_slice(), b"\n", script].concat()),
        ("noise on the line", [b"FORBIDDEN #", noise.as_slice()].concat()),
        ("an ELF head", [b"\x7fELF\x02\x01\x01\0\0\0\n", script.as_slice(), &noise].concat()),
        ("a PNG head", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\n", script.as_slice()].concat()),
        ("a GIF head", [b"GIF89a\0\0\n", script.as_slice(), &[0; 99]].concat()),
        ("FF FE", b"\xff\xfe\nFORBIDDEN\n".to_vec()),
        ("FF FE and noise", [b"\xff\xfe\nFORBIDDEN\n#", [0xff; 40].as_slice()].concat()),
        ("FE FF and NUL", [b"\xfe\xff\nFORBIDDEN\n#", [0; 40].as_slice()].concat()),
        ("FF FE 00 00", b"\xff\xfe\0\0\nFORBIDDEN\n".to_vec()),
        ("00 00 FE FF", b"\0\0\xfe\xff\nFORBIDDEN\n".to_vec()),
        ("UTF-16", [b"\xff\xfe".to_vec(), wide("x\nFORBIDDEN\n", u16::to_le_bytes)].concat()),
        ("UTF-16, big", [b"\xfe\xff".to_vec(), wide("FORBIDDEN", u16::to_be_bytes)].concat()),
        ("UTF-16 without a mark", wide("x\nFORBIDDEN\n", u16::to_le_bytes)),
        ("UTF-16, big, without", wide("FORBIDDEN\n", u16::to_be_bytes)),
        ("UTF-16 with much else", wide("пароль пароль FORBIDDEN\n", u16::to_le_bytes)),
        (
            "UTF-32 without a mark",
            "FORBIDDEN".chars().flat_map(|it| (it as u32).to_le_bytes()).collect(),
        ),
        ("UTF-8 mark", b"\xef\xbb\xbfFORBIDDEN\n".to_vec()),
        ("escape characters", b"\x1b[2J\0FORBIDDEN\n".to_vec()),
    ];
    for (name, bytes) in cases {
        assert_eq!(staged("src/run.sh", &bytes), Some(1), "{name}");
    }
}

#[test]
fn what_is_really_no_text_has_no_findings() {
    let noise: Vec<u8> = (0..40_000_u32).map(|at| (at * 7919 % 251) as u8).collect();
    for head in
        [&b"\x7fELF\x02\x01\x01\0"[..], b"\x89PNG\r\n\x1a\n\0", b"PK\x03\x04\0", b"\0\x01\0\0"]
    {
        let inside = [head, &noise, b"\0FORBIDDEN\0", &noise].concat();
        assert_eq!(staged("src/a.bin", &inside), Some(0), "{head:?}");
    }
}

#[test]
fn a_carriage_return_begins_a_line_at_the_edit_as_at_the_commit() {
    for text in [
        "x\rFORBIDDEN\r",
        "x\rFORBIDDEN",
        "x\n# y\rFORBIDDEN\n",
        "x\x0cFORBIDDEN\n",
        "x\x0bFORBIDDEN\n",
        "x\u{85}FORBIDDEN\n",
        "x\u{2028}FORBIDDEN\n",
        "x\u{2029}FORBIDDEN\n",
        "\u{feff}FORBIDDEN\n",
        "FORB\0IDDEN\n",
    ] {
        let desk = Desk::judged_by(RULES, &[]);
        desk.proposes("line/a", text).expect("deny", &["FORB"]);
        assert_eq!(staged("line/a", text.as_bytes()), Some(1), "{text:?}");
    }
    Desk::judged_by(RULES, &[]).proposes("line/a", "x FORBIDDEN\r\ny\r\n").expect("allow", &[]);
}

#[test]
fn a_patch_and_an_edit_are_decoded_like_a_file() {
    let desk = Desk::judged_by(RULES, &[]);
    for line in ["\u{feff}FORBIDDEN", "x\rFORBIDDEN", "FORB\0IDDEN"] {
        let patch = format!(
            "diff --git a/line/n b/line/n\nnew file mode 100644\n--- /dev/null\n+++ b/line/n\n\
             @@ -0,0 +1 @@\n+{line}\n"
        );
        let said = desk.run(&["check-diff", "--patch", "-"], patch);
        assert_eq!(said.status, Some(1), "{said:?}");
    }
    // The client keeps UTF-16, and the letters spell a command to a shell.
    let old = [b"\xff\xfe".to_vec(), wide("one\n", u16::to_le_bytes)].concat();
    fs::create_dir_all(desk.root.join("src")).unwrap();
    fs::write(desk.root.join("src/w"), old).unwrap();
    let hidden: Vec<u16> =
        b"\nFORBIDDEN\n!".chunks(2).map(|it| u16::from_le_bytes([it[0], it[1]])).collect();
    let input = json!({"file_path": "src/w", "old_string": "one", "new_string": String::from_utf16(&hidden).unwrap()});
    desk.run(&["pre-edit"], crate::support::payload("Edit", &input).to_string())
        .expect("deny", &["FORBIDDEN"]);
}

#[test]
fn python_in_a_declared_encoding_is_read_in_it_or_not_checked() {
    for (bytes, status) in [
        (&b"# coding: utf-7\n+AGUAdgBhAGw-(1)\n"[..], 2),
        (b"# coding: unicode_escape\n\\x65val(1)\n", 2),
        (b"# coding: shift_jis\nx = '\x95\x5c'; eval(1) #'\n", 1),
        (b"# -*- coding: gbk -*-\nx = '\xb1\x5c'; eval(1) #'\n", 1),
        (b"# coding: gbk\n\xa3\xe5val(1)\n", 1),
        (b"#!/usr/bin/python\n# coding: latin-1\nev\xaal(1)\n", 1),
        (b"# coding: iso2022_jp\nx = '\x1b$B!@\x1b(B'; eval(1)\n", 1),
        (b"# coding: shift_jis\nx = '\x95\x5c'\nmodel.eval(1)\n", 0),
        (b"# coding: latin-1\nx = '\xe9'\n", 0),
        (b"# coding: utf-8\nx = '\xc3\xa9'\n", 0),
        (b"# coding: utf-7\nx = 1\n", 2),
    ] {
        assert_eq!(staged("a.py", bytes), Some(status), "{:?}", String::from_utf8_lossy(bytes));
    }
}
