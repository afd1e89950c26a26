//! The clients, installed by npm into a folder that is kept: `SOLVI_CLIENTS_CACHE`, else one
//! under the target folder. Which version of which package, `versions.json` says.

use super::limited::{self, Ran};
use serde_json::Value;
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

const VERSIONS: &str = include_str!("versions.json");
/// So short that the whole suite keeps its time where a network takes packets and gives none.
const INSTALLING: Duration = Duration::from_secs(100);
const STARTING: Duration = Duration::from_mins(1);

/// Where programs of the machine are looked for.
pub const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A client that is there and starts.
#[derive(Clone, Debug)]
pub struct Client {
    pub name: &'static str,
    node: PathBuf,
    entry: PathBuf,
    /// Where what it unpacks may stay.
    pub unpacked: PathBuf,
}

impl Client {
    /// Returns a client, installed when it has to be; the error says why it cannot be had here.
    pub fn get(name: &'static str) -> Result<Self, String> {
        let known: Value = serde_json::from_str(VERSIONS).unwrap();
        let text = |key: &str| known[name][key].as_str().unwrap().to_owned();
        let variable = format!("SOLVI_CLIENT_{}", name.to_uppercase());
        let version = env::var(variable).unwrap_or_else(|_| text("version"));
        let (package, entry) = (text("package"), text("entry"));
        let node = node(known[name]["node"].as_u64().unwrap())?;
        let client = |folder: &Path| Self {
            name,
            node: node.clone(),
            entry: folder.join("node_modules").join(&package).join(&entry),
            unpacked: cache().join("unpacked"),
        };
        let folder = cache().join(format!("{name}-{version}"));
        once(name, || {
            install(&folder, &format!("{package}@{version}"), false, |folder| {
                // A part for this machine that npm could not fetch shows only here.
                let ran = limited::run(client(folder).command().arg("--version"), STARTING);
                well(ran, &format!("{package}@{version} does not start"))
            })
        })?;
        Ok(client(&folder))
    }

    /// Returns a command that starts it in an empty environment.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.node);
        command.arg(&self.entry).env_clear().env("PATH", self.path());
        command.env("XDG_CACHE_HOME", &self.unpacked).env("HOME", &self.unpacked);
        command
    }

    /// Returns the search path that it is run with: its own Node.js first.
    pub fn path(&self) -> String {
        let node = self.node.parent().map(|folder| folder.display().to_string());
        format!("{}:{PATH}", node.unwrap_or_default())
    }
}

/// Returns a Node.js of at least a major version: the machine's, or one from npm.
fn node(wanted: u64) -> Result<PathBuf, String> {
    let ours = on_path("node").ok_or("there is no Node.js")?;
    let said = Command::new(&ours).arg("--version").output().map_err(|it| it.to_string())?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let major = said.trim_start_matches('v').split('.').next().and_then(|it| it.parse().ok());
    if major.is_some_and(|major: u64| major >= wanted) {
        return Ok(ours);
    }
    let name = format!("node-{wanted}");
    let folder = cache().join(&name);
    let found = |folder: &Path| folder.join("node_modules/node/bin/node");
    once(&name, || {
        // Its script is what fetches the program for this machine.
        install(&folder, &format!("node@{wanted}"), true, |folder| {
            let ran = limited::run(Command::new(found(folder)).arg("--version"), STARTING);
            well(ran, "Node.js does not start")
        })
    })?;
    Ok(found(&folder))
}

fn on_path(program: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
}

fn cache() -> PathBuf {
    let named = env::var_os("SOLVI_CLIENTS_CACHE").map(PathBuf::from);
    named.unwrap_or_else(|| Path::new(env!("CARGO_TARGET_TMPDIR")).join("clients"))
}

/// Installs a package, unless that was done before. A folder gets its name when all is well, so
/// that half an installation is never taken for one.
fn install(
    folder: &Path,
    package: &str,
    scripts: bool,
    check: impl FnOnce(&Path) -> Result<(), String>,
) -> Result<(), String> {
    if folder.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(cache()).map_err(|error| error.to_string())?;
    let making = tempfile::tempdir_in(cache()).map_err(|error| error.to_string())?;
    fs::write(making.path().join("package.json"), "{\"private\": true}\n").unwrap();
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error"])
        .args(["--fetch-retries=1", "--fetch-retry-mintimeout=2000", "--fetch-timeout=30000"])
        .args((!scripts).then_some("--ignore-scripts"))
        .arg(package)
        .current_dir(making.path());
    well(limited::run(&mut npm, INSTALLING), &format!("npm cannot install {package}"))?;
    check(making.path())?;
    match fs::rename(making.path(), folder) {
        // Another process was faster.
        Err(_) if folder.is_dir() => Ok(()),
        done => done.map_err(|error| error.to_string()),
    }
}

fn well(ran: std::io::Result<Ran>, what: &str) -> Result<(), String> {
    match ran {
        Ok(ran) if ran.is_well() => Ok(()),
        Ok(ran) if ran.late => Err(format!("{what}: it takes too long")),
        Ok(ran) => {
            let why: Vec<&str> = ran.stderr.lines().take(3).collect();
            Err(format!("{what}: {}", why.join(", ")))
        }
        Err(error) => Err(format!("{what}: {error}")),
    }
}

/// Does a thing once in this process, however many tests want it.
fn once(name: &str, make: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    type Made = Arc<OnceLock<Result<(), String>>>;
    static MADE: Mutex<BTreeMap<String, Made>> = Mutex::new(BTreeMap::new());
    let once = Arc::clone(MADE.lock().unwrap().entry(name.to_owned()).or_default());
    once.get_or_init(make).clone()
}

/// Our table says with which versions it was seen to be true; these tests are where.
#[test]
fn the_table_of_clients_names_the_versions_of_these_tests() {
    let table = Command::new(env!("CARGO_BIN_EXE_solvi-hook")).args(["clients", "--json"]).output();
    let table: Value = serde_json::from_slice(&table.unwrap().stdout).unwrap();
    let known: Value = serde_json::from_str(VERSIONS).unwrap();
    for (name, client) in known.as_object().unwrap() {
        let row = table["clients"].as_array().unwrap().iter().find(|row| row["name"] == **name);
        assert_eq!(row.unwrap()["verified_with"], client["version"], "{name}");
    }
}
