//! Any bytes as a payload: a decision comes out, an unreadable edit is never allowed in silence,
//! and the reply is one JSON object that says what the decision says.

#![no_main]

use libfuzzer_sys::fuzz_target;
use solvi_hook::clients::{CLIENTS, Voice, payload};
use solvi_hook::domain::{Action, Decision, Files, Place, RepoPath, Stored, Verdict};
use solvi_hook::engine::rules::{Form, load};
use solvi_hook::engine::{self, Judge, tripwire::Tripwire};

/// One file, whatever its name.
struct OneFile;

impl Files for OneFile {
    fn place(&self, written: &str) -> Result<Place, String> {
        RepoPath::new(written).map(Place::Inside).ok_or_else(|| "outside".to_owned())
    }

    fn read(&self, _place: &Place) -> Stored {
        Stored::Bytes(b"import os\r\nx = \xe2\x80\x9ca\xe2\x80\x9d\r\n  y\n".to_vec())
    }
}

const RULES: &str = r#"
[[rule]]
id = "a"
paths = ["**"]
forbid = ["x(?=y)", "\\bz\\b"]
require = ["^i"]
forbid_calls = ["os.*", "eval"]
require_def = ["f"]
redact = true
"#;

fuzz_target!(|data: &[u8]| {
    let decision = match payload::read(data, &OneFile) {
        Err(error) => Decision::unjudged(error.to_string()),
        Ok(event) => match event.action {
            Action::Other | Action::Stop { .. } => return,
            Action::Edit(changes) => {
                assert!(!changes.is_empty(), "an edit changes something");
                let book = load(RULES, Form::Toml, "rules.toml").expect("the rules are well-formed");
                let judges: [&dyn Judge; 2] = [&book, &Tripwire];
                engine::decide(changes, &judges, &book)
            }
        },
    };
    for client in CLIENTS {
        let reply = client.write(&decision, &Voice::default());
        if decision.verdict() > Verdict::Allow {
            assert!(reply.starts_with('{') && reply.ends_with('}') && !reply.contains('\n'));
        }
        if decision.verdict() >= Verdict::Ask {
            assert!(reply.contains("permissionDecisionReason"));
        }
    }
});
