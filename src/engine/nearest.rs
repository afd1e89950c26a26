//! Which of some known words was probably meant?

/// How alike two words are when one is a slip of the other.
const ALIKE: f64 = 0.8;

/// Returns the one of some words that is nearest to another; none when none is near.
#[must_use]
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let rated = known.into_iter().map(|known| (strsim::jaro_winkler(word, known), known));
    let near = rated.filter(|(similarity, _)| *similarity > ALIKE);
    near.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_found_when_one_is_near() {
        let known = ["no-secrets", "no-debug", "rules-loosened"];
        assert_eq!(nearest("no-secret", known), Some("no-secrets"));
        assert_eq!(nearest("rules-losened", known), Some("rules-loosened"));
        assert_eq!(nearest("weather", known), None);
    }
}
