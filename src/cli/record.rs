mod editor;
mod second;

use std::path::PathBuf;

use clap::{Args, ValueHint, builder::PossibleValuesParser};

use super::{
    CommandResult, Context, Failure, PrintArgs,
    answers::{CITE, from_form, from_json, from_options},
    complete,
    writing::{Speaker, Writing, author, draft, named},
};
use crate::{
    entry::{Body, Cited, Envelope, RULES, Ts},
    project::{FoundStore, Given, Place, Project, Recording, StoreNews},
    question::Question,
    session::{self, expected, new_id},
    store::{Events, Turn},
    timeline::short,
    view::{Recorded, RecordedAnswer},
};

/// Not a doc comment, where the linter would have the keys marked as code.
const JSON_HELP: &str = r#"Read the results from a file, `-` for standard input: {"results":[{"q_id":"q2","delta":true,"note":"new"}]}"#;

const USAGE: [&str; 2] = [
    "usage: git sq record 'q1=the answer' --cite q1=path:3-5 --same q2,q3",
    "nothing was written; `git sq question list` lists the questions",
];

const UNSURE: &str =
    "nothing was written; if this is right, repeat the command with --sure (json: \"sure\": true)";

const LOOK_AGAIN: &str = "nothing was written; look again, and record";

const SHORTEN: &str =
    "shorten the notes, SQ_AGENT, SQ_MODEL or SQ_HARNESS: a note says what changed, not how";

/// Record this session's answers in the log, as a note on HEAD
///
/// The tool compares the answers with the last ones: `git sq record 'q1=the answer' --cite q1=src/lib.rs:3-5`. For
/// questions without a shape, `record` shows both answers if they differ and asks you to add `--same` or `--delta`.
/// Use a bare `--same q2` only if nothing changed that the answer depends on; otherwise give the answer again, and the
/// lines that show it now. If the last answer was wrong though nothing changed, `--wrong` corrects it. `record` asks
/// about answers that `check` would flag; `--sure` records them.
///
/// Without an option, on a terminal, git's editor opens with the due questions. The tool sets time, id and HEAD,
/// answers every question with a built-in probe, and runs the approved commands that are due. Lines that a note cites,
/// as in `src/lib.rs:12-20`, are pinned as evidence.
#[derive(Args)]
pub struct RecordArgs {
    /// Answers: `'q1=the answer'`, and of a list `q4=a, b`
    #[arg(value_name = "Q=ANSWER", add = complete::delta())]
    answers: Vec<String>,
    /// Questions with the same answer as before: `q1,q3`, or one with its note: `q1=the answer`
    #[arg(long, value_name = "QUESTIONS|Q=NOTE", add = complete::same())]
    same: Vec<String>,
    /// A question whose answer changed, and how: `q4=what changed`
    #[arg(long, value_name = "Q=NOTE", add = complete::delta())]
    delta: Vec<String>,
    /// An answer that corrects a wrong one, though nothing changed: `q3=what is true`, with --cite
    #[arg(long, value_name = "Q=ANSWER", add = complete::delta())]
    wrong: Vec<String>,
    /// Lines that show an answer: `q4=src/lib.rs:12-20`, from the current folder or else from the root
    #[arg(long, value_name = "Q=PATH:LINES", add = complete::delta())]
    cite: Vec<String>,
    /// Take a second look at this entry of another session, as `git sq brief` asks; with an answer and its lines
    #[arg(long, value_name = "ENTRY", conflicts_with_all = ["wrong", "json"])]
    second: Option<String>,
    #[arg(long, visible_alias = "file", value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["answers", "same", "delta", "wrong", "cite"], help = JSON_HELP)]
    json: Option<PathBuf>,
    /// Record the answers even if rules flag them
    #[arg(long)]
    sure: bool,
    /// The session; defaults to `SQ_SESSION`, the agent's own variable, the current session, or a new one
    #[arg(long, value_name = "SID", add = complete::sessions())]
    sid: Option<String>,
    /// Leave out probes that are commands
    #[arg(long)]
    no_run: bool,
    /// Accept text that looks like a secret of this kind; for people only, on a terminal
    #[arg(long, value_name = "RULE", hide_possible_values = true,
        value_parser = PossibleValuesParser::new(RULES.iter().map(|rule| rule.name)))]
    allow_secret: Vec<String>,
    #[command(flatten)]
    print: PrintArgs,
}

impl RecordArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        if let Some(entry) = &self.second {
            return second::look(self, context, entry);
        }
        let json = self.json.as_deref().map(from_json).transpose()?;
        let (json, is_sure) = json.unzip();
        let is_sure = self.sure || is_sure == Some(true);
        let project = context.project(None)?;
        let mut reasons = Vec::new();
        let given = match json {
            Some(given) => given,
            None if context.is_person()
                && self.options().iter().all(|(_, texts)| texts.is_empty()) =>
            {
                return self.edit(context, &project);
            }
            None => {
                let set = &project.questions()?.set;
                let mut given = from_options(&self.options(), set, &mut reasons);
                for cite in given.iter_mut().flat_map(|given| &mut given.cites) {
                    cite.at = from_root(context, &project, &cite.at);
                }
                given
            }
        };
        self.record(context, &project, &given, reasons, is_sure)
    }

    /// The answers in options, each as it is typed before its value.
    fn options(&self) -> [(&'static str, &[String]); 5] {
        [
            ("--same ", &self.same),
            ("--delta ", &self.delta),
            ("", &self.answers),
            ("--wrong ", &self.wrong),
            (CITE, &self.cite),
        ]
    }

    fn edit(&self, context: &Context, project: &Project) -> CommandResult {
        let set = &project.questions()?.set;
        project.repo.require_identity()?;
        let whole = named(self.sid.as_deref(), project)?;
        let reader = Speaker::of(context, &project.repo, whole)?.reader(&project.repo)?;
        let Some(form) = editor::fill_in(project, reader.sid.as_deref())? else {
            return self.record(context, project, &[], Vec::new(), self.sure);
        };
        let mut reasons = Vec::new();
        let given = from_form(&form.text, set, &mut reasons);
        let has_probes =
            set.questions.iter().any(|one| one.status.is_asked() && one.probe.is_some());
        if given.is_empty() && reasons.is_empty() && !has_probes {
            return Err(Failure::refused(
                "no question was answered; nothing was recorded",
                "write `answer: ...`, `same` or `delta: what changed` after the name of a question",
            ));
        }
        let context = context.refreshed()?;
        let recorded = project.repo.head().map_err(Failure::from).and_then(|head| {
            if head.commit != Some(project.tip) {
                let at = short(project.tip);
                let moved =
                    format!("HEAD moved while the editor was open, and the answers are about {at}");
                return Err(Failure::refused(moved, LOOK_AGAIN));
            }
            // With the log as it was when the session compared its answers.
            self.record(&context, project, &given, reasons, self.sure)
        });
        let recorded = recorded.map_err(|reason| form.keep(reason));
        context.printed().and(recorded)
    }

    fn record(
        &self,
        context: &Context,
        project: &Project,
        given: &[Given],
        reasons: Vec<String>,
        is_sure: bool,
    ) -> CommandResult {
        if !self.allow_secret.is_empty() {
            context.require_person("--allow-secret")?;
        }
        let store = project.questions()?;
        let whole = named(self.sid.as_deref(), project)?;
        let mut speaker = Speaker::of(context, &project.repo, whole)?;
        let session = expected(&project.repo, speaker.named(), &speaker.author)?;
        let announce = |question: &Question| context.announce(question);
        let announce = (!self.no_run).then_some(&announce as &dyn Fn(&Question));
        let prepared =
            |project| Recording::prepare(project, &store.set, given.to_vec(), session.clone());
        let judged = |project, recording, reasons| {
            self.judged(context, project, store, recording, reasons, is_sure)
        };
        let mut recording = judged(project, prepared(project)?, reasons)?;
        // Before a command runs, which may take long.
        project.repo.require_identity()?;
        recording.run_commands(project, &store.set, announce)?;
        let later = recording.has_run.then(|| context.refreshed()).transpose()?;
        let context = later.as_ref().unwrap_or(context);
        if recording.answers.is_empty() && recording.mistakes.is_empty() {
            if let Some(sid) = recording.is_recorded_by(project, &store.set) {
                let nothing = Recorded {
                    sid: sid.to_owned(),
                    head: project.tip.to_string(),
                    ts: Ts::from(context.now).to_string(),
                    left: recording.left.clone(),
                    ..Recorded::default()
                };
                return context.show(&project.repo, &nothing, self.print.format);
            }
            recording.mistakes.push("nothing to record".into());
        }
        if !recording.mistakes.is_empty() {
            let reasons = [recording.mistakes, recording.failed].concat();
            return Err(refused(store, reasons, Vec::new()));
        }
        speaker.author = author(context)?;
        let mut writing = Writing::begin(context, &project.repo, &speaker)?;
        writing.allowed = Some(&self.allow_secret);
        let (mut envelope, doubt) = writing.envelope_at_head(project)?;
        let turn = Turn::take(&project.repo)?;
        if turn.tips != project.tips {
            // Others wrote meanwhile, and these answers come after theirs.
            let now = context.refreshed()?.now;
            if !given.is_empty() {
                let project = project.reread(now)?;
                let later = prepared(&project)?;
                Failure::check(recording.overtaken(&project, &later), LOOK_AGAIN)?;
                recording = judged(&project, later, Vec::new())
                    .map_err(|refused| refused.hinting("others recorded meanwhile"))?
                    .with_runs(recording);
            }
            (envelope.ts, envelope.id) = (Ts::from(now), new_id(now));
        }
        writing.turn = Some(turn);
        let envelope = Envelope { store: Some(store.blob.to_string().into()), ..envelope };
        let body = Body::Rederive(recording.rederive(project));
        writing.add(project.tip, envelope.clone(), body, SHORTEN)?;
        writing.append_and_publish("git sq record")?;

        let mut recorded = recorded(project, store, &envelope, &recording, doubt);
        if recorded.has_delta() && project.judges_drifts(&Events::default()) {
            // Drifts include the new entry. An error here is dropped: the entry is in the log already.
            if let Ok(drifts) = context.project(None).and_then(|new| Ok(new.judged_drifts()?)) {
                recorded.tell(&drifts);
            }
        }
        context.show(&project.repo, &recorded, self.print.format)
    }
}

impl RecordArgs {
    /// Refuses a recording that lacks something or that a rule would flag.
    fn judged<'s>(
        &self,
        context: &Context,
        project: &Project,
        store: &'s FoundStore,
        mut recording: Recording<'s>,
        mut reasons: Vec<String>,
        is_sure: bool,
    ) -> Result<Recording<'s>, Failure> {
        // A refusal repeats answers, so that they are screened first.
        let body = Body::Rederive(recording.rederive(project));
        let blank = session::envelope(&project.repo, &author(context)?, "", project.tip)?;
        draft(blank, body, Some(&self.allow_secret), SHORTEN)?;
        reasons.append(&mut recording.mistakes);
        if is_sure {
            recording.is_forced = !recording.unsaid.is_empty() || !recording.doubts.is_empty();
            (recording.unsaid, recording.doubts) = (Vec::new(), Vec::new());
        }
        reasons.append(&mut recording.unsaid);
        if reasons.is_empty() && recording.doubts.is_empty() {
            return Ok(recording);
        }
        reasons.extend(recording.failed);
        if let Some(sid) = &recording.before.session {
            session::count_refusal(&project.repo, sid)?;
        }
        Err(refused(store, reasons, recording.doubts))
    }
}

/// A citation on the command line, whose path is relative to the current folder, as git has it, if such a file is committed,
/// and else to the root.
fn from_root(context: &Context, project: &Project, at: &str) -> String {
    let here = Cited::parse(at.trim()).and_then(|cited| match cited {
        Cited::Lines { path, lines } => {
            let place = Place::from(&project.repo, &context.dir, &path, None).ok()?;
            project.has(&place).unwrap_or(false).then_some(Cited::Lines { path: place.path, lines })
        }
        Cited::Entry(_) => None,
    });
    here.map_or_else(|| at.to_owned(), |cited| cited.to_string())
}

fn refused(store: &FoundStore, reasons: Vec<String>, doubts: Vec<String>) -> Failure {
    let usage = USAGE.iter().filter(|_| !reasons.is_empty());
    let unsure = Some(&UNSURE).filter(|_| !doubts.is_empty());
    let hints: Vec<String> = usage.chain(unsure).map(ToString::to_string).collect();
    // The question may exist only in the worktree.
    let differs =
        store.warning().filter(|_| store.news == StoreNews::Differs && !reasons.is_empty());
    let refused = Failure::refused_for([reasons, doubts].concat(), hints);
    match differs {
        Some(differs) => refused.hinting(&differs),
        None => refused,
    }
}

fn recorded(
    project: &Project,
    store: &FoundStore,
    envelope: &Envelope,
    recording: &Recording,
    doubt: Option<String>,
) -> Recorded {
    let (matched, before) = (&recording.answers, &recording.before);
    let answers = matched.iter().map(|answer| {
        let asked = answer.question;
        // What replaces a session's own first answer is a first one, too.
        let is_replacing = answer.answer.is_some() && before.last(project, asked).is_none();
        RecordedAnswer::of(answer, is_replacing || before.is_first(asked))
    });
    let dirty = envelope.head.as_ref().is_some_and(|head| head.dirty);
    let mut warnings: Vec<String> = store.warning().into_iter().collect();
    warnings.extend(recording.failed.iter().cloned());
    warnings.extend(recording.behind(project));
    warnings.extend(project.never_fetched().unwrap_or_default());
    let uncommitted = "there are uncommitted changes, which the answers may depend on";
    warnings.extend(dirty.then(|| doubt.unwrap_or_else(|| uncommitted.to_owned())));
    let replaces = matched
        .iter()
        .map(|answer| answer.question)
        .filter(|asked| before.answered_at(&envelope.sid, asked).any(|at| at == project.tip))
        .map(|asked| asked.id.clone())
        .collect();
    Recorded {
        replaces,
        id: envelope.id.to_string(),
        sid: envelope.sid.to_string(),
        head: envelope.repo_head_sha.to_string(),
        ts: envelope.ts.to_string(),
        answers: answers.collect(),
        left: recording.left.clone(),
        dirty,
        since: recording.moved(project),
        warnings,
    }
}
