//! The ladder: whole processes, interleaved, against an empty one (`true`).
//!
//! `cargo bench --bench ladder [RUNS]` prints, for each rung, the minimum and the median in
//! milliseconds and the median's ratios to `true` and to `--version`. With
//! `SOLVI_REFERENCE=/path/to/solvi` the reference program judges the same one-line edit beside it.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

struct Rung {
    name: &'static str,
    /// The most that the median may be, in multiples of `true`, or in milliseconds.
    budget: &'static str,
    command: Vec<String>,
    stdin: Vec<u8>,
    times: Vec<Duration>,
}

impl Rung {
    fn new(name: &'static str, budget: &'static str, command: &[&str], stdin: String) -> Self {
        let command = command.iter().map(ToString::to_string).collect();
        Self { name, budget, command, stdin: stdin.into_bytes(), times: Vec::new() }
    }

    fn run(&mut self, folder: &Path) -> Outcome<()> {
        let (program, args) = self.command.split_first().ok_or("an empty command")?;
        let begun = Instant::now();
        let mut child = Command::new(program)
            .args(args)
            .current_dir(folder)
            .env_remove("CLAUDE_PROJECT_DIR")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        // `true` closes its end without reading.
        if let Some(mut pipe) = child.stdin.take() {
            drop(pipe.write_all(&self.stdin));
        }
        child.wait_with_output()?;
        self.times.push(begun.elapsed());
        Ok(())
    }
}

/// Returns the program as it is when it was installed: a copy. The file that a linker wrote lies in
/// small pieces in the system's memory, and takes a tenth longer to start.
fn installed(folder: &Path) -> Outcome<String> {
    let program = folder.join("solvi-hook");
    fs::copy(env!("CARGO_BIN_EXE_solvi-hook"), &program)?;
    Ok(program.display().to_string())
}

fn payload(path: &str, old: &str, new: &str) -> String {
    serde_json::json!({
        "session_id": "bench", "hook_event_name": "PreToolUse", "tool_name": "Edit",
        "tool_input": {"file_path": path, "old_string": old, "new_string": new},
    })
    .to_string()
}

/// A Python module of ordinary functions, `bytes` long or a little more.
fn module(bytes: usize) -> String {
    let mut text = String::from("import json\nimport os\n\n\nVERSION = 1\n");
    let mut number = 0;
    while text.len() < bytes {
        number += 1;
        let _ = write!(
            text,
            "\n\ndef handler_{number}(request, config):\n    \
             \"\"\"Return the answer to one request.\"\"\"\n    \
             payload = json.loads(request.body)\n    \
             name = payload.get(\"name\", config.default_name)\n    \
             return {{\"status\": 200, \"name\": name, \"order\": {number}}}\n"
        );
    }
    text
}

/// A thousand rules of which ten meet Python files.
fn thousand_rules() -> String {
    let mut rules = String::new();
    for number in 0..1000 {
        let paths =
            if number % 100 == 0 { "**/*.py".to_owned() } else { format!("area{number}/**") };
        let _ = write!(
            rules,
            "[[rule]]\nid = \"rule-{number}\"\npaths = [\"{paths}\"]\n\
             forbid = ['forbidden_{number}\\w+\\s*=', '(?i)never_{number}\\b']\nwhy = \"No.\"\n\n"
        );
    }
    rules
}

/// Fifty rules of a project's own, all of which meet Python files.
fn fifty_rules() -> String {
    let mut rules = String::new();
    for number in 0..50 {
        let _ = write!(
            rules,
            "[[rule]]\nid = \"own-{number}\"\npaths = [\"**/*.py\"]\n\
             forbid = ['never_{number}\\w+\\s*=', '(?i)old_{number}\\b']\nwhy = \"No.\"\n\n"
        );
    }
    rules
}

fn median(times: &mut [Duration]) -> (f64, f64) {
    times.sort();
    let ms = |time: Option<&Duration>| time.map_or(0.0, |time| time.as_secs_f64() * 1000.0);
    (ms(times.first()), ms(times.get(times.len() / 2)))
}

fn main() -> Outcome<()> {
    let rounds = std::env::args().find_map(|arg| arg.parse().ok()).unwrap_or(200);
    let home = tempfile::tempdir()?;
    let folder = fs::canonicalize(home.path())?;
    fs::create_dir_all(folder.join(".git"))?;
    fs::write(folder.join("app.py"), module(4_000))?;
    fs::write(folder.join("big.py"), module(2_000_000))?;
    fs::write(folder.join("fifty.toml"), fifty_rules())?;
    fs::write(folder.join("thousand.toml"), thousand_rules())?;
    fs::write(
        folder.join("calls.toml"),
        "[[rule]]\nid = \"calls\"\npaths = [\"**/*.py\"]\nforbid_calls = [\"json.loads\"]\n",
    )?;
    let hook = &installed(&folder)?;
    let line = || payload("app.py", "VERSION = 1", "VERSION = 2");
    let mut rungs = vec![
        Rung::new("true", "", &["/bin/true"], line()),
        Rung::new("--version", "1.5 x", &[hook, "--version"], String::new()),
        Rung::new(
            "a tool that is no edit",
            "",
            &[hook, "pre-edit"],
            "{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"}}".into(),
        ),
        Rung::new(
            "one-line edit, built-in rules, store",
            "1.8 x --version",
            &[hook, "pre-edit"],
            line(),
        ),
        Rung::new("the same, no store", "", &[hook, "pre-edit", "--no-store"], line()),
        Rung::new(
            "a rule that needs the Python parse",
            "",
            &[hook, "pre-edit", "--rules", "calls.toml"],
            line(),
        ),
        Rung::new(
            "one-line edit, 50 rules of its own",
            "",
            &[hook, "pre-edit", "--rules", "fifty.toml"],
            line(),
        ),
        Rung::new(
            "1,000 rules, 10 match",
            "12 x",
            &[hook, "pre-edit", "--rules", "thousand.toml"],
            line(),
        ),
        Rung::new(
            "2 MB file after the edit",
            "40 ms",
            &[hook, "pre-edit", "--store", ".solvi/traces/big.jsonl"],
            payload("big.py", "VERSION = 1", "VERSION = 2"),
        ),
    ];
    let reference = std::env::var("SOLVI_REFERENCE").ok();
    if let Some(reference) = &reference {
        let rules = "[[rule]]\nid = \"a\"\npaths = [\"**\"]\nforbid = [\"DEBUG\"]\n";
        fs::write(folder.join("reference.toml"), rules)?;
        let args = [reference, "hook", "pre-edit", "--rules", "reference.toml", "--no-store"];
        rungs.push(Rung::new("the reference", "", &args, line()));
    }
    for round in 0..rounds {
        for rung in &mut rungs {
            // The reference takes a third of a second: a few runs tell enough.
            if rung.name == "the reference" && round % 20 != 0 {
                continue;
            }
            rung.run(&folder)?;
        }
        if round == 0 {
            for rung in &mut rungs {
                rung.times.clear();
            }
        }
    }
    let mut table = format!(
        "{:<38} {:>9} {:>9} {:>9} {:>12}  budget\n",
        "rung", "min ms", "median", "to true", "to --version"
    );
    let (mut base, mut version) = (0.0, 0.0);
    for rung in &mut rungs {
        let (least, middle) = median(&mut rung.times);
        match rung.name {
            "true" => base = middle,
            "--version" => version = middle,
            _ => {}
        }
        let _ = writeln!(
            table,
            "{:<38} {least:>9.2} {middle:>9.2} {:>8.1}x {:>11.1}x  {}",
            rung.name,
            middle / base,
            middle / version,
            rung.budget
        );
    }
    std::io::stdout().write_all(table.as_bytes())?;
    Ok(())
}
