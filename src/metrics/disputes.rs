//! Disputed answers: corrections, the looks of others and verdicts, and their outcome.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::{
    entry::{SecondLook, Verdict, VerdictWord, is_entry_id},
    session::Event,
    timeline::{SessionAnswer, Timeline},
};

/// Looks of others that settle a dispute.
const ENOUGH: usize = 2;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Nobody else has looked.
    #[default]
    Open,
    /// A session corrected the answer, or a reader disagrees, and too few others have looked.
    Disputed,
    Held,
    Wrong,
}

/// A speaker: a clone, and a person's address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Party {
    pub writer: String,
    pub email: String,
}

impl Party {
    /// Others are other clones of other people.
    pub fn is_other(&self, party: &Self) -> bool {
        self.writer != party.writer && self.email != party.email
    }
}

#[derive(Debug, Clone, Default)]
pub struct Dispute {
    pub outcome: Outcome,
    pub correction: Option<SessionAnswer>,
    /// The one who answered, and the one who disagrees.
    pub parties: Vec<Party>,
    /// The sessions whose looks count.
    pub readers: Vec<String>,
    /// Number of sessions that found another answer.
    pub differ: usize,
    /// The time of the last statement.
    pub ts: String,
}

/// The outcome of looks of others, oldest first: true where a reader found the same answer. The side that two confirm
/// first is right.
pub fn settle(is_corrected: bool, looks: &[bool]) -> Outcome {
    let (mut agree, mut differ) = (0, 0);
    for agrees in looks {
        *(if *agrees { &mut agree } else { &mut differ }) += 1;
        if agree == ENOUGH {
            return Outcome::Held;
        }
        if differ == ENOUGH {
            return Outcome::Wrong;
        }
    }
    match (is_corrected || differ > 0, agree > 0) {
        (true, _) => Outcome::Disputed,
        (false, true) => Outcome::Held,
        (false, false) => Outcome::Open,
    }
}

#[derive(Debug, Default)]
pub struct Disputes {
    of: HashMap<SessionAnswer, Dispute>,
    corrected: HashMap<SessionAnswer, SessionAnswer>,
}

struct Statement<'t> {
    ts: String,
    sid: &'t str,
    party: Party,
    agrees: bool,
    /// True if it cites lines.
    is_cited: bool,
    correction: Option<SessionAnswer>,
}

impl Disputes {
    /// Joins corrections, second looks and verdicts, each oldest first.
    pub fn of(
        timeline: &Timeline,
        looks: &[Event<SecondLook>],
        verdicts: &[Event<Verdict>],
    ) -> Self {
        let events = &timeline.events;
        let mut disputes = Self::default();
        let corrections = timeline.corrections();
        if corrections.is_empty() && looks.is_empty() {
            return disputes;
        }
        let entries: HashMap<&str, u32> = timeline.entries_by_id();
        let find = |entry: &str, id: &str, version: u32| {
            let entry = *entries.get(entry).filter(|_| is_entry_id(entry))?;
            let number = events.question_number(id, version)?;
            timeline.answer_in(entry, number)
        };
        let mut said: HashMap<SessionAnswer, Vec<Statement>> = HashMap::new();
        for (now, disputed) in corrections {
            let (id, version) = events.question(timeline.answer(now).question);
            let Some(about) = find(disputed, id, version).filter(|about| about.entry < now.entry)
            else {
                continue;
            };
            let (row, other) = (timeline.row(now.entry), timeline.row(about.entry));
            // Within one look, the last word of a session replaces its earlier one.
            if (row.session, row.anchor) == (other.session, other.anchor) {
                continue;
            }
            disputes.corrected.insert(now, about);
            said.entry(about).or_default().push(Statement {
                ts: events.ts(row).to_string(),
                sid: events.sid(row),
                party: party(timeline, now),
                agrees: false,
                is_cited: true,
                correction: Some(now),
            });
        }
        for look in looks {
            let (body, source) = (&look.body, &look.source);
            let about = find(&body.entry, &body.q_id, body.q_version);
            let (Some(about), Some(writer)) = (about, source.writer.as_deref()) else {
                continue;
            };
            let question = timeline.questions.find(&body.q_id, body.q_version);
            let email = source.by.as_ref().map(|by| by.email.clone()).unwrap_or_default();
            said.entry(about).or_default().push(Statement {
                ts: look.ts.to_string(),
                sid: source.sid.as_str(),
                party: Party { writer: writer.to_owned(), email },
                agrees: body.agrees,
                is_cited: body.is_cited()
                    || question.is_some_and(|question| !question.says_dependencies()),
                correction: None,
            });
        }
        for (about, mut statements) in said {
            statements.sort_by(|one, two| one.ts.cmp(&two.ts));
            disputes.of.insert(about, Dispute::of(&statements, party(timeline, about)));
        }
        disputes.hear(timeline, verdicts, find);
        disputes
    }

    /// A verdict counts more than readers: an answer that a person confirmed is right.
    fn hear(
        &mut self,
        timeline: &Timeline,
        verdicts: &[Event<Verdict>],
        find: impl Fn(&str, &str, u32) -> Option<SessionAnswer>,
    ) {
        for verdict in verdicts.iter().filter(|verdict| verdict.source.writer.is_some()) {
            let body = &verdict.body;
            let found = find(&body.entry, &body.q_id, body.q_version);
            let Some(about) = found.filter(|_| body.verdict == VerdictWord::Agrees) else {
                continue;
            };
            if timeline.events.sid(timeline.row(about.entry)) == verdict.source.sid {
                continue;
            }
            let (about, outcome) = match self.corrected.get(&about) {
                Some(disputed) => (*disputed, Outcome::Wrong),
                None => (about, Outcome::Held),
            };
            if let Some(dispute) = self.of.get_mut(&about) {
                dispute.outcome = outcome;
                dispute.ts = verdict.ts.to_string();
            }
        }
    }

    /// Returns true if an answer leaves an open dispute about its question open: only one with evidence, once what it
    /// depends on changed, of a session that is no party ends it.
    pub fn settles_nothing(
        &self,
        timeline: &Timeline,
        answer: SessionAnswer,
        is_exposed: bool,
    ) -> bool {
        let given = timeline.answer(answer);
        let session = |answer: SessionAnswer| timeline.row(answer.entry).session;
        self.of.iter().any(|(about, dispute)| {
            let mut sides = [Some(*about), dispute.correction].into_iter().flatten();
            dispute.outcome == Outcome::Disputed
                && about.entry < answer.entry
                && timeline.answer(*about).question == given.question
                && (!given.cited
                    || !is_exposed
                    || sides.any(|side| session(side) == session(answer)))
        })
    }

    pub fn get(&self, answer: SessionAnswer) -> Option<&Dispute> {
        self.of.get(&answer)
    }

    pub fn corrected_by(&self, correction: SessionAnswer) -> Option<(SessionAnswer, &Dispute)> {
        let about = *self.corrected.get(&correction)?;
        Some((about, self.of.get(&about)?))
    }

    /// Oldest first.
    pub fn all(&self) -> Vec<(SessionAnswer, &Dispute)> {
        let mut all: Vec<_> = self.of.iter().map(|(answer, dispute)| (*answer, dispute)).collect();
        all.sort_by_key(|(answer, _)| *answer);
        all
    }
}

impl Dispute {
    /// That of an answer at which nobody else has looked.
    pub fn unseen(timeline: &Timeline, answer: SessionAnswer) -> Self {
        Self { parties: vec![party(timeline, answer)], ..Self::default() }
    }

    /// The first who disagrees is a party; only the cited looks of others count.
    fn of(statements: &[Statement], answerer: Party) -> Self {
        let correction = statements.iter().find(|statement| statement.correction.is_some());
        let against = correction.or_else(|| {
            let mut others = statements.iter().filter(|one| one.party.is_other(&answerer));
            others.find(|statement| !statement.agrees && statement.is_cited)
        });
        let parties: Vec<Party> = [Some(answerer), against.map(|against| against.party.clone())]
            .into_iter()
            .flatten()
            .collect();
        let mut seen = HashSet::new();
        // A session's first look counts.
        let looks: Vec<&Statement> = statements
            .iter()
            .filter(|statement| {
                statement.correction.is_none()
                    && statement.is_cited
                    && parties.iter().all(|party| statement.party.is_other(party))
                    && seen.insert((statement.sid, statement.party.writer.as_str()))
            })
            .collect();
        let agrees: Vec<bool> = looks.iter().map(|look| look.agrees).collect();
        let of_parties = usize::from(against.is_some());
        Self {
            outcome: settle(against.is_some(), &agrees),
            correction: correction.and_then(|statement| statement.correction),
            parties,
            readers: looks.iter().map(|look| look.sid.to_owned()).collect(),
            differ: of_parties + agrees.iter().filter(|agrees| !**agrees).count(),
            ts: statements.last().map(|last| last.ts.clone()).unwrap_or_default(),
        }
    }
}

fn party(timeline: &Timeline, answer: SessionAnswer) -> Party {
    let (events, row) = (&timeline.events, timeline.row(answer.entry));
    Party {
        writer: events.writer(row).to_owned(),
        email: events.by(row).map(|by| by.email).unwrap_or_default(),
    }
}
