//! Drifts with what their entries say.

use super::{Error, Found, Measure, Project};
use crate::{
    entry::{Body, Event, Kind, Text, Verdict, VerdictWord},
    metrics::{BlockingDrift, Drift, Fate, Said, Verdicts, blocking, drifts},
    question::{Question, Severity, Status},
    session::events,
    store::{Events, Row},
    timeline::{SessionAnswer, Timeline},
};

/// How many lines are read at once; many may stand in one note.
const BATCH: usize = 4096;

/// The drifts of one tip's history.
pub struct Drifts {
    pub timeline: Timeline,
    /// Oldest first.
    pub drifts: Vec<Drift>,
    pub verdicts: Verdicts,
}

/// An answer that a verdict can be given on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The id of its entry.
    pub entry: String,
    pub sid: String,
    pub q_id: String,
    pub q_version: u32,
}

impl Judged {
    /// A verdict on it.
    pub fn verdict(&self, verdict: VerdictWord, note: &str) -> Verdict {
        Verdict {
            entry: self.entry.clone(),
            q_id: self.q_id.clone(),
            q_version: self.q_version,
            verdict,
            note: note.to_owned(),
        }
    }
}

impl Drifts {
    /// The drifts that names mean, newest first: one of the questions in one of the sessions, entries and commits, as far
    /// as any of these are named.
    pub fn named<'d>(&'d self, names: &'d [Found]) -> impl Iterator<Item = &'d Drift> {
        let drifts = self.drifts.iter().rev();
        drifts.filter(|drift| {
            let row = self.timeline.row(drift.change.now.entry);
            self.is_named(row, (&drift.q_id, drift.q_version), names)
        })
    }

    /// The answers that names mean and that such a verdict can be given on: drifts that are open or, where none is,
    /// judged; with `Agrees` any answer, with `Open` any that has a verdict.
    pub fn judged(&self, names: &[Found], word: VerdictWord) -> Vec<Judged> {
        let of_answers = |answer: &Judged| {
            let question = (answer.q_id.as_str(), answer.q_version);
            let verdict = || self.verdicts.on(&answer.entry, question, &answer.sid);
            word == VerdictWord::Agrees || verdict().is_some()
        };
        if matches!(word, VerdictWord::Agrees | VerdictWord::Open) {
            return self.answers(names).filter(of_answers).collect();
        }
        let of_drifts = |is_meant: fn(&Drift) -> bool| -> Vec<Judged> {
            let drifts = self.named(names).filter(|drift| is_meant(drift));
            let judged = drifts.map(|drift| Judged {
                entry: drift.entry.clone(),
                sid: drift.sid.clone(),
                q_id: drift.q_id.clone(),
                q_version: drift.q_version,
            });
            judged.collect()
        };
        let open = of_drifts(Drift::is_open);
        if open.is_empty() {
            of_drifts(|drift| matches!(drift.fate, Fate::Judged(_)))
        } else {
            open
        }
    }

    fn answers(&self, names: &[Found]) -> impl Iterator<Item = Judged> {
        let timeline = &self.timeline;
        let events = &timeline.events;
        let sessions = timeline.sessions.iter();
        let answers = sessions.flat_map(|session| timeline.answers(session));
        answers.filter_map(move |answer| {
            let row = timeline.row(answer.entry);
            let (id, version) = events.question(timeline.answer(answer).question);
            let is_meant = self.is_named(row, (id, version), names) && !events.id(row).is_empty();
            is_meant.then(|| Judged {
                entry: events.id(row).to_owned(),
                sid: events.sid(row).to_owned(),
                q_id: id.to_owned(),
                q_version: version,
            })
        })
    }

    fn is_named(&self, row: &Row, question: (&str, u32), names: &[Found]) -> bool {
        let events = &self.timeline.events;
        let told = names.iter().map(|name| match name {
            Found::Question(version) => (0, version.names(question.0, question.1)),
            Found::Session(sid) => (1, sid == events.sid(row)),
            Found::Entry(id) => (2, id == events.id(row)),
            Found::Commit(commit) => (3, *commit == events.anchor(row.anchor)),
        });
        let told: Vec<(u8, bool)> = told.collect();
        told.iter().all(|(kind, _)| told.contains(&(*kind, true)))
    }

    /// What became of a delta, or what a person said of another answer; by its entry.
    pub fn fate(
        &self,
        entry: &str,
        question: (&str, u32),
        sid: &str,
        is_delta: bool,
    ) -> Option<Fate> {
        let is_it = |drift: &&Drift| {
            drift.entry == entry && (drift.q_id.as_str(), drift.q_version) == question
        };
        if let Some(drift) = self.drifts.iter().filter(|_| is_delta).find(is_it) {
            return Some(drift.fate.clone());
        }
        let verdict = self.verdicts.on(entry, question, sid)?;
        Some(Fate::Judged(Box::new(verdict.clone())))
    }
}

impl Project {
    /// Whether there may be anything to say of drifts: questions that block or expect something, or verdicts.
    pub fn judges_drifts(&self, events: &Events) -> bool {
        let judges = |question: &Question| {
            question.severity == Severity::Blocking || question.expect.is_some()
        };
        let store = self.store.as_ref();
        store.is_some_and(|store| store.set.questions.iter().any(judges))
            || events.rows().iter().any(|row| row.is(Kind::Verdict))
    }

    /// All drifts of the tip's history.
    pub fn drifts(&self) -> Result<Drifts, Error> {
        let questions = self.measured_by(&Measure::default())?;
        let (timeline, _) = self.join(questions, false)?;
        let verdicts = Verdicts::of(events(&timeline.events));
        let read = |answers: &[SessionAnswer]| self.said(&timeline, answers);
        let drifts = drifts(&timeline, &verdicts, |_| true, read);
        Ok(Drifts {
            timeline,
            drifts,
            verdicts,
        })
    }

    /// The open drifts of the active questions that block.
    pub(super) fn blocking(&self, timeline: &Timeline) -> Vec<BlockingDrift> {
        let blocks = |number| {
            let (id, version) = timeline.events.question(number);
            let question = timeline.questions.find(id, version);
            question.is_some_and(|question| {
                question.status == Status::Active && question.severity == Severity::Blocking
            })
        };
        let verdicts = Verdicts::of(events(&timeline.events));
        let read = |answers: &[SessionAnswer]| self.said(timeline, answers);
        blocking(timeline, &drifts(timeline, &verdicts, blocks, read))
    }

    /// What the lines of the log say of answers; nothing where a note is missing by now.
    fn said(&self, timeline: &Timeline, answers: &[SessionAnswer]) -> Vec<Said> {
        let batches = answers.chunks(BATCH).flat_map(|batch| {
            let rows: Vec<&Row> = batch.iter().map(|one| timeline.row(one.entry)).collect();
            let lines = timeline.events.lines(&self.repo, &rows);
            let said = batch.iter().zip(lines);
            said.map(|(answer, line)| said_in(&line?, answer.place as usize))
                .map(Option::unwrap_or_default)
                .collect::<Vec<_>>()
        });
        batches.collect()
    }
}

fn said_in(line: &[u8], place: usize) -> Option<Said> {
    let Ok(Event {
        body: Body::Rederive(rederive),
        ..
    }) = Event::parse(line)
    else {
        return None;
    };
    let answer = rederive.results.into_iter().nth(place)?;
    Some(Said {
        value: answer.answer,
        note: answer.note.map(Text::into_owned),
    })
}
