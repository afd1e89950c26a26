//! Pi's extension, driven by a script that plays Pi: with programs that fail in every way, and
//! with the real one.

use crate::support::{House, binary, said};
use std::path::Path;
use std::process::Command;

#[test]
fn the_extension_does_as_the_program_says_and_refuses_where_it_says_nothing() {
    let rules = "version = 1\n[[rule]]\nid = \"no-eval\"\npaths = [\"**\"]\n\
        forbid = ['\\beval\\(']\nwhy = \"never\"\n";
    let house = House::new().rules(rules);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pi/extension.mjs");
    let mut node = Command::new("node");
    node.arg(script).arg(house.root()).arg(binary()).env("HOME", house.home());
    let said = said(node, b"");
    assert_eq!(said.status, Some(0), "{}\n{}", said.stdout, said.stderr);
    assert!(said.stdout.ends_with("14 passed, 0 failed\n"), "{}", said.stdout);
}
