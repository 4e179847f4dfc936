//! `git sq record`: appends this session's rederive entry.

use std::{collections::BTreeMap, path::PathBuf};

use clap::{Args, ValueHint};

use super::{
    CommandResult, Context, Failure, Outcome, PrintArgs,
    answers::{Matched, check_notes, from_json, from_options, match_questions},
    complete,
    envelope::{draft, enter, envelope_at_head},
};
use crate::{
    entry::{Answer, Body, Envelope, Event, Rederive, Ts, lines_of},
    git::{Oid, Pathspecs},
    metrics::Delta,
    project::{FoundStore, Project, Since},
    question::Question,
    report::Recorded,
    store::{LocalState, Log, append_new, share::publish_later},
};

/// Not a doc comment, where the linter would have the keys marked as code.
const JSON_HELP: &str = r#"Read the results from a file, `-` for standard input: {"results":[{"q_id":"q2","delta":true,"note":"new"}]}"#;

/// Record this session's answers in the log, as a note on HEAD
///
/// Time, id and HEAD are set by the tool. A delta needs a note, and so does the first answer to a question. Entries
/// within the grace time of each other belong to one session; an entry of another agent starts a new one.
#[derive(Args)]
pub struct RecordArgs {
    /// Questions with the same answer as before: `q1,q3`, or one with a note: `q1=the answer`
    #[arg(long, value_name = "QUESTIONS|Q=NOTE", add = complete::same())]
    same: Vec<String>,
    /// A question whose answer changed, and how: `q4=what changed`
    #[arg(long, value_name = "Q=NOTE", add = complete::delta())]
    delta: Vec<String>,
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["same", "delta"], help = JSON_HELP)]
    json: Option<PathBuf>,
    /// The session; defaults to `SQ_SESSION`, the agent's own variable, the current session, or a new one
    #[arg(long, value_name = "SID", add = complete::sessions())]
    sid: Option<String>,
    #[command(flatten)]
    print: PrintArgs,
}

/// What the log holds that bears on a new entry.
#[derive(Default)]
struct Before {
    /// Question versions that are being answered and were derived before.
    derived: Vec<(String, u32)>,
    /// The sessions that answered them on the way, each with its writer.
    answered: Vec<(String, Option<String>, String)>,
    /// The session and the commit of the nearest entry.
    last: Option<(String, Oid)>,
    /// Whether everything was seen that could bear on it.
    seen_all: bool,
}

impl Before {
    fn has_derived(&self, question: &Question) -> bool {
        let mut derived = self.derived.iter();
        derived.any(|(id, version)| *id == question.id && *version == question.version)
    }
}

impl RecordArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let given = match &self.json {
            Some(path) => from_json(path)?,
            None => from_options(&self.same, &self.delta),
        };
        let project = context.project(None)?;
        let store = project.questions()?;
        let mut reasons = Vec::new();
        let matched = match_questions(given, &store.set, &mut reasons);
        let before = look_back(&project, &matched)?;
        // Behind a shallow boundary, or what is missing, there may be an earlier derivation.
        let seen_all = before.seen_all && !project.repo.is_shallow()?;
        let is_first = |question: &Question| seen_all && !before.has_derived(question);
        check_notes(&matched, is_first, &mut reasons);
        if matched.is_empty() && reasons.is_empty() {
            reasons.push("nothing to record".into());
        }
        if !reasons.is_empty() {
            return Err(Failure::Refused {
                reasons,
                help: Some("nothing was written; usage: git sq record --same q1,q3 --delta 'q4=what changed'\n`git sq question list` lists the questions".into()),
            });
        }
        project.repo.require_identity()?;
        let sid = enter(self.sid.as_deref(), context, &project)?;
        let (envelope, doubt) = envelope_at_head(context, &project, &sid)?;
        let envelope = Envelope {
            store: Some(store.blob.to_string().into()),
            ..envelope
        };
        let draft = draft(
            envelope.clone(),
            Body::Rederive(answers(&matched, envelope.ts)),
            "shorten the notes, SQ_AGENT, SQ_MODEL or SQ_HARNESS: a note says what changed, not how",
        )?;
        append_new(
            &project.repo,
            &[(project.tip, draft)],
            &[],
            "Notes added by 'git sq record'",
        )?;
        publish_later(&project.repo);

        let recorded = recorded(&project, store, &envelope, &matched, &before, doubt);
        context.show(&project.repo, &recorded, self.print.format);
        Ok(Outcome::Clean)
    }
}

/// Looks back from HEAD until every question that is answered was met.
fn look_back(project: &Project, matched: &[Matched]) -> Result<Before, Failure> {
    let mut before = Before::default();
    let mut open: Vec<(String, u32)> = matched
        .iter()
        .map(|m| (m.question.id.clone(), m.question.version))
        .collect();
    let Project {
        repo, tips, tip, ..
    } = project;
    before.seen_all = Log::look_back(repo, tips, *tip, |commit, text| {
        let mut newest: Option<(Ts, String)> = None;
        for line in lines_of(text) {
            let Ok(Event {
                envelope,
                body: Body::Rederive(Rederive { results }),
            }) = Event::parse(line)
            else {
                continue;
            };
            let is_of = |answer: &Answer, (id, version): &(String, u32)| {
                *answer.q_id == **id && answer.version() == *version
            };
            for answer in &results {
                if matched
                    .iter()
                    .any(|m| is_of(answer, &(m.question.id.clone(), m.question.version)))
                {
                    let writer = envelope.writer.as_deref().map(str::to_owned);
                    let sid = envelope.sid.to_string();
                    before.answered.push((sid, writer, answer.q_id.to_string()));
                }
            }
            let (met, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut open)
                .into_iter()
                .partition(|question| results.iter().any(|answer| is_of(answer, question)));
            before.derived.extend(met);
            open = rest;
            if newest.as_ref().is_none_or(|(ts, _)| *ts <= envelope.ts) {
                newest = Some((envelope.ts, envelope.sid.into_owned()));
            }
        }
        if let (None, Some((_, sid))) = (&before.last, newest) {
            before.last = Some((sid, commit));
        }
        open.is_empty() && before.last.is_some()
    })?;
    Ok(before)
}

fn answers(matched: &[Matched], ts: Ts) -> Rederive<'static> {
    let results = matched.iter().map(|answer| Answer {
        q_id: answer.question.id.clone().into(),
        last_rederived_ts: Some(ts.to_string().into()),
        delta: answer.delta,
        note: answer.note.clone().map(Into::into),
        q_version: (answer.question.version != 1).then_some(answer.question.version),
        answer: None,
        evidence: None,
    });
    Rederive {
        results: results.collect(),
    }
}

/// The report of an entry that was written. What needs objects that are missing is left out: the entry is in the log all
/// the same, and the exit code says so.
fn recorded(
    project: &Project,
    store: &FoundStore,
    envelope: &Envelope,
    matched: &[Matched],
    before: &Before,
    doubt: Option<String>,
) -> Recorded {
    let last = before.last.as_ref();
    let since = last.and_then(|(sid, anchor)| project.moved_since(sid, *anchor).ok());
    let deltas = matched
        .iter()
        .filter(|answer| answer.delta)
        .map(|answer| Delta {
            q_id: answer.question.id.clone(),
            q_version: answer.question.version,
            note: answer.note.clone(),
        });
    let deltas: Vec<Delta> = deltas.collect();
    let quiet = deltas.is_empty() && since.as_ref().is_some_and(|since| since.commits > 0);
    let suspects = match (&since, &before.last) {
        (Some(since), Some((_, anchor))) if quiet => {
            suspects(project, matched, since, *anchor).unwrap_or_default()
        }
        _ => Vec::new(),
    };
    let dirty = envelope.head.as_ref().is_some_and(|head| head.dirty);
    let mut warnings: Vec<String> = store.warning().into_iter().collect();
    let uncommitted = "there are uncommitted changes, which the answers may depend on";
    warnings.extend(dirty.then(|| doubt.unwrap_or_else(|| uncommitted.to_owned())));
    let writer = LocalState::read(&project.repo)
        .ok()
        .and_then(|state| state.writer);
    let is_own =
        |(sid, by, _): &&(String, Option<String>, String)| **sid == *envelope.sid && *by == writer;
    let own = before.answered.iter().filter(is_own);
    let own: Vec<&str> = own.map(|(_, _, question)| &**question).collect();
    let names = matched.iter().map(|answer| &answer.question.id);
    let replaces = names
        .filter(|id| own.contains(&id.as_str()))
        .cloned()
        .collect();
    Recorded {
        replaces,
        id: envelope.id.to_string(),
        sid: envelope.sid.to_string(),
        head: envelope.repo_head_sha.to_string(),
        ts: envelope.ts.to_string(),
        answered: matched.len(),
        deltas,
        dirty,
        since,
        suspects,
        warnings,
    }
}

/// The questions that the changes most likely affected: what they watch changed, their hint names a changed file, or
/// they watch nothing and matter most. Three at most.
fn suspects(
    project: &Project,
    matched: &[Matched],
    since: &Since,
    anchor: Oid,
) -> Result<Vec<String>, Failure> {
    let changes = project.repo.changes(anchor, project.tip)?;
    if changes.is_empty() {
        return Ok(Vec::new());
    }
    let mut ranked: BTreeMap<(u8, u8, usize), String> = BTreeMap::new();
    for (place, answer) in matched.iter().enumerate() {
        let question = answer.question;
        let watches = !question.dependencies().is_empty();
        let hint = question.evidence_hint.as_deref().unwrap_or_default();
        let hinted = since.files.iter().any(|file| {
            let name = file.rsplit('/').next().unwrap_or(file);
            hint.contains(name)
        });
        let likelihood = if watches {
            if !Pathspecs::parse(question.dependencies())?.match_any(&changes) {
                continue;
            }
            0
        } else if hinted {
            1
        } else {
            2
        };
        let importance = 3 - question.importance.0.min(3);
        ranked.insert((likelihood, importance, place), question.name().to_string());
    }
    // Where something points at certain questions, the others are not named.
    let likeliest = ranked.keys().next().map(|(likelihood, ..)| *likelihood);
    let likely = ranked
        .into_iter()
        .filter(|((likelihood, ..), _)| Some(*likelihood) == likeliest);
    Ok(likely.map(|(_, name)| name).take(3).collect())
}
