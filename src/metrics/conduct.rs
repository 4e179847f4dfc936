//! Sessions whose answers rules name, and questions that may be at fault instead.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::Rule;
use crate::{
    entry::Person,
    evidence::{Doubt, Judged},
    timeline::{Claimed, Timeline, short},
};

/// A rule that points at the question names a session from this one on that it fires for.
const THIRD: usize = 3;

/// So many exposed answers in a row without a delta, or with one, are more than an honest agent has.
const WITHOUT: usize = 25;
const WITH: usize = 40;

/// An answer, or the lack of one, that a rule names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    pub rule: Rule,
    pub sid: String,
    pub by: Option<Person>,
    pub question: String,
    /// The id of the entry that answers; empty where the question was left out, or another program wrote the line.
    pub entry: String,
    /// The commit that carries it.
    pub commit: String,
    pub why: String,
    /// Whether it is rather the question that is wrong.
    pub is_of_question: bool,
}

/// What the last sessions said, judged.
#[derive(Debug, Default)]
pub struct Conduct {
    /// The newest session first.
    pub named: Vec<Named>,
    /// The length and the kind of a row of answers that are too much alike: whether they are deltas.
    pub alike: Option<(usize, bool)>,
    /// The rules that name a session, each with its question, by the session's place.
    of_session: HashMap<usize, Vec<(Rule, String)>>,
    /// Questions that say nothing of what they depend on, and were answered although something changed.
    unbound: HashMap<usize, Vec<String>>,
    /// Sessions and numbers of questions whose answers are named.
    answers: HashSet<(usize, u32)>,
}

impl Conduct {
    /// Puts together what the rules make of the timeline's claims, one by one.
    pub fn of(timeline: &Timeline, judged: &[Judged]) -> Self {
        let mut conduct = Self::default();
        let accepted = &timeline.questions.settings.accepted;
        let is_accepted = |claim: &Claimed| {
            let row = claim.answer.map(|answer| timeline.row(answer.entry));
            let id = row.map(|row| timeline.events.id(row));
            id.is_some_and(|id| accepted.iter().any(|one| one == id))
        };
        let mut of_question: HashMap<usize, HashSet<usize>> = HashMap::new();
        for (claim, judged) in timeline.claims.iter().zip(judged) {
            let name = timeline.questions.questions[claim.question].name();
            if judged.is_unbound && judged.is_exposed {
                let unbound = conduct.unbound.entry(claim.session).or_default();
                unbound.push(name.to_string());
            }
            if is_accepted(claim) {
                continue;
            }
            for (doubt, why) in &judged.doubts {
                let is_of_question = points_at_question(*doubt) && {
                    let sessions = of_question.entry(claim.question).or_default();
                    sessions.insert(claim.session);
                    sessions.len() < THIRD
                };
                let named = named(timeline, claim, *doubt, why, is_of_question);
                if !is_of_question {
                    let session = conduct.of_session.entry(claim.session).or_default();
                    session.push((named.rule, named.question.clone()));
                    let number = claim.answer.map(|answer| timeline.answer(answer).question);
                    let answers = number.map(|number| (claim.session, number));
                    conduct.answers.extend(answers);
                }
                conduct.named.push(named);
            }
        }
        conduct.named.reverse();
        conduct.alike = alike(timeline, judged);
        conduct
    }

    /// The rules that name a session, each with its question.
    pub fn names(&self, session: usize) -> &[(Rule, String)] {
        self.of_session.get(&session).map_or(&[], Vec::as_slice)
    }

    /// The questions of which a session said something although nobody knows what they depend on and something changed.
    pub fn unbound(&self, session: usize) -> &[String] {
        self.unbound.get(&session).map_or(&[], Vec::as_slice)
    }

    /// Whether a rule names a session's answer to a question, given by its number.
    pub fn names_answer(&self, session: usize, question: u32) -> bool {
        self.answers.contains(&(session, question))
    }
}

fn named(
    timeline: &Timeline,
    claim: &Claimed,
    doubt: Doubt,
    why: &str,
    is_of_question: bool,
) -> Named {
    let events = &timeline.events;
    let session = &timeline.sessions[claim.session];
    let row = claim.answer.map(|answer| timeline.row(answer.entry));
    Named {
        rule: doubt.into(),
        sid: timeline.sid(session).to_owned(),
        by: events.by(row.unwrap_or_else(|| timeline.judged(session))),
        question: timeline.questions.questions[claim.question]
            .name()
            .to_string(),
        entry: row.map_or_else(String::new, |row| events.id(row).to_owned()),
        commit: short(events.anchor(claim.anchor)),
        why: why.to_owned(),
        is_of_question,
    }
}

fn points_at_question(doubt: Doubt) -> bool {
    matches!(
        doubt,
        Doubt::OffWatch | Doubt::OffTarget | Doubt::DeltaOutsideWatch
    )
}

/// The longest row of exposed answers that are all deltas, or all none, where that is too long. Only questions that say
/// which lines matter count: whole files change without any reason for another answer.
fn alike(timeline: &Timeline, judged: &[Judged]) -> Option<(usize, bool)> {
    let claims = timeline.claims.iter().zip(judged);
    let exposed = claims.filter_map(|(claim, judged)| {
        let answer = timeline.answer(claim.answer?);
        let has_lines = timeline.questions.questions[claim.question].lines.is_some();
        let counts = judged.is_exposed && has_lines && !answer.probed;
        counts.then_some(answer.delta)
    });
    let deltas: Vec<bool> = exposed.collect();
    let rows = deltas.chunk_by(|one, other| one == other);
    let is_too_long = |row: &&[bool]| row.len() >= if row[0] { WITH } else { WITHOUT };
    let longest = rows.filter(is_too_long).max_by_key(|row| row.len())?;
    Some((longest.len(), longest[0]))
}

impl From<Doubt> for Rule {
    fn from(doubt: Doubt) -> Self {
        match doubt {
            Doubt::ClaimContradictsProbe => Self::ClaimContradictsProbe,
            Doubt::LeftOut => Self::LeftOut,
            Doubt::NoEvidence => Self::NoEvidence,
            Doubt::CitationFails => Self::CitationFails,
            Doubt::OffWatch => Self::OffWatch,
            Doubt::OffTarget => Self::OffTarget,
            Doubt::TooWide => Self::TooWide,
            Doubt::NotInQuote => Self::NotInQuote,
            Doubt::AnswerVsDelta => Self::AnswerVsDelta,
            Doubt::DeltaWithoutChange => Self::DeltaWithoutChange,
            Doubt::DeltaOutsideWatch => Self::DeltaOutsideWatch,
            Doubt::SameEvidence => Self::SameEvidence,
        }
    }
}
