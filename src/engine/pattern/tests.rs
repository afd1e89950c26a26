//! Patterns find what they say, in Python's sense of it.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use proptest::prelude::*;

fn pattern(source: &str, scope: Scope) -> Pattern {
    Pattern::new(source, scope).unwrap_or_else(|error| panic!("{source}: {error}"))
}

/// Asserts which texts a pattern matches, with and without its needles.
fn check(scope: Scope, source: &str, matching: &[&str], others: &[&str]) {
    let pattern = pattern(source, scope);
    for (texts, expected) in [(matching, true), (others, false)] {
        for text in texts {
            assert_eq!(
                pattern.is_match(text, &Budget::default()),
                Ok(expected),
                "{source} in {text:?}"
            );
            assert_eq!(
                pattern.search(text, &Budget::default()),
                Ok(expected),
                "{source} in {text:?}, at length"
            );
        }
    }
}

fn line(source: &str, matching: &[&str], others: &[&str]) {
    check(Scope::Line, source, matching, others);
}

fn file(source: &str, matching: &[&str], others: &[&str]) {
    check(Scope::File, source, matching, others);
}

fn found<'t>(source: &str, text: &'t str) -> Vec<&'t str> {
    let ranges = pattern(source, Scope::Line).find_all(text, &Budget::default()).unwrap();
    ranges.into_iter().map(|range| &text[range]).collect()
}

#[test]
fn what_the_linear_engine_lacks_works_too() {
    line(r"foo(?!bar)", &["foobaz", "foobarfoo"], &["foobar"]);
    line(r"foo(?=bar)", &["foobar"], &["foobaz"]);
    line(r"(?<!x)cat", &["cat", "xcatcat"], &["xcat"]);
    line(r"(?<=[a-c]\d)cat", &["b2cat"], &["d2cat", "bcat"]);
    line(r"(ab)\1", &["abab"], &["abcd"]);
    line(r"(a)(b)(?:c)(d)\3", &["abcdd"], &["abcda"]);
    line(r"^(?P<a>\w)=(?P=a)$", &["x=x"], &["x=y"]);
    line(r"^(\()?a(?(1)\))$", &["(a)", "a"], &["(a", "a)"]);
    line(r"^(?P<q>')?a(?(q)'|;)$", &["'a'", "a;"], &["'a;", "a"]);
    line(r"(?>a+)b", &["aaab"], &["aaac"]);
    line(r"(?>a|ab)c", &["ac"], &["abc"]);
    line(r"a++a|b?+b|c{1,2}+c", &["bb", "ccc"], &["aaa", "b", "cc"]);
    line(r"(?=a)*b|(?!a){2}c", &["b", "c"], &["a"]);
    line(r"(?<!\bnew )Date\(", &["a Date(", "renew Date("], &["new Date("]);
}

#[test]
fn a_group_that_never_takes_part_matches_no_reference() {
    line(r"^(?:(a)|b)\1$", &["aa"], &["b", "bb"]);
    line(r"^(a){0}(?(1)b|c)$", &["c"], &["b", "ab"]);
    line(r"^(a){0}b\1|d$", &["d"], &["b", "ab", "ba"]);
}

#[test]
fn ends_are_those_of_the_line_or_of_each_line() {
    line(r"end\Z", &["the end"], &["end2"]);
    line(r"^a$|\Ab\Z", &["a", "b"], &["ab", "ba"]);
    line(r"(?m)^b$", &["a\nb"], &[]);
    file(r"^b$", &["a\nb\nc", "b\n"], &["ab\nbc"]);
    file(r"\Aa", &["a\nb"], &["b\na"]);
    file(r"a\Z", &["b\na"], &["a\n"]);
    file(r"(?-m:^a$)", &["a", "a\n"], &["b\na", "a\nb", "a\n\n"]);
}

#[test]
fn a_dot_is_all_but_a_newline() {
    file(r"a.b", &["a\rb", "a\u{2028}b", "a\u{85}b"], &["a\nb"]);
    file(r"(?s)a.b", &["a\nb"], &["ab"]);
    file(r"(?s:a.)b.", &["a\nbc"], &["aab\n"]);
}

#[test]
fn letters_digits_and_spaces_are_those_of_python() {
    line(r"^\w+$", &["a_\u{967}", "名", "½", "²", "Ⅷ"], &["-", "e\u{301}", "a\u{200d}", "Ⓐ"]);
    line(r"^\W$", &["\u{301}", "‿"], &["_", "é"]);
    line(r"^\d$", &["7", "\u{967}"], &["²", "a"]);
    line(r"^\s$", &[" ", "\t", "\u{1c}", "\u{1f}", "\u{85}", "\u{a0}", "\u{3000}"], &["\u{200b}"]);
    line(r"^[\s.]\S[^\s]$", &["\u{1f}ab"], &[".a\u{1c}"]);
    line(r"^[\W\d]$", &["-", "1", "\u{301}"], &["a", "_"]);
    line(r"(?a)^\w\d\s$", &["a1\t"], &["é1 ", "a\u{967} ", "a1\u{a0}", "a1\u{1c}"]);
    line(r"^(?a:[\W]é)$", &["éé"], &["eé"]);
}

#[test]
fn word_boundaries_follow_the_word_characters_of_python() {
    line(r"\bпароль\b", &["мой пароль: x"], &["мой пароль1"]);
    // A combining mark is no word character, so the word ends before it.
    line(r"\be\b", &["e\u{301}"], &["ee"]);
    line(r"x\b", &["x\u{200d}"], &["x²"]);
    line(r"x\B", &["x²", "xy"], &["x\u{301}"]);
    line(r"(?a)e\b", &["eé"], &["ea"]);
    line(r"(?a)e\B", &["ea"], &["eé"]);
    line(r"(?a)e\b(?!x)", &["eé"], &["ea"]);
}

#[test]
fn case_is_folded_character_by_character() {
    line(r"(?i)^k$", &["K", "\u{212a}"], &["c"]);
    line(r"(?i)^[k-l]S$", &["\u{212a}\u{17f}", "ls"], &["ms"]);
    line(r"(?i)stra\u00dfe", &["STRAßE", "straẞe"], &["STRASSE"]);
    line(r"(?i)^i\Z", &["I", "İ", "ı"], &["l"]);
    line(r"(?i)^[^i]$", &["l"], &["I", "İ"]);
    line(r"(?ai)^ké$", &["Ké"], &["\u{212a}é", "kÉ"]);
    line(r"^a(?i:b)c$", &["aBc", "abc"], &["Abc", "abC"]);
    line(r"(?i)^a(?-i:b)c$", &["AbC"], &["aBc"]);
    line(r"(?i)^(a)\1$", &["aA"], &["ab"]);
    line(r"(?i)\w", &["é"], &["\u{345}"]);
}

#[test]
fn a_class_holds_what_python_puts_in_it() {
    line(r"^[a-b&&x]$", &["&", "x", "a"], &["c"]);
    line(r"^[[:alpha:]]$", &["a]", "[]", ":]"], &["z", "b]"]);
    line(r"^[a||b~~+--]$", &["|", "a", "b", "~", "-", "+", ","], &["."]);
    line(r"^[]a][^]a]$", &["]b"], &["a]", "b]"]);
    line(r"^[a-][-b]$", &["--", "a-"], &["b-"]);
    line(r"^[\]\-\\\b^]$", &["]", "-", "\\", "\u{8}", "^"], &["b"]);
    line(r"^[\x41\102\u0043\0]$", &["A", "B", "C", "\0"], &["D"]);
    line(r"[^\0-\U0010ffff]|a", &["a"], &["b"]);
    line("[\\ud800-\\udfff]|[\\ud800-\\ue000]", &["\u{e000}"], &["\u{d7ff}"]);
}

#[test]
fn escapes_and_counts_are_those_of_python() {
    line(r"^\101\x42\u00e9\U0001F600\0$", &["ABé😀\0"], &["AB"]);
    line(r"^\a\f\n\r\t\v\\$", &["\u{7}\u{c}\n\r\t\u{b}\\"], &[]);
    line(r"^(.)(.)(.)(.)(.)(.)(.)(.)(.)(.)\10$", &["abcdefghijj"], &["abcdefghija0"]);
    line(r"^\é\ \-\#\<\_$", &["é -#<_"], &[]);
    line(r"^a{,2}b$", &["b", "aab"], &["aaab"]);
    line(r"^a{,}b$", &["b", "aaab"], &["a{,}b"]);
    line(r"^a{x}{{}}{1,$", &["a{x}{{}}{1,"], &["ax"]);
    line(r"^(?:a{2}){3}b{1,}?$", &["aaaaaab"], &["aaaaab"]);
}

#[test]
fn flags_and_comments_are_read_as_in_python() {
    line("(?x) ^ a # not b\n [ #] \\  (?# nor c) $", &["a  ", "a# "], &["a b", "a #"]);
    line(r"(?x)a +", &["aa"], &["b"]);
    line(r"(?x: a b )c d", &["abc d"], &["a bc d", "abcd"]);
    line(r"(?#first)(?i)(?s)a", &["A"], &["b"]);
    line(r"(?u)é|(?s-i:a)", &["é", "a"], &["A"]);
}

#[test]
fn all_matches_are_found_in_order() {
    assert_eq!(found(r"AKIA\w{2}", "AKIAab AKIAcd AKIA"), ["AKIAab", "AKIAcd"]);
    assert_eq!(found(r"(?<==)\w+", "a=b c=d"), ["b", "d"]);
    assert_eq!(found(r"b", "aaa"), [""; 0]);
}

#[test]
fn a_match_that_could_have_been_empty_is_found() {
    assert_eq!(found(r"x*|key", "a key"), ["key"]);
    assert_eq!(found(r"\d*", "a12b3"), ["12", "3"]);
    assert_eq!(found(r"(?<=a)b*|", "abb"), ["bb"]);
    assert_eq!(found(r"\b|^", "a"), [""; 0]);
    assert_eq!(found(r"[^\d\D]*|", "a"), [""; 0]);
}

#[test]
fn catastrophic_patterns_are_answered() {
    let text = "a".repeat(10_000) + "!";
    line(r"^(a+)+$", &[], &[&text]);
    for source in [r"^(a|a)*(?<!a)!", r"^(a|aa)+(?<!a)!", r"^(?:(a)|(a))*(?<!a)!\1?"] {
        let error = pattern(source, Scope::Line).is_match(&text, &Budget::default()).unwrap_err();
        assert!(error.0.contains("given up"), "{error}");
    }
}

#[test]
fn a_look_at_the_rest_of_a_long_text_from_everywhere_is_given_up() {
    let pattern = pattern(r"(?=.*\d)(?=.*x)foo", Scope::Line);
    assert!(pattern.is_match(&"foo ".repeat(100_000), &Budget::default()).is_err());
    assert_eq!(pattern.is_match(&"foo ".repeat(100), &Budget::default()), Ok(false));
}

#[test]
fn a_look_at_the_rest_for_each_character_of_one_try_is_given_up() {
    let pattern = pattern("^(?:(?=[^c]*)a)*b", Scope::Line);
    assert!(pattern.is_match(&("a".repeat(1 << 20) + "b"), &Budget::default()).is_err());
    assert_eq!(pattern.is_match(&("a".repeat(1 << 10) + "b"), &Budget::default()), Ok(true));
}

#[test]
fn a_pattern_too_large_to_compile_is_read_and_says_so_when_run() {
    let pattern = pattern(r"a(?:\w{1000}){1000}", Scope::Line);
    assert_eq!(pattern.is_match("b", &Budget::default()), Ok(false));
    let error = pattern.is_match("a", &Budget::default()).unwrap_err();
    assert!(error.0.contains("cannot be compiled"), "{error}");
}

#[test]
fn the_deepest_groups_are_read_compiled_and_run() {
    let deepest = dialect::DEEPEST;
    for opening in ["(", "(?:", "(?=", "(?>", "(?i:"] {
        for closing in [")", ")?"] {
            let source = format!("{}\\b{}", opening.repeat(deepest), closing.repeat(deepest));
            for text in ["a", "a\u{301}"] {
                assert_eq!(
                    pattern(&source, Scope::Line).is_match(text, &Budget::default()),
                    Ok(true),
                    "{source}"
                );
            }
        }
    }
}

/// Patterns with all that the dialect has.
fn patterns() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        6 => r"[abkKsi.]{1,3}",
        1 => r"\[\^?[a-ckKs&|\[]{1,3}\]",
        2 => proptest::sample::select(vec![
            r"\w", r"\W", r"\d", r"\s", r"\b", r"\B", r"^", r"$", r"\A", r"\Z", "é", r"\x61",
        ]).prop_map(ToOwned::to_owned),
    ];
    let body = leaf.prop_recursive(4, 24, 3, |inner| {
        let opening = proptest::sample::select(vec![
            "(", "(", "(?:", "(?:", "(?i:", "(?a:", "(?=", "(?!", "(?>",
        ]);
        let count = proptest::sample::select(vec!["", "", "*", "+", "?", "{2}", "{0}", "*?", "?+"]);
        prop_oneof![
            (opening, inner.clone(), count).prop_map(|(o, i, c)| format!("{o}{i}){c}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a + &b),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a}|{b}")),
            inner.prop_map(|inner| format!(r"(?:({inner})\1|\(\?<!a\)b)")),
        ]
    });
    ("(\\(\\?[ias]\\))?", body).prop_map(|(flags, body)| {
        // The reference inside is to the first group, which need not be the one beside it.
        flags + &body
    })
}

proptest! {
    #[test]
    fn a_pattern_that_matches_contains_its_needle(
        source in patterns(),
        text in "[abcABkKsS1 é\u{212a}\u{131}\u{301}]{0,12}",
    ) {
        let Ok(pattern) = Pattern::new(&source, Scope::Line) else { return Ok(()) };
        let Ok(matches) = pattern.search(&text, &Budget::default()) else { return Ok(()) };
        prop_assert_eq!(pattern.is_match(&text, &Budget::default()), Ok(matches));
        prop_assert!(pattern.could_match(&text) || !matches);
        if pattern.find_all(&text, &Budget::default()).is_ok_and(|found| !found.is_empty()) {
            prop_assert!(matches);
        }
    }

    #[test]
    fn any_text_is_a_pattern_or_an_error(source in r"[\\(?)\[\]{}<>=!P|*+^$:#,.a1-]{0,20}") {
        if let Ok(pattern) = Pattern::new(&source, Scope::File) {
            let _ = pattern.is_match("a1:a#", &Budget::default());
        }
    }
}

/// `½`, `²` and `³` are letters for Python's `\b` and not for the linear engine.
#[test]
fn a_long_line_with_a_disputed_letter_is_searched_in_linear_time() {
    for letter in ["½", "³", "²"] {
        let text = format!("x = \"{letter}\"; curl y {}", "a b ".repeat(50_000));
        for source in [r"\bcurl\b[^|]*\|", r"\bcurl\b(?:\s+\w+)*+\|"] {
            assert_eq!(
                pattern(source, Scope::Line).is_match(&text, &Budget::default()),
                Ok(false),
                "{source}"
            );
            assert_eq!(
                pattern(source, Scope::Line).find_all(&text, &Budget::default()),
                Ok(Vec::new()),
                "{source}"
            );
        }
        line(r"\bcurl\b[^|]*\|", &[&format!("{letter} curl x |")], &[&format!("{letter}curl |")]);
    }
}

/// Takes far more steps than any limit allows on `aaa…!`.
const HARD: &str = "^(a|aa)+(?<!a)!$";

fn hard_line() -> String {
    "a".repeat(60) + "!"
}

#[test]
fn a_budget_ends_after_a_number_of_lines_that_is_always_the_same() {
    let answered = |left: u64| {
        let (slow, budget) = (pattern(HARD, Scope::Line), Budget::of(left));
        let before = |_: &u32| budget.spent() < left && !budget.is_short();
        (0..1000)
            .take_while(before)
            .filter(|_| slow.is_match(&hard_line(), &budget).is_err())
            .count()
    };
    assert_eq!(answered(Budget::FILE), 3);
    assert_eq!(answered(Budget::FILE), 3);
    assert_eq!(answered(Budget::FILE / 100), 1);
}

#[test]
fn what_is_left_of_a_budget_is_for_other_patterns_and_easy_lines() {
    let (slow, fast) = (pattern(HARD, Scope::Line), pattern(r"^(?!.*# ok).*\beval\(", Scope::Line));
    let budget = Budget::of(0);
    assert!(slow.is_match(&hard_line(), &budget).is_err());
    assert!(budget.is_short());
    for _ in 0..1000 {
        assert_eq!(fast.is_match("x = eval(y)", &budget), Ok(true));
        assert_eq!(fast.is_match("x = eval(y)  # ok", &budget), Ok(false));
        assert_eq!(slow.is_match("b", &budget), Ok(false));
    }
    assert_eq!(budget.spent(), 0);
    // It is not tried again within the budget, and is within another.
    assert!(slow.is_match("aaa!", &budget).is_err());
    assert_eq!(slow.is_match("aaa!", &Budget::default()), Ok(false));
}

#[test]
fn many_matches_in_one_text_are_charged() {
    let (slow, budget) = (pattern(r"key(?=.*z)", Scope::Line), Budget::of(1_000_000));
    let text = "key ".repeat(100_000) + "z";
    assert!(slow.find_all(&text, &budget).is_err());
    assert_eq!(slow.find_all("key key z", &Budget::of(1_000_000)), Ok(vec![0..3, 4..7]));
}

#[test]
fn the_files_of_an_event_share_its_budget() {
    let (slow, event) = (pattern(HARD, Scope::Line), Budget::default());
    let mut answered = Vec::new();
    for _ in 0..5 {
        let file = event.for_file();
        answered.push(
            (0..20)
                .take_while(|_| {
                    let _ = slow.is_match(&hard_line(), &file);
                    !file.is_short()
                })
                .count(),
        );
        event.join(&file);
    }
    assert!(event.is_short());
    assert_eq!(answered, [2, 2, 0, 0, 0]);
}
