//! Second looks: the answers that a session has to give again, and their results.

use std::{fs, path::PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    Error, Project,
    recording::{before::Last, read_at},
};
use crate::{
    entry::{
        Answer, Citation, Cited, Envelope, Event, Kind, SecondLook, one_line, sha256_hex,
        value_text,
    },
    evidence::{Cites, Found, is_empty},
    git::Oid,
    metrics::{LookedAt, Party, SecondLooks},
    question::{self, Question, QuestionSet, canonical, is_same_answer},
    session,
    store::{Events, LocalState, Row, state_dir},
    timeline::short,
};

const FAR: usize = 1000;

/// An answer that needs a second look.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SecondAsked {
    /// The id of the entry with the answer, which `git sq record --second` takes.
    pub entry: String,
    /// The question; its version is left out if it is 1.
    pub question: String,
    pub q: String,
    /// The commit of the answer.
    pub commit: String,
}

pub enum Compared {
    Look {
        look: SecondLook,
        /// True if the reader is neither the author of the answer nor in that clone.
        is_others: bool,
    },
    /// The tool can't compare the answers, so the reader has to; with both answers.
    Asks(String),
}

/// The file with a reader's answer, kept until the reader has compared it with the recorded one.
fn blind_answer(project: &Project, reader: &str, entry: &str, name: &str) -> PathBuf {
    let key = sha256_hex(format!("{reader} {entry} {name}").as_bytes());
    state_dir(&project.repo).join(format!("second-{}", &key[..16]))
}

impl Project {
    /// Draws answers for a second look. The seed is the newest commit by another author, if there is one, else the tip:
    /// a session can't choose which of its answers are checked.
    pub fn second_looks(
        &self,
        looks: &SecondLooks,
        set: &QuestionSet,
        reader: Option<&str>,
    ) -> Vec<SecondAsked> {
        let party = self.reader();
        let most = set.settings.second.per_session as usize;
        looks
            .drawn(Some((reader.unwrap_or_default(), &party)), most, |answer| self.seed(answer))
            .into_iter()
            .map(|answer| {
                let question = set.find(&answer.q_id, answer.q_version);
                SecondAsked {
                    entry: answer.entry.clone(),
                    question: answer.name(),
                    q: question.map(|question| question.text.clone()).unwrap_or_default(),
                    commit: answer.commit.clone(),
                }
            })
            .collect()
    }

    /// Whoever reads here: this clone, and the identity that its entries get.
    fn reader(&self) -> Party {
        let writer = LocalState::read(&self.repo).ok().and_then(|state| state.writer);
        let email = self.repo.identity().map(|person| self.mailmap().resolve(&person).email);
        Party { writer: writer.unwrap_or_default(), email: email.unwrap_or_default() }
    }

    fn seed(&self, answer: &LookedAt) -> String {
        let by = answer.by.as_ref().map(|by| by.email.as_str());
        let mut commit = Some(self.tip);
        for _ in 0..FAR {
            let Some(here) = commit.filter(|here| here.to_string() != answer.commit) else {
                break;
            };
            let author = self.repo.author(here).ok();
            if author.is_some_and(|author| Some(author.email.as_str()) != by) {
                return here.to_string();
            }
            commit = self.repo.first_parent(here).ok().flatten();
        }
        self.tip.to_string()
    }

    /// Compares the answer of session `reader` with that of an entry. `agrees` is the reader's own judgement, for
    /// answers that the tool can't compare. The inner error says why this is not a second look.
    pub fn compare_second(
        &self,
        set: &QuestionSet,
        reader: &str,
        entry: &str,
        (name, found, note): (&str, &Value, Option<String>),
        cites: &[String],
        agrees: Option<bool>,
    ) -> Result<Result<Compared, String>, Error> {
        let refuse = |why: String| Ok(Err(why));
        let events = self.events()?;
        let timeline = self.timeline()?;
        // Of an entry on several commits, the brief names the one that counts here.
        let mut rows = timeline.newest_first().chain(events.rows());
        let row = rows.find(|row| row.is(Kind::Rederive) && events.id(row) == entry);
        let Some(row) = row else {
            return refuse(format!("there is no entry {entry} with answers"));
        };
        if events.sid(row) == reader {
            return refuse(format!("session {reader} gave that answer itself"));
        }
        let line = events.raw_lines(&self.repo, &[row]).next().flatten();
        let Some((envelope, answers)) = line.as_deref().and_then(Event::answers) else {
            return refuse(format!("entry {entry} can't be read"));
        };
        let named = |id: &str, version| question::name(id, version) == name;
        let mut results = answers.iter();
        let Some(answer) = results.find(|answer| named(&answer.q_id, answer.version())) else {
            return refuse(format!("entry {entry} has no answer to {name}"));
        };
        let is_given = |look: &session::Event<SecondLook>| {
            let body = &look.body;
            look.source.sid == reader && body.entry == entry && named(&body.q_id, body.q_version)
        };
        if session::events::<SecondLook>(&events).iter().any(is_given) {
            return refuse(format!("session {reader} has already taken a second look at it"));
        }
        if answer.is_probed() {
            return refuse(format!(
                "a probe gave that answer; to verify it: `git sq verify --entry {entry}`"
            ));
        }
        let commit = events.anchor(row.anchor);
        let question = set.find(&answer.q_id, answer.version());
        let shape = question.and_then(|question| question.shape.as_ref());
        let read = match question {
            Some(question) => read_at(self, question, found, commit),
            None => canonical(None, found),
        };
        let (value, found) = match read {
            Ok(value) => (value.clone(), Found::Value(value).recorded()),
            Err(expected) => {
                return refuse(format!("{found} is not an answer to {name}: {expected}"));
            }
        };
        let evidence = match self.cited_at(commit, cites) {
            Ok(evidence) => evidence,
            Err(why) => return refuse(why),
        };
        // Without lines, a look settles nothing; that there is nothing has none.
        let needs_lines = |asked: &Question| {
            asked.requires_evidence() || asked.says_dependencies() && !is_empty(&value)
        };
        if evidence.is_none() && question.is_some_and(needs_lines) {
            return refuse(format!(
                "a second look at {name} needs the lines that show it at {}: --cite {name}=path:3-5",
                short(commit)
            ));
        }
        // Once the session has seen the recorded answer, its own is final.
        let first = blind_answer(self, reader, entry, name);
        let before =
            fs::read(&first).ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
        if let Some(before) = before.filter(|before| *before != found) {
            return refuse(format!(
                "session {reader} answered {before} before it saw the recorded answer"
            ));
        }
        let Some(stood_for) = self.stood_for(&events, row, &envelope, answer)? else {
            return refuse(format!(
                "{entry} repeats an answer to {name} that HEAD does not contain"
            ));
        };
        let recorded = stood_for.words();
        let same = recorded.as_ref().map(|then| is_same_answer(shape, then, &found));
        let agrees = match same {
            Some(same) if same || shape.is_some() => Some(same),
            _ => agrees,
        };
        let Some(agrees) = agrees else {
            fs::write(&first, found.to_string()).map_err(Error::file("write", &first))?;
            let line = |value: &Value| one_line(&value_text(value));
            return Ok(Ok(Compared::Asks(format!(
                "recorded at {}: {}\nyours: {}",
                short(commit),
                stood_for.shown(recorded.as_ref().map(line).unwrap_or_default()),
                line(&value),
            ))));
        };
        let _ = fs::remove_file(first);
        let look = SecondLook {
            entry: entry.to_owned(),
            q_id: answer.q_id.to_string(),
            q_version: answer.version(),
            agrees,
            answer: found,
            evidence,
            note,
        };
        let is_others = self.reader().is_other(&Party::of(&events, row));
        Ok(Ok(Compared::Look { look, is_others }))
    }

    /// A recorded answer or, for a bare `same`, the one that it repeats.
    fn stood_for(
        &self,
        events: &Events,
        row: &Row,
        envelope: &Envelope,
        answer: &Answer,
    ) -> Result<Option<Last>, Error> {
        if answer.answer.is_some() || answer.note.is_some() {
            let mark = events.redaction(row).map(str::to_owned);
            return Ok(Some(Last::of(answer, envelope, events.anchor(row.anchor), mark)));
        }
        let version = (&*answer.q_id, answer.version());
        self.judged(|mut pass, _, lineage| {
            let timeline = pass.timeline;
            let mut questions = timeline.questions.questions.iter();
            let place = questions.position(|one| (&*one.id, one.version) == version)?;
            let number = timeline.events.question_number(version.0, version.1)?;
            let entry = *timeline.entries_by_id().get(events.id(row))?;
            let bare = timeline.answer_in(entry, number)?;
            let repeated = *pass.repeated(lineage, place, bare).first()?;
            Last::read(self, &timeline.events, timeline.row(repeated.entry), version)
        })
    }

    /// Pins lines to a commit; the error says why one can't be cited.
    fn cited_at(&self, commit: Oid, places: &[String]) -> Result<Option<Value>, String> {
        let there = Cites::new(&self.repo, commit, |id| self.has_entry(id));
        let pinned = places
            .iter()
            .map(|at| {
                let cited = Cited::parse(at.trim()).ok_or_else(|| {
                    format!("{at} can't be cited: expected `path:line` or `path:from-to`")
                })?;
                let named = short(commit);
                there
                    .pin(cited, None)
                    .map_err(|why| format!("{at} can't be cited at {named}: {why}"))
            })
            .collect::<Result<Vec<Citation>, String>>()?;
        Ok((!pinned.is_empty()).then(|| json!({ "cites": pinned })))
    }
}
