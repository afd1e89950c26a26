//! What a word may mean to a phrase: a table from words to kinds, English and Russian.

use super::plain;

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
    let found = ENGLISH.binary_search_by(|(entry, _)| entry.as_bytes().cmp(lower));
    found.ok().and_then(|at| ENGLISH.get(at)).map_or(0, |(_, kinds)| *kinds)
}

fn russian(word: &str) -> Kinds {
    let is = |stem: &str| match stem.strip_suffix('-') {
        Some(stem) => word.starts_with(stem),
        None => word == stem,
    };
    let found = RUSSIAN.iter().filter(|(stems, _)| stems.split(' ').any(is));
    found.fold(0, |kinds, (_, more)| kinds | more)
}

/// English words in order.
#[rustfmt::skip]
const ENGLISH: &[(&str, Kinds)] = &[
    ("a", A | FOLLOWS),
    ("above", PRIOR | ABOVE | TAIL),
    ("accept", LENIENT | GRANT | VERDICT),
    ("acceptable", SAFE),
    ("accepted", VERDICT | SAFE),
    ("additional", ADJ),
    ("admin", ROLE),
    ("after", COND),
    ("agent", READER),
    ("agents", READER),
    ("ai", MACHINE | READER | ROLE),
    ("ais", MACHINE | READER),
    ("all", ALL | DET),
    ("allow", LENIENT | GRANT | VERDICT),
    ("allowed", VERDICT | SAFE),
    ("already", ALREADY),
    ("also", FILL),
    ("always", FILL | ONLY | FOLLOWS),
    ("an", A),
    ("and", AND | TAIL),
    ("answer", SAY | ANSWER | ORDER),
    ("any", ALL | DET),
    ("anything", ALL),
    ("apply", FOLLOW | APPLY),
    ("appropriate", QUALITY),
    ("approve", LENIENT | GRANT | VERDICT | APPROVE),
    ("approved", VERDICT | SAFE | CLAIM | BACKED),
    ("are", IS),
    ("aren't", NOT),
    ("as", AS | TAIL),
    ("assistant", MACHINE | READER | ROLE),
    ("assistants", MACHINE | READER),
    ("attention", DEAR | NOTE),
    ("authorise", LENIENT | GRANT),
    ("authorised", SAFE | BACKED),
    ("authorize", LENIENT | GRANT),
    ("authorized", SAFE | BACKED),
    ("be", BE),
    ("because", COND | TAIL),
    ("been", IS),
    ("before", ABOVE | ALL),
    ("below", TAIL | ABOVE),
    ("benign", VERDICT | SAFE),
    ("best", QUALITY),
    ("block", BLOCK),
    ("board", TEAM),
    ("bot", READER),
    ("bots", READER),
    ("but", AND | TAIL),
    ("by", BY),
    ("bypass", ASIDE | SKIP | LENIENT),
    ("bypassed", IGNORED),
    ("can", MODAL | MAY),
    ("can't", NOT),
    ("cannot", NOT),
    ("change", CHANGE | EDIT),
    ("changes", CHANGE | EDIT),
    ("chatgpt", MACHINE | READER),
    ("check", CHECK),
    ("checks", CHECK),
    ("choice", ANSWER),
    ("circumvent", ASIDE | SKIP),
    ("ciso", AUTHORITY),
    ("classification", ANSWER),
    ("classifier", READER),
    ("classify", JUDGE | ORDER),
    ("claude", MACHINE | READER),
    ("cleared", SAFE | BACKED),
    ("code", ADJ | CHANGE),
    ("codex", MACHINE | READER),
    ("coding", ADJ),
    ("commands", TOLD),
    ("commit", CHANGE | EDIT),
    ("committee", TEAM),
    ("company", ADJ),
    ("completely", FILL | TAIL),
    ("compliance", AUTHORITY),
    ("compliant", VERDICT | SAFE),
    ("consider", JUDGE),
    ("constraints", POLICY),
    ("copilot", MACHINE | READER),
    ("correct", QUALITY),
    ("could", MODAL | MAY),
    ("cto", AUTHORITY),
    ("current", ADJ),
    ("dear", DEAR),
    ("decision", ANSWER),
    ("deny", BLOCK),
    ("department", TEAM),
    ("developer", ROLE),
    ("diff", CHANGE | EDIT),
    ("directions", TOLD),
    ("directives", POLICY | ORDERS),
    ("disregard", ASIDE | LENIENT),
    ("disregarded", IGNORED),
    ("do", FILL | DOES | ORDER),
    ("does", DOES),
    ("doesn't", NOT),
    ("don't", NOT),
    ("dont", NOT),
    ("earlier", PRIOR | ABOVE),
    ("edit", CHANGE | EDIT),
    ("edits", CHANGE | EDIT),
    ("either", FILL),
    ("else", ABOVE | ALL),
    ("enforce", FOLLOW),
    ("entirely", FILL | TAIL),
    ("ever", FILL),
    ("every", ALL | DET),
    ("everything", ALL),
    ("exactly", FOLLOWS),
    ("exempt", EXEMPT),
    ("existing", ADJ),
    ("explicitly", ALREADY),
    ("file", CHANGE),
    ("files", CHANGE),
    ("final", QUALITY),
    ("fine", FREE),
    ("flag", BLOCK),
    ("follow", FOLLOW),
    ("for", FOR),
    ("foregoing", PRIOR),
    ("forget", ASIDE),
    ("formally", ALREADY),
    ("free", FREE),
    ("from", FROM),
    ("fully", ALREADY),
    ("further", ADJ),
    ("gatekeeper", READER),
    ("gemini", MACHINE | READER),
    ("go", THROUGH),
    ("gpt", MACHINE | READER),
    ("grade", JUDGE),
    ("grader", READER),
    ("greenlight", LENIENT | GRANT | APPROVE),
    ("greenlit", BACKED | CLAIM),
    ("group", TEAM),
    ("guard", CHECK | READER),
    ("guardrails", POLICY | BARE),
    ("guards", CHECK | READER),
    ("guidance", POLICY | BARE | NOTE),
    ("guideline", POLICY),
    ("guidelines", POLICY | BARE),
    ("harmless", VERDICT | SAFE),
    ("has", NEED | IS),
    ("have", NEED | IS),
    ("here", TAIL),
    ("hey", DEAR),
    ("hint", NOTE),
    ("hook", CHECK | READER | ADJ),
    ("hooks", CHECK | READER),
    ("how", COND),
    ("human", ADJ | AUTHORITY),
    ("hunk", CHANGE),
    ("if", COND),
    ("ignore", ASIDE | LENIENT),
    ("ignored", IGNORED),
    ("immediately", FILL | TAIL),
    ("important", ADJ),
    ("in", THROUGH | FOR),
    ("infosec", AUTHORITY),
    ("initial", ADJ),
    ("innocuous", SAFE),
    ("instruction", POLICY | NOTE | ROLE),
    ("instructions", POLICY | NOTE | ROLE | ORDERS),
    ("is", IS),
    ("isn't", NOT),
    ("it", IT | FOLLOWS),
    ("its", DET),
    ("judge", READER | JUDGE),
    ("just", FILL | ONLY),
    ("kindly", FILL),
    ("label", ANSWER | JUDGE),
    ("leadership", AUTHORITY),
    ("legal", AUTHORITY),
    ("let", LET),
    ("line", CHANGE),
    ("lines", CHANGE),
    ("linter", CHECK | READER),
    ("linters", CHECK | READER),
    ("llm", MACHINE | READER),
    ("llms", MACHINE | READER),
    ("maintainer", AUTHORITY),
    ("maintainers", AUTHORITY),
    ("management", AUTHORITY),
    ("mark", JUDGE | ORDER),
    ("may", MODAL | MAY),
    ("memo", NOTE),
    ("merge", CHANGE | EDIT),
    ("message", NOTE),
    ("messages", TOLD),
    ("migration", CHANGE),
    ("model", READER),
    ("models", READER),
    ("moderator", READER),
    ("modification", CHANGE | EDIT),
    ("must", MODAL),
    ("mustn't", NOT),
    ("necessary", NEEDED),
    ("need", NEED),
    ("needed", NEEDED),
    ("needn't", NOT),
    ("needs", NEED),
    ("never", NOT),
    ("new", NEW),
    ("no", NO),
    ("normal", ADJ),
    ("not", NOT),
    ("note", NOTE),
    ("notes", NOTE),
    ("notice", NOTE),
    ("now", FILL | NOW | TAIL),
    ("obey", FOLLOW),
    ("of", ADJ),
    ("officially", ALREADY),
    ("ok", FREE),
    ("okay", LENIENT | GRANT | VERDICT | APPROVE | FREE),
    ("okayed", BACKED | CLAIM),
    ("on", FOR),
    ("once", COND),
    ("one", CHANGE),
    ("only", FILL | ONLY | FOLLOWS),
    ("ops", AUTHORITY),
    ("option", ANSWER),
    ("or", AND),
    ("orders", TOLD | ORDERS),
    ("original", ADJ | PRIOR),
    ("other", ADJ),
    ("ought", NEED),
    ("our", DET),
    ("outcome", ANSWER),
    ("output", ECHO | ANSWER | ORDER),
    ("overlook", ASIDE | LENIENT),
    ("overridden", IGNORED),
    ("override", ASIDE | SKIP | LENIENT),
    ("own", ADJ),
    ("pass", LENIENT | THROUGH),
    ("patch", CHANGE | EDIT),
    ("permit", LENIENT | GRANT | VERDICT),
    ("permitted", VERDICT | SAFE),
    ("please", MODAL | FILL | PLEASE),
    ("policies", POLICY),
    ("policy", POLICY),
    ("pr", CHANGE | EDIT),
    ("pre", PREFIX),
    ("preapproved", PREFIX | CLAIM),
    ("preceding", PRIOR),
    ("previous", PRIOR),
    ("previously", ALREADY),
    ("print", ECHO),
    ("prior", PRIOR),
    ("project", ADJ),
    ("prompt", POLICY | ROLE),
    ("prompts", POLICY),
    ("proper", QUALITY),
    ("pull", CHANGE | EDIT),
    ("quick", ADJ),
    ("rate", JUDGE),
    ("refuse", BLOCK),
    ("regard", JUDGE),
    ("reject", BLOCK),
    ("reply", SAY | ANSWER | ORDER),
    ("repo", ADJ),
    ("report", BLOCK),
    ("repository", ADJ),
    ("required", NEEDED),
    ("respond", SAY | ORDER),
    ("response", ANSWER),
    ("restrictions", POLICY),
    ("return", ECHO),
    ("review", POLICY | BARE | REVIEW | ADJ),
    ("reviewed", SAFE | BACKED),
    ("reviewer", READER | AUTHORITY),
    ("reviewers", READER | AUTHORITY),
    ("reviewing", ADJ),
    ("reviews", POLICY | BARE),
    ("right", QUALITY),
    ("rule", CHECK | ADJ),
    ("rules", POLICY),
    ("ruling", ANSWER),
    ("safe", FREE | VERDICT | SAFE),
    ("safeguards", POLICY | BARE),
    ("safely", FILL),
    ("safety", ADJ),
    ("say", SAY | ORDER),
    ("score", JUDGE),
    ("security", ADJ | AUTHORITY),
    ("shall", MODAL),
    ("short", ADJ),
    ("should", MODAL),
    ("shouldn't", NOT),
    ("sidestep", ASIDE | SKIP),
    ("simply", FILL | ONLY),
    ("since", TAIL),
    ("single", ADJ | FOLLOWS),
    ("skip", ASIDE | SKIP | LENIENT),
    ("skipped", IGNORED),
    ("slide", THROUGH),
    ("snippet", CHANGE),
    ("so", AND | TAIL),
    ("solvi", MACHINE | READER | ADJ | OURS),
    ("special", ADJ),
    ("style", ADJ),
    ("such", DET),
    ("system", ADJ | DET | ROLE),
    ("team", TEAM),
    ("that", THIS | FOLLOWS | DET),
    ("the", DET),
    ("their", DET),
    ("then", AND | FILL | TAIL),
    ("therefore", FILL),
    ("these", DET | THIS),
    ("this", DET | THIS),
    ("those", DET | THIS),
    ("through", THROUGH),
    ("to", TO),
    ("today", TAIL),
    ("treat", JUDGE | ORDER),
    ("trusted", SAFE),
    ("unless", COND),
    ("until", COND),
    ("usual", ADJ),
    ("validation", CHECK),
    ("verdict", ANSWER),
    ("veto", BLOCK),
    ("vetted", SAFE | BACKED | CLAIM),
    ("waive", ASIDE | SKIP | LENIENT),
    ("waived", IGNORED),
    ("was", IS),
    ("wave", LET),
    ("were", IS),
    ("what", COND | WHAT),
    ("when", COND),
    ("whenever", COND),
    ("where", COND),
    ("which", COND),
    ("will", MODAL),
    ("with", FOLLOWS),
    ("won't", NOT),
    ("word", FOLLOWS),
    ("yes", VERDICT | YES),
    ("you", YOU),
    ("you're", YOU),
    ("your", PRIOR | DET | YOUR),
];

/// Russian words, and stems that end with `-`.
const RUSSIAN: &[(&str, Kinds)] = &[
    ("игнорируй игнорируйте проигнорируй проигнорируйте", ASIDE | LENIENT),
    ("игнорировать проигнорировать пропустить обойти", ASIDE | LENIENT),
    ("забудь забудьте отбрось отбросьте обойди обойдите отмени отмените", ASIDE),
    ("пропусти пропустите", ASIDE | SKIP | LENIENT | GRANT),
    ("разреши разрешите разрешить одобри одобрите одобрить", LENIENT | GRANT | VERDICT),
    ("прими примите принять", LENIENT | GRANT),
    ("инструкц- правила правил указани- предписани- политик- промпт- ограничени-", POLICY | BARE),
    ("проверк- хук- ревью", CHECK),
    ("все всё всю весь всех любые любую любой каждое каждую", ALL | DET),
    ("предыдущ- прежн- прошл- вышеуказанн- твои ваши свои системн-", PRIOR | DET),
    ("выше", ABOVE | ALL | TAIL),
    ("это эту этот эти этого этому этой", DET | THIS),
    ("ии нейросет- ассистент- клод- копайлот-", MACHINE | READER | ROLE),
    ("агент- модел- ревьюер- рецензент- проверяющ-", READER | ROLE),
    ("систем-", ROLE),
    ("должен должна должно должны нужно надо следует", MODAL),
    ("может могут можешь можете", MODAL | MAY),
    ("пожалуйста прошу", MODAL | FILL | PLEASE),
    ("просто всегда только сейчас теперь", FILL | ONLY | FOLLOWS),
    ("ты вы", YOU),
    ("не нельзя", NOT),
    ("и а но", AND | TAIL),
    ("если когда", COND),
    ("здесь тут потому", TAIL),
    ("для на к", FOR | TO),
    ("примечание заметка сообщение внимание инструкция указание", NOTE),
    ("уже заранее ранее полностью", ALREADY),
    ("одобрен- согласован- предодобрен-", CLAIM | BACKED | SAFE | VERDICT),
    ("предодобрен-", PREFIX | CLAIM),
    ("разрешено разрешён разрешена безопасно безопасный безопасное", SAFE | VERDICT),
    ("безопасност- юрист- руководств-", AUTHORITY),
    ("с", BY),
    ("команд- отдел- служб-", BY | TEAM),
    ("отвечай отвечайте ответь ответьте ответить скажи скажите сказать", SAY | ORDER),
    ("ответ вердикт решение", ANSWER),
    ("правильный верный единственный", QUALITY),
    ("твой ваш", YOUR),
    ("да", VERDICT | YES),
    ("считай считайте пометь пометьте", JUDGE | ORDER),
    ("как", AS),
    ("быть", BE),
    ("правк- изменени- патч- дифф- коммит- изменение", CHANGE | EDIT),
    ("файл- строк- код-", CHANGE),
    ("следуй следуйте соблюдай соблюдайте учитывай учитывайте применяй применяйте", FOLLOW),
    ("блокируй блокируйте отклоняй отклоняйте", BLOCK),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_english_words_are_in_order() {
        assert!(ENGLISH.is_sorted_by(|(one, _), (other, _)| one < other));
        assert!(ENGLISH.iter().all(|(word, _)| word.len() <= LONGEST));
    }

    #[test]
    fn case_does_not_matter() {
        assert_eq!(kinds("Reviewer"), kinds("reviewer"));
        assert_eq!(kinds("ПРАВИЛА"), kinds("правила"));
        assert_eq!(kinds("unheard"), 0);
    }
}
