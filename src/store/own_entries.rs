//! Which hook entries are ours: read from the command that an agent would run.
//!
//! An entry is ours when a shell that runs its command would start `solvi-hook` with one of the
//! sub-commands made for hooks, also behind `cd …&&`, `env A=1`, `uv run` or inside `sh -c '…'`.
//! A command that merely mentions us (in a comment, to `echo`, to `grep`) is a stranger's.
//! Commands are read as far as this question needs: quotes, comments, operators, redirections;
//! substitutions inside double quotes are text.

/// Whose entry a command is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// Somebody else's: left alone.
    Stranger,
    /// The reference implementation's (`solvi hook pre-edit`): left alone, and pointed out.
    Solvi,
    /// Ours, with the sub-command that it runs.
    Ours(&'static str),
}

/// The sub-commands that agents call; an entry that runs another one is not ours to replace.
const SUB_COMMANDS: [&str; 6] =
    ["hook", "pre-edit", "pre-command", "post-command", "post-write", "pick-skill"];

/// Programs to which a command's words are only text.
const MENTION: [&str; 18] = [
    "echo", "printf", "grep", "egrep", "fgrep", "rg", "cat", "true", "false", "test", "[", ":",
    "ls", "which", "type", "sed", "head", "tail",
];

const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "ash"];

/// Words in front of the program that is really run.
const BEFORE: [&str; 17] = [
    "if", "then", "elif", "else", "while", "until", "do", "!", "{", "time", "env", "exec",
    "command", "nohup", "nice", "sudo", "builtin",
];

/// How deep a command may stand inside `sh -c`.
const DEPTH: usize = 4;

/// Tells whose entry a shell command is.
#[must_use]
pub fn owner(command: &str) -> Owner {
    in_text(command, DEPTH)
}

/// Tells whose entry a program with its arguments is (an entry that needs no shell).
#[must_use]
pub fn owner_of_program<'a>(words: impl IntoIterator<Item = &'a str>) -> Owner {
    let words: Vec<Word> = words.into_iter().map(Word::plain).collect();
    in_words(&words, DEPTH)
}

fn in_text(text: &str, depth: usize) -> Owner {
    let segments = segments(text);
    let mut found = Owner::Stranger;
    for (at, segment) in segments.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| segments.get(at));
        let here = match in_words(&segment.words, depth) {
            Owner::Stranger => before.map_or(Owner::Stranger, |before| across(before, segment)),
            here => here,
        };
        match here {
            Owner::Ours(_) => return here,
            Owner::Solvi => found = here,
            Owner::Stranger => {}
        }
    }
    found
}

fn in_words(words: &[Word], depth: usize) -> Owner {
    let start = words
        .iter()
        .position(|word| !word.assigns() && !BEFORE.contains(&word.base()))
        .unwrap_or(words.len());
    let words = words.get(start..).unwrap_or_default();
    let Some(program) = words.first().filter(|word| !MENTION.contains(&word.base())) else {
        return Owner::Stranger;
    };
    if depth > 0 {
        if program.base() == "eval" {
            let script: Vec<&str> = words.iter().skip(1).map(|word| word.text.as_str()).collect();
            return in_text(&script.join(" "), depth - 1);
        }
        if let Some(script) = script(words) {
            return in_text(script, depth - 1);
        }
    }
    let ours = words.windows(2).find_map(|pair| match pair {
        [name, sub] if name.is("solvi-hook") => sub_command(&sub.text),
        _ => None,
    });
    if let Some(sub) = ours {
        return Owner::Ours(sub);
    }
    let solvi = words.windows(3).any(|three| match three {
        [name, hook, sub] => {
            name.is("solvi")
                && hook.text == "hook"
                && matches!(&*sub.text, "pre-edit" | "pick-skill")
        }
        _ => false,
    });
    if solvi { Owner::Solvi } else { Owner::Stranger }
}

/// Tells what a line says together with the one before it.
fn across(before: &Segment, segment: &Segment) -> Owner {
    let Some(first) = segment.words.first() else { return Owner::Stranger };
    match before.then {
        // A command broken before its sub-command runs neither half as meant; it is still ours.
        Joint::Line => {
            let joined: Vec<Word> = before.words.iter().chain([first]).cloned().collect();
            in_words(&joined, 0)
        }
        // Under `--command` our program may have any name. What `install` wrote is then known by
        // its end, for the case that the program cannot run: a reply in our name, or our name.
        Joint::Or if matches!(first.base(), "printf" | ":") => {
            let signed = |word: &Word| match first.base() {
                ":" => word.text == "solvi-hook",
                _ => word.text.starts_with('{') && word.text.contains("solvi-hook"),
            };
            let sub = before.words.iter().find_map(|word| sub_command(&word.text));
            let ours = segment.words.iter().any(signed);
            sub.filter(|_| ours).map_or(Owner::Stranger, Owner::Ours)
        }
        _ => Owner::Stranger,
    }
}

/// Returns the text that a shell among the words is told to run.
fn script(words: &[Word]) -> Option<&str> {
    let shell = words.iter().position(|word| SHELLS.contains(&word.base()))?;
    let mut rest = words.iter().skip(shell + 1);
    let mut asked = false;
    rest.find_map(|word| {
        if word.text.starts_with('-') {
            asked |= !word.text.starts_with("--") && word.text.contains('c');
            return None;
        }
        Some(asked.then_some(word.text.as_str()))
    })?
}

fn sub_command(word: &str) -> Option<&'static str> {
    SUB_COMMANDS.into_iter().find(|sub| *sub == word)
}

/// A word of a command.
#[derive(Clone, Debug, Default)]
struct Word {
    /// As a shell hands it on.
    text: String,
    /// With its backslashes: a Windows path that nobody quoted has lost them in `text`.
    raw: String,
}

impl Word {
    fn plain(text: &str) -> Self {
        Self { text: text.to_owned(), raw: text.to_owned() }
    }

    fn push(&mut self, char: char) {
        self.text.push(char);
        self.raw.push(char);
    }

    fn base(&self) -> &str {
        self.text.rsplit(['/', '\\']).next().unwrap_or_default()
    }

    fn is(&self, name: &str) -> bool {
        [&self.text, &self.raw].into_iter().any(|path| {
            let base = path.rsplit(['/', '\\']).next().unwrap_or_default();
            base == name || base.strip_suffix(".exe") == Some(name)
        })
    }

    fn assigns(&self) -> bool {
        self.text.split_once('=').is_some_and(|(name, _)| {
            name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_')
                && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
        })
    }
}

/// What stands behind a simple command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Joint {
    Line,
    Or,
    Other,
}

/// A simple command: its words, without redirections.
#[derive(Clone, Debug)]
struct Segment {
    words: Vec<Word>,
    then: Joint,
}

/// Splits a command as a shell would; an open quote reaches to the end.
fn segments(text: &str) -> Vec<Segment> {
    let mut lexer = Lexer::default();
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            ' ' | '\t' | '\r' => lexer.end_word(),
            '\n' => {
                lexer.end_segment(Joint::Line);
                // The lines behind a here-document are data to the command before it.
                if lexer.document {
                    return lexer.segments;
                }
            }
            ';' | '(' | ')' | '`' => lexer.end_segment(Joint::Other),
            '&' | '|' => {
                let double = chars.next_if_eq(&char).is_some();
                let joint = if double && char == '|' { Joint::Or } else { Joint::Other };
                lexer.end_segment(joint);
            }
            '<' | '>' => {
                let mut operator = String::from(char);
                while let Some(more) = chars.next_if(|next| matches!(next, '<' | '>' | '&' | '|')) {
                    operator.push(more);
                }
                lexer.redirect(&operator);
            }
            '#' if lexer.word.is_none() => while chars.next_if(|next| *next != '\n').is_some() {},
            '\'' => {
                let word = lexer.word();
                chars.by_ref().take_while(|next| *next != '\'').for_each(|next| word.push(next));
            }
            '"' => {
                let word = lexer.word();
                while let Some(next) = chars.next().filter(|next| *next != '"') {
                    let escaped = (next == '\\')
                        .then(|| chars.next_if(|next| matches!(next, '"' | '\\' | '$' | '`')))
                        .flatten();
                    word.push(escaped.unwrap_or(next));
                }
            }
            '\\' => match chars.next() {
                Some('\n') => {}
                Some(next) => {
                    let word = lexer.word();
                    word.raw.push(char);
                    word.push(next);
                }
                None => lexer.word().push(char),
            },
            char => lexer.word().push(char),
        }
    }
    lexer.end_segment(Joint::Other);
    lexer.segments
}

#[derive(Debug, Default)]
struct Lexer {
    segments: Vec<Segment>,
    words: Vec<Word>,
    word: Option<Word>,
    /// The next word is the file of a redirection.
    target: bool,
    /// A here-document was announced.
    document: bool,
}

impl Lexer {
    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_default()
    }

    fn end_word(&mut self) {
        if let Some(word) = self.word.take()
            && !std::mem::take(&mut self.target)
        {
            self.words.push(word);
        }
    }

    fn end_segment(&mut self, then: Joint) {
        self.end_word();
        self.target = false;
        if self.words.is_empty() {
            // A blank line or a comment is no command; what joins stays the joint before it.
            return;
        }
        let words = std::mem::take(&mut self.words);
        self.segments.push(Segment { words, then });
    }

    fn redirect(&mut self, operator: &str) {
        let number = |word: &Word| word.text.chars().all(|char| char.is_ascii_digit());
        if self.word.as_ref().is_some_and(number) {
            self.word = None;
        }
        self.end_word();
        self.target = true;
        self.document |= operator == "<<";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ways to write a command: `@` is the program's file, `~` what stands between it and the
    /// sub-command; and whether a shell would run it.
    const COMMANDS: [(&str, bool); 42] = [
        ("@~pre-edit", true),
        ("@~pick-skill --x", true),
        ("/usr/bin/@~pre-edit --rules r", true),
        ("python -m @~pre-edit", true),
        ("python3.11 -m @~pick-skill", true),
        ("uv run @~pre-edit", true),
        ("env A=1 @~pre-edit", true),
        ("FOO=1 @~pre-edit", true),
        ("'/opt/my tools/@'~pre-edit", true),
        ("'/opt/my tools/python' -m @~pre-edit", true),
        ("@.exe~pre-edit", true),
        (r"C:\tools\@.exe~pre-edit", true),
        (r"C:\tools\@~pre-edit", true),
        ("@~audit", false),
        ("@~install", false),
        ("other@~pre-edit", false),
        ("/usr/bin/other@~pre-edit", false),
        ("re@~pre-edit", false),
        ("@x~pre-edit", false),
        ("echo @~pre-edit", false),
        ("grep -c '@~pre-edit' notes.txt", false),
        ("cat @~pre-edit", false),
        ("/bin/echo @~pre-edit", false),
        ("sh -c '@~pre-edit'", true),
        ("bash -c \"@~pre-edit --rules x\"", true),
        ("cd x && @~pre-edit", true),
        ("@ ~  pre-edit", true),
        ("@~pre-edit-x", false),
        ("@~pre-editor", false),
        ("@~pick-skills", false),
        ("'@'~'pre-edit'", true),
        ("@ --x~pre-edit", false),
        ("./check.sh # @~pre-edit", false),
        ("@~pre-edit 'unbalanced", true),
        ("echo 'it is @~pre-edit", false),
        ("SOLVI~pre-edit", false),
        ("python -m@~pre-edit", false),
        ("pipx run @~pre-edit", true),
        ("true; @~pre-edit", true),
        ("test -f x && @~pre-edit", true),
        (": @~pre-edit", false),
        ("@~\npre-edit", true),
    ];

    fn disagreements(program: &str, between: &str, own: impl Fn(Owner) -> bool) -> Vec<String> {
        let written = |text: &str| text.replace('@', program).replace('~', between);
        let wrong =
            COMMANDS.iter().filter(|(text, expected)| own(owner(&written(text))) != *expected);
        wrong.map(|(text, _)| written(text)).collect()
    }

    #[test]
    fn what_runs_us_is_ours_and_what_mentions_us_is_not() {
        let wrong = disagreements("solvi-hook", " ", |owner| matches!(owner, Owner::Ours(_)));
        assert_eq!(wrong, Vec::<String>::new());
    }

    #[test]
    fn the_entries_of_solvi_are_told_from_ours() {
        let wrong = disagreements("solvi", " hook ", |owner| owner == Owner::Solvi);
        assert_eq!(wrong, Vec::<String>::new());
        assert_eq!(owner("solvi-hook hook pre-edit"), Owner::Ours("hook"));
        assert_eq!(owner("solvi pre-edit"), Owner::Stranger);
    }

    #[test]
    fn the_sub_command_is_known() {
        assert_eq!(owner("solvi-hook pre-edit --agent claude"), Owner::Ours("pre-edit"));
        assert_eq!(owner("solvi-hook hook"), Owner::Ours("hook"));
        assert_eq!(owner_of_program(["/bin/solvi-hook", "pre-edit"]), Owner::Ours("pre-edit"));
        assert_eq!(owner_of_program(["sh", "-c", "solvi-hook pre-edit"]), Owner::Ours("pre-edit"));
    }

    #[test]
    fn a_shell_inside_a_shell_is_read() {
        for command in [
            "timeout 5 bash -lc 'cd x; exec solvi-hook pre-edit'",
            "sh -c \"sh -c 'solvi-hook pre-edit'\"",
            "eval 'solvi-hook pre-edit'",
            "if [ -x a ]; then solvi-hook pre-edit 2>/dev/null; fi",
            "answer=$(solvi-hook pre-edit)",
            "solvi-hook >log 2>&1 pre-edit",
        ] {
            assert_eq!(owner(command), Owner::Ours("pre-edit"), "{command}");
        }
    }

    #[test]
    fn text_for_another_program_is_not_ours() {
        for command in [
            "cat <<END\nsolvi-hook pre-edit\nEND",
            "bash ./check.sh 'solvi-hook pre-edit'",
            "notify 'solvi-hook pre-edit'",
            "x=1 # solvi-hook pre-edit",
            "echo >log solvi-hook pre-edit",
            "",
        ] {
            assert_eq!(owner(command), Owner::Stranger, "{command}");
        }
    }

    #[test]
    fn what_install_wrote_for_a_wrapper_is_ours() {
        let command = "./guard pre-edit || printf '%s' '{\"reason\":\"solvi-hook could not run\"}'";
        assert_eq!(owner(command), Owner::Ours("pre-edit"));
        assert_eq!(owner("./guard pre-edit || printf '%s' '{}'"), Owner::Stranger);
        assert_eq!(owner("./guard hook --agent cursor || : solvi-hook"), Owner::Ours("hook"));
        assert_eq!(owner("./guard hook --agent cursor || : stopped"), Owner::Stranger);
        assert_eq!(owner("another-guard hook --agent claude"), Owner::Stranger);
    }
}
