//! Random paths, resolved by the clients' own code and by ours.
//!
//! Pi's and Gemini's resolvers are JavaScript that Node.js runs as it lies in their packages; what
//! is cut out of Gemini's bundle is the text of whole functions.

use super::house::House;
use serde_json::Value;
use solvi_hook::clients::paths;
use solvi_hook::domain::Files;
use solvi_hook::store::files::DiskFiles;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

/// How many paths each resolver is given.
const PATHS: usize = 4000;

/// What the paths are made of.
const PIECES: &[&str] = &[
    "file://",
    "file:///",
    "file:",
    "FILE://",
    "/",
    "//",
    "\\",
    "{ROOT}",
    "{ROOT}/",
    "~",
    "~/",
    "@",
    "@@",
    "@/",
    "src",
    "own",
    "a.py",
    ".",
    "..",
    "/../",
    "/./",
    "%2e",
    "%2E%2e",
    "%2F",
    "%5c",
    "%20",
    "%41",
    "%zz",
    "%",
    "%ff",
    "%c3%a9",
    "%00",
    "?",
    "#",
    "?x#y",
    ":",
    "c:",
    "c|",
    "localhost",
    "other",
    " ",
    "\t",
    "\n",
    "\r",
    "\u{1}",
    "\0",
    "\u{a0}",
    "\u{2003}",
    "\u{3000}",
    "\u{feff}",
    "\u{85}",
    "\u{200b}",
    "é",
    "e\u{301}",
    "\u{1f600}",
    "$HOME",
    "*",
    "[x]",
    "'",
    "\"",
    "+",
    "&",
    ";",
    "^",
    "`",
    "{",
    "}",
    "|",
    "<",
];

/// Returns the same random paths at every run.
fn random(root: &str) -> Vec<String> {
    let mut state: u64 = 0x2545_f491_4f6c_dd1d;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    };
    let one = |next: &mut dyn FnMut(usize) -> usize| {
        let pieces = (0..=next(6)).map(|_| PIECES[next(PIECES.len())]);
        pieces.collect::<String>().replace("{ROOT}", root)
    };
    (0..PATHS).map(|_| one(&mut next)).collect()
}

/// Returns the absolute path that a client's candidate means: `.` and `..` go as text.
fn absolute(cwd: &Path, path: &str) -> PathBuf {
    let mut done = PathBuf::new();
    for part in cwd.join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(done.pop()),
            part => done.push(part),
        }
    }
    done
}

/// Runs a module that turns the list in a file into the list of what each path resolves to, null
/// where the client throws, and holds that against ours.
fn agree(house: &House, module: &str, ours: fn(&str, &dyn Files) -> Vec<String>) {
    let root = house.root();
    let (script, list) = (house.root().join("resolve.mjs"), house.root().join("list.json"));
    let written = random(root.to_str().unwrap());
    fs::write(&list, serde_json::to_string(&written).unwrap()).unwrap();
    fs::write(&script, module).unwrap();
    let node = house.client.command().get_program().to_owned();
    let output = Command::new(node).arg(&script).arg(&list).current_dir(&root).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let theirs: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let files = DiskFiles::new(&root, &root);
    let mut resolved = 0;
    for (written, theirs) in written.iter().zip(&theirs) {
        // What the client refuses is never written.
        let Some(theirs) = theirs.as_str() else { continue };
        resolved += 1;
        let all = ours(written, &files);
        let found = all.iter().any(|path| absolute(&root, path) == Path::new(theirs));
        assert!(found, "{written:?} is {theirs:?}, not {all:?}");
    }
    assert!(theirs.len() == PATHS && resolved > PATHS / 2, "{resolved}");
}

/// Returns the file that a client starts from.
fn entry(house: &House) -> PathBuf {
    house.client.command().get_args().next().unwrap().into()
}

#[test]
fn pi_resolves_random_paths_as_we_say() {
    let Some(house) = House::of("pi") else { return };
    let module = entry(&house);
    let mut modules = module.ancestors().map(|it| it.join("core/tools/path-utils.js"));
    let module = modules.find(|module| module.exists()).unwrap();
    let module = format!(
        "import {{ resolveToCwd }} from {};\n\
         import {{ readFileSync }} from 'node:fs';\n\
         const one = (path) => {{ try {{ return resolveToCwd(path, process.cwd()); }} catch {{ return null; }} }};\n\
         const list = JSON.parse(readFileSync(process.argv[2], 'utf8'));\n\
         console.log(JSON.stringify(list.map(one)));\n",
        Value::from(module.to_str().unwrap())
    );
    agree(&house, &module, paths::pi);
}

/// The functions of the bundle that resolve the path of `write_file`.
const GEMINI: [&str; 6] = [
    "isValidPathString",
    "assertValidPathString",
    "stripExtendedLengthPrefix",
    "resolveToRealPath",
    "robustRealpath",
    "resolveDefensiveToolPath",
];

#[test]
fn gemini_resolves_random_paths_as_we_say() {
    let Some(house) = House::of("gemini") else { return };
    house.write("@own/a.py", "");
    house.write("src/a.py", "");
    let bundle = entry(&house).parent().unwrap().to_owned();
    let chunks = fs::read_dir(bundle).unwrap().map(|entry| entry.unwrap().path());
    let mut texts = chunks
        .filter(|path| path.extension().is_some_and(|ending| ending == "js"))
        .filter_map(|path| fs::read_to_string(path).ok());
    let text = texts.find(|text| text.contains("\nfunction resolveDefensiveToolPath(")).unwrap();
    let mut module = String::from(
        "import * as path from 'node:path';\nimport * as fs from 'node:fs';\n\
         import { fileURLToPath } from 'node:url';\n",
    );
    for name in GEMINI {
        let start = text.find(&format!("\nfunction {name}(")).unwrap();
        let end = start + text[start..].find("\n}\n").unwrap() + 3;
        module += &text[start..end];
    }
    // The bundler numbers its names for modules.
    for number in 0..100 {
        module = module.replace(&format!("fs{number}."), "fs.");
        module = module.replace(&format!("path{number}."), "path.");
    }
    module += "const one = (written) => { try {\n\
        const clean = resolveDefensiveToolPath(written, process.cwd());\n\
        return resolveToRealPath(path.resolve(process.cwd(), clean));\n\
        } catch { return null; } };\n\
        const list = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));\n\
        console.log(JSON.stringify(list.map(one)));\n";
    agree(&house, &module, paths::gemini);
}
