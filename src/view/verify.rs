use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Output, Style, asides, count, escape,
    gate::{Gate, Gated, Remark, RemarkKind},
    joined,
};
use crate::{
    entry::{short_sid, word},
    evidence::{Replayed, Verdict},
    project::Verified,
    proof::{Proof, Proved},
    question::{self, Places},
};

/// Recorded answers that were verified.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Verification {
    /// The proofs of the log; empty if only answers were verified.
    pub proofs: Vec<Proved>,
    /// False if only the log was verified.
    #[serde(skip)]
    pub has_answers: bool,
    /// Contradictions first, then unverified answers; the newest first.
    pub results: Vec<Replayed>,
    pub holds: usize,
    pub fails: usize,
    pub cant_tell: usize,
    /// Number of answers that depend on a commit or a question store that is gone, as after a squash.
    pub outdated: usize,
    /// Total number.
    pub of: usize,
    /// Number of results that were drawn by a seed.
    pub drawn: usize,
    /// An upper bound, with 95 % confidence, of the share of false answers; only for a sample without a contradiction.
    pub false_below: Option<f64>,
    /// Why the log may be incomplete.
    pub unknown: Vec<String>,
    /// True if whoever verifies named the signers.
    #[serde(skip)]
    pub has_signers: bool,
    /// The path of the question store, and the places of its questions.
    #[serde(skip)]
    pub store: Option<(String, Places)>,
}

impl From<Verified> for Verification {
    fn from(verified: Verified) -> Self {
        let Verified { results, of, drawn, unknown } = verified;
        let [holds, fails, cant_tell, outdated] =
            [Verdict::Holds, Verdict::Fails, Verdict::CantTell, Verdict::Outdated]
                .map(|verdict| results.iter().filter(|result| result.verdict == verdict).count());
        let is_clean_sample = drawn > 0 && holds == results.len() && holds < of;
        Self {
            has_answers: true,
            results,
            holds,
            fails,
            cant_tell,
            outdated,
            of,
            drawn,
            false_below: is_clean_sample.then(|| false_below(drawn)),
            unknown,
            ..Self::default()
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

/// Failures of one proof, and what it could not tell, that are shown.
const DETAILS: usize = 5;

impl Verification {
    pub fn has_failed(&self) -> bool {
        self.fails > 0 || self.proofs.iter().any(|proved| !proved.fails.is_empty())
    }

    pub fn is_unproved(&self) -> bool {
        let mut proofs = self.proofs.iter();
        proofs.any(|proved| self.needs(proved.proof) && !proved.cant_tell.is_empty())
    }

    /// Returns true for notes and, for named signers, signatures. Gaps of other proofs come from honest work.
    fn needs(&self, proof: Proof) -> bool {
        match proof {
            Proof::AppendOnly => true,
            Proof::Signed => self.has_signers,
            _ => false,
        }
    }

    /// The number of verified answers, and the results.
    pub fn total(&self) -> String {
        let Self { holds, fails, cant_tell, outdated, of, .. } = *self;
        let verified = self.results.len();
        if verified == 0 {
            return "Nothing to verify: no answer has evidence.\n".into();
        }
        let answers = if of == 1 { "recorded answer" } else { "recorded answers" };
        let head = if verified == of {
            format!("verified {of} {answers}")
        } else {
            format!("verified {verified} of {of} {answers}")
        };
        let counts = [
            (holds, "stand"),
            (fails, "do not"),
            (cant_tell, "could not be verified"),
            (outdated, "depend on a commit or store that is gone"),
        ];
        let counts = counts.iter().filter(|(number, _)| *number > 0).map(|(number, what)| {
            let what = match (number, *what) {
                (1, "stand") => "stands",
                (1, "do not") => "does not",
                (1, "depend on a commit or store that is gone") => {
                    "depends on a commit or store that is gone"
                }
                (_, what) => what,
            };
            format!("{number} {what}")
        });
        let counts = if holds == verified && verified > 1 {
            "all stand".to_owned()
        } else {
            joined(counts, ", ")
        };
        let share = self.false_below.filter(|share| *share < TELLING);
        let share = share.map_or_else(String::new, |share| {
            let percent = share * 100.0;
            let percent = if percent > 1.0 {
                format!("{:.0}", percent.ceil())
            } else {
                format!("{:.1}", (percent * 10.0).ceil() / 10.0)
            };
            format!("; with 95 % confidence fewer than {percent} % of the {of} are false")
        });
        format!("{head}: {counts}{share}\n")
    }
}

impl Output for Verification {
    const SCHEMA: &'static str = "sq.verify/v1";

    fn text(&self, style: Style) -> String {
        let listed = self.results.iter().filter_map(|result| {
            let label = match result.verdict {
                Verdict::Holds => return None,
                Verdict::Fails => style.error("fails:"),
                Verdict::CantTell => style.warning("can't tell:"),
                Verdict::Outdated => style.warning("outdated:"),
            };
            let name = style.name(&escape(&question::name(&result.q_id, result.q_version)));
            let sid = escape(short_sid(&result.sid));
            let (entry, why) = (escape(&result.entry), escape(&result.why));
            Some(format!("{label} {name} of session {sid} ({entry}): {why}\n"))
        });
        let proofs: String = self.proofs.iter().map(|proved| row(proved, style)).collect();
        if self.proofs.is_empty() {
            return listed.collect::<String>() + &self.total() + &asides(&[], &self.unknown, style);
        }
        let details: String = self.proofs.iter().map(|proved| details(proved, style)).collect();
        let answers = self
            .has_answers
            .then(|| line(&Proof::Answers.of("answers"), self.total().trim_end(), style));
        let gap = if details.is_empty() { "" } else { "\n" };
        proofs
            + &answers.unwrap_or_default()
            + gap
            + &details
            + &listed.collect::<String>()
            + &asides(&[], &self.unknown, style)
    }
}

impl Gated for Verification {
    fn gate(&self) -> Gate {
        let store = self.store.as_ref();
        let answers = self.results.iter().filter_map(|result| {
            let kind = match result.verdict {
                Verdict::Holds => return None,
                Verdict::Fails => RemarkKind::Error,
                Verdict::CantTell => RemarkKind::Unknown,
                Verdict::Outdated => RemarkKind::Warning,
            };
            let name = question::name(&result.q_id, result.q_version);
            let (sid, entry, why) = (short_sid(&result.sid), &result.entry, &result.why);
            let message = format!("{name} of session {sid} ({entry}): {why}");
            let help = match result.verdict {
                Verdict::Outdated => "",
                _ => "`git sq show` has the entry: derive the answer again",
            };
            let remark = Remark::error(store, "verify", Some(&name), &message, help);
            Some(Remark { kind, ..remark })
        });
        let proofs = self.proofs.iter().flat_map(|proved| {
            let untold =
                if self.needs(proved.proof) { RemarkKind::Unknown } else { RemarkKind::Warning };
            let fails = proved.fails.iter().map(|why| (RemarkKind::Error, why));
            let all = fails.chain(proved.cant_tell.iter().map(move |why| (untold, why)));
            let rule = format!("proof/{}", word(&proved.proof));
            all.map(move |(kind, why)| {
                let remark = Remark::error(store, &rule, None, why, "");
                Remark { kind, ..remark }
            })
        });
        let unknown = self.unknown.iter().map(|why| Remark::unknown(store, why));
        let mut tests: Vec<(String, bool)> =
            self.results.iter().map(|result| (result.q_id.clone(), true)).collect();
        tests.sort_unstable();
        tests.dedup();
        let failed = self.proofs.iter().filter(|proved| !proved.fails.is_empty());
        let (failed, of) = (failed.count(), self.proofs.len());
        let log = (of > 0).then(|| format!("{failed} of {of} proofs of the log fail"));
        let total = self.has_answers.then(|| self.total().trim_end().to_owned());
        Gate {
            remarks: proofs.chain(answers).chain(unknown).collect(),
            questions: tests,
            verdict: joined([log, total].into_iter().flatten(), "\n"),
        }
    }
}

/// Columns of a proof's name.
const NAME: usize = 13;

fn row(proved: &Proved, style: Style) -> String {
    let (what, of) = (proved.what, proved.of);
    let (fails, untold) = (proved.fails.len(), proved.cant_tell.len());
    let mut others = if fails > 0 { format!(", {fails} fail") } else { String::new() };
    if untold > 0 {
        others += &format!(", can't tell for {}", count(untold, "reason"));
    }
    let said = match of {
        0 => format!("no {what}{others}"),
        _ => format!("{what}: {} of {of} hold{others}", proved.holds),
    };
    line(proved, &said, style)
}

fn line(proved: &Proved, said: &str, style: Style) -> String {
    let name = word(&proved.proof);
    let name = match (proved.fails.is_empty(), proved.cant_tell.is_empty()) {
        (false, _) => style.error(&name),
        (true, false) => style.warning(&name),
        (true, true) => style.name(&name),
    } + &" ".repeat(NAME.saturating_sub(name.chars().count()));
    let limit = format!("cannot show {}", proved.cannot_show);
    let limit = style.dim(&style.wrap(&limit, NAME, NAME));
    let said = style.wrap(said, NAME, NAME);
    format!("{name}{said}\n{:NAME$}{limit}\n", "")
}

fn details(proved: &Proved, style: Style) -> String {
    let name = word(&proved.proof);
    let fails = proved.fails.iter().map(|why| (style.error("fails:"), why));
    let untold = proved.cant_tell.iter().map(|why| (style.warning("can't tell:"), why));
    let text: String = fails
        .take(DETAILS)
        .chain(untold.take(DETAILS))
        .map(|(label, why)| format!("{label} {name}: {}\n", escape(why)))
        .collect();
    let more = (proved.fails.len() + proved.cant_tell.len()).saturating_sub(text.lines().count());
    match more {
        0 => text,
        more => format!("{text}  and {more} more of {name}: --format json has all\n"),
    }
}
