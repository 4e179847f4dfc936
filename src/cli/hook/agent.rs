//! The hooks of coding agents: `git sq hook session-start` and its like.

use std::io::Read as _;

use clap::Subcommand;

use super::input::{arriving, parts};
use crate::{
    cli::{
        Context, Failure,
        writing::{Speaker, author},
    },
    entry::{Agent, Ts, clip, one_line},
    git::{ErrorKind, Repo},
    harness::{Call, Harness, is_whole},
    project::{Asked, Measure, Project},
    question::STORE_PATHS,
    session::{
        self, Ended, ask_once, beat, check_name, compacting, start_by_hook, was_compacted,
        why_no_name,
    },
    store::{StartHook, share::publish_later},
    view::{escape, fence, stop_text},
};

/// Bytes of a hook's input that are read at most: it holds the results of tools.
const MOST: u64 = 16 << 20;

const LINE: usize = 200;

/// Events of a harness, with JSON on standard input.
#[derive(Clone, Copy, Subcommand)]
pub enum Event {
    /// A session starts or resumes: print its brief, in the shape that the harness takes
    SessionStart,
    /// The agent is about to stop: with `sq.enforce`, ask once for the answers that are missing
    Stop,
    /// A session ends: record its figures
    SessionEnd,
    /// The context is about to be compacted: note that the session is alive
    PreCompact,
    /// A person wrote a prompt: print the brief again after a compaction that no start of a session followed
    Prompt,
}

impl Event {
    pub fn run(self, context: &Context) {
        let call = match read() {
            Ok(call) => call,
            Err(failure) => return context.note(&(line(&failure) + "\n")),
        };
        let said = context.for_hook_call(&call).and_then(|context| self.act(&context, &call));
        match said {
            Ok(Some(said)) => _ = context.print(&(said + "\n")),
            Ok(None) => {}
            Err(failure) => self.complain(context, &call, &line(&failure)),
        }
    }

    fn act(self, context: &Context, call: &Call) -> Result<Option<String>, Failure> {
        let repo = if call.is_subagent { None } else { repo(context)? };
        let Some(repo) = repo else {
            return Ok(None);
        };
        match self {
            Self::Prompt if !was_compacted(&repo, &call.session)? => {
                beat(&repo, &call.session, context.now)?;
            }
            Self::SessionStart | Self::Prompt => {
                let text = session_start(context, call, repo)?;
                return Ok(text.map(|text| call.context(&text)));
            }
            Self::Stop => {
                let reason = stop(context, call, repo)?;
                return Ok(reason.map(|reason| call.block(&reason)));
            }
            Self::SessionEnd => {
                let ended = session::end(&repo, Some(&call.session), context.now)?;
                if matches!(ended, Ended::Now(_)) {
                    publish_later(&repo);
                }
            }
            // The others start the session again afterwards, or give no sign of it.
            Self::PreCompact if call.harness == Some(Harness::Copilot) => {
                compacting(&repo, &call.session)?;
            }
            Self::PreCompact => beat(&repo, &call.session, context.now)?,
        }
        Ok(None)
    }

    /// Reports an error where the harness shows it, else on standard error.
    fn complain(self, context: &Context, call: &Call, line: &str) {
        let shown = match self {
            // A model reads it, and it may hold names of branches and files.
            Self::SessionStart | Self::Prompt => Some(call.context(&fence([line]))),
            Self::Stop => call.message(line),
            _ => None,
        };
        match shown {
            Some(shown) => _ = context.print(&(shown + "\n")),
            None => context.note(&format!("{line}\n")),
        }
    }
}

fn read() -> Result<Call, Failure> {
    let mut input = Vec::new();
    for part in arriving(|input| parts(input.take(MOST))) {
        let part = part.map_err(|error| {
            Failure::refused(format!("standard input can't be read: {error}"), "")
        })?;
        input.extend(part);
        if is_whole(&input) {
            break;
        }
    }
    let call = Call::parse(&input).map_err(|why| Failure::refused(why, ""))?;
    check_name(&call.session)?;
    Ok(call)
}

fn line(failure: &Failure) -> String {
    let document = failure.document();
    let said = [document.errors, document.hints].concat();
    let text = one_line(&said.join("; "));
    clip(&escape(&format!("git sq: {text}")), LINE)
}

/// `None` outside a repository.
fn repo(context: &Context) -> Result<Option<Repo>, Failure> {
    if !context.dir.is_dir() {
        return Ok(None);
    }
    let mut folders = context.dir.ancestors();
    match context.open() {
        Err(error) if error.kind == ErrorKind::NoRepository => Ok(None),
        // Where nobody asks anything, nothing is said.
        Err(_) if !folders.any(|dir| STORE_PATHS.iter().any(|store| dir.join(store).is_file())) => {
            Ok(None)
        }
        // Only the user may decide to trust this repository; the agent is not told how.
        Err(error) if error.kind == ErrorKind::Unsafe => {
            Err(Failure::refused(error.to_string(), ""))
        }
        opened => Ok(Some(opened?)),
    }
}

/// `None` without a question store.
fn project(context: &Context, repo: Repo) -> Result<Option<Project>, Failure> {
    let project = match Project::open(repo, None, context.cache) {
        Err(error) if error.kind == ErrorKind::NoCommit => return Ok(None),
        opened => opened?,
    };
    match project.questions() {
        Err(error) if error.kind == ErrorKind::NoQuestions => Ok(None),
        Err(error) => Err(error.into()),
        Ok(_) => Ok(Some(project)),
    }
}

/// The brief, once for each start. It is given even if the session can't be saved.
fn session_start(context: &Context, call: &Call, repo: Repo) -> Result<Option<String>, Failure> {
    let Some(project) = project(context, repo)? else {
        return Ok(None);
    };
    let mut author = author(context)?;
    let agent = author.agent.get_or_insert_default();
    let harness = call.harness.map(|harness| harness.name().to_owned());
    agent.name = agent.name.take().or(harness.clone());
    author.agent = author.agent.filter(|agent| *agent != Agent::default());
    let hook = StartHook {
        harness,
        source: call.source.clone().filter(|word| why_no_name(word).is_none()),
        transcript: call.transcript.clone(),
        at: Ts::from(context.now),
        by: project.repo.identity(),
    };
    let started = start_by_hook(&project.repo, &call.session, &author, hook);
    let trouble = match started {
        Ok(true) => String::new(),
        Ok(false) => return Ok(None),
        Err(error) => fence([line(&error.into())]) + "\n",
    };
    let reader = Speaker::of(context, &project.repo, None)?.reader(&project.repo)?;
    let brief = project.brief(reader)?.markdown();
    Ok(Some(trouble + brief.trim_end()))
}

/// The missing answers, the first time that there are any, if `sq.enforce` asks for them.
fn stop(context: &Context, call: &Call, repo: Repo) -> Result<Option<String>, Failure> {
    // An error here must not stop the agent.
    let _ = beat(&repo, &call.session, context.now);
    if repo.config_flag("sq.enforce") != Some(true) {
        return Ok(None);
    }
    let Some(project) = project(context, repo)? else {
        return Ok(None);
    };
    let missing = missing(call, &project)?;
    if missing.is_empty() || !ask_once(&project.repo, &call.session)? {
        return Ok(None);
    }
    Ok(Some(stop_text(&missing)))
}

/// The questions that are due, if the session did something: one that it answered is due again once that is outdated.
fn missing(call: &Call, project: &Project) -> Result<Vec<Asked>, Failure> {
    if !session::has_worked(&project.repo, &call.session)? {
        return Ok(Vec::new());
    }
    let snapshot = project.snapshot(&Measure::default())?;
    let set = &project.questions()?.set;
    let mut asked = project.asked(set, &snapshot, Some(&call.session), &[])?;
    asked.retain(Asked::needs_answer);
    Ok(asked)
}
