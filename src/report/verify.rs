//! Fate of recorded answers that were derived again.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Output, Style, asides, escape};
use crate::{
    entry::short_sid,
    evidence::{Replayed, Verdict},
    project::Verified,
    question,
};

/// Recorded answers that were derived again.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Verification {
    /// What fails first, then what can't be told; the newest first.
    pub results: Vec<Replayed>,
    pub holds: usize,
    pub fails: usize,
    pub cant_tell: usize,
    /// Whose content was never published.
    pub outdated: usize,
    /// Total number.
    pub of: usize,
    /// How many of the results were drawn by a seed.
    pub drawn: usize,
    /// Where some were left out and all that were drawn hold: the share of all that is false is less than this, with 95 %
    /// confidence.
    pub false_below: Option<f64>,
    /// Why there may be more entries.
    pub unknown: Vec<String>,
}

impl From<Verified> for Verification {
    fn from(verified: Verified) -> Self {
        let Verified {
            results,
            of,
            drawn,
            unknown,
        } = verified;
        let count = |verdict| {
            let results = results.iter();
            results.filter(|one| one.verdict == verdict).count()
        };
        let [holds, fails, cant_tell, outdated] = [
            Verdict::Holds,
            Verdict::Fails,
            Verdict::CantTell,
            Verdict::Outdated,
        ]
        .map(count);
        let is_clean_sample = drawn > 0 && holds == results.len() && holds < of;
        Self {
            results,
            holds,
            fails,
            cant_tell,
            outdated,
            of,
            drawn,
            false_below: is_clean_sample.then(|| false_below(drawn)),
            unknown,
        }
    }
}

/// A bound above this share tells nobody anything.
const TELLING: f64 = 0.25;

/// The share of false ones at which so many that were drawn would all hold in one case of twenty.
fn false_below(held: usize) -> f64 {
    let held = u32::try_from(held).unwrap_or(u32::MAX);
    1.0 - 0.05_f64.powf(1.0 / f64::from(held))
}

impl Verification {
    /// What it comes to, in a line.
    pub fn total(&self) -> String {
        let Self {
            holds,
            fails,
            cant_tell,
            outdated,
            of,
            ..
        } = *self;
        let verified = self.results.len();
        if verified == 0 {
            return "Nothing to verify: no answer has evidence.\n".into();
        }
        if let Some(share) = self.false_below.filter(|share| *share < TELLING) {
            let percent = share * 100.0;
            let percent = if percent > 1.0 {
                format!("{:.0}", percent.ceil())
            } else {
                format!("{:.1}", (percent * 10.0).ceil() / 10.0)
            };
            return format!(
                "{holds} of {verified} hold: with 95 % confidence fewer than {percent} % of the {of} are false\n"
            );
        }
        if holds == of && of > 1 {
            return format!("all {of} hold\n");
        }
        let fail = (fails > 0).then(|| format!(", {fails} {}", verb(fails, "fail")));
        let untold = (cant_tell > 0).then(|| format!(", {cant_tell} can't be told"));
        let outdated = (outdated > 0).then(|| format!(", {outdated} outdated"));
        let rest =
            (verified < of).then(|| format!("; {} of {of} were not looked at", of - verified));
        let parts = [fail, untold, outdated, rest].into_iter().flatten();
        format!(
            "{holds} of {verified} {}{}\n",
            verb(holds, "hold"),
            parts.collect::<String>()
        )
    }
}

fn verb(number: usize, verb: &str) -> String {
    format!("{verb}{}", if number == 1 { "s" } else { "" })
}

impl Output for Verification {
    const SCHEMA: &'static str = "sq.verify/v1";

    fn text(&self, style: Style) -> String {
        let told = self.results.iter().filter_map(|one| {
            let label = match one.verdict {
                Verdict::Holds => return None,
                Verdict::Fails => style.error("fails:"),
                Verdict::CantTell => style.warning("can't tell:"),
                Verdict::Outdated => style.warning("outdated:"),
            };
            let name = style.name(&escape(&question::name(&one.q_id, one.q_version)));
            let sid = escape(short_sid(&one.sid));
            let (entry, why) = (escape(&one.entry), escape(&one.why));
            Some(format!(
                "{label} {name} of session {sid} ({entry}): {why}\n"
            ))
        });
        told.collect::<String>() + &self.total() + &asides(&[], &self.unknown, style)
    }
}
