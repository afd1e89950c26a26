//! A place in a line of words, and the steps that a phrase takes from it.
//!
//! A step crosses blanks only, so a phrase never joins two sentences, two strings or the parts of
//! an expression; the few steps that cross more say so.

use super::lexicon::{
    A, ADJ, AND, COND, FILL, FOR, FREE, Kinds, MODAL, NEED, NOT, READER, REVIEW, TAIL, THIS, TO,
    YOU,
};
use super::words::{Gap, Word};

/// How many words a phrase may pass over in one go: a line is read in linear time.
const FAR: usize = 6;

/// A place before a word of a line, or after the last one.
#[derive(Clone, Copy)]
pub struct At<'a> {
    words: &'a [Word],
    next: usize,
}

impl<'a> At<'a> {
    /// Returns every place of a line, in order.
    pub fn every(words: &'a [Word]) -> impl Iterator<Item = Self> {
        Self { words, next: 0 }.line()
    }

    /// Returns this place and all that follow.
    pub fn line(self) -> impl Iterator<Item = Self> {
        (self.next..self.words.len()).map(move |next| Self { next, ..self })
    }

    /// Returns the word here.
    pub fn word(self) -> Option<&'a Word> {
        self.words.get(self.next)
    }

    /// Tells whether the word here is of one of these kinds.
    pub fn is(self, kinds: Kinds) -> bool {
        self.word().is_some_and(|word| word.is(kinds))
    }

    /// Returns what stands before the word here; a stop at the end of the line.
    pub fn gap(self) -> Gap {
        self.word().map_or(Gap::Stop, |word| word.gap)
    }

    /// Returns the place after the word here.
    pub fn step(self) -> Self {
        Self { next: self.next + 1, ..self }
    }

    /// Returns the place before the previous word, whatever stands between.
    pub fn back(self) -> Option<Self> {
        Some(Self { next: self.next.checked_sub(1)?, ..self })
    }

    /// Returns the place before the previous word, if blanks join the two.
    pub fn joined(self) -> Option<Self> {
        self.back().filter(|_| self.gap() == Gap::Space)
    }

    /// Passes the word here if blanks join it to the phrase and it is of one of these kinds.
    pub fn then(self, kinds: Kinds) -> Option<Self> {
        (self.gap() == Gap::Space && self.is(kinds)).then(|| self.step())
    }

    /// Passes the word here if it is of one of these kinds and the other half of a compound.
    pub fn then_half(self, kinds: Kinds) -> Option<Self> {
        (matches!(self.gap(), Gap::Hyphen | Gap::Space) && self.is(kinds)).then(|| self.step())
    }

    /// Passes a name with hyphens, as rules have them.
    pub fn over_compound(self) -> Self {
        let parts = self.step().line().take(FAR).take_while(|at| at.gap() == Gap::Hyphen);
        match (self.gap(), parts.last()) {
            (Gap::Space, Some(last)) => last.step(),
            _ => self,
        }
    }

    /// Passes the words of these kinds; returns what all of them were, too.
    pub fn past(self, kinds: Kinds) -> (Self, Kinds) {
        let (mut at, mut seen) = (self, 0);
        for _ in 0..FAR {
            let Some(next) = at.then(kinds) else { break };
            seen |= at.word().map_or(0, |word| word.kinds);
            at = next;
        }
        (at, seen)
    }

    /// Passes the words of these kinds.
    pub fn over(self, kinds: Kinds) -> Self {
        self.past(kinds).0
    }

    /// Finds the last word of these kinds that blanks and words of the kinds `before` join to
    /// this place; returns what the words before it were, too.
    pub fn noun(self, kinds: Kinds, before: Kinds) -> Option<(Self, Kinds)> {
        let (mut at, mut seen, mut found) = (self, 0, None);
        for _ in 0..FAR {
            let Some(next) = at.then(kinds | before) else { break };
            if at.is(kinds) {
                found = Some((at, seen));
            }
            seen |= at.word().map_or(0, |word| word.kinds);
            at = next;
        }
        found
    }

    /// Goes back over the words of these kinds.
    pub fn back_over(self, kinds: Kinds) -> Self {
        let mut at = self;
        for _ in 0..FAR {
            let Some(before) = at.joined().filter(|before| before.is(kinds)) else { break };
            at = before;
        }
        at
    }

    /// Returns this place and the next ones as long as blanks or commas join them, four in all.
    pub fn near(self) -> impl Iterator<Item = Self> {
        let joined = |at: &Self| matches!(at.gap(), Gap::Space | Gap::Comma);
        std::iter::successors(Some(self), |at| Some(at.step())).take(4).take_while(joined)
    }

    /// Tells whether a new part of a sentence opens here.
    pub fn opens(self) -> bool {
        !matches!(self.gap(), Gap::Space | Gap::Hyphen | Gap::Glue)
    }

    /// Tells whether the phrase before this place is complete: its part of the sentence ends, or
    /// goes on with a word that does not narrow what was said.
    pub fn ends(self) -> bool {
        self.opens() || self.then(TAIL).is_some() || self.for_this()
    }

    /// Tells whether `for this` or the like follows.
    pub fn for_this(self) -> bool {
        self.then(FOR | TO).is_some_and(|at| at.then(THIS).is_some())
    }

    /// Tells whether `review` stands here and completes the phrase.
    pub fn needs_review(self) -> bool {
        let (end, seen) = self.past(ADJ | A);
        seen & REVIEW != 0 && end.ends()
    }

    /// Returns the places of this part of the sentence, ten at most.
    pub fn clause(self) -> impl Iterator<Item = Self> {
        self.line().take(10).take_while(|at| !matches!(at.gap(), Gap::Stop | Gap::Colon))
    }

    /// Tells whether the verb here is an order: it opens a part of a sentence, or follows
    /// `please`, `and`, `you must` and the like; not after `not`, and not in `if you …`.
    pub fn orders(self) -> bool {
        let (mut at, mut urged) = (self, false);
        for _ in 0..FAR {
            if at.opens() {
                return true;
            }
            let Some(before) = at.joined() else { return false };
            if before.is(YOU | READER) {
                let doubted = before.joined().is_some_and(|at| at.is(COND));
                return urged && !doubted;
            }
            if before.is(AND) {
                return true;
            }
            if before.is(TO) && before.joined().is_some_and(|at| at.is(FREE)) {
                return true;
            }
            if before.is(TO) {
                if !before.joined().is_some_and(|at| at.is(YOU | READER | NEED)) {
                    return false;
                }
            } else if before.is(NOT) || !before.is(FILL | MODAL | NEED) {
                return false;
            }
            urged = true;
            at = before;
        }
        false
    }
}
