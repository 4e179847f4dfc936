//! Judges each recorded look; results are cached by everything that they follow from.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    time::{Duration, Instant},
};

use serde_json::json;

use super::{Project, index::Key};
use crate::{
    entry::{Event, Sum, sha256},
    evidence::{Claim, Judge, Judged},
    git::{self, ErrorKind, NotesReader, Oid, Pathspecs},
    metrics::{Disputes, Judgement, Outcome, Standings},
    question::{CiteSettings, Question},
    store::Row,
    timeline::{Lineage, SessionAnswer, Timeline, Unknown},
};

const BATCH: usize = 512;

/// Time for all facts together if a session waits for them.
const PROBING: Duration = Duration::from_secs(2);

/// The work to judge one look, in the unit of `WORTH_WRITING`.
const LOOK: usize = 4;

#[derive(Default)]
pub struct Judgements {
    /// Oldest first.
    pub all: Vec<Judgement>,
    /// In the store's order.
    pub at_tip: Standings,
    pub unknown: Vec<Unknown>,
}

#[derive(Clone, Copy)]
pub struct Unit {
    pub look: usize,
    pub question: usize,
    pub answer: Option<SessionAnswer>,
    pub entry: u32,
}

pub struct Earlier {
    pub answer: SessionAnswer,
    pub standing: Counts,
    pub is_disputed: bool,
    /// The length of the run of answers that don't count and ends here.
    pub not_counting: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Counts {
    Yes,
    /// It leaves an open dispute open.
    Perhaps,
    /// It is flagged or disputed.
    No,
}

/// Judges in the order of time: an answer counts for later ones only if it is not flagged.
pub fn judge(
    project: &Project,
    timeline: &Timeline,
    lineage: &mut dyn Lineage,
    disputes: &Disputes,
) -> Judgements {
    let mut kept = std::mem::take(&mut project.facts.borrow_mut().judged);
    let settings = &timeline.questions.settings;
    let mut judging = Judging {
        project,
        timeline,
        judge: Judge::new(&project.repo, project.tip, &settings.cite),
        reads_ahead: kept.is_empty(),
        units: units(timeline),
        unjudged: unjudged(timeline),
        claims: HashMap::new(),
        noted: HashMap::new(),
        log: None,
        keys: {
            let questions = timeline.questions.questions.iter();
            questions.map(|one| digest(one, &settings.cite)).collect()
        },
        earlier: HashMap::new(),
    };
    let mut found =
        Judgements { unknown: invalid(&timeline.questions.questions), ..Judgements::default() };
    let mut untold: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let mut used: HashMap<Key, Judged> = HashMap::with_capacity(kept.len());
    for place in 0..judging.units.len() {
        let unit = judging.units[place];
        let question = &timeline.questions.questions[unit.question];
        let (before, skipped) = judging.before(lineage, unit, disputes);
        let key = judging.key(unit, &before, &skipped);
        let known = kept.remove(&key).or_else(|| used.get(&key).cloned());
        let judged = known.map_or_else(
            || {
                project.facts.borrow_mut().work += LOOK;
                judging.judge(place, &before, &skipped, disputes)
            },
            Ok,
        );
        let mut judged = if let Ok(judged) = judged {
            used.insert(key, judged.clone());
            judged
        } else {
            let session = timeline.looks[unit.look].session;
            let names = untold.entry(session).or_default();
            names.push(question.name().to_string());
            Judged::default()
        };
        judging.remember(unit, &judged, disputes);
        let lines = unit.answer.iter().chain(&before).chain(&skipped);
        judging.redact(&unit, &mut judged, lines);
        found.all.push(Judgement {
            look: unit.look,
            question: unit.question,
            answer: unit.answer,
            judged,
        });
    }
    project.facts.borrow_mut().judged = used;
    let start = Instant::now();
    for (place, question) in timeline.questions.questions.iter().enumerate() {
        if question.status.is_asked() {
            let is_late = project.is_hurried && start.elapsed() > PROBING;
            let at_tip = if is_late && question.is_fact() {
                Err(git::Error::new(ErrorKind::Other, "no time was left"))
            } else {
                judging.at_tip(lineage, place, question, disputes)
            };
            match at_tip {
                Ok(at_tip) => found.at_tip.0.push(at_tip),
                Err(why) => {
                    let name = question.name().to_string();
                    found.unknown.push(Unknown::Standing(name, why.to_string()));
                }
            }
        }
    }
    found.unknown.extend(untold.into_iter().map(|(session, names)| {
        let sid = timeline.sid(&timeline.sessions[session]).to_owned();
        Unknown::Exposure(sid, names)
    }));
    found
}

/// The looks to judge, in the order of time: those at questions that say what they depend on.
fn units(timeline: &Timeline) -> Vec<Unit> {
    let mut units = Vec::new();
    let is_judged = |question: &usize| timeline.questions.questions[*question].says_dependencies();
    for (place, look) in timeline.looks.iter().enumerate() {
        let unit = |question: usize, answer: Option<SessionAnswer>| Unit {
            look: place,
            question,
            answer,
            entry: answer.map_or(look.last, |answer| answer.entry),
        };
        let answers = look.answers.iter().filter(|(one, _)| is_judged(one));
        units.extend(answers.map(|(question, answer)| unit(*question, Some(*answer))));
        let left_out = look.left_out.iter().filter(|one| is_judged(one));
        units.extend(left_out.map(|question| unit(*question, None)));
    }
    units.sort_by_key(|unit| (unit.entry, unit.answer.is_none()));
    units
}

/// The answers to each other question, oldest first.
fn unjudged(timeline: &Timeline) -> Vec<Vec<SessionAnswer>> {
    let questions = &timeline.questions.questions;
    let mut answers = vec![Vec::new(); questions.len()];
    for (question, answer) in timeline.looks.iter().flat_map(|look| &look.answers) {
        if !questions[*question].says_dependencies() {
            answers[*question].push(*answer);
        }
    }
    for answers in &mut answers {
        answers.sort_unstable();
    }
    answers
}

impl Earlier {
    pub fn of(
        timeline: &Timeline,
        answer: SessionAnswer,
        judged: &Judged,
        disputes: &Disputes,
    ) -> Self {
        let own = disputes.get(answer).map(|dispute| dispute.outcome);
        let corrected = disputes.corrected_by(answer);
        let corrected = corrected.map(|(_, dispute)| dispute.outcome);
        let is_open = [own, corrected].contains(&Some(Outcome::Disputed));
        let is_wrong = own == Some(Outcome::Wrong) || corrected == Some(Outcome::Held);
        let standing = if !judged.flags.is_empty() || is_wrong || own == Some(Outcome::Disputed) {
            Counts::No
        } else if !is_open && disputes.settles_nothing(timeline, answer, judged.is_exposed) {
            Counts::Perhaps
        } else {
            // Of an open dispute, the correction is what later answers are compared with.
            Counts::Yes
        };
        Self { answer, standing, is_disputed: is_open, not_counting: 0 }
    }
}

fn invalid(questions: &[Question]) -> Vec<Unknown> {
    let invalid = questions.iter().filter_map(|question| {
        let error = Pathspecs::parse(&question.dependencies()).err()?;
        let name = question.name().to_string();
        Some(Unknown::Watch(name, error.message))
    });
    invalid.collect()
}

/// Digest of the parts of a question and of the settings that affect a judgement.
fn digest(question: &Question, cite: &CiteSettings) -> Sum {
    let Question { watch, lines, probe, shape, .. } = question;
    sha256(json!([watch, lines, probe, shape, cite]).to_string().as_bytes())
}

type Lines = HashSet<(u64, u64)>;

pub struct Judging<'p> {
    pub project: &'p Project,
    pub timeline: &'p Timeline,
    pub judge: Judge<'p>,
    reads_ahead: bool,
    pub units: Vec<Unit>,
    pub unjudged: Vec<Vec<SessionAnswer>>,
    claims: HashMap<u32, Option<Vec<Option<Claim>>>>,
    /// The lines of a commit's note in a shared log; `None` if that log is missing.
    pub noted: HashMap<(Oid, Oid), Option<Lines>>,
    /// The shared log that was read last.
    pub log: Option<(Oid, NotesReader<'p>)>,
    /// By the question's place.
    keys: Vec<Sum>,
    pub earlier: HashMap<usize, Vec<Earlier>>,
}

impl Judging<'_> {
    fn redact<'a>(
        &self,
        unit: &Unit,
        judged: &mut Judged,
        mut lines: impl Iterator<Item = &'a SessionAnswer>,
    ) {
        let Some(mark) = lines.find_map(|one| self.redaction(*one)) else {
            return;
        };
        let own = unit.answer.and_then(|one| self.redaction(one));
        let other = || format!("the answer that it was compared with was {mark}");
        let mark = own.map_or_else(other, str::to_owned);
        for (_, why) in &mut judged.flags {
            why.clone_from(&mark);
        }
    }

    pub fn redaction(&self, answer: SessionAnswer) -> Option<&str> {
        let row = self.timeline.row(answer.entry);
        self.timeline.events.redaction(row)
    }

    fn remember(&mut self, unit: Unit, judged: &Judged, disputes: &Disputes) {
        if let Some(answer) = unit.answer {
            let earlier = self.earlier.entry(unit.question).or_default();
            let mut one = Earlier::of(self.timeline, answer, judged, disputes);
            if one.standing == Counts::No {
                one.not_counting = 1 + earlier.last().map_or(0, |last| last.not_counting);
            }
            earlier.push(one);
        }
    }

    /// Identifies everything that a judgement follows from: objects by their names, lines by their digests.
    fn key(&self, unit: Unit, before: &[SessionAnswer], skipped: &[SessionAnswer]) -> Key {
        let anchor = |answer: u32| self.timeline.events.anchor(self.timeline.row(answer).anchor);
        let line = |answer: &SessionAnswer| {
            let digest = self.timeline.row(answer.entry).digest;
            (anchor(answer.entry), digest, answer.place)
        };
        let lines = |answers: &[SessionAnswer]| answers.iter().map(line).collect::<Vec<_>>();
        let of = (
            self.keys[unit.question],
            anchor(unit.entry),
            unit.answer.as_ref().map(line),
            lines(before),
            lines(skipped),
        );
        let sum = sha256(&postcard::to_stdvec(&of).unwrap_or_default());
        Key::try_from(&sum[..16]).unwrap_or_default()
    }

    fn judge(
        &mut self,
        place: usize,
        before: &[SessionAnswer],
        skipped: &[SessionAnswer],
        disputes: &Disputes,
    ) -> git::Result<Judged> {
        let unit = self.units[place];
        let question = &self.timeline.questions.questions[unit.question];
        let mut all = Vec::with_capacity(before.len());
        for one in before {
            match self.claim(*one, place) {
                Some(claim) => all.push(claim),
                // The answer is missing, so no rule fires.
                None => return Ok(Judged::default()),
            }
        }
        let others = skipped.iter();
        let others: Vec<Claim> = others.filter_map(|one| self.claim(*one, place)).collect();
        let Some(answer) = unit.answer else {
            let at = self.timeline.row(unit.entry).anchor;
            let at = self.timeline.events.anchor(at);
            return self.judge.left_out(question, at, &all);
        };
        let Some(mut claim) = self.claim(answer, place) else {
            return Ok(Judged::default());
        };
        let corrected = disputes.corrected_by(answer).map(|(corrected, _)| corrected);
        claim.is_correction &= corrected.is_some();
        claim.corrected_at = corrected.and_then(|corrected| Some(self.claim(corrected, place)?.at));
        self.judge.judge(question, &claim, &all, &others)
    }

    pub fn claim(&mut self, answer: SessionAnswer, place: usize) -> Option<Claim> {
        if !self.claims.contains_key(&answer.entry) {
            let ahead = self.units[place..].iter().map(|unit| unit.entry);
            let ahead = ahead.filter(|_| self.reads_ahead).take(BATCH);
            let mut entries: Vec<u32> = ahead.chain([answer.entry]).collect();
            entries.sort_unstable();
            entries.dedup();
            entries.retain(|entry| !self.claims.contains_key(entry));
            self.read(&entries);
        }
        let claims = self.claims.get(&answer.entry)?.as_ref()?;
        claims.get(answer.place as usize)?.clone()
    }

    /// Includes redacted entries: redaction hides words, but does not change a judgement.
    fn read(&mut self, entries: &[u32]) {
        let (repo, events) = (&self.project.repo, &self.timeline.events);
        let rows: Vec<&Row> = entries.iter().map(|&entry| self.timeline.row(entry)).collect();
        let lines = events.raw_lines(repo, &rows);
        for ((&entry, row), line) in entries.iter().zip(&rows).zip(lines) {
            let answers = line.as_deref().and_then(Event::answers);
            let claims = answers.map(|(envelope, answers)| {
                let anchor = events.anchor(row.anchor);
                let is_carried = !events.is_at_head(row);
                let tree = envelope.head.and_then(|head| head.tree.parse().ok());
                let at = if is_carried {
                    tree.filter(|tree| repo.tree_of(*tree).is_ok_and(|found| found == *tree))
                } else {
                    Some(anchor)
                };
                let claim = |answer| Some(Claim::of(answer, at?, is_carried));
                answers.iter().map(claim).collect()
            });
            self.claims.insert(entry, claims);
        }
    }
}
