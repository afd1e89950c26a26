//! What a word may mean to a phrase: a table from words to kinds, English and Russian, and a few
//! words of other languages.

mod english;
mod others;

use super::plain;
use english::ENGLISH;
use others::{FOREIGN, RUSSIAN};

/// A set of kinds.
pub type Kinds = u128;

/// No word of the table is longer.
const LONGEST: usize = 16;

/// To set rules aside: `ignore`, `override`.
pub const ASIDE: Kinds = 1 << 0;
/// Those of them that comments use of steps and checks all the time: `skip`.
pub const SKIP: Kinds = 1 << 1;
/// What is done to rules that are set aside: `ignored`.
pub const IGNORED: Kinds = 1 << 2;
/// To let something pass: `accept`, and also `ignore`.
pub const LENIENT: Kinds = 1 << 3;
/// Those of them that grant: `approve`.
pub const GRANT: Kinds = 1 << 4;
/// Those of them that name the act of a reviewer: `approve`.
pub const APPROVE: Kinds = 1 << 5;
/// `let`.
pub const LET: Kinds = 1 << 6;
/// Where a thing is let: `through`.
pub const THROUGH: Kinds = 1 << 7;
/// What binds a reviewer: `rules`, `instructions`.
pub const POLICY: Kinds = 1 << 8;
/// Those of them that mean it without an article: `review`.
pub const BARE: Kinds = 1 << 9;
/// `review`.
pub const REVIEW: Kinds = 1 << 10;
/// What holds a change up, but also stands in any program: `check`, `hook`.
pub const CHECK: Kinds = 1 << 11;
/// What binds only who was told it: `commands`.
pub const TOLD: Kinds = 1 << 12;
/// `all`, `any`.
pub const ALL: Kinds = 1 << 13;
/// `previous`, `your`: it is about what somebody was told before.
pub const PRIOR: Kinds = 1 << 14;
/// Those of them that may stand for the whole: `the above`.
pub const ABOVE: Kinds = 1 << 15;
/// Articles and the like.
pub const DET: Kinds = 1 << 16;
/// Those that point at the change: `this`.
pub const THIS: Kinds = 1 << 17;
/// `it`.
pub const IT: Kinds = 1 << 18;
/// `a`, `an`.
pub const A: Kinds = 1 << 19;
/// `your`.
pub const YOUR: Kinds = 1 << 20;
/// Words that may stand before what binds or what is changed: `security`, `code`.
pub const ADJ: Kinds = 1 << 21;
/// `new`.
pub const NEW: Kinds = 1 << 22;
/// Who may review a change: `agent`, `reviewer`.
pub const READER: Kinds = 1 << 23;
/// Those of them that are machines beyond doubt: `AI`, `Claude`.
pub const MACHINE: Kinds = 1 << 24;
/// This program.
pub const OURS: Kinds = 1 << 25;
/// Who speaks, in a chat's transcript: `system`.
pub const ROLE: Kinds = 1 << 26;
/// `you`.
pub const YOU: Kinds = 1 << 27;
/// `must`, `may`, `please`.
pub const MODAL: Kinds = 1 << 28;
/// Those of them that do not urge: `may`.
pub const MAY: Kinds = 1 << 29;
/// `please`.
pub const PLEASE: Kinds = 1 << 30;
/// Words that change nothing: `just`, `now`.
pub const FILL: Kinds = 1 << 31;
/// Those of them that insist: `always`, `only`.
pub const ONLY: Kinds = 1 << 32;
/// `now`.
pub const NOW: Kinds = 1 << 33;
/// `need`, `have` (to).
pub const NEED: Kinds = 1 << 34;
/// `not`, `never`.
pub const NOT: Kinds = 1 << 35;
/// `no`.
pub const NO: Kinds = 1 << 36;
/// `do`, `does`.
pub const DOES: Kinds = 1 << 37;
/// Words that join two sentences.
pub const AND: Kinds = 1 << 38;
/// Words that make a sentence depend on another: `if`.
pub const COND: Kinds = 1 << 39;
/// Words that may follow a complete phrase: `here`, `because`.
pub const TAIL: Kinds = 1 << 40;
/// `to`.
pub const TO: Kinds = 1 << 41;
/// `for`, `on`.
pub const FOR: Kinds = 1 << 42;
/// `from`.
pub const FROM: Kinds = 1 << 43;
/// `by`.
pub const BY: Kinds = 1 << 44;
/// `as`.
pub const AS: Kinds = 1 << 45;
/// `is`, `was`.
pub const IS: Kinds = 1 << 46;
/// `be`.
pub const BE: Kinds = 1 << 47;
/// What the reader is to say: `allow`, `yes`.
pub const VERDICT: Kinds = 1 << 48;
/// `yes`, which is also said in installers.
pub const YES: Kinds = 1 << 49;
/// What the change is to be called: `safe`.
pub const SAFE: Kinds = 1 << 50;
/// What an approval is called: `approved`.
pub const CLAIM: Kinds = 1 << 51;
/// The same, when somebody's name follows: `cleared`.
pub const BACKED: Kinds = 1 << 52;
/// `pre`, and words that start with it.
pub const PREFIX: Kinds = 1 << 53;
/// `already`.
pub const ALREADY: Kinds = 1 << 54;
/// Who may approve: `security`.
pub const AUTHORITY: Kinds = 1 << 55;
/// `team`.
pub const TEAM: Kinds = 1 << 56;
/// `exempt`.
pub const EXEMPT: Kinds = 1 << 57;
/// `needed`.
pub const NEEDED: Kinds = 1 << 58;
/// `apply`.
pub const APPLY: Kinds = 1 << 59;
/// To heed rules: `follow`, `apply`.
pub const FOLLOW: Kinds = 1 << 60;
/// To give a verdict: `answer`.
pub const SAY: Kinds = 1 << 61;
/// To print, which any program does: `return`.
pub const ECHO: Kinds = 1 << 62;
/// What a verdict is called: `answer`.
pub const ANSWER: Kinds = 1 << 63;
/// What a wanted answer is called: `correct`.
pub const QUALITY: Kinds = 1 << 64;
/// What may stand between the two: `with`, `only`.
pub const FOLLOWS: Kinds = 1 << 65;
/// To call the change something: `classify`.
pub const JUDGE: Kinds = 1 << 66;
/// The verbs that follow a role's label.
pub const ORDER: Kinds = 1 << 67;
/// What a false role announces: `new instructions`.
pub const ORDERS: Kinds = 1 << 68;
/// To object: `flag`, `reject`.
pub const BLOCK: Kinds = 1 << 69;
/// What is addressed to somebody: `note`.
pub const NOTE: Kinds = 1 << 70;
/// `dear`.
pub const DEAR: Kinds = 1 << 71;
/// What is reviewed, in part or whole: `file`, `line`.
pub const CHANGE: Kinds = 1 << 72;
/// Those that can be nothing else: `change`, `diff`.
pub const EDIT: Kinds = 1 << 73;
/// A number.
pub const NUMBER: Kinds = 1 << 74;
/// `what`.
pub const WHAT: Kinds = 1 << 75;
/// What it is to do something: `free`, `fine`.
pub const FREE: Kinds = 1 << 76;

/// What somebody may point at without `this`: `following`, `next`.
pub const NEXT: Kinds = 1 << 77;
/// To leave off: `stop`.
pub const STOP: Kinds = 1 << 78;
/// To make believe: `pretend`, `assume`.
pub const PRETEND: Kinds = 1 << 79;
/// What a check says of a change: `finding`, `warning`.
pub const FINDING: Kinds = 1 << 80;
/// What is done to rules that no longer hold: `suspended`.
pub const VOID: Kinds = 1 << 81;
/// What they may be without being gone: `changed`, `disabled`.
pub const OUTDATED: Kinds = 1 << 97;
/// To leave off what was followed: `following`.
pub const FOLLOWING: Kinds = 1 << 98;
/// `exception`.
pub const EXCEPTION: Kinds = 1 << 82;
/// What is done to an exception: `granted`.
pub const GRANTED: Kinds = 1 << 83;
/// Whose word for a change an agent takes: `user`, `owner`.
pub const PERSON: Kinds = 1 << 84;
/// What approves: `approves`.
pub const APPROVES: Kinds = 1 << 85;
/// `false` and `positive`, as of a finding.
pub const FALSE: Kinds = 1 << 86;
/// The second half of it.
pub const POSITIVE: Kinds = 1 << 87;
/// `nothing`.
pub const NOTHING: Kinds = 1 << 88;
/// `mode`.
pub const MODE: Kinds = 1 << 89;
/// `whoever`.
pub const WHOEVER: Kinds = 1 << 90;
/// What binds somebody: `bound`.
pub const BOUND: Kinds = 1 << 91;
/// To ask for something: `require`.
pub const REQUIRE: Kinds = 1 << 99;
/// `longer`.
pub const LONGER: Kinds = 1 << 92;
/// To have been found: `found`.
pub const FOUND: Kinds = 1 << 93;
/// `approval`, which is asked for and given in any business.
pub const APPROVAL: Kinds = 1 << 94;
/// What heads a text for agents as well as a note to one: `instructions`.
pub const HEADING: Kinds = 1 << 95;
/// To say to somebody else: `tell`, `report`.
pub const TELL: Kinds = 1 << 96;

/// Returns what a word may mean, whatever its case.
pub fn kinds(word: &str) -> Kinds {
    if word.starts_with(|char: char| char.is_ascii_digit()) {
        return NUMBER;
    }
    if word.is_ascii() {
        return english(word);
    }
    let lower = word.to_lowercase();
    russian(&lower) | english(&plain::latin(word))
}

fn english(word: &str) -> Kinds {
    let mut lower = [0; LONGEST];
    let Some(lower) = lower.get_mut(..word.len()) else { return 0 };
    lower.copy_from_slice(word.as_bytes());
    lower.make_ascii_lowercase();
    let kinds = look_up(lower);
    if kinds == 0 && lower.iter().any(u8::is_ascii_digit) {
        for byte in &mut *lower {
            *byte = letter_of(*byte);
        }
        return look_up(lower);
    }
    kinds
}

fn look_up(word: &[u8]) -> Kinds {
    let find = |table: &[(&str, Kinds)]| {
        let found = table.binary_search_by(|(entry, _)| entry.as_bytes().cmp(word));
        found.ok().and_then(|at| table.get(at)).map(|(_, kinds)| *kinds)
    };
    find(ENGLISH).or_else(|| find(FOREIGN)).unwrap_or(0)
}

/// Returns the letter that a digit is written for, in `ign0re`.
fn letter_of(byte: u8) -> u8 {
    match byte {
        b'0' => b'o',
        b'1' => b'i',
        b'3' => b'e',
        b'4' => b'a',
        b'5' => b's',
        b'7' => b't',
        byte => byte,
    }
}

fn russian(word: &str) -> Kinds {
    let is = |stem: &str| match stem.strip_suffix('-') {
        Some(stem) => word.starts_with(stem),
        None => word == stem,
    };
    let found = RUSSIAN.iter().filter(|(stems, _)| stems.split(' ').any(is));
    found.fold(0, |kinds, (_, more)| kinds | more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_in_order() {
        for table in [ENGLISH, FOREIGN] {
            assert!(table.is_sorted_by(|(one, _), (other, _)| one < other));
            assert!(table.iter().all(|(word, _)| word.len() <= LONGEST));
        }
    }

    #[test]
    fn case_does_not_matter() {
        assert_eq!(kinds("Reviewer"), kinds("reviewer"));
        assert_eq!(kinds("ПРАВИЛА"), kinds("правила"));
        assert_eq!(kinds("unheard"), 0);
    }
}
