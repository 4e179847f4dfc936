//! Second looks: which answers a session is asked to derive again, and what it found.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Error, Project};
use crate::{
    entry::{Body, Event, Kind, SecondLook, one_line},
    evidence::Found,
    metrics::{OpenAnswer, SecondLooks},
    question::{self, QuestionSet, canonical, is_same_answer},
    session,
    timeline::short,
};

/// How far back a commit of somebody else is looked for.
const FAR: usize = 1000;

/// The most second looks that a brief asks for while there is an alarm.
const MOST: usize = 12;

/// An answer that somebody else shall derive again.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SecondAsked {
    /// The id of the entry that has the answer, which `git sq record --second` takes.
    pub entry: String,
    /// The question, with the version where that is not 1.
    pub question: String,
    pub q: String,
    /// The commit at which it is derived.
    pub commit: String,
}

/// What a reader found, held against what was recorded.
pub enum Compared {
    /// What goes into the log.
    Look(SecondLook),
    /// Only the reader can say whether both are the same.
    Asks(String),
}

impl Project {
    /// What a session is asked to look at again. The draw follows from the newest commit of somebody else than who
    /// answered, if there is one, else from the tip: who answered could not choose that.
    pub fn second_looks(
        &self,
        looks: &SecondLooks,
        set: &QuestionSet,
        reader: Option<&str>,
    ) -> Vec<SecondAsked> {
        let most = set.settings.second.per_session as usize;
        let drawn = looks.drawn(reader, most, |one| self.seed(one));
        let asked = drawn.into_iter().take(MOST.max(most)).map(|one| {
            let question = set.find(&one.q_id, one.q_version);
            SecondAsked {
                entry: one.entry.clone(),
                question: one.name(),
                q: question.map(|one| one.text.clone()).unwrap_or_default(),
                commit: one.commit.clone(),
            }
        });
        asked.collect()
    }

    fn seed(&self, answer: &OpenAnswer) -> String {
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

    /// Holds what session `reader` found against the answer of an entry. `agrees` is its own word, which counts where the
    /// answers can't be compared. The inner error says why that is no second look.
    pub fn compare_second(
        &self,
        set: &QuestionSet,
        reader: &str,
        entry: &str,
        (name, found, note): (&str, &Value, Option<String>),
        agrees: Option<bool>,
    ) -> Result<Result<Compared, String>, Error> {
        let refuse = |why: String| Ok(Err(why));
        let events = self.events()?;
        let mut rows = events.rows().iter();
        let row = rows.find(|row| row.is(Kind::Rederive) && events.id(row) == entry);
        let Some(row) = row else {
            return refuse(format!("there is no entry {entry} with answers"));
        };
        if events.sid(row) == reader {
            return refuse(format!("session {reader} gave that answer itself"));
        }
        let line = events.lines(&self.repo, &[row]).pop().flatten();
        let event = line.as_deref().and_then(|line| Event::parse(line).ok());
        let Some(Body::Rederive(rederive)) = event.map(|event| event.body) else {
            return refuse(format!("entry {entry} can't be read"));
        };
        let named = |id: &str, version| question::name(id, version) == name;
        let mut results = rederive.results.iter();
        let Some(answer) = results.find(|one| named(&one.q_id, one.version())) else {
            return refuse(format!("entry {entry} has no answer to {name}"));
        };
        let looks = session::events::<SecondLook>(&events);
        let is_again = |look: &session::Event<SecondLook>| {
            let body = &look.body;
            look.source.sid == reader && body.entry == entry && named(&body.q_id, body.q_version)
        };
        if looks.iter().any(is_again) {
            return refuse(format!("session {reader} looked at it already"));
        }
        if answer.is_probed() {
            return refuse(format!(
                "a probe gave that answer: `git sq verify --entry {entry}`"
            ));
        }
        let shape = set
            .find(&answer.q_id, answer.version())
            .and_then(|one| one.shape.as_ref());
        let (value, found) = match canonical(shape, found) {
            Ok(value) => (value.clone(), Found::Value(value).recorded()),
            Err(expected) => return refuse(format!("{found} is no answer to {name}: {expected}")),
        };
        let same = answer
            .answer
            .as_ref()
            .map(|then| is_same_answer(shape, then, &found));
        let agrees = match same {
            Some(same) if same || shape.is_some() => Some(same),
            _ => agrees,
        };
        let Some(agrees) = agrees else {
            let at = short(events.anchor(row.anchor));
            let recorded = answer.answer.as_ref().and_then(Value::as_str);
            let recorded = recorded.or(answer.note.as_deref()).map(str::to_owned);
            return Ok(Ok(Compared::Asks(format!(
                "recorded at {at}: {}\nyours: {}",
                one_line(&recorded.unwrap_or_default()),
                one_line(
                    &value
                        .as_str()
                        .map_or_else(|| value.to_string(), str::to_owned)
                ),
            ))));
        };
        Ok(Ok(Compared::Look(SecondLook {
            entry: entry.to_owned(),
            q_id: answer.q_id.to_string(),
            q_version: answer.version(),
            agrees,
            answer: found,
            note,
        })))
    }
}
