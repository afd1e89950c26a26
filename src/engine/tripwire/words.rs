//! A line as words: what each may mean, and how it hangs together with the word before it.

use super::lexicon::{self, Kinds};

/// One word of a line.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// What the word may mean.
    pub kinds: Kinds,
    /// What stands between it and the word before it.
    pub gap: Gap,
    /// It is written in capitals.
    pub capitals: bool,
    /// It stands alone between quotes, as a value does.
    pub alone: bool,
}

/// What stands between two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// Blanks, perhaps with quotes or emphasis: the phrase goes on.
    Space,
    /// A comma: a part of the sentence ends.
    Comma,
    /// A colon: what stands before it is a label.
    Colon,
    /// A dash, as between two parts of a sentence.
    Dash,
    /// A hyphen inside a compound.
    Hyphen,
    /// Signs without a blank, as in `rule.ignore` or `skip(review)`: code.
    Glue,
    /// Anything else: another sentence, another string, a comment; also the start of the line.
    Stop,
}

const QUOTES: [char; 8] = ['"', '\'', '`', '“', '”', '«', '»', '„'];

impl Word {
    /// Tells whether the word is of one of these kinds.
    pub fn is(&self, kinds: Kinds) -> bool {
        self.kinds & kinds != 0
    }
}

/// Reads the words of a line.
pub fn read(line: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::with_capacity(line.len() / 6 + 1);
    let mut rest = line;
    while let Some((between, text, after)) = next(rest) {
        words.push(Word {
            kinds: lexicon::kinds(text),
            gap: if words.is_empty() { Gap::Stop } else { gap(between) },
            capitals: text.len() > 1 && !text.contains(|char: char| !char.is_uppercase()),
            alone: between.ends_with(QUOTES) && after.starts_with(QUOTES),
        });
        rest = after;
    }
    words
}

/// Returns the signs before the next word, the word, and what follows it.
fn next(rest: &str) -> Option<(&str, &str, &str)> {
    let mut escape = false;
    let starts = |char: char| {
        // `\n` inside a string is the end of a line there, not the first letter of a word.
        let letter = char.is_alphanumeric() && !(escape && matches!(char, 'n' | 'r' | 't'));
        escape = char == '\\' && !escape;
        letter
    };
    let (between, rest) = rest.split_at_checked(rest.find(starts)?)?;
    let inside = |(at, char): &(usize, char)| match char {
        '\'' => rest.get(at + 1..).is_some_and(|rest| rest.starts_with(char::is_alphanumeric)),
        char => char.is_alphanumeric() || *char == '_',
    };
    let length = rest.char_indices().find(|item| !inside(item)).map_or(rest.len(), |(at, _)| at);
    let (word, after) = rest.split_at_checked(length)?;
    Some((between, word.trim_end_matches('_'), after))
}

fn gap(between: &str) -> Gap {
    let mut signs = between.chars().filter(|char| {
        !char.is_whitespace() && !QUOTES.contains(char) && !matches!(char, '*' | '_' | '~')
    });
    let (first, more) = (signs.next(), signs.next());
    let (blank, quoted) = (between.contains(char::is_whitespace), between.contains(QUOTES));
    match (first, more) {
        (None, _) if blank => Gap::Space,
        (Some(','), None) if blank => Gap::Comma,
        (Some(':'), None) => Gap::Colon,
        (Some('-'), None) if !blank && !quoted => Gap::Hyphen,
        (Some('-'), None | Some('-')) | (Some('–' | '—'), None) => Gap::Dash,
        _ if blank || quoted || first == Some('\\') => Gap::Stop,
        _ => Gap::Glue,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gaps(line: &str) -> Vec<Gap> {
        read(line).iter().map(|word| word.gap).collect()
    }

    #[test]
    fn what_stands_between_words_says_how_they_hang_together() {
        assert_eq!(gaps("a, b: 'c' *d*"), [Gap::Stop, Gap::Comma, Gap::Colon, Gap::Space]);
        assert_eq!(gaps("a-b - c"), [Gap::Stop, Gap::Hyphen, Gap::Dash]);
        assert_eq!(gaps("a.b. c"), [Gap::Stop, Gap::Glue, Gap::Stop]);
        assert_eq!(gaps("a(\"b\")"), [Gap::Stop, Gap::Stop]);
    }

    #[test]
    fn a_word_keeps_its_apostrophe_and_sheds_underscores_around_it() {
        assert_eq!(read("don't _do_ it_self").len(), 3);
        assert!(read("_don't_").first().is_some_and(|word| word.is(lexicon::NOT)));
    }
}
