//! `git sq record`: appends this session's rederive entry.

mod before;
mod editor;

use std::{collections::BTreeMap, path::PathBuf};

use clap::{Args, ValueHint};

use super::{
    CommandResult, Context, Failure, Outcome, PrintArgs,
    answers::{Given, Matched, check_notes, from_form, from_json, from_options, match_questions},
    complete,
    envelope::{draft, enter, envelope_at_head, named},
};
use crate::{
    entry::{Answer, Body, Envelope, Rederive, Ts},
    git::{Oid, Pathspecs},
    metrics::Delta,
    project::{FoundStore, Project, Since, StoreNews},
    question::{Question, Trigger},
    report::{Recorded, RecordedAnswer},
    session::current,
    store::{append_new, share::publish_later},
};
use before::{Before, look_back};

/// Not a doc comment, where the linter would have the keys marked as code.
const JSON_HELP: &str = r#"Read the results from a file, `-` for standard input: {"results":[{"q_id":"q2","delta":true,"note":"new"}]}"#;

/// Record this session's answers in the log, as a note on HEAD
///
/// Without an option, on a terminal, the editor that git uses opens with the questions, each with a place for its
/// answer. Time, id and HEAD are set by the tool. A delta needs a note, and so does the first answer to a question. Entries
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

impl RecordArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let json = self.json.as_deref().map(from_json).transpose()?;
        let project = context.project(None)?;
        let mut reasons = Vec::new();
        let given = match json {
            Some(given) => given,
            None if self.same.is_empty() && self.delta.is_empty() && context.is_interactive() => {
                return self.edit(context, &project);
            }
            None => {
                let set = &project.questions()?.set;
                from_options(&self.same, &self.delta, set, &mut reasons)
            }
        };
        self.record(context, &project, given, reasons)
    }

    /// Records what somebody writes in an editor.
    fn edit(&self, context: &Context, project: &Project) -> CommandResult {
        let set = &project.questions()?.set;
        project.repo.require_identity()?;
        let form = editor::fill_in(project)?;
        let mut reasons = Vec::new();
        let given = from_form(&form.text, set, &mut reasons);
        if given.is_empty() && reasons.is_empty() {
            return Err(Failure::refused(
                "no question was answered; nothing was recorded",
                "write `same` or `delta: what changed` after the name of a question",
            ));
        }
        // Meanwhile, time has passed, and HEAD may have moved.
        let context = context
            .again()
            .map_err(|error| Failure::refused(error.to_string(), ""))?;
        let recorded = context
            .project(None)
            .and_then(|project| self.record(&context, &project, given, reasons));
        let recorded = recorded.map_err(|reason| form.keep(reason));
        context.printed().and(recorded)
    }

    fn record(
        &self,
        context: &Context,
        project: &Project,
        given: Vec<Given>,
        mut reasons: Vec<String>,
    ) -> CommandResult {
        let store = project.questions()?;
        let matched = match_questions(given, &store.set, &mut reasons);
        let whole = named(self.sid.as_deref(), project)?;
        let running = current(&project.repo)?.map(|session| (session.sid, Some(session.started)));
        let session = match context.named(whole.as_deref()).name() {
            Some(name) => running
                .filter(|(sid, _)| sid == name)
                .or_else(|| Some((name.to_owned(), None))),
            None => running,
        };
        let before = look_back(project, &matched, session)?;
        check_notes(&matched, |question| before.is_first(question), &mut reasons);
        if matched.is_empty() && reasons.is_empty() {
            reasons.push("nothing to record".into());
        }
        if !reasons.is_empty() {
            let refused = Failure::Refused {
                reasons,
                help: Some("usage: git sq record --same q1,q3 --delta 'q4=what changed'\nnothing was written; `git sq question list` lists the questions".into()),
            };
            // The question may be one that only the worktree has.
            let differs = store.warning().filter(|_| store.news == StoreNews::Differs);
            return Err(match differs {
                Some(differs) => refused.hinting(&differs),
                None => refused,
            });
        }
        project.repo.require_identity()?;
        let sid = enter(whole.as_deref(), context, project)?;
        let (envelope, doubt) = envelope_at_head(context, project, &sid)?;
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

        let recorded = recorded(project, store, &envelope, &matched, &before, doubt);
        context.show(&project.repo, &recorded, self.print.format);
        Ok(Outcome::Clean)
    }
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
    let answers = matched.iter().map(|answer| RecordedAnswer {
        q_id: answer.question.id.clone(),
        q_version: answer.question.version,
        delta: answer.delta,
        first: before.is_first(answer.question),
        note: answer.note.clone(),
    });
    let answers: Vec<RecordedAnswer> = answers.collect();
    let deltas = answers.iter().filter(|answer| answer.delta);
    let deltas: Vec<Delta> = deltas
        .map(|answer| Delta {
            q_id: answer.q_id.clone(),
            q_version: answer.q_version,
            note: answer.note.clone(),
        })
        .collect();
    let quiet = deltas.is_empty() && since.as_ref().is_some_and(|since| since.commits > 0);
    let again = matched.iter().map(|answer| answer.question);
    let again: Vec<&Question> = again.filter(|one| !before.is_first(one)).collect();
    let suspects = match (&since, &before.last) {
        (Some(since), Some((_, anchor))) if quiet => {
            suspects(project, &again, since, *anchor).unwrap_or_default()
        }
        _ => Vec::new(),
    };
    let dirty = envelope.head.as_ref().is_some_and(|head| head.dirty);
    let mut warnings: Vec<String> = store.warning().into_iter().collect();
    let uncommitted = "there are uncommitted changes, which the answers may depend on";
    warnings.extend(dirty.then(|| doubt.unwrap_or_else(|| uncommitted.to_owned())));
    let again = matched.iter().map(|answer| answer.question);
    let again = again.filter(|asked| before.has_answered(&envelope.sid, asked));
    let replaces = again.map(|asked| asked.id.clone()).collect();
    Recorded {
        replaces,
        id: envelope.id.to_string(),
        sid: envelope.sid.to_string(),
        head: envelope.repo_head_sha.to_string(),
        ts: envelope.ts.to_string(),
        answered: matched.len(),
        deltas,
        answers,
        left: left(store, matched, before, &envelope.sid),
        dirty,
        since,
        suspects,
        warnings,
    }
}

/// What every session has to answer and this one has not.
fn left(store: &FoundStore, matched: &[Matched], before: &Before, sid: &str) -> Vec<String> {
    let is_left = |question: &&Question| {
        question.trigger == Trigger::EverySession
            && !matched
                .iter()
                .any(|answer| std::ptr::eq(answer.question, *question))
            && !before.has_answered(sid, question)
    };
    let left = store.set.active().filter(is_left);
    left.map(|question| question.name().to_string()).collect()
}

/// The questions that the changes most likely affected: what they watch changed, their hint names a changed file, or
/// they watch nothing and matter most. Three at most.
fn suspects(
    project: &Project,
    questions: &[&Question],
    since: &Since,
    anchor: Oid,
) -> Result<Vec<String>, Failure> {
    let changes = project.repo.changes(anchor, project.tip)?;
    if changes.is_empty() {
        return Ok(Vec::new());
    }
    let mut ranked: BTreeMap<(u8, u8, usize), String> = BTreeMap::new();
    for (place, question) in questions.iter().enumerate() {
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
