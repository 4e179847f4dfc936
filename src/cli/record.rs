//! `git sq record`: appends this session's rederive entry.

mod before;
mod editor;

use std::{collections::BTreeMap, path::PathBuf};

use clap::{Args, ValueHint};
use serde_json::{Value, json};

use super::{
    CommandResult, Context, Failure, Outcome, PrintArgs,
    answers::{
        Given, Matched, Probed, check_notes, from_form, from_json, from_options, match_questions,
    },
    complete,
    envelope::{author, draft, enter, envelope_at_head, named},
};
use crate::{
    entry::{Answer, Body, Cited, Envelope, Rederive, Ts},
    evidence::{Cites, NotPinned, Prober, is_exposed, probe_digest},
    git::Oid,
    metrics::Delta,
    project::{FoundStore, Project, Since},
    question::{Probe, Question, QuestionSet, Trigger},
    report::{Recorded, RecordedAnswer},
    session::expected,
    store::{append_new, share::publish_later},
    timeline::Watch,
};
use before::{Before, look_back};

/// Not a doc comment, where the linter would have the keys marked as code.
const JSON_HELP: &str = r#"Read the results from a file, `-` for standard input: {"results":[{"q_id":"q2","delta":true,"note":"new"}]}"#;

/// Record this session's answers in the log, as a note on HEAD
///
/// Without an option, on a terminal, the editor that git uses opens with the questions, each with a place for its
/// answer. Time, id and HEAD are set by the tool, which also answers every question that has a built-in probe, by itself
/// where nothing else is given. Lines that a note cites, as in src/lib.rs:12-20, are pinned as evidence. A delta needs a note, and so does the first answer to a question. Entries
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
                "no question was answered, and nothing was recorded",
                "write `same` or `delta: what changed` behind the name of a question",
            ));
        }
        // Meanwhile, time has passed, and HEAD may have moved.
        let context = context
            .again()
            .map_err(|error| Failure::refused(error.to_string(), ""))?;
        let recorded = context
            .project(None)
            .and_then(|project| self.record(&context, &project, given, reasons));
        if recorded.is_err() {
            form.keep(&context);
        }
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
        let session = expected(
            &project.repo,
            context.named(whole.as_deref()),
            &author(context)?,
        )?;
        let mut matched = matched;
        let asked = matched.iter().map(|answer| answer.question);
        let before = look_back(project, asked.chain(probed(&store.set)), session)?;
        let mut failed = derive(project, &store.set, &before, &mut matched);
        cite(project, &mut matched, &mut failed, &mut reasons);
        check_notes(&matched, |question| before.is_first(question), &mut reasons);
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

        let mut recorded = recorded(project, store, &envelope, &matched, &before, doubt);
        recorded.warnings.extend(failed);
        context.show(&project.repo, &recorded, self.print.format);
        Ok(Outcome::Clean)
    }
}

/// The questions that the tool itself answers.
fn probed(set: &QuestionSet) -> impl Iterator<Item = &Question> {
    let asked = set.questions.iter().filter(|one| one.status.is_asked());
    asked.filter(|one| one.probe.as_ref().is_some_and(Probe::is_built_in))
}

/// Fills in what probes answer, also where the session said something else. Gives what could not be derived.
fn derive<'s>(
    project: &Project,
    set: &'s QuestionSet,
    before: &Before,
    matched: &mut Vec<Matched<'s>>,
) -> Vec<String> {
    let prober = Prober::new(&project.repo, project.tip);
    let mut failed = Vec::new();
    for question in probed(set) {
        let mut answers = matched.iter();
        let given = answers.position(|answer| std::ptr::eq(answer.question, question));
        if given.is_none() && before.is_answered_at(question, project.tip) {
            continue;
        }
        let derivation = match prober.compare(question, before.last_by_others(question)) {
            Some(Ok(derivation)) => derivation,
            Some(Err(error)) => {
                failed.push(format!("the probe of {} failed: {error}", question.name()));
                continue;
            }
            None => continue,
        };
        let given = given.map(|place| matched.remove(place));
        let delta = derivation.is_delta();
        let claim = given.as_ref().map(|given| given.delta);
        matched.push(Matched {
            question,
            delta,
            note: given
                .and_then(|given| given.note)
                .or_else(|| derivation.note()),
            probed: Some(Probed {
                answer: derivation.answer(),
                claim: claim.filter(|&claim| claim != delta),
            }),
            cites: Vec::new(),
        });
    }
    failed
}

fn answers(matched: &[Matched], ts: Ts) -> Rederive<'static> {
    let results = matched.iter().map(|answer| Answer {
        q_id: answer.question.id.clone().into(),
        last_rederived_ts: Some(ts.to_string().into()),
        delta: answer.delta,
        note: answer.note.clone().map(Into::into),
        q_version: (answer.question.version != 1).then_some(answer.question.version),
        claim: answer.probed.as_ref().and_then(|probed| probed.claim),
        answer: answer.probed.as_ref().map(|probed| probed.answer.clone()),
        evidence: evidence(answer),
    });
    Rederive {
        results: results.collect(),
    }
}

fn evidence(answer: &Matched) -> Option<Value> {
    let probe = answer.question.probe.as_ref();
    match (&answer.probed, probe) {
        (Some(_), Some(probe)) => Some(json!({ "probe": probe_digest(probe) })),
        _ if answer.cites.is_empty() => None,
        _ => Some(json!({ "cites": answer.cites })),
    }
}

/// Pins what notes cite to what HEAD has. What names no file is a part of the sentence; other mistakes are added to
/// `failed`, and to `reasons` that an answer lacks the evidence that its question requires.
fn cite(
    project: &Project,
    matched: &mut [Matched],
    failed: &mut Vec<String>,
    reasons: &mut Vec<String>,
) {
    let has_entry = |id: &str| project.has_entry(id);
    let cites = Cites::new(&project.repo, project.tip, &has_entry);
    for answer in matched.iter_mut().filter(|answer| answer.probed.is_none()) {
        let mut mistakes = Vec::new();
        for cited in Cited::find_in(answer.note.as_deref().unwrap_or_default()) {
            let text = cited.to_string();
            match cites.pin(cited) {
                Ok(citation) => answer.cites.push(citation),
                Err(NotPinned::NoFile | NotPinned::NoEntry) => {}
                Err(why) => mistakes.push(format!("{text} can't be cited: {why}")),
            }
        }
        if answer.question.require_evidence && answer.cites.is_empty() {
            let name = answer.question.name();
            reasons.append(&mut mistakes);
            reasons.push(format!(
                "{name} requires evidence: cite lines of a tracked file in its note, as in src/lib.rs:12-20"
            ));
        }
        failed.append(&mut mistakes);
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
        cites: answer.cites.iter().map(ToString::to_string).collect(),
        probed: answer.probed.is_some(),
        claim: answer.probed.as_ref().and_then(|probed| probed.claim),
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
    let judged = matched.iter().filter(|answer| answer.probed.is_none());
    let again = judged.map(|answer| answer.question);
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
        let dependencies = question.dependencies();
        let watches = !dependencies.is_empty();
        let hint = question.evidence_hint.as_deref().unwrap_or_default();
        let hinted = since.files.iter().any(|file| {
            let name = file.rsplit('/').next().unwrap_or(file);
            hint.contains(name)
        });
        let likelihood = if watches {
            let watch = Watch::new(&dependencies, question.lines.as_deref());
            if !is_exposed(&project.repo, &changes, watch)? {
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
