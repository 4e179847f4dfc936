//! Verifies recorded answers: derives those of probes again, and looks up citations; at the commit that an entry names
//! if it is present, else by content at the commit that carries the entry.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Commands, Prober, cite::stands_in, look::Block, probe_digest};
use crate::{
    entry::{
        Answer, Citation, CitedLines, Envelope, Event, begins, is_same_recorded, unstable,
        value_text,
    },
    git::{self, Oid, Pinned, Repo},
    question::{self, Probe, Question, QuestionSet, RunOf},
    store::Row,
    timeline::{Timeline, short},
};

/// Characters of a value that are shown at most.
const SHOWN: usize = 60;

/// The result of verifying a recorded answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Fails,
    CantTell,
    /// The commit of the answer is gone, as after a squash: it can't be verified.
    Outdated,
    Holds,
}

/// A recorded answer, derived again.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Replayed {
    /// The entry's id; empty if another program wrote the line.
    pub entry: String,
    pub sid: String,
    /// The commit that carries the entry.
    pub commit: String,
    pub q_id: String,
    pub q_version: u32,
    pub verdict: Verdict,
    /// The reason for the verdict.
    pub why: String,
}

pub struct Replay<'t> {
    repo: &'t Repo,
    timeline: &'t Timeline,
    prober: Prober,
    commands: Option<Commands<'t>>,
    store_at: &'t dyn Fn(Oid) -> Option<Oid>,
    tips_store: Option<Oid>,
    stores: HashMap<Oid, Option<Oid>>,
    answers: HashMap<(Oid, String), git::Result<Value>>,
}

type Doubt = (Verdict, String);

#[derive(Clone, Copy)]
struct At {
    commit: Oid,
    /// True if the entry names it; else it carries the entry.
    is_named: bool,
    /// True if it has the content of the answer's commit.
    is_same: bool,
}

impl At {
    fn contradicts<T>(self, why: String) -> Result<T, Doubt> {
        if self.is_same {
            return fails(why);
        }
        outdated(format!("{why}; the commit that it names is not here"))
    }
}

fn fails<T>(why: impl Into<String>) -> Result<T, Doubt> {
    Err((Verdict::Fails, why.into()))
}

fn outdated<T>(why: impl Into<String>) -> Result<T, Doubt> {
    Err((Verdict::Outdated, why.into()))
}

fn cant_tell<T>(why: impl Into<String>) -> Result<T, Doubt> {
    Err((Verdict::CantTell, why.into()))
}

impl<'t> Replay<'t> {
    pub fn new(
        repo: &'t Repo,
        timeline: &'t Timeline,
        commands: Option<Commands<'t>>,
        store_at: &'t dyn Fn(Oid) -> Option<Oid>,
        tips_store: Option<Oid>,
    ) -> Self {
        Self {
            repo,
            timeline,
            prober: Prober::new(repo, timeline.tip),
            commands,
            store_at,
            tips_store,
            stores: HashMap::new(),
            answers: HashMap::new(),
        }
    }

    /// Verifies one answer of an entry. `line` is `None` if its note is missing.
    pub fn check(&mut self, row: &Row, place: usize, line: Option<&[u8]>) -> Replayed {
        let events = &self.timeline.events;
        let (q_id, q_version) = events
            .answers(row)
            .get(place)
            .map(|answer| answer.question)
            .map_or(("", 1), |number| events.question(number));
        let (verdict, why) = match self.replay(row, place, line) {
            Ok(why) => (Verdict::Holds, why),
            Err(doubt) => doubt,
        };
        // The reason may quote the redacted line.
        let why = events.redaction(row).map_or(why, str::to_owned);
        Replayed {
            entry: events.id(row).to_owned(),
            sid: events.sid(row).to_owned(),
            commit: events.anchor(row.anchor).to_string(),
            q_id: q_id.to_owned(),
            q_version,
            verdict,
            why,
        }
    }

    fn replay(&mut self, row: &Row, place: usize, line: Option<&[u8]>) -> Result<String, Doubt> {
        let Some((envelope, answers)) = line.and_then(Event::answers) else {
            return cant_tell("the entry is missing from the log");
        };
        let Some(answer) = answers.get(place) else {
            return cant_tell("the entry is missing from the log");
        };
        let at = self.at(row, &envelope)?;
        if !answer.is_probed() {
            return self.look_up(at, answer);
        }
        let store = self.store(row, &envelope, answer, at.commit)?;
        let (question, probe) = probe_of(store, answer)?;
        let Some(recorded) = &answer.answer else {
            return fails("it names a probe, and records no answer");
        };
        if let Some(run) = question.command() {
            return self.command(at, question, run, recorded);
        }
        let commit = short(at.commit);
        let now = match self.answer(at.commit, probe) {
            Ok(now) => now,
            Err(error) => return cant_tell(error.to_string()),
        };
        if !is_same_recorded(&now, recorded) {
            let (recorded, now) = (shown(recorded), shown(&now));
            // Commits with the same files may have different histories.
            let is_same = at.is_same && (at.is_named || !probe.reads_history());
            return At { is_same, ..at }.contradicts(format!(
                "it recorded {recorded}, and its probe gives {now} at {commit}"
            ));
        }
        Ok(format!("its probe gives the same at {commit}"))
    }

    fn at(&self, row: &Row, envelope: &Envelope) -> Result<At, Doubt> {
        let carrier = self.timeline.events.anchor(row.anchor);
        // An id of the other hash can't be looked up here.
        let width = carrier.to_string().len();
        let named = envelope
            .repo_head_sha
            .parse::<Oid>()
            .ok()
            .filter(|_| envelope.repo_head_sha.len() == width);
        let named = named.filter(|named| self.repo.tree_of(*named).is_ok());
        let commit = named.unwrap_or(carrier);
        let tree = match self.repo.tree_of(commit) {
            Ok(tree) => tree.to_string(),
            Err(error) => return cant_tell(error.to_string()),
        };
        let recorded = envelope.head.as_ref().map(|head| &*head.tree);
        let is_same = recorded == Some(tree.as_str());
        if named.is_some() && recorded.is_some() && !is_same {
            return fails(format!("it records another tree than {} has", short(commit)));
        }
        Ok(At { commit, is_named: named.is_some(), is_same: named.is_some() || is_same })
    }

    /// Runs a command again; twice if the answer differs.
    fn command(
        &self,
        at: At,
        question: &Question,
        run: &RunOf,
        recorded: &Value,
    ) -> Result<String, Doubt> {
        if run.external {
            return cant_tell("its command depends on more than the commit");
        }
        if *recorded == unstable() {
            return cant_tell("its command gave two answers when it was recorded");
        }
        let Some(commands) = &self.commands else {
            return cant_tell("its probe is a command: `--run` runs those that are approved");
        };
        let again = || match commands.at(at.commit, question) {
            Ok(ran) => Ok(ran.found.recorded()),
            Err(error) => cant_tell(error.to_string()),
        };
        let (commit, now) = (short(at.commit), again()?);
        if is_same_recorded(&now, recorded) {
            return Ok(format!("its command gives the same at {commit}"));
        }
        if again()? != now {
            return cant_tell(format!("its command gives two answers at {commit}"));
        }
        let (recorded, now) = (shown(recorded), shown(&now));
        at.contradicts(format!(
            "it recorded {recorded}, and its command gives {now} in a new worktree of {commit}"
        ))
    }

    fn look_up(&self, at: At, answer: &Answer) -> Result<String, Doubt> {
        let (commit, cites) = (short(at.commit), answer.cites());
        let named = answer
            .evidence
            .as_ref()
            .and_then(|evidence| evidence.get("cites"))
            .and_then(Value::as_array)
            .map_or(0, Vec::len);
        if named == 0 || named != cites.len() {
            return fails("it has a citation that can't be read");
        }
        for cite in &cites {
            let Citation::Lines(whole @ CitedLines { path, lines, blob, sum, quote }) = cite else {
                continue;
            };
            if !at.is_same && self.stands(at.commit, whole) {
                continue;
            }
            match self.repo.pin_lines(at.commit, path, *lines) {
                Ok(Pinned::At(there, _)) if there.to_string() != *blob => {
                    return at
                        .contradicts(format!("it cites {cite} of another file than {commit} has"));
                }
                Ok(Pinned::At(_, text)) if !quote.iter().all(|line| stands_in(line, &text)) => {
                    return fails(format!("its quote is not in {cite} at {commit}"));
                }
                Ok(Pinned::At(_, text))
                    if sum.as_ref().is_some_and(|sum| *sum != CitedLines::sum_of_text(&text)) =>
                {
                    return fails(format!("its `sum` is not that of {cite} at {commit}"));
                }
                Ok(Pinned::At(..)) => {}
                Ok(Pinned::NoFile | Pinned::TooFar(_)) => {
                    return at
                        .contradicts(format!("it cites {cite}, and {commit} has no such lines"));
                }
                Err(error) => return cant_tell(error.to_string()),
            }
        }
        Ok(format!("all citations hold at {commit}"))
    }

    /// Returns true if the cited lines stand somewhere in the file.
    fn stands(&self, commit: Oid, cite: &CitedLines) -> bool {
        let file = self.repo.file_at(commit, &cite.path).ok().flatten();
        let file = file.map(|(_, bytes)| String::from_utf8_lossy(&bytes).into_owned());
        let lines: Vec<String> =
            file.iter().flat_map(|file| file.lines()).map(Into::into).collect();
        Block::found(cite, &lines, 0).is_some_and(|block| block.has_quote(cite))
    }

    /// The question store that an entry answered: that of its commit, or of the tip. Any other store is not trusted: then the
    /// tip has to ask the same.
    fn store(
        &mut self,
        row: &Row,
        envelope: &Envelope,
        answer: &Answer,
        commit: Oid,
    ) -> Result<&'t QuestionSet, Doubt> {
        let Some(named) = &envelope.store else {
            return cant_tell("it names no question store");
        };
        let at_commit = *self.stores.entry(commit).or_insert_with(|| (self.store_at)(commit));
        if !at_commit.iter().chain(&self.tips_store).any(|blob| blob.to_string() == **named) {
            if probe_of(&self.timeline.questions, answer).is_ok() {
                return Ok(&self.timeline.questions);
            }
            let at = short(commit);
            return outdated(format!("it answered another question store than that of {at}"));
        }
        match self.timeline.store_of(row) {
            Some(store) => Ok(store),
            None => cant_tell("the question store that it answered can't be read"),
        }
    }

    fn answer(&mut self, commit: Oid, probe: &Probe) -> git::Result<Value> {
        let derive = || {
            let recorded = self.prober.run(commit, probe)?.found.recorded();
            // Parsing may change a number that was serialized.
            Ok(serde_json::from_str(&recorded.to_string()).unwrap_or(recorded))
        };
        self.answers.entry((commit, probe_digest(probe))).or_insert_with(derive).clone()
    }
}

fn probe_of<'s>(
    store: &'s QuestionSet,
    answer: &Answer,
) -> Result<(&'s Question, &'s Probe), Doubt> {
    let name = question::name(&answer.q_id, answer.version());
    let Some(question) = store.find(&answer.q_id, answer.version()) else {
        return fails(format!("the question store that it answered has no {name}"));
    };
    let Some(probe) = &question.probe else {
        return fails(format!("{name} has no probe in the question store that it answered"));
    };
    let recorded = answer.evidence.as_ref().and_then(|evidence| evidence.get("probe"));
    if recorded.and_then(Value::as_str) != Some(&probe_digest(probe)) {
        return fails(format!("it names another probe than {name} has"));
    }
    Ok((question, probe))
}

fn shown(value: &Value) -> String {
    let text = begins(value).map_or_else(|| value.to_string(), |_| value_text(value));
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
