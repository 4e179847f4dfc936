//! Earlier entries that matter for a new one.

use std::collections::HashMap;

use serde_json::Value;

use super::super::{Error, Project};
use crate::{
    entry::{Answer, Citation, Envelope, Event, Ts, sha256_hex},
    evidence::{Claim, Moved},
    git::Oid,
    metrics::Thread,
    question::{self, Question, is_same_answer},
    store::{Log, lines_with_marks},
};

/// Number of notes after which nothing older is looked for, unless the whole log has it: a first answer, or one by a
/// probe.
const FAR: usize = 100;

#[derive(Default)]
pub struct Before<'q> {
    trails: Vec<Trail<'q>>,
    /// By question, what the next answer is compared with, as in `check`.
    held: HashMap<String, Held>,
    /// The session and the commit of the nearest entry.
    pub last: Option<(String, Oid)>,
    /// True if no relevant entry is missing.
    seen_all: bool,
    pub session: Option<String>,
    /// The names of questions that the session answered, each with the commit.
    answered: Vec<(String, Oid)>,
}

#[derive(Default)]
struct Held {
    /// The counting answer comes first.
    before: Vec<Last>,
    skipped: Vec<Last>,
    /// The entry among the skipped ones that a correction is about.
    disputed: Option<String>,
    /// The newest entry with an open flag.
    flagged: Option<String>,
}

struct Trail<'q> {
    question: &'q Question,
    newest: Option<Last>,
    /// The nearest one that the new answer does not replace: this session's own answer at HEAD is replaced.
    last: Option<Last>,
    /// The nearest one of another session that the tool gave.
    probed: Option<Last>,
}

pub struct Last {
    pub id: String,
    pub sid: String,
    pub commit: Oid,
    pub note: Option<String>,
    pub answer: Option<Value>,
    pub cites: Vec<Citation>,
    /// Shown in place of the note, the answer and the citations, if the entry is redacted.
    pub mark: Option<String>,
    moved: Moved,
}

impl Last {
    /// The answer of an entry.
    fn of_entry(
        project: &Project,
        (entry, commit): &(String, Oid),
        question: &Question,
    ) -> Option<Self> {
        let text = Log::on(&project.repo, &project.tips, *commit).ok()?;
        let mut lines = lines_with_marks(&text).into_iter();
        lines.find_map(|(line, mark)| {
            let (envelope, results) = answers_in(line)?;
            let is_it = *envelope.id == **entry || sha256_hex(line).starts_with(entry);
            let answer = answer_to(&results, &question.id, question.version);
            let last = Self::of(answer.filter(|_| is_it)?, &envelope, *commit, mark);
            let is_carried = *envelope.repo_head_sha != *commit.to_string();
            Some(Self { moved: Moved::of(&project.repo, &envelope, *commit, is_carried), ..last })
        })
    }

    /// The nearest earlier answer in words that a bare `same` in an entry on `commit` refers to, or none.
    pub fn stood_for(
        project: &Project,
        commit: Oid,
        ts: Ts,
        (id, version): (&str, u32),
    ) -> Result<Option<Self>, Error> {
        let mut found: Option<Self> = None;
        Log::look_back(&project.repo, &project.tips, commit, |commit, text| {
            for (line, mark) in lines_with_marks(text).into_iter().rev() {
                let before = answers_in(line).filter(|(envelope, _)| envelope.ts < ts);
                if let Some((envelope, results)) = before
                    && let Some(answer) = answer_to(&results, id, version)
                    && found.is_none()
                {
                    let last = Self::of(answer, &envelope, commit, mark);
                    found = Some(last).filter(Self::has_words);
                }
            }
            found.is_some()
        })?;
        Ok(found)
    }

    pub fn of(answer: &Answer, envelope: &Envelope, commit: Oid, mark: Option<String>) -> Self {
        Self {
            id: envelope.id.to_string(),
            sid: envelope.sid.to_string(),
            commit,
            note: answer.note.as_ref().map(ToString::to_string),
            answer: answer.answer.clone(),
            cites: answer.cites(),
            mark,
            moved: Moved::No,
        }
    }

    pub fn claim(&self) -> Claim {
        Claim::last(self.commit, self.answer.clone(), &self.cites, self.moved)
    }

    /// Replaces a text from the entry if that is redacted.
    pub fn shown(&self, text: String) -> String {
        self.mark.clone().unwrap_or(text)
    }

    fn has_words(&self) -> bool {
        self.answer.is_some() || self.note.is_some()
    }

    pub fn words(&self) -> Option<Value> {
        let note = || self.note.as_deref().map(Value::from);
        self.answer.clone().or_else(note)
    }

    /// Takes an answer for the nearest one, or for the one that a bare `same` refers to.
    fn meet(place: &mut Option<Self>, older: Self) {
        match place {
            None => *place = Some(older),
            Some(last) if last.has_words() => {}
            Some(last) => {
                (last.answer, last.note) = (older.answer, older.note);
                last.mark = last.mark.take().or(older.mark);
                if last.cites.is_empty() {
                    last.cites = older.cites;
                }
            }
        }
    }
}

impl Trail<'_> {
    fn is_open(&self) -> bool {
        let is_found = self.last.as_ref().is_some_and(Last::has_words);
        !is_found || self.question.probe.is_some() && self.probed.is_none()
    }
}

impl<'q> Before<'q> {
    /// Walks back to the last answer of each question, and through the entries of `session` to its start.
    pub fn look_back(
        project: &Project,
        questions: impl Iterator<Item = &'q Question>,
        session: Option<(String, Option<Ts>)>,
    ) -> Result<Self, Error> {
        let (session, begun) = session.unzip();
        let begun = begun.flatten();
        let mut before = Self::default();
        let mut visited = 0;
        for question in questions {
            if before.trail(question).is_none() {
                before.trails.push(Trail { question, newest: None, last: None, probed: None });
            }
        }
        let Project { repo, tips, tip, .. } = project;
        let latest = project.latest();
        let mut is_given_up = vec![false; before.trails.len()];
        let seen_all = Log::look_back(repo, tips, *tip, |commit, text| {
            let mut newest: Option<(Ts, String)> = None;
            let (mut has_own, mut is_later) = (false, false);
            // The lines of a note are in the order of time.
            for (line, mark) in lines_with_marks(text).into_iter().rev() {
                let Some((envelope, results)) = answers_in(line) else {
                    continue;
                };
                let is_own = session.as_deref() == Some(&*envelope.sid);
                has_own |= is_own;
                for trail in &mut before.trails {
                    let Some(answer) =
                        answer_to(&results, &trail.question.id, trail.question.version)
                    else {
                        continue;
                    };
                    let last = || Last::of(answer, &envelope, commit, mark.clone());
                    Last::meet(&mut trail.newest, last());
                    if !is_own || commit != *tip {
                        Last::meet(&mut trail.last, last());
                    }
                    if !is_own && answer.is_probed() {
                        Last::meet(&mut trail.probed, last());
                    }
                }
                if is_own {
                    let names = results.iter().map(|one| question::name(&one.q_id, one.version()));
                    before.answered.extend(names.map(|name| (name, commit)));
                }
                // A date ahead does not tell when the line was written.
                is_later |= begun.is_some_and(|begun| envelope.ts >= begun)
                    && envelope.ts.as_millis() <= latest;
                if newest.as_ref().is_none_or(|(ts, _)| *ts < envelope.ts) {
                    newest = Some((envelope.ts, envelope.sid.into_owned()));
                }
            }
            if let (None, Some((_, sid))) = (&before.last, newest) {
                before.last = Some((sid, commit));
            }
            visited += 1;
            let trails = before.trails.iter().zip(&mut is_given_up);
            if visited == FAR {
                for (trail, is_given_up) in trails.filter(|(trail, _)| trail.is_open()) {
                    let (question, by_probe) = (trail.question, trail.last.is_some());
                    let is_found = by_probe && question.probe.is_none();
                    *is_given_up = is_found
                        || !project.may_be_answered(question, session.as_deref(), by_probe);
                }
            }
            let mut trails = before.trails.iter().zip(&is_given_up);
            let is_open = trails.any(|(trail, &is_given_up)| trail.is_open() && !is_given_up);
            !is_open && before.last.is_some() && !has_own && !is_later
        })?;
        // Missing history may hold an earlier answer.
        before.seen_all = seen_all && !repo.is_shallow()?;
        before.session = session;
        Ok(before)
    }

    pub fn hold(&mut self, project: &Project, threads: &[Thread]) {
        for thread in threads {
            let mut questions = self.trails.iter().map(|trail| trail.question);
            let Some(question) = questions.find(|one| one.name().to_string() == thread.question)
            else {
                continue;
            };
            let read = |entries: &[(String, Oid)]| {
                let entries = entries.iter();
                entries.filter_map(|entry| Last::of_entry(project, entry, question)).collect()
            };
            let held = Held {
                before: read(&thread.before),
                skipped: read(&thread.skipped),
                disputed: thread.disputed.clone(),
                flagged: thread.flagged.clone(),
            };
            self.held.insert(thread.question.clone(), held);
        }
    }

    /// The newest entry with an open flag.
    pub fn flagged(&self, question: &Question) -> Option<&str> {
        self.held.get(&question.name().to_string())?.flagged.as_deref()
    }

    /// The counting answer before a new one.
    pub fn counting(&self, project: &Project, question: &Question) -> Option<&Last> {
        self.possible(project, question).next()
    }

    /// The answers that may be the counting one; skips this session's own answer at HEAD, which is replaced.
    pub fn possible(&self, project: &Project, question: &Question) -> impl Iterator<Item = &Last> {
        let held = self.held.get(&question.name().to_string());
        let before = held.map_or(&[][..], |held| held.before.as_slice());
        before.iter().filter_map(|last| {
            if self.is_replaced(project, last) { self.last(question) } else { Some(last) }
        })
    }

    /// Answers that don't count, and the nearest one.
    pub fn others(&self, project: &Project, question: &Question) -> Vec<Claim> {
        let held = self.held.get(&question.name().to_string());
        let skipped = held.map_or(&[][..], |held| held.skipped.as_slice()).iter();
        let skipped = skipped.filter(|last| !self.is_replaced(project, last));
        skipped.chain(self.last(question)).map(Last::claim).collect()
    }

    /// The answer that a correction with this answer corrects: a newer one that others dispute, else the one that
    /// counts, else the newest. The session's own at HEAD, if what counted before says the same.
    pub fn corrected(
        &self,
        project: &Project,
        question: &Question,
        answer: Option<&Value>,
    ) -> Option<&Last> {
        let newest = self.newest(question)?;
        let disputed = self.disputed(question).filter(|last| !self.is_replaced(project, last));
        if let Some(disputed) = disputed {
            return Some(disputed);
        }
        let differs = |last: &Last| {
            let words = last.words();
            let shape = question.shape.as_ref();
            words.zip(answer).is_none_or(|(then, now)| !is_same_answer(shape, &then, now))
        };
        let last = self.last(question);
        // The nearest one knows what a bare `same` stands for.
        let counting = self.counting(project, question);
        let counting = counting.map(|one| last.filter(|last| last.id == one.id).unwrap_or(one));
        let is_replaced = self.is_replaced(project, newest);
        let counting = counting.or(last).filter(|last| !is_replaced || differs(last));
        Some(counting.unwrap_or(newest))
    }

    fn disputed(&self, question: &Question) -> Option<&Last> {
        let Held { skipped, disputed, .. } = self.held.get(&question.name().to_string())?;
        skipped.iter().find(|last| Some(&last.id) == disputed.as_ref())
    }

    /// Returns true for this session's own answer at HEAD.
    pub fn is_replaced(&self, project: &Project, last: &Last) -> bool {
        self.session.as_deref() == Some(&*last.sid) && last.commit == project.tip
    }

    fn trail(&self, question: &Question) -> Option<&Trail<'q>> {
        let mut trails = self.trails.iter();
        trails.find(|trail| trail.question.name() == question.name())
    }

    /// Returns true if no answer to a version of the question is known.
    pub fn is_first(&self, question: &Question) -> bool {
        self.seen_all && self.newest(question).is_none()
    }

    pub fn newest(&self, question: &Question) -> Option<&Last> {
        self.trail(question)?.newest.as_ref()
    }

    /// The answer that the next one is compared with; skips this session's own answer at HEAD, which is replaced.
    pub fn last(&self, question: &Question) -> Option<&Last> {
        self.trail(question)?.last.as_ref()
    }

    /// Like `last`, among the tool's answers in other sessions.
    pub fn last_probed(&self, question: &Question) -> Option<&Last> {
        self.trail(question)?.probed.as_ref()
    }

    /// Considers only the session that may go on.
    pub fn is_answered_at(&self, question: &Question, commit: Oid) -> bool {
        self.answered.contains(&(question.name().to_string(), commit))
    }

    pub fn answered(&self) -> Vec<String> {
        self.answered.iter().map(|(name, _)| name.clone()).collect()
    }

    pub fn has_answered(&self, sid: &str, question: &Question) -> bool {
        let is_it = self.session.as_deref() == Some(sid);
        is_it && self.answered().contains(&question.name().to_string())
    }
}

/// Leaves out commands with two different results.
fn answers_in(line: &[u8]) -> Option<(Envelope<'_>, Vec<Answer<'_>>)> {
    let (envelope, mut results) = Event::answers(line)?;
    results.retain(|answer| !answer.is_unstable());
    Some((envelope, results))
}

fn answer_to<'r, 'l>(results: &'r [Answer<'l>], id: &str, version: u32) -> Option<&'r Answer<'l>> {
    let mut answers = results.iter();
    answers.rfind(|answer| *answer.q_id == *id && answer.version() == version)
}
