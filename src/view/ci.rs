use serde::Serialize;

use super::{
    Check, FactsDocument, Gated, Output, Style, Verification, asides,
    check::{Word, verdict},
    escape,
    facts::place_of,
    gate::{Gate, Remark},
    joined,
};
use crate::{
    ci::System,
    facts::{Found, patch},
    finding::{Rule, Severity},
    project::Carry,
    quote,
};

#[derive(Debug, Serialize)]
pub struct Ci {
    pub system: Option<System>,
    /// The source of questions and limits.
    pub base: Option<String>,
    /// The commit whose questions and limits count, in words.
    #[serde(skip)]
    pub judged_by: String,
    pub carry: Option<Carry>,
    pub unpublished: Option<String>,
    pub check: Check,
    pub verify: Verification,
    /// The facts that the proposal broke and fixed, without the asked ones, which the check judges.
    pub facts: Option<FactsDocument>,
    /// The places of the asked facts that the proposal broke.
    #[serde(skip)]
    pub asked: Vec<Found>,
    pub seed: String,
    pub unknown: Vec<String>,
    /// No error, no contradiction, and nothing unknown.
    pub ok: bool,
}

impl Ci {
    /// Sets `ok`, and lists each unknown fact only once.
    #[must_use]
    pub fn judged(mut self) -> Self {
        let (check, verify) = (&self.check, &mut self.verify);
        verify.unknown.retain(|why| !check.unknown.contains(why));
        self.ok = check.ok && self.unknown.is_empty() && verify.fails + verify.cant_tell == 0;
        self
    }

    /// The word in place of the check's, which would be `clean`.
    fn word(&self) -> Option<Word> {
        let (severity, name, why) = match self.verify.fails {
            0 => (Severity::Warning, "undetermined", String::new()),
            1 => (Severity::Error, "not clean", "1 recorded answer does not stand".to_owned()),
            more => (Severity::Error, "not clean", format!("{more} recorded answers do not stand")),
        };
        (self.check.ok && !self.ok).then_some(Word { severity, name, why })
    }

    fn carried(&self, style: Style) -> Option<String> {
        let carry = self.carry.as_ref()?;
        if carry.carried.is_empty() && carry.orphaned.is_empty() {
            return None;
        }
        let why = self.unpublished.as_ref();
        let why = why.map(|why| format!("not published: {}\n", escape(why)));
        Some(carry.text(style) + &why.unwrap_or_default())
    }
}

impl Output for Ci {
    const SCHEMA: &'static str = "sq.ci/v1";

    fn text(&self, style: Style) -> String {
        let base = self.base.as_deref().map_or_else(
            || {
                let how = if self.unknown.is_empty() { " (use `--base REV`)" } else { "" };
                format!(
                    "No base to compare with{how}: questions and limits are those of this commit.\n"
                )
            },
            |_| format!("Questions and limits are those of {}.\n", escape(&self.judged_by)),
        );
        let again = (self.verify.results.len() < self.verify.of).then(|| {
            let (number, seed) = (self.verify.drawn, quote::word(&self.seed));
            let base = self.base.as_deref().map(quote::word);
            let base = base.map_or_else(String::new, |base| format!("--base {base} "));
            let options = escape(&format!("{base}--sample {number} --seed {seed}"));
            let again = format!("`git sq verify {options}` draws the same");
            format!("  {}\n", style.dim(&again))
        });
        let verified = if self.verify.of == 0 {
            String::new()
        } else {
            self.verify.text(style) + &again.unwrap_or_default()
        };
        let unknown = asides(&[], &self.unknown, style);
        let carried = self.carried(style).unwrap_or_default();
        let (check, verdict) = match self.word() {
            None => (self.check.text(style), String::new()),
            word => (self.check.body(style), verdict(&self.check, word, style) + "\n"),
        };
        let facts = self.facts.as_ref().map(|facts| facts.text(style)).unwrap_or_default();
        let parts = [base, carried, check, verified, facts, unknown, verdict].into_iter();
        joined(parts.filter(|part| !part.is_empty()), "\n")
    }
}

impl Gated for Ci {
    fn gate(&self) -> Gate {
        let mut gate = self.check.gate();
        let verified = self.verify.gate();
        gate.remarks.extend(verified.remarks);
        let store = self.check.store.as_ref();
        let unknown = self.unknown.iter().map(|why| Remark::unknown(store, why));
        gate.remarks.extend(unknown);
        gate.verdict = verdict(&self.check, self.word(), Style::default());
        if self.verify.of > 0 {
            gate.verdict = format!("{}\n{}", verified.verdict, gate.verdict);
        }
        for remark in gate.remarks.iter_mut().filter(|remark| remark.rule == Rule::Failing.name()) {
            let found = self.asked.iter().find(|found| found.asked == remark.about);
            remark.place = found.and_then(place_of).or(remark.place.take());
        }
        if let Some(facts) = &self.facts {
            gate.remarks.extend(facts.gate().remarks);
            gate.verdict = format!("{}\n{}", facts.headline(), gate.verdict);
        }
        gate
    }

    fn patch(&self) -> String {
        let edits = self.asked.iter().filter_map(|found| found.fix.as_ref());
        let edits = edits.flat_map(|fix| &fix.edits);
        patch(edits.chain(self.facts.iter().flat_map(FactsDocument::edits)))
    }
}
