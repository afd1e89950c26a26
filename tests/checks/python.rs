//! Calls and definitions of Python in what is staged.

use super::desk::Desk;

#[test]
fn a_function_that_is_looked_up_by_its_name_is_found() {
    let desk = Desk::new();
    let text = "import os, importlib\n\
        __import__(\"os\").system(\"1\")\n\
        getattr(os, \"system\")(\"2\")\n\
        importlib.import_module(\"os\").system(\"3\")\n";
    desk.write("a.py", text).stage();
    desk.staged().refuses(&["no-system a.py:2", "no-system a.py:3", "no-system a.py:4"]);
}

#[test]
fn a_file_that_does_not_parse_is_judged() {
    let desk = Desk::new();
    desk.write("a.py", "import os\nprint \"py2\"\nos.system(\"x\")\ndef broken(:\n");
    let new = "match x:\n    case {\"k\": v} if v > 1: pass\ntype A[T] = list[T]\n\
        t = t\"{x}\"\nimport os\nos.system(\"y\")\n";
    desk.write("b.py", new).stage();
    let told = desk.staged();
    // What the parser could not read is told of the file as a whole.
    told.refuses(&["no-system a.py:3", "no-system a.py", "no-system b.py:6"]);
    let unknown = told.list("findings")[0]["unknown"].as_str().unwrap();
    assert_eq!(unknown, "the file does not parse as Python (line 4)");
}

#[test]
fn a_required_function_may_be_async_nested_or_decorated_and_must_be_one() {
    let desk = Desk::new();
    desk.write("app/a.py", "@deco\nasync def main(\n    a: int = 1,\n) -> None:\n    return 1\n");
    desk.write("app/b.py", "if True:\n    def main(): return 1\n");
    desk.write("app/c.py", "main = lambda: 0\n");
    desk.write("app/d.py", "def helper(): return 1\n").stage();
    desk.staged().refuses(&["needs-main app/c.py", "needs-main app/d.py"]);
}
