//! The cheap way out: does a line hold the start of any word without which no phrase is read?
//!
//! One pass over the bytes, without an allocation and with a branch that is hardly ever taken:
//! the first four letters of a word must be letters of some stem, each in its place. Only then is
//! the stem itself compared. The compiler makes the tables (4 kB), so a process that judges one
//! line pays nothing for them.

/// The stems, a row for each first letter. A `.` stands for the end of the word, a space for one
/// or more of them.
const STEMS: [&[&str]; 26] = [
    &[
        "accept",
        "act as",
        "admin:",
        "agent",
        "ai.",
        "ais.",
        "allow",
        "apply",
        "approv",
        "assistant",
        "assume",
        "authori",
    ],
    &["benign", "block th", "bypass"],
    &["chatgpt", "circumvent", "claude", "cleared", "codex", "compliant", "copilot"],
    &["deny th", "developer:", "disregard"],
    &["enforc", "exception appr", "exception gran", "exception has", "exception was", "exempt"],
    &["findings", "flag th", "follow", "forget"],
    &["gemini", "gpt.", "greenl", "guard"],
    &["harmless", "hook"],
    &["ignor", "im_start", "innocuous", "inst]", "instruct"],
    &[],
    &[],
    &["linter", "listen to", "llm"],
    &[],
    &["new directives", "new orders"],
    &["obey", "okay", "overlook", "overrid"],
    &["permi", "please", "preapprov", "pretend", "prompt:"],
    &[],
    &["refuse th", "reject th", "report no", "report th", "review"],
    &["safe", "sidestep", "skip", "solvi", "suspend", "sys>>", "system"],
    &["through", "trusted"],
    &[],
    &["vetted", "veto th", "violation"],
    &["waive", "warnings ab", "warnings in"],
    &[],
    &["yes.", "you are no", "you're now"],
    &[],
];

/// For each of the first four places and each byte: the rows with a stem that has it there.
static ROWS: [[u32; 256]; 4] = [rows(0), rows(1), rows(2), rows(3)];

// Further bits of the first place: what a byte is, whatever the stems.
const IN_WORD: u32 = 1 << 31;
const BACKSLASH: u32 = 1 << 30;
const ESCAPED: u32 = 1 << 29;

const fn rows(place: usize) -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0u8;
    loop {
        let mut row = 0;
        while row < STEMS.len() {
            if any_fits(STEMS[row], place, byte) {
                table[byte as usize] |= 1 << row;
            }
            row += 1;
        }
        if place == 0 {
            table[byte as usize] |= class(byte);
        }
        if byte == u8::MAX {
            return table;
        }
        byte += 1;
    }
}

const fn class(byte: u8) -> u32 {
    match byte {
        b'n' | b'r' | b't' => IN_WORD | ESCAPED,
        b'\\' => BACKSLASH,
        byte if byte.is_ascii_alphanumeric() => IN_WORD,
        _ => 0,
    }
}

const fn any_fits(row: &[&str], place: usize, byte: u8) -> bool {
    let mut at = 0;
    while at < row.len() {
        if fits(row[at].as_bytes(), place, byte) {
            return true;
        }
        at += 1;
    }
    false
}

// Tells whether a word that starts with the stem may have the byte at this place.
const fn fits(stem: &[u8], place: usize, byte: u8) -> bool {
    if place >= stem.len() {
        return true;
    }
    match stem[place] {
        b'.' => !byte.is_ascii_alphanumeric(),
        b' ' => byte.is_ascii_whitespace(),
        letter => byte.to_ascii_lowercase() == letter,
    }
}

/// Tells whether a line holds a cue.
pub fn is_in(line: &str) -> bool {
    let mut last = Last::default();
    for (at, byte) in line.bytes().enumerate() {
        if last.push(byte) && line.get(at.saturating_sub(3)..).is_some_and(starts_a_stem) {
            return true;
        }
    }
    // Two blanks behind the line, for short words that end with it.
    let behind = line.len().saturating_sub(3)..line.len().saturating_sub(1);
    behind.into_iter().any(|at| last.push(b' ') && line.get(at..).is_some_and(starts_a_stem))
}

/// What the last bytes may be the start of: rows of the table that fit one, two and three bytes.
#[derive(Default)]
struct Last {
    byte: u32,
    one: u32,
    two: u32,
    three: u32,
}

impl Last {
    /// Adds a byte; tells whether the last four fit a row.
    fn push(&mut self, byte: u8) -> bool {
        let [first, second, third, fourth] = ROWS.each_ref().map(|table| table[usize::from(byte)]);
        let four = self.three & fourth;
        self.three = self.two & third;
        self.two = self.one & second;
        self.one = if self.byte & IN_WORD == 0 { first } else { 0 };
        // The letter of `\n` is not the start of a word.
        let escape = self.byte & BACKSLASH != 0 && first & ESCAPED != 0;
        self.byte = if escape { 0 } else { first };
        four != 0
    }
}

fn starts_a_stem(text: &str) -> bool {
    let letter = text.bytes().next().map(|byte| byte.to_ascii_lowercase().wrapping_sub(b'a'));
    let row = letter.and_then(|letter| STEMS.get(usize::from(letter)));
    row.is_some_and(|row| row.iter().any(|stem| starts_with(text.as_bytes(), stem)))
}

fn starts_with(mut text: &[u8], stem: &str) -> bool {
    for wanted in stem.bytes() {
        let first = text.first().copied().unwrap_or(b' ');
        match wanted {
            b'.' => return !first.is_ascii_alphanumeric(),
            b' ' => {
                let blanks = text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                text = text.get(blanks..).filter(|_| blanks > 0).unwrap_or_default();
            }
            _ if first.eq_ignore_ascii_case(&wanted) => text = text.get(1..).unwrap_or_default(),
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{STEMS, is_in};

    #[test]
    fn every_stem_stands_in_the_row_of_its_letter() {
        for (row, letter) in STEMS.iter().zip(b'a'..) {
            assert!(row.iter().all(|stem| stem.as_bytes().first() == Some(&letter)));
        }
    }

    #[test]
    fn a_stem_counts_at_the_start_of_a_word_alone() {
        assert!(is_in("x = 1 # SKIPPED"));
        assert!(is_in("_skip_"));
        assert!(!is_in("unskipped"));
        assert!(is_in(r"a\nskip"));
        assert!(!is_in(r"a\xskip"));
    }

    #[test]
    fn a_dot_in_a_stem_wants_the_end_of_the_word() {
        assert!(is_in("for an AI"));
        assert!(is_in("ai: yes"));
        assert!(!is_in("aim"));
    }

    #[test]
    fn a_blank_in_a_stem_is_one_or_more() {
        assert!(is_in("block  this"));
        assert!(!is_in("blockthis"));
        assert!(!is_in("block"));
    }
}
