//! Earlier entries that matter for a new one.

use std::collections::HashMap;

use serde_json::Value;

use super::super::{Error, Project, Snapshot, standing::flag_text};
use crate::{
    entry::{Answer, Citation, Envelope, Event, unstable},
    evidence::{Claim, Moved},
    git::Oid,
    metrics::{Named, Thread},
    question::{self, Question, is_same_answer},
    store::{Events, Row, own_writer},
    timeline::goes_on,
};

/// Number of answers that are read to find one that is whole.
const FAR: usize = 100;

pub struct Before {
    /// By question.
    held: HashMap<String, Held>,
    /// The session and the commit of the newest entry.
    pub last: Option<(String, Oid)>,
    /// True if no relevant entry is missing.
    is_whole: bool,
    pub session: Option<String>,
    /// This clone: another one may give its session the same name.
    writer: Option<String>,
    /// The questions that the session answered.
    answered: Vec<Answered>,
}

struct Answered {
    name: String,
    commit: Oid,
    /// True if the tool answered it.
    is_probed: bool,
}

struct Held {
    /// The newest one that the tool gave, and that the new one does not replace.
    probed: Option<Last>,
    /// The answers that the next one is compared with, as in `check`: the counting one comes first.
    before: Vec<Last>,
    behind: Vec<Last>,
    skipped: Vec<Last>,
    unjudged: Option<Last>,
    /// The entry among the skipped ones that a correction is about.
    disputed: Option<String>,
    /// The newest entry with an open flag.
    flagged: Option<String>,
    /// The entries that a person found right.
    agreed: Vec<String>,
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
    writer: String,
    moved: Moved,
    is_outdated: bool,
    /// Its place in the log, the oldest first.
    place: usize,
}

/// Entries at the tip, and others by name.
struct Entries<'p> {
    project: &'p Project,
    events: &'p Events,
    newest_first: Vec<&'p Row>,
}

impl Entries<'_> {
    fn read(&self, row: &Row, question: &Question) -> Option<Last> {
        Last::read(self.project, self.events, row, (&question.id, question.version))
    }

    fn probed(&self, question: &Question, is_replaced: impl Fn(&Row) -> bool) -> Option<Last> {
        question.probe.as_ref()?;
        let number = self.events.question_number(&question.id, question.version)?;
        let rows = self.newest_first.iter().filter(|row| {
            let answer = self.events.answer_to(row, number);
            let is_probed = answer.is_some_and(|(_, answer)| answer.probed);
            is_probed && !is_replaced(row)
        });
        rows.take(FAR).find_map(|row| self.read(row, question))
    }

    fn named(&self, answers: &[Named], question: &Question) -> Vec<Last> {
        let find = |entry: &str, commit: Oid| {
            let place = self.events.rows().iter().position(|row| {
                self.events.anchor(row.anchor) == commit && self.events.reference(row) == entry
            })?;
            Some(Last { place, ..self.read(&self.events.rows()[place], question)? })
        };
        let read = answers.iter().filter_map(|Named { entry, commit, repeats, is_outdated }| {
            let last = Last { is_outdated: *is_outdated, ..find(entry, *commit)? };
            let repeated = repeats.as_ref().and_then(|(entry, commit)| find(entry, *commit));
            Some(match repeated {
                Some(repeated) => last.repeating(repeated),
                None => last,
            })
        });
        read.collect()
    }

    /// Returns true if the session left the question out so far, and may still answer it.
    fn is_left_out(&self, row: &Row, question: &Question) -> bool {
        let number = self.events.question_number(&question.id, question.version);
        let answers = |number| self.events.answer_to(row, number).is_some();
        !number.is_some_and(answers) && goes_on(self.events, row, self.project.repo.now())
    }

    /// `None` if it is not known where the question stands.
    fn held(
        &self,
        question: &Question,
        is_own: &dyn Fn(&Row) -> bool,
        threads: &[Thread],
    ) -> Option<Held> {
        let name = question.name().to_string();
        let thread = threads.iter().find(|thread| thread.question == name)?;
        let is_replaced = |row: &Row| {
            let is_here = self.events.anchor(row.anchor) == self.project.tip;
            is_own(row) && is_here && self.events.is_at_head(row)
        };
        let mut flags = thread.flagged.iter();
        Some(Held {
            probed: self.probed(question, is_replaced),
            before: self.named(&thread.before, question),
            behind: self.named(&thread.behind, question),
            skipped: self.named(&thread.skipped, question),
            unjudged: self.named(thread.unjudged.as_slice(), question).pop(),
            disputed: thread.disputed.clone(),
            agreed: thread.agreed.clone(),
            flagged: flags
                .rfind(|entry| {
                    let mut own = self.newest_first.iter().filter(|row| is_own(row));
                    let own = own.find(|row| self.events.reference(row) == **entry);
                    !own.is_some_and(|row| is_replaced(row) || self.is_left_out(row, question))
                })
                .map(|entry| {
                    let rows = self.newest_first.iter().copied();
                    flag_text(self.events, rows, question, entry)
                }),
        })
    }
}

impl Last {
    /// The answer to a question version in an entry.
    pub fn read(
        project: &Project,
        events: &Events,
        row: &Row,
        (id, version): (&str, u32),
    ) -> Option<Self> {
        let line = events.raw_lines(&project.repo, &[row]).next()??;
        let (envelope, results) = answers_in(&line)?;
        let commit = events.anchor(row.anchor);
        let mark = events.redaction(row).map(str::to_owned);
        let last = Self::of(answer_to(&results, id, version)?, &envelope, commit, mark);
        let is_carried = !events.is_at_head(row);
        Some(Self {
            moved: Moved::of(&project.repo, &envelope, commit, is_carried),
            writer: events.writer(row).to_owned(),
            ..last
        })
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
            writer: String::new(),
            moved: Moved::No,
            is_outdated: false,
            place: 0,
        }
    }

    fn repeating(self, Self { answer, note, mark, .. }: Self) -> Self {
        Self { answer, note, mark: self.mark.or(mark), ..self }
    }

    pub fn claim(&self) -> Claim {
        Claim::last((self.commit, self.is_outdated), self.answer.clone(), &self.cites, self.moved)
    }

    /// Replaces a text from the entry if that is redacted.
    pub fn shown(&self, text: String) -> String {
        self.mark.clone().unwrap_or(text)
    }

    pub fn words(&self) -> Option<Value> {
        let note = || self.note.as_deref().map(Value::from);
        self.answer.clone().or_else(note)
    }
}

impl Held {
    fn newest(&self) -> Option<&Last> {
        let all = self.before.iter().chain(&self.skipped).chain(&self.unjudged);
        all.max_by_key(|last| last.place).or(self.probed.as_ref())
    }
}

impl Before {
    /// Reads the earlier answers to questions at the tip, and those of a session.
    pub fn of(
        project: &Project,
        snapshot: &Snapshot,
        questions: &[&Question],
        session: Option<String>,
    ) -> Result<Self, Error> {
        let newest_first = snapshot.newest_first().collect();
        let newest = Entries { project, events: &snapshot.events, newest_first };
        let threads = &snapshot.survey.threads;
        let writer = own_writer(&project.repo)?;
        let before = Self::among(&newest, questions, (session, writer), threads);
        let is_open = |one: &&Question| {
            one.probe.is_some() && before.held(one).is_some_and(|held| held.probed.is_none())
        };
        if !snapshot.has_more || !questions.iter().any(is_open) {
            return before.checked(project);
        }
        let timeline = project.timeline()?;
        let newest_first = timeline.newest_first().collect();
        let all = Entries { project, events: &timeline.events, newest_first };
        let own = (before.session, before.writer);
        Self::among(&all, questions, own, threads).checked(project)
    }

    fn among(
        entries: &Entries,
        questions: &[&Question],
        (session, writer): (Option<String>, Option<String>),
        threads: &[Thread],
    ) -> Self {
        let Entries { project, events, newest_first } = entries;
        let is_own = |row: &Row| {
            session.as_deref() == Some(events.sid(row))
                && writer.as_deref() == Some(events.writer(row))
        };
        let held = questions.iter().filter_map(|question| {
            let held = entries.held(question, &is_own, threads)?;
            Some((question.name().to_string(), held))
        });
        let own: Vec<&Row> = newest_first.iter().copied().filter(|row| is_own(row)).collect();
        let mut answered = Vec::new();
        for (row, line) in own.iter().zip(events.raw_lines(&project.repo, &own)) {
            let results = line.as_deref().and_then(answers_in);
            for answer in results.map(|(_, results)| results).unwrap_or_default() {
                let name = question::name(&answer.q_id, answer.version());
                let commit = events.anchor(row.anchor);
                answered.push(Answered { name, commit, is_probed: answer.is_probed() });
            }
        }
        let newest = newest_first.first();
        let last = newest.map(|row| (events.sid(row).to_owned(), events.anchor(row.anchor)));
        Self { held: held.collect(), last, is_whole: true, session, writer, answered }
    }

    fn checked(mut self, project: &Project) -> Result<Self, Error> {
        // Missing history may hold an earlier answer.
        self.is_whole = project.is_whole() && !project.repo.is_shallow()?;
        Ok(self)
    }

    fn held(&self, question: &Question) -> Option<&Held> {
        self.held.get(&question.name().to_string())
    }

    /// The newest open flag in words, unless the new answer replaces it.
    pub fn flagged(&self, question: &Question) -> Option<&str> {
        self.held(question)?.flagged.as_deref()
    }

    /// Returns true if a person found an answer right.
    pub fn is_agreed(&self, question: &Question, last: &Last) -> bool {
        self.held(question).is_some_and(|held| held.agreed.contains(&last.id))
    }

    /// The counting answer before a new one.
    pub fn counting(&self, project: &Project, question: &Question) -> Option<&Last> {
        self.possible(project, question).next()
    }

    /// The answers that may be the counting one; skips this session's own answer at HEAD, which is replaced.
    pub fn possible(&self, project: &Project, question: &Question) -> impl Iterator<Item = &Last> {
        let held = self.held(question);
        let (before, behind) =
            held.map(|held| (held.before.as_slice(), held.behind.as_slice())).unwrap_or_default();
        let replaces = before.iter().any(|last| self.is_replaced(project, last));
        let behind = behind.iter().filter(move |_| replaces);
        behind.chain(before.iter().filter(|last| !self.is_replaced(project, last)))
    }

    /// Newer answers that don't count.
    pub fn others(&self, project: &Project, question: &Question) -> Vec<Claim> {
        let held = self.held(question);
        let skipped = held.map_or(&[][..], |held| held.skipped.as_slice()).iter();
        skipped.filter(|last| !self.is_replaced(project, last)).map(Last::claim).collect()
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
        let is_replaced = self.is_replaced(project, newest);
        let last = self.last(project, question).filter(|last| !is_replaced || differs(last));
        Some(last.unwrap_or(newest))
    }

    fn disputed(&self, question: &Question) -> Option<&Last> {
        let Held { skipped, disputed, .. } = self.held(question)?;
        skipped.iter().find(|last| Some(&last.id) == disputed.as_ref())
    }

    /// Returns true for this session's own answer at HEAD, unless it was carried there.
    pub fn is_replaced(&self, project: &Project, last: &Last) -> bool {
        self.session.as_deref() == Some(&*last.sid)
            && self.writer.as_deref() == Some(&*last.writer)
            && last.commit == project.tip
            && last.moved == Moved::No
    }

    /// Returns true if no answer to a version of the question is known.
    pub fn is_first(&self, question: &Question) -> bool {
        self.is_whole && self.held(question).is_some_and(|held| held.newest().is_none())
    }

    pub fn newest(&self, question: &Question) -> Option<&Last> {
        self.held(question)?.newest()
    }

    /// The counting answer, or else the newest one, or the tool's; skips this session's own at HEAD, which is replaced.
    pub fn last(&self, project: &Project, question: &Question) -> Option<&Last> {
        let Held { skipped, unjudged, probed, .. } = self.held(question)?;
        let is_left = |last: &&Last| !self.is_replaced(project, last);
        let counting = self.counting(project, question);
        counting.or_else(|| skipped.iter().chain(unjudged).find(is_left)).or(probed.as_ref())
    }

    /// The newest answer that the tool gave, and that the new one does not replace.
    pub fn last_probed(&self, question: &Question) -> Option<&Last> {
        self.held(question)?.probed.as_ref()
    }

    /// Returns true if the session that may go on recorded at a commit what the probe of a question finds.
    pub fn is_probed_at(&self, question: &Question, commit: Oid) -> bool {
        let name = question.name().to_string();
        self.answered.iter().any(|one| one.is_probed && one.commit == commit && one.name == name)
    }

    /// The commits at which a session answered a question.
    pub fn answered_at(&self, sid: &str, question: &Question) -> impl Iterator<Item = Oid> {
        let (is_it, name) = (self.session.as_deref() == Some(sid), question.name().to_string());
        let answered = self.answered.iter().filter(move |one| is_it && one.name == name);
        answered.map(|answered| answered.commit)
    }
}

/// Leaves out commands with two different results.
fn answers_in(line: &[u8]) -> Option<(Envelope<'_>, Vec<Answer<'_>>)> {
    let (envelope, mut results) = Event::answers(line)?;
    results.retain(|answer| answer.answer != Some(unstable()));
    Some((envelope, results))
}

fn answer_to<'r, 'l>(results: &'r [Answer<'l>], id: &str, version: u32) -> Option<&'r Answer<'l>> {
    results.iter().rfind(|answer| *answer.q_id == *id && answer.version() == version)
}
