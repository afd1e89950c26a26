//! An edit in a real repository: what the index changes about its verdict, and what it only adds
//! as a warning.

use crate::support::{House, Said};
use serde_json::json;
use std::fs;
use std::process::Command;

const RULES: &str = r#"
[[rule]]
id = "no-debug"
paths = ["**", "!*.toml"]
forbid = ["DEBUG"]
why = "Remove debug switches."

[[rule]]
id = "no-eval"
paths = ["**"]
forbid_calls = ["eval"]
on_fail = "ask"
"#;

/// A project that is a repository made by git.
struct Tree(House);

impl Tree {
    /// Makes a repository with these rules and a commit of these files.
    fn new(rules: &str, files: &[(&str, &str)]) -> Self {
        let tree = Self(House::new().rules(rules));
        tree.git(&["init", "-q", "-b", "main"]);
        for (path, text) in files {
            tree.put(path, text);
        }
        tree.commit();
        tree
    }

    fn put(&self, path: &str, text: &str) {
        let path = self.0.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn remove(&self, path: &str) {
        fs::remove_file(self.0.root().join(path)).unwrap();
    }

    fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "x"]);
    }

    fn git(&self, args: &[&str]) {
        assert!(self.tries(args), "git {args:?}");
    }

    fn tries(&self, args: &[&str]) -> bool {
        let mut git = Command::new("git");
        git.args(args).current_dir(self.0.root()).env_clear();
        git.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", self.0.home());
        git.env("GIT_CONFIG_NOSYSTEM", "1");
        for who in ["AUTHOR", "COMMITTER"] {
            git.env(format!("GIT_{who}_NAME"), "a").env(format!("GIT_{who}_EMAIL"), "a@b.c");
        }
        git.output().unwrap().status.success()
    }

    fn write(&self, path: &str, text: &str) -> Said {
        self.0.write(path, text)
    }

    /// Replaces a text in a file.
    fn edit(&self, path: &str, old: &str, new: &str) -> Said {
        let input = json!({"file_path": path, "old_string": old, "new_string": new});
        self.0.edit("Edit", input)
    }

    /// Makes the index unreadable.
    fn damage(&self) {
        fs::write(self.0.root().join(".git/index"), "DIRC, but no more").unwrap();
    }
}

const NOT_STAGED: &str = "no-debug: Already in the working tree, not staged; will be refused at \
                          commit. Remove debug switches.";

#[test]
fn lines_that_came_from_elsewhere_are_told_and_stop_nothing() {
    let tree = Tree::new(RULES, &[("a.txt", "one\n")]);
    tree.put("a.txt", "one\nDEBUG\n");
    let said = tree.edit("a.txt", "one", "two");
    said.expect("warn", &[NOT_STAGED, "line 2: DEBUG"]);
    tree.edit("a.txt", "one", "DEBUG 2").expect("deny", &["line 1: DEBUG 2", NOT_STAGED]);
    tree.git(&["add", "a.txt"]);
    assert_eq!(tree.edit("a.txt", "one", "two").verdict(), "allow");
}

#[test]
fn calls_that_came_from_elsewhere_are_told_too() {
    let tree = Tree::new(RULES, &[("a.py", "x = 1\neval(x)\n")]);
    assert_eq!(tree.edit("a.py", "x = 1", "x = 2").verdict(), "allow");
    tree.put("a.py", "x = 1\neval(x)\neval(\n  x)\n");
    let said = tree.edit("a.py", "x = 1", "x = 2");
    said.expect("warn", &["no-eval: Already in the working tree", "a commit will stop for it"]);
    said.expect("warn", &["line 3: eval( [calls eval]"]);
    assert!(!said.reason().contains("line 2"), "{}", said.reason());
}

#[test]
fn of_an_untracked_file_every_line_is_told_and_of_an_ignored_one_none() {
    let tree = Tree::new(RULES, &[(".gitignore", "*.log\n")]);
    for name in ["a.txt", "a.log"] {
        tree.put(name, "one\nDEBUG\n");
    }
    tree.edit("a.txt", "one", "two").expect("warn", &[NOT_STAGED]);
    assert_eq!(tree.edit("a.log", "one", "two").verdict(), "allow");
}

#[test]
fn where_nothing_was_ever_staged_nothing_is_told_of_it() {
    let tree = Tree::new(RULES, &[]);
    tree.put("a.txt", "one\nDEBUG\n");
    std::fs::remove_file(tree.0.root().join(".git/index")).unwrap();
    assert_eq!(tree.edit("a.txt", "one", "two").verdict(), "allow");
}

#[test]
fn rules_that_stop_no_commit_say_nothing_of_lines_that_came_from_elsewhere() {
    for limit in ["on_fail = \"warn\"", "on = [\"edit\", \"ci\"]"] {
        let tree = Tree::new(&RULES.replacen("why", &format!("{limit}\nwhy"), 1), &[]);
        tree.put("a.txt", "one\nDEBUG\n");
        assert_eq!(tree.edit("a.txt", "one", "two").verdict(), "allow", "{limit}");
    }
}

#[test]
fn a_secret_that_came_from_elsewhere_is_masked_and_not_kept() {
    let rules = RULES.replacen("[\"DEBUG\"]", "[\"DEBUG[a-z]+\"]\nredact = true", 1);
    let tree = Tree::new(&rules, &[]);
    tree.put("a.txt", "one\nDEBUGsecret\n");
    let said = tree.edit("a.txt", "one", "two");
    said.expect("warn", &["line 2: DEBU…"]);
    let kept = fs::read_to_string(tree.0.root().join(".solvi/traces/hooks.jsonl")).unwrap();
    assert!(kept.contains("redact = true: no-debug") && !kept.contains("DEBUGsecret"), "{kept}");
}

const LIMITED: &str = r#"
[[rule]]
id = "new-files"
paths = ["**"]
require = ["^// licence"]
only = "new"

[[rule]]
id = "settled"
paths = ["db/**"]
only = "tracked"
"#;

#[test]
fn a_rule_is_limited_to_what_the_index_holds_or_does_not() {
    let tree = Tree::new(LIMITED, &[("a.c", "x\n"), ("db/1.sql", "x\n")]);
    assert_eq!(tree.write("a.c", "y\n").verdict(), "allow");
    tree.write("b.c", "y\n").expect("deny", &["new-files: "]);
    tree.edit("db/1.sql", "x", "y").expect("deny", &["settled: "]);
    assert_eq!(tree.write("db/2.sql", "// licence\n").verdict(), "allow");
    tree.put("b.c", "x\n");
    tree.edit("b.c", "x", "y").expect("deny", &["new-files: "]);
    tree.git(&["add", "b.c"]);
    assert_eq!(tree.edit("b.c", "x", "y").verdict(), "allow");
}

#[test]
fn where_nothing_was_ever_added_every_file_is_new() {
    let tree = Tree(House::new().rules(LIMITED));
    tree.git(&["init", "-q"]);
    tree.put("db/1.sql", "x\n");
    tree.edit("db/1.sql", "x", "y").expect("deny", &["new-files: "]);
    assert!(!tree.edit("db/1.sql", "x", "y").reason().contains("settled"));
}

#[test]
fn a_rule_of_another_moment_does_not_judge_an_edit() {
    let tree = Tree::new(&RULES.replacen("why", "on = \"commit\"\nwhy", 1), &[]);
    assert_eq!(tree.write("a.txt", "DEBUG\n").verdict(), "allow");
}

#[test]
fn an_index_that_cannot_be_read_is_told_where_it_matters_and_denies_stay() {
    let tree = Tree::new(RULES, &[("a.txt", "one\nDEBUG\n"), ("b.txt", "one\n")]);
    tree.damage();
    let said = tree.edit("a.txt", "one", "two");
    said.expect("warn", &["cannot be checked: whether these lines are staged: the index"]);
    tree.edit("a.txt", "one", "DEBUG 1").expect("deny", &["line 1: DEBUG 1"]);
    assert_eq!(tree.edit("b.txt", "one", "two").stdout, "", "the index did not matter");
    let said = tree.write("c.txt", "new\n");
    assert_eq!(said.verdict(), "allow");
    assert!(said.reason().contains("What the index holds is not known: "), "{said:?}");
}

#[test]
fn without_knowing_what_is_tracked_a_limited_rule_counts_and_says_so() {
    let tree = Tree::new(LIMITED, &[("a.c", "x\n"), ("db/1.sql", "x\n")]);
    tree.damage();
    let unknown = "cannot be checked: whether git tracks this file, so the rule counts: the index";
    tree.edit("a.c", "x", "y").expect("deny", &["new-files: ", unknown]);
    tree.write("db/2.sql", "// licence\n").expect("deny", &["settled: ", unknown]);
}

#[test]
fn a_repository_with_other_ways_of_keeping_is_read_like_any() {
    let forms: [&[&str]; 2] = [&["--ref-format=reftable"], &["--object-format=sha256"]];
    for form in forms {
        let tree = Tree(House::new().rules(RULES));
        tree.git(&[&["init", "-q"], form].concat());
        tree.put("a.txt", "one\nDEBUG\n");
        tree.commit();
        assert_eq!(tree.edit("a.txt", "one", "two").verdict(), "allow", "{form:?}");
        tree.put("a.txt", "one\nDEBUG\nDEBUG 2\n");
        tree.edit("a.txt", "one", "two").expect("warn", &[NOT_STAGED, "line 3: DEBUG 2"]);
    }
}

#[test]
fn a_linked_worktree_has_an_index_of_its_own() {
    let tree = Tree::new(RULES, &[("a.txt", "one\nDEBUG\n")]);
    tree.git(&["worktree", "add", "-q", "side"]);
    let root = tree.0.root().join("side");
    let payload = |content: &str| {
        let input = json!({"file_path": "a.txt", "content": content});
        let payload = crate::support::payload("Write", &input);
        tree.0.run(&["pre-edit", "--project", root.to_str().unwrap()], payload.to_string())
    };
    assert_eq!(payload("two\nDEBUG\n").verdict(), "allow");
    fs::write(root.join("a.txt"), "one\nDEBUG\nDEBUG 2\n").unwrap();
    payload("two\nDEBUG\nDEBUG 2\n").expect("warn", &[NOT_STAGED, "line 3: DEBUG 2"]);
}

#[test]
fn a_path_in_conflict_is_told() {
    let tree = Tree::new(RULES, &[("a.txt", "one\n"), ("b.txt", "b\n")]);
    tree.git(&["checkout", "-q", "-b", "topic"]);
    tree.put("a.txt", "topic\n");
    tree.commit();
    tree.git(&["checkout", "-q", "main"]);
    tree.put("a.txt", "main\n");
    tree.commit();
    assert!(!tree.tries(&["merge", "-q", "topic"]));
    tree.write("a.txt", "both\n")
        .expect("warn", &["git-index: The path is in conflict", "git add"]);
    assert_eq!(tree.edit("b.txt", "b", "c").verdict(), "allow");
    tree.put("a.txt", "both\n");
    tree.git(&["add", "a.txt"]);
    assert_eq!(tree.edit("a.txt", "both", "all").verdict(), "allow");
}

#[test]
fn a_conflict_that_a_stash_left_is_told_as_well() {
    let tree = Tree::new(RULES, &[("a.txt", "one\n")]);
    tree.put("a.txt", "stashed\n");
    tree.git(&["stash", "-q"]);
    tree.put("a.txt", "main\n");
    tree.commit();
    assert!(!tree.tries(&["stash", "pop", "-q"]));
    tree.write("a.txt", "both\n").expect("warn", &["git-index: The path is in conflict"]);
}

#[test]
fn a_file_that_is_deleted_and_still_staged_is_told() {
    let tree = Tree::new(RULES, &[("a.txt", "one\nDEBUG\n")]);
    tree.remove("a.txt");
    tree.write("a.txt", "two\n").expect("warn", &["deleted in the working tree and still staged"]);
    tree.write("a.txt", "DEBUG\n").expect("deny", &["line 1: DEBUG", "still staged"]);
    tree.git(&["rm", "-q", "--cached", "a.txt"]);
    assert_eq!(tree.write("a.txt", "two\n").verdict(), "allow");
}

#[test]
fn a_file_outside_a_sparse_checkout_is_held_against_its_staged_version() {
    for sparse_index in ["--no-sparse-index", "--sparse-index"] {
        let tree = Tree::new(RULES, &[("in/a", "x\n"), ("out/b.txt", "one\nDEBUG\n")]);
        tree.git(&["sparse-checkout", "set", "--cone", sparse_index, "in"]);
        let said = tree.write("out/b.txt", "two\nDEBUG\n");
        said.expect("warn", &["git-index: git keeps this file out of the working tree"]);
        assert!(!said.reason().contains("no-debug"), "{}", said.reason());
        tree.write("out/b.txt", "DEBUG 2\nDEBUG\n").expect("deny", &["line 1: DEBUG 2"]);
        assert_eq!(tree.write("out/new.txt", "two\n").verdict(), "allow");
    }
}

#[test]
fn a_file_that_is_marked_skip_worktree_is_held_against_its_staged_version() {
    let tree = Tree::new(RULES, &[("a.txt", "one\nDEBUG\n")]);
    tree.git(&["update-index", "--skip-worktree", "a.txt"]);
    tree.remove("a.txt");
    tree.write("a.txt", "DEBUG\n").expect("warn", &["held against the staged version"]);
    tree.put("a.txt", "one\nDEBUG\nDEBUG 2\n");
    assert_eq!(tree.edit("a.txt", "one", "two").verdict(), "allow", "git adds nothing of it");
}

#[test]
fn a_new_name_that_git_knows_in_other_letters_is_told() {
    let tree = Tree::new(RULES, &[("src/Readme.md", "x\n")]);
    tree.write("src/README.md", "y\n").expect("warn", &["git tracks `src/Readme.md`"]);
    assert_eq!(tree.write("src/OTHER.md", "y\n").verdict(), "allow");
}

const OUTER: &str = r#"
[[rule]]
id = "outer"
paths = ["**"]
forbid = ["OUTER"]
"#;

const INNER: &str = r#"
[[rule]]
id = "inner"
paths = ["src/**"]
forbid = ["INNER"]
"#;

/// Returns a project with a repository in `lib`, whose rules file stands in `src`.
fn nested() -> Tree {
    let tree = Tree::new(OUTER, &[]);
    tree.put("lib/solvi-rules.toml", INNER);
    tree.git(&["init", "-q", "lib"]);
    tree.git(&["-C", "lib", "add", "-A"]);
    tree.git(&["-C", "lib", "commit", "-q", "-m", "x"]);
    tree
}

#[test]
fn a_submodule_is_judged_by_its_own_rules_and_the_projects_each_from_its_root() {
    let tree = nested();
    tree.git(&["-c", "advice.addEmbeddedRepo=false", "add", "lib"]);
    tree.write("lib/src/a.txt", "INNER\n").expect("deny", &["inner: ", "lib/src/a.txt"]);
    assert_eq!(tree.write("lib/a.txt", "INNER\n").verdict(), "allow");
    tree.write("lib/src/a.txt", "OUTER\n").expect("deny", &["outer: "]);
    assert_eq!(tree.write("src/a.txt", "INNER\n").verdict(), "allow");
    tree.write("library.txt", "OUTER\n").expect("deny", &["outer: "]);
}

#[test]
fn a_submodule_without_rules_is_judged_by_the_projects() {
    let tree = nested();
    tree.git(&["-C", "lib", "rm", "-q", "solvi-rules.toml"]);
    tree.git(&["-c", "advice.addEmbeddedRepo=false", "add", "lib"]);
    tree.write("lib/src/a.txt", "OUTER\n").expect("deny", &["outer: "]);
}

#[test]
fn a_repository_that_nobody_committed_takes_no_rule_away() {
    let tree = nested();
    tree.write("lib/src/a.txt", "OUTER\n").expect("deny", &["outer: "]);
    tree.write("lib/src/a.txt", "INNER\n").expect("deny", &["inner: "]);
}

#[test]
fn rules_that_are_named_judge_in_every_repository() {
    let tree = nested();
    tree.git(&["-c", "advice.addEmbeddedRepo=false", "add", "lib"]);
    let input = json!({"file_path": "lib/src/a.txt", "content": "OUTER INNER\n"});
    let said = tree.0.edit_with(&["--rules", "solvi-rules.toml"], "Write", input);
    said.expect("deny", &["outer: "]);
    assert!(!said.reason().contains("inner"), "{}", said.reason());
}

#[test]
fn a_nested_repository_keeps_its_own_files_and_its_broken_rules_ask() {
    let tree = nested();
    tree.write("lib/.git/hooks/pre-commit", "x\n").expect("deny", &["own-files: "]);
    tree.write("lib/solvi-rules.toml", "").expect("ask", &["own-files: "]);
    tree.put("lib/solvi-rules.toml", "[[rule]]\n");
    tree.write("lib/a.txt", "x\n").expect("ask", &["lib/solvi-rules.toml:1: rule `1`"]);
    assert_eq!(tree.write("a.txt", "x\n").verdict(), "allow");
}

#[test]
fn an_edit_through_a_link_meets_the_rules_about_the_links_path_too() {
    let rules = "[[rule]]\nid = \"generated\"\npaths = [\"gen/**\"]\nwhy = \"It is generated.\"\n\
                 [[rule]]\nid = \"text\"\npaths = [\"gen/**\"]\nforbid = [\"DEBUG\"]\n";
    let tree = Tree::new(rules, &[("real/a.txt", "x\n")]);
    std::os::unix::fs::symlink("real", tree.0.root().join("gen")).unwrap();
    tree.commit();
    let said = tree.write("gen/a.txt", "DEBUG\n");
    said.expect("deny", &["real/a.txt", "generated: It is generated."]);
    assert!(!said.reason().contains("DEBUG"), "{}", said.reason());
    assert_eq!(tree.write("real/a.txt", "DEBUG\n").verdict(), "allow");
}
