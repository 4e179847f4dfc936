//! Disputed answers: corrections, the looks of others and verdicts, and their outcome.

use std::{
    collections::{HashMap, HashSet},
    iter,
};

use serde::{Deserialize, Serialize};

use crate::{
    entry::{SecondLook, is_entry_id},
    question::{ClosedKind, QuestionRef},
    session::Event,
    store::{Events, Row},
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

/// The outcomes of the disputes that an answer is a side of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// That of the dispute about it.
    pub own: Option<Outcome>,
    /// That of the dispute in which it is the correction.
    pub correction: Option<Outcome>,
}

impl Outcomes {
    /// Returns true if it is a side of an open dispute.
    pub fn are_open(self) -> bool {
        [self.own, self.correction].contains(&Some(Outcome::Disputed))
    }

    /// What others say against it; `None` if nobody does. `is_ended` says that a later answer took the place of both sides.
    pub fn doubt(self, is_ended: bool) -> Option<&'static str> {
        let words =
            if is_ended { "disputed until a later answer" } else { "disputed, and not settled" };
        self.why_false().or_else(|| self.are_open().then_some(words))
    }

    /// Why it was found false; `None` if it was not.
    pub fn why_false(self) -> Option<&'static str> {
        if self.own == Some(Outcome::Wrong) {
            Some("looked at again, it was found wrong")
        } else if self.correction == Some(Outcome::Held) {
            Some("looked at again, the answer that it corrects was found right")
        } else {
            None
        }
    }
}

/// A speaker: a clone, and a person's address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Party {
    pub writer: String,
    pub email: String,
}

impl Party {
    pub fn of(events: &Events, row: &Row) -> Self {
        let email = events.by(row).map(|by| by.email).unwrap_or_default();
        Self { writer: events.writer(row).to_owned(), email }
    }

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
    /// Their clones.
    pub clones: Vec<String>,
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
    /// The corrected answer of each correction.
    corrected: HashMap<SessionAnswer, SessionAnswer>,
    said: HashMap<SessionAnswer, Vec<Statement>>,
    /// The answers that a person said are right.
    right: Vec<SessionAnswer>,
    /// Those of them with which no other person disagrees.
    agreed: Vec<SessionAnswer>,
}

#[derive(Debug, Clone)]
struct Statement {
    ts: String,
    row: Row,
    sid: String,
    party: Party,
    agrees: bool,
    /// True if it cites lines.
    is_cited: bool,
    correction: Option<SessionAnswer>,
}

impl Disputes {
    /// Joins corrections and second looks, each oldest first, with what people closed.
    pub fn of(timeline: &Timeline, looks: &[Event<SecondLook>]) -> Self {
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
            disputes.said.entry(about).or_default().push(Statement {
                ts: events.ts(row).to_string(),
                row: *row,
                sid: events.sid(row).to_owned(),
                party: Party::of(&timeline.events, timeline.row(now.entry)),
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
            disputes.said.entry(about).or_default().push(Statement {
                ts: look.ts.to_string(),
                row: look.row,
                sid: source.sid.clone(),
                party: Party { writer: writer.to_owned(), email },
                agrees: body.agrees,
                is_cited: body.is_cited()
                    || question.is_some_and(|question| !question.says_dependencies()),
                correction: None,
            });
        }
        for statements in disputes.said.values_mut() {
            statements.sort_by(|one, two| one.ts.cmp(&two.ts));
        }
        let closed = timeline.questions.closed.ids(ClosedKind::Dispute);
        disputes.right.extend(closed.filter_map(|closed| {
            let (question, entry) = closed.split_once(' ')?;
            let question: QuestionRef = question.parse().ok()?;
            find(entry, &question.id, question.version.unwrap_or(1))
        }));
        disputes.settle(timeline);
        disputes
    }

    /// The disputes about a question version, by its number, as one knows them who `knows` only some of the lines, and of
    /// what people closed, only that these answers are `right`.
    #[must_use]
    pub fn known(
        &self,
        timeline: &Timeline,
        question: u32,
        right: impl Fn(SessionAnswer) -> bool,
        mut knows: impl FnMut(&Row) -> bool,
    ) -> Self {
        let right = self.right.iter().copied().filter(|answer| right(*answer));
        let mut heard = Self { right: right.collect(), ..Self::default() };
        let about = |answer: &SessionAnswer| timeline.answer(*answer).question == question;
        for (answer, statements) in self.said.iter().filter(|(answer, _)| about(answer)) {
            let said = statements.iter().filter(|statement| knows(&statement.row));
            let said: Vec<Statement> = said.cloned().collect();
            if !said.is_empty() {
                let corrections = said.iter().filter_map(|statement| statement.correction);
                heard.corrected.extend(corrections.map(|correction| (correction, *answer)));
                heard.said.insert(*answer, said);
            }
        }
        heard.settle(timeline);
        heard
    }

    /// The digests of all lines that said something, in order.
    pub fn digests(&self) -> Vec<String> {
        let said = self.said.values().flatten().map(|statement| statement.row.digest_hex());
        let mut digests: Vec<String> = said.collect();
        digests.sort_unstable();
        digests
    }

    /// Returns true if anybody said something of an answer to this question version, by its number.
    pub fn are_about(&self, timeline: &Timeline, question: u32) -> bool {
        self.said.keys().any(|answer| timeline.answer(*answer).question == question)
    }

    /// Settles each dispute by what was said, corrections first: one that was found false corrects nothing. A person counts
    /// more than readers.
    fn settle(&mut self, timeline: &Timeline) {
        let mut answers: Vec<SessionAnswer> = self.said.keys().copied().collect();
        answers.sort_unstable_by(|one, two| two.cmp(one));
        // Two people who disagree settle nothing.
        let corrects =
            |one: &SessionAnswer, other: &SessionAnswer| self.corrected.get(one) == Some(other);
        let agreed = self.right.iter().filter(|right| {
            !self.right.iter().any(|other| corrects(right, other) || corrects(other, right))
        });
        let agreed: Vec<SessionAnswer> = agreed.copied().collect();
        for about in answers {
            let is_false = |correction: SessionAnswer| {
                self.get(correction).is_some_and(|dispute| dispute.outcome == Outcome::Wrong)
            };
            let statements = self.said[&about].iter();
            let said = statements.filter(|said| !said.correction.is_some_and(is_false));
            let said: Vec<&Statement> = said.collect();
            let mut dispute =
                Dispute::of(&said, Party::of(&timeline.events, timeline.row(about.entry)));
            if agreed.contains(&about) {
                dispute.outcome = Outcome::Held;
            } else if agreed.iter().any(|right| corrects(right, &about)) {
                dispute.outcome = Outcome::Wrong;
            }
            self.of.insert(about, dispute);
        }
        self.agreed = agreed;
    }

    /// Returns true if a person said that an answer is right: a correction of it is false.
    pub fn is_agreed(&self, answer: SessionAnswer) -> bool {
        self.agreed.contains(&answer)
    }

    /// Returns true if a person said that a correction of an answer is right.
    pub fn is_rejected(&self, answer: SessionAnswer) -> bool {
        self.agreed.iter().any(|right| self.corrected.get(right) == Some(&answer))
    }

    /// The sides of each open dispute about a question version, by its number: the answer, and its correction. Oldest first.
    pub fn open(&self, timeline: &Timeline, question: u32) -> Vec<Vec<SessionAnswer>> {
        let open = self.of.iter().filter(|(about, dispute)| {
            dispute.outcome == Outcome::Disputed && timeline.answer(**about).question == question
        });
        let mut sides: Vec<Vec<SessionAnswer>> = open
            .map(|(about, dispute)| iter::once(*about).chain(dispute.correction).collect())
            .collect();
        sides.sort_unstable();
        sides
    }

    pub fn get(&self, answer: SessionAnswer) -> Option<&Dispute> {
        self.of.get(&answer)
    }

    pub fn outcomes(&self, answer: SessionAnswer) -> Outcomes {
        let corrected = self.corrected_by(answer);
        Outcomes {
            own: self.get(answer).map(|dispute| dispute.outcome),
            correction: corrected.map(|(_, dispute)| dispute.outcome),
        }
    }

    pub fn corrected_by(&self, correction: SessionAnswer) -> Option<(SessionAnswer, &Dispute)> {
        let about = *self.corrected.get(&correction)?;
        Some((about, self.of.get(&about)?))
    }

    /// The last of the sessions that found a correction false; the corrected answer stands then.
    pub fn refuted_by(&self, correction: SessionAnswer) -> Option<&str> {
        let (_, about) = self.corrected_by(correction)?;
        let own = self.get(correction).filter(|own| own.outcome == Outcome::Wrong);
        let refuted = own.or(Some(about).filter(|about| about.outcome == Outcome::Held));
        refuted?.readers.last().map(String::as_str)
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
        Self {
            parties: vec![Party::of(&timeline.events, timeline.row(answer.entry))],
            ..Self::default()
        }
    }

    /// The first who disagrees is a party; only the cited looks of others count.
    fn of(statements: &[&Statement], answerer: Party) -> Self {
        let statements = || statements.iter().copied();
        let mut corrections = statements().filter(|statement| statement.correction.is_some());
        let correction = corrections.next().map(|first| {
            // A session's last word at a commit replaces its earlier one.
            let look = |one: &Statement| (one.row.session, one.row.anchor);
            corrections.rfind(|one| look(one) == look(first)).unwrap_or(first)
        });
        let against = correction.or_else(|| {
            let mut others = statements().filter(|one| one.party.is_other(&answerer));
            others.find(|statement| !statement.agrees && statement.is_cited)
        });
        let parties: Vec<Party> = [Some(answerer), against.map(|against| against.party.clone())]
            .into_iter()
            .flatten()
            .collect();
        let mut seen = HashSet::new();
        // A clone's first look counts.
        let looks: Vec<&Statement> = statements()
            .filter(|statement| {
                statement.correction.is_none()
                    && statement.is_cited
                    && parties.iter().all(|party| statement.party.is_other(party))
                    && seen.insert(&statement.party.writer)
            })
            .collect();
        let agrees: Vec<bool> = looks.iter().map(|look| look.agrees).collect();
        let of_parties = usize::from(against.is_some());
        Self {
            outcome: settle(against.is_some(), &agrees),
            correction: correction.and_then(|statement| statement.correction),
            parties,
            readers: looks.iter().map(|look| look.sid.clone()).collect(),
            clones: looks.iter().map(|look| look.party.writer.clone()).collect(),
            differ: of_parties + agrees.iter().filter(|agrees| !**agrees).count(),
            ts: statements().last().map(|last| last.ts.clone()).unwrap_or_default(),
        }
    }
}
