//! Any text as a rules file: rules or an error that names the file; every rule that loads can be
//! held against a change.

#![no_main]

use libfuzzer_sys::fuzz_target;
use solvi_hook::domain::{Change, Place, RepoPath};
use solvi_hook::engine;
use solvi_hook::engine::rules::{Form, load};

fuzz_target!(|text: &str| {
    for form in [Form::Toml, Form::Json] {
        match load(text, form, "rules.toml") {
            Err(error) => assert!(error.to_string().starts_with("rules.toml")),
            Ok(book) => {
                for rule in &book.rules {
                    let known = rule.verify().map_err(|error| error.to_string());
                    assert!(known.is_ok() || known.is_err_and(|text| text.contains(&rule.id)));
                }
                let place = Place::Inside(RepoPath::new("src/a.py").expect("a plain path"));
                let change =
                    Change::of_text("Write", place, "a\n", "a\nimport os\nos.system('x')\n".to_owned());
                let _ = engine::decide(vec![change], &[&book], &book);
            }
        }
    }
});
