use schemars::JsonSchema;
use serde::Serialize;

use super::{Output, Style, asides, escape};
use crate::{
    entry::short_sid,
    evidence::{Replayed, Verdict},
    project::Verified,
    question,
};

/// Recorded answers that were verified.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Verification {
    /// Contradictions first, then unverified answers; the newest first.
    pub results: Vec<Replayed>,
    pub holds: usize,
    pub fails: usize,
    pub cant_tell: usize,
    /// Number of answers that depend on content that was never published.
    pub outdated: usize,
    /// Total number.
    pub of: usize,
    /// Number of results that were drawn by a seed.
    pub drawn: usize,
    /// An upper bound, with 95 % confidence, of the share of false answers; only for a sample without a contradiction.
    pub false_below: Option<f64>,
    /// Why the log may be incomplete.
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

/// A bound above this share is not shown.
const TELLING: f64 = 0.25;

/// With this share of false answers, a draw of this size would contain none in one case of twenty.
fn false_below(held: usize) -> f64 {
    let held = u32::try_from(held).unwrap_or(u32::MAX);
    1.0 - 0.05_f64.powf(1.0 / f64::from(held))
}

impl Verification {
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
        let untold = (cant_tell > 0).then(|| format!(", {cant_tell} could not be verified"));
        let outdated = (outdated > 0).then(|| format!(", {outdated} outdated"));
        let rest = (verified < of).then(|| format!("; {} of {of} were not checked", of - verified));
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
