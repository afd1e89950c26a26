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
