//! The starter rules on what is staged.

use super::desk::Desk;
use crate::git::yard::Yard;

#[test]
fn characters_that_nobody_sees_go_to_a_person() {
    let desk = Desk(Yard::new());
    let hidden = "BANNED\u{200b}_WORD\nBANNED\u{ad}_WORD\nBANNED\u{206a}_WORD\n\
        access = \"user\u{202e} \u{2066}// admin\"\n";
    desk.write("a.py", hidden).stage();
    desk.staged().refuses(&[
        "no-hidden-characters a.py:1",
        "no-hidden-characters a.py:2",
        "no-hidden-characters a.py:3",
        "no-hidden-characters a.py:4",
    ]);
    let seen = "name = \"\u{639}\u{631}\u{628}\u{64a}\"\nemoji = \"\u{1f468}\u{200d}\u{1f469}\"\n";
    desk.write("a.py", seen).stage();
    desk.staged().passes();
}

#[test]
fn a_key_is_one_finding_however_many_lines_it_has() {
    let desk = Desk(Yard::new());
    let line = |seed: usize| -> String {
        let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        (0..64).map(|at| char::from(alphabet[(seed * 7 + at * at + at) % 64])).collect()
    };
    let key =
        |seed: usize| format!("{}\n{}\n{}==\n", line(seed), line(seed + 1), &line(seed)[..34]);
    desk.write("a.key", format!("{}\n{}", key(1), key(5))).write("b.key", key(9)).stage();
    desk.staged().refuses(&[
        "no-key-files a.key:1",
        "no-key-files a.key:5",
        "no-key-files b.key:1",
    ]);
    // The second of two keys without a blank line between them is another key.
    desk.write("a.key", key(1) + &key(5)).stage();
    let told = desk.staged();
    told.refuses(&["no-key-files a.key:1", "no-key-files a.key:4", "no-key-files b.key:1"]);
    assert!(!told.said.stdout.contains(&line(2)[..9]), "{told:#?}");
}
