use serde::Serialize;

use super::{Output, Style, asides, count, escape, record::left};
use crate::{
    entry::{Person, SecondLook, short_sid},
    metrics::{LookedAt, Outcome, SecondLooks},
    question,
};

#[derive(Debug, Serialize)]
pub struct SecondRecorded {
    pub sid: String,
    #[serde(flatten)]
    pub look: SecondLook,
    /// Its question, if the session has to answer that, too.
    pub left: Vec<String>,
    #[serde(skip)]
    pub is_others: bool,
}

impl Output for SecondRecorded {
    const SCHEMA: &'static str = "sq.record.second/v1";

    fn text(&self, style: Style) -> String {
        let SecondLook { entry, q_id, q_version, agrees, .. } = &self.look;
        let name = style.name(&escape(&question::name(q_id, *q_version)));
        let what = if *agrees {
            "the answer is the recorded one"
        } else {
            "the answer is not the recorded one"
        };
        let settles = if self.is_others {
            ""
        } else {
            "  It settles nothing: only another author in another clone, or a person, does.\n"
        };
        let (entry, left) = (escape(entry), left(&self.left));
        format!("second look at {name} of entry {entry}: {what}\n{settles}{left}")
    }
}

#[derive(Debug, Serialize)]
pub struct SecondList {
    /// Oldest first; a sample is in the order of the draw.
    pub open: Vec<LookedAt>,
    pub of: usize,
    pub wrong: Vec<LookedAt>,
    pub unknown: Vec<String>,
}

impl SecondList {
    /// `sample` draws some of the open ones, by a seed.
    pub fn new(looks: SecondLooks, sample: Option<(usize, &str)>, unknown: Vec<String>) -> Self {
        let of = looks.open.len();
        let open = match sample {
            None => looks.open.clone(),
            Some((number, seed)) => looks
                .drawn(None, number, |_| seed.to_owned())
                .into_iter()
                .take(number)
                .cloned()
                .collect(),
        };
        Self { open, of, wrong: looks.wrong, unknown }
    }
}

impl Output for SecondList {
    const SCHEMA: &'static str = "sq.verify.second/v1";

    fn text(&self, style: Style) -> String {
        let open = self.open.iter().map(|look| {
            let standing = match look.outcome {
                Outcome::Disputed => {
                    let differ = count(look.differ, "session");
                    let until = if look.ended { " until a later answer" } else { "" };
                    style.warning(&format!("disputed{until}, {differ} found another answer"))
                }
                _ => "open".to_owned(),
            };
            let what = of_session(&look.name(), &look.sid, look.by.as_ref(), &look.commit, style);
            format!("{what}: {standing}, entry {}\n", escape(&look.entry))
        });
        let wrong = self.wrong.iter().map(|look| {
            let what = of_session(&look.name(), &look.sid, look.by.as_ref(), &look.commit, style);
            let label = style.error("wrong:");
            format!(
                "{label} {what}: {} sessions found another answer, entry {}\n",
                look.differ,
                escape(&look.entry)
            )
        });
        let lines: String = wrong.chain(open).collect();
        let total = match (self.of, self.wrong.len()) {
            (0, 0) => "No answer waits for a second look.\n".to_owned(),
            (of, wrong) => format!("{} open, {wrong} wrong\n", count(of, "answer")),
        };
        lines + &total + &asides(&[], &self.unknown, style)
    }
}

fn of_session(name: &str, sid: &str, by: Option<&Person>, commit: &str, style: Style) -> String {
    let by = by.filter(|by| !by.name.is_empty());
    let by = by.map_or_else(String::new, |by| format!(" ({})", by.name));
    let sid = escape(&format!("{}{by}", short_sid(sid)));
    format!("{} of {sid} at {}", style.name(&escape(name)), style.commit(&commit[..10]))
}
