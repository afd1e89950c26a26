//! Does what a decision keeps of its response say the same as its summary?
//!
//! Searches read the summary, people and replays the response: so a record in which the two
//! differ is wrong, even when its hash is right. What is equal is what Python takes for equal.

use super::tree::{Item, Shape};
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Where a summary and its response differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Differs {
    /// There is no response.
    NoResponse,
    /// The hash of the input.
    Input,
    /// The steps that were taken.
    Steps,
    /// A step does not follow the one before it.
    Links,
    /// The answers.
    Answers,
    /// How sure the answers are.
    Confidence,
    /// What settled a question in place of its answer.
    Guards,
    /// The safeguards that spoke.
    Safeguards,
    /// The models that ran.
    Models,
    /// The planned steps.
    Flow,
    /// The response is not laid out as one.
    Shape,
}

/// What is not laid out as it should be cannot be compared.
struct Misshapen;

type Checked<T> = Result<T, Misshapen>;

/// Returns where the response of a decision and its summary differ.
#[must_use]
pub fn differences(record: Item<'_>) -> Vec<Differs> {
    let compact = record.get("record").is_some_and(|form| form.is_text("compact"));
    let response = record.get(if compact { "compact" } else { "response" });
    let Some(response) = response.filter(|response| response.shape() == Shape::Object) else {
        return vec![Differs::NoResponse];
    };
    let mut found = Vec::new();
    let compared = Pair { record, response, compact }.compare(&mut found);
    if compared.is_err() {
        // What was found before the trouble may come of the same trouble.
        return vec![Differs::Shape];
    }
    found
}

#[derive(Clone, Copy)]
struct Pair<'a> {
    record: Item<'a>,
    response: Item<'a>,
    compact: bool,
}

impl<'a> Pair<'a> {
    fn compare(self, found: &mut Vec<Differs>) -> Checked<()> {
        let mut note = |differs: bool, what| found.extend(differs.then_some(what));
        let trace = self.response.get("trace");
        let (init, steps) = (field(trace, "init_hash")?, list(field(trace, "records")?)?);
        note(!same(init, self.record.get("init_hash")), Differs::Input);
        if self.compact {
            let (known, linked) = self.kept_steps(&steps)?;
            note(!known, Differs::Steps);
            note(!linked, Differs::Links);
        } else {
            note(!self.same_steps(&steps)?, Differs::Steps);
            note(!is_linked(init, &steps)?, Differs::Links);
        }
        let (answers, sure) = self.same_answers()?;
        note(!answers, Differs::Answers);
        note(!sure, Differs::Confidence);
        note(!self.same_guards()?, Differs::Guards);
        note(!self.same_safeguards()?, Differs::Safeguards);
        note(!self.same_models(&steps)?, Differs::Models);
        note(!self.compact && !self.same_flow()?, Differs::Flow);
        Ok(())
    }

    /// Compares number, name and hash of every step.
    fn same_steps(self, steps: &[Item<'a>]) -> Checked<bool> {
        let Some(index) = self.record.get("records").and_then(Item::items) else {
            return Ok(false);
        };
        let mut index = index;
        for step in steps {
            let named = named(*step)?;
            let indexed = index.next().and_then(three);
            if !indexed.is_some_and(|indexed| same_three(indexed.map(Some), named)) {
                return Ok(false);
            }
        }
        Ok(index.next().is_none())
    }

    /// Tells of a compact record whether every step that it keeps is among the steps of the
    /// summary, and whether each follows the one before it there.
    fn kept_steps(self, steps: &[Item<'a>]) -> Checked<(bool, bool)> {
        let index: Vec<_> = list(self.record.get("records"))?.into_iter().map(three).collect();
        let (mut known, mut linked) = (true, true);
        for step in steps {
            let named = named(*step)?;
            let is_it = |indexed: &Option<[Item<'a>; 3]>| {
                indexed.is_some_and(|indexed| same_three(indexed.map(Some), named))
            };
            let Some(at) = index.iter().rposition(is_it) else {
                known = false;
                continue;
            };
            let before = match at.checked_sub(1) {
                None => self.record.get("init_hash"),
                Some(at) => index.get(at).copied().flatten().map(|[_, _, hash]| hash),
            };
            linked &= same(step.get("prev"), before);
        }
        Ok((known, linked))
    }

    fn results(self) -> Checked<Vec<(&'a [u8], Item<'a>)>> {
        object(self.response.get("results"))
    }

    /// Compares the answers with their status, and how sure they are.
    fn same_answers(self) -> Checked<(bool, bool)> {
        let (results, answers) = (self.results()?, object(self.record.get("answers"))?);
        let (mut alike, mut sure) = (results.len() == answers.len(), true);
        for (question, answer) in answers {
            let Some([answer, confidence, status]) = three(answer) else {
                return Err(Misshapen);
            };
            let Some((_, result)) = results.iter().find(|(other, _)| *other == question) else {
                alike = false;
                continue;
            };
            let own = field(Some(*result), "answer")?;
            let unstated = result.get("not_stated").is_some_and(Item::is_truthy);
            let own = own.filter(|_| !unstated);
            let answer = Some(answer).filter(|answer| !answer.is_text("<not stated>"));
            alike &= spelled(own) == spelled(answer);
            alike &= match result.get("status") {
                None if self.compact => status.is_text("ok"),
                own => same(own, Some(status)),
            };
            sure &= same_confidence(confidence, result.get("confidence"));
        }
        Ok((alike, sure))
    }

    fn same_guards(self) -> Checked<bool> {
        let Some(guards) = self.record.get("guards") else { return Ok(true) };
        let Some(guards) = guards.fields() else { return Ok(false) };
        let mut own = Vec::new();
        for (question, result) in self.results()? {
            let guard = field(Some(result), "guard")?.filter(|guard| guard.is_truthy());
            own.extend(guard.map(|guard| (question, guard)));
        }
        Ok(same_fields(&own, &guards.collect::<Vec<_>>()))
    }

    fn same_safeguards(self) -> Checked<bool> {
        let own = list(self.response.get("safeguards"))?;
        let Some(index) = self.record.get("safeguards") else { return Ok(true) };
        let Some(mut index) = index.items() else { return Ok(false) };
        for safeguard in own {
            let kind = field(Some(safeguard), "kind")?;
            let mut questions = texts(safeguard.get("questions"))?;
            questions.sort_unstable();
            let Some([other, fact, asked]) = index.next().and_then(three) else {
                return Ok(false);
            };
            let asked = asked.items().ok_or(Misshapen)?.map(Item::text).collect::<Option<Vec<_>>>();
            let alike = same(kind, Some(other))
                && same(safeguard.get("fact"), Some(fact))
                && asked == Some(questions);
            if !alike {
                return Ok(false);
            }
        }
        Ok(index.next().is_none())
    }

    /// Compares the models that ran: those of the steps, and those that were tried beside.
    fn same_models(self, steps: &[Item<'a>]) -> Checked<bool> {
        let Some(index) = self.record.get("models") else { return Ok(true) };
        let mut own = BTreeSet::new();
        for step in steps {
            let tried = step.get("tried_models").filter(|tried| tried.is_truthy());
            let tried = object(tried)?.into_iter().map(|(_, model)| model);
            let models = step.get("model").into_iter().chain(tried);
            own.extend(models.filter(|model| model.shape() == Shape::Object).map(model));
        }
        let Some(index) = index.items() else { return Ok(false) };
        Ok(index.map(|model| spelled(Some(model))).eq(own))
    }

    fn same_flow(self) -> Checked<bool> {
        let flow = field(Some(self.response), "flow")?;
        let steps = list(field(flow, "steps")?)?;
        let Some(index) = self.record.get("flow") else { return Ok(true) };
        let Some(mut index) = index.items() else { return Ok(false) };
        for step in steps {
            let name = field(Some(step), "name")?;
            let Some(indexed) = index.next() else { return Ok(false) };
            if !same(name, Some(indexed)) {
                return Ok(false);
            }
        }
        Ok(index.next().is_none())
    }
}

/// Tells whether every step names the hash of the one before it, and the first that of the input.
fn is_linked<'a>(init: Option<Item<'a>>, steps: &[Item<'a>]) -> Checked<bool> {
    let mut before = init;
    for step in steps {
        if !same(field(Some(*step), "prev")?, before) {
            return Ok(false);
        }
        before = step.get("hash");
    }
    Ok(true)
}

/// Returns the field of what is an object or nothing.
fn field<'a>(value: Option<Item<'a>>, key: &str) -> Checked<Option<Item<'a>>> {
    match value {
        Some(value) if value.shape() == Shape::Object => Ok(value.get(key)),
        Some(value) if value.is_truthy() => Err(Misshapen),
        _ => Ok(None),
    }
}

fn list(value: Option<Item<'_>>) -> Checked<Vec<Item<'_>>> {
    match value.filter(|value| value.is_truthy()) {
        None => Ok(Vec::new()),
        Some(value) => Ok(value.items().ok_or(Misshapen)?.collect()),
    }
}

fn object(value: Option<Item<'_>>) -> Checked<Vec<(&[u8], Item<'_>)>> {
    match value.filter(|value| value.is_truthy()) {
        None => Ok(Vec::new()),
        Some(value) => Ok(value.fields().ok_or(Misshapen)?.collect()),
    }
}

fn texts(value: Option<Item<'_>>) -> Checked<Vec<String>> {
    list(value)?.into_iter().map(|item| item.text().ok_or(Misshapen)).collect()
}

fn three(list: Item<'_>) -> Option<[Item<'_>; 3]> {
    let mut items = list.items()?;
    let three = [items.next()?, items.next()?, items.next()?];
    items.next().is_none().then_some(three)
}

/// Returns number, name and hash of a step.
fn named(step: Item<'_>) -> Checked<[Option<Item<'_>>; 3]> {
    if step.shape() != Shape::Object {
        return Err(Misshapen);
    }
    Ok(["step", "name", "hash"].map(|key| step.get(key)))
}

fn same_three(one: [Option<Item<'_>>; 3], other: [Option<Item<'_>>; 3]) -> bool {
    one.iter().zip(other).all(|(one, other)| same(*one, other))
}

fn same_fields(one: &[(&[u8], Item<'_>)], other: &[(&[u8], Item<'_>)]) -> bool {
    let mut pairs = one.iter().zip(other);
    one.len() == other.len()
        && pairs.all(|((key, value), (its, other))| key == its && same(Some(*value), Some(*other)))
}

/// Compares two values; one that is not there is `null`.
fn same(one: Option<Item<'_>>, other: Option<Item<'_>>) -> bool {
    let (Some(one), Some(other)) = (one, other) else {
        let there = one.or(other);
        return there.is_none_or(|there| there.shape() == Shape::Null);
    };
    let whole = [one, other].iter().all(|value| value.shape() == Shape::Integer);
    if let (Some(one), Some(other), false) = (number(one), number(other), whole) {
        return one.partial_cmp(&other).is_some_and(Ordering::is_eq);
    }
    if one.shape() != other.shape() {
        return false;
    }
    if let (Some(mut items), Some(mut others)) = (one.items(), other.items()) {
        loop {
            match (items.next(), others.next()) {
                (None, None) => return true,
                (Some(item), Some(other)) if same(Some(item), Some(other)) => {}
                _ => return false,
            }
        }
    }
    match (one.fields(), other.fields()) {
        (Some(fields), Some(others)) => {
            same_fields(&fields.collect::<Vec<_>>(), &others.collect::<Vec<_>>())
        }
        _ => one.raw() == other.raw(),
    }
}

/// Returns a number, as which Python also takes `true` and `false`.
fn number(value: Item<'_>) -> Option<f64> {
    match value.shape() {
        Shape::Truth => Some(if value.is_truthy() { 1.0 } else { 0.0 }),
        _ => value.number(),
    }
}

/// Compares a confidence, which the summary rounds to four decimals.
fn same_confidence(rounded: Item<'_>, whole: Option<Item<'_>>) -> bool {
    let exact = whole.filter(|whole| whole.shape() != Shape::Truth).and_then(tagged);
    match (tagged(rounded), exact) {
        (Some(rounded), Some(exact)) if exact.is_finite() => {
            format!("{exact:.4}").parse() == Ok(rounded)
        }
        (Some(rounded), Some(exact)) => rounded.total_cmp(&exact).is_eq(),
        _ => spelled(Some(rounded)) == spelled(whole),
    }
}

/// Returns a number, also one that JSON has no spelling for and that stands in an object.
fn tagged(value: Item<'_>) -> Option<f64> {
    match value.get("$float") {
        Some(tag) => tag.plain()?.parse().ok(),
        None => number(value),
    }
}

fn spelled(value: Option<Item<'_>>) -> Vec<u8> {
    let mut out = Vec::new();
    match value {
        Some(value) => value.write(&mut out),
        None => out.extend_from_slice(b"null"),
    }
    out
}

/// Returns the canonical spelling of what the summary keeps of a model.
fn model(model: Item<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    for (key, begin) in [("fp", "{\"fp\":"), ("id", ",\"id\":"), ("type", ",\"type\":")] {
        out.extend_from_slice(begin.as_bytes());
        let value = model.get(key);
        match value.map(Item::shape) {
            Some(Shape::Text) => out.extend(spelled(value)),
            // The summary has every part as a string, as Python would write it.
            None | Some(Shape::Null) => out.extend_from_slice(b"\"None\""),
            Some(Shape::Truth) if value.is_some_and(Item::is_truthy) => {
                out.extend_from_slice(b"\"True\"");
            }
            Some(Shape::Truth) => out.extend_from_slice(b"\"False\""),
            Some(_) => {
                out.push(b'"');
                out.extend(spelled(value));
                out.push(b'"');
            }
        }
    }
    out.push(b'}');
    out
}

#[cfg(test)]
mod tests;
