use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::check_agent;
use crate::{
    cli::{
        CommandResult, Context, Failure, PrintArgs, complete,
        handed_in::read_object,
        writing::{Speaker, Writing, author, named},
    },
    entry::{Agent, Body, Envelope, new_sid},
    evidence::Cites,
    project::{Project, all_rows},
    session::{self, Author, StateInput, limits},
    store::{Held, WritersLock, clone_id, fold, hold},
    view::{StateSet, alert_text},
};

/// Not a doc comment, where the linter would have the keys marked as code.
const JSON_HELP: &str =
    r#"Read the fields from a file, `-` for standard input: {"handover":"...","done":["..."]}"#;

/// Record where this session stopped; may be repeated, the last one counts
///
/// What will still be true and useful in two weeks belongs in the repository instead; the brief leaves out older
/// states.
///
/// A field that is not given keeps its last value; an empty one clears it. `status` may have 280 characters,
/// `handover` 500, and each list 5 items of 140; longer ones are refused. In an item of `done`, `path:line`,
/// `path:from-to` and ids of entries are citations, and are pinned to HEAD. Quote a path with spaces: `"path with
/// spaces":12`. The state of another agent is refused, and so is that of an ended session with `--sid`.
#[derive(Args)]
pub struct SetArgs {
    #[command(flatten)]
    fields: StateInput,
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "StateInput", help = JSON_HELP)]
    json: Option<PathBuf>,
    /// The agent's name; defaults to `SQ_AGENT`, or the one that started the session or wrote its state
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// The session; defaults to `SQ_SESSION`, the agent's own variable, the current session, or a new one
    #[arg(long, value_name = "SID", add = complete::sessions())]
    sid: Option<String>,
    #[command(flatten)]
    print: PrintArgs,
}

const FORM: &str = "nothing was written; usage: git sq state set --status 'how things are' --handover 'what to know' --next 'what to do'";
const JSON_FORM: &str = "nothing was written; expected {\"status\":\"...\",\"handover\":\"...\",\"done\":[\"...\"],\"doing\":[],\"blocked\":[],\"next\":[]}, or some of these keys";

impl SetArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let given = self.given()?;
        let author = self.author(context)?;
        // Held from reading the row to replacing it: of two calls at once the second builds on the first.
        let _turn = WritersLock::named(&context.open()?, "rows.lock")?;
        // Entries that were fetched under this clone's name, and are not its own, end the name before anything builds
        // on it.
        fold(&context.open()?, &[])?;
        let project = context.project(None)?;
        let whole = match named(self.sid.as_deref(), &project)? {
            None if self.is_of_another(context, &project)? => Some(own_name(&project)?),
            whole => whole,
        };
        let mut speaker = Speaker::of(context, &project.repo, whole)?;
        speaker.author = author;
        let set = set(context, &project, &speaker, given)?;
        context.show(&project.repo, &set, self.print.format)
    }

    fn given(&self) -> Result<StateInput, Failure> {
        let given = match &self.json {
            Some(path) => read_object(path, "state", JSON_FORM)?,
            None => self.fields.clone(),
        };
        if given == StateInput::default() {
            return Err(Failure::refused("nothing to set", FORM));
        }
        if given.texts().any(|text| text.contains('\0')) {
            return Err(Failure::refused(
                "a field contains a NUL character",
                "nothing was written; remove it",
            ));
        }
        Ok(given)
    }

    /// Returns true if the current session is an agent's, whose row is its own, and nothing says that an agent writes.
    fn is_of_another(&self, context: &Context, project: &Project) -> Result<bool, Failure> {
        let is_nobody = self.agent.is_none() && context.refuse_agents("git sq state").is_ok();
        let agent =
            session::alive(&project.repo, context.now)?.and_then(|session| session.agent?.name);
        Ok(is_nobody
            && agent.is_some()
            && context.named(&project.repo, None)?.environment.is_none())
    }

    fn author(&self, context: &Context) -> Result<Author, Failure> {
        let mut author = author(context)?;
        if let Some(name) = &self.agent {
            check_agent(name, "nothing was written; ")?;
            author.agent =
                Some(Agent { name: Some(name.clone()), ..author.agent.unwrap_or_default() });
        }
        Ok(author)
    }
}

/// The name under which the person wrote while the current session, an agent's, ran; else a new one.
fn own_name(project: &Project) -> Result<String, Failure> {
    let (agents, writer) = (session::current(&project.repo)?, clone_id(&project.repo)?);
    let rows = all_rows(&*project.events()?);
    let own = rows.into_iter().find(|row| {
        let is_since = agents.as_ref().is_some_and(|agents| agents.started <= row.ts);
        is_since && row.agent.is_none() && row.end.is_none() && row.writer.as_ref() == Some(&writer)
    });
    Ok(own.map_or_else(new_sid, |row| row.sid))
}

fn set(
    context: &Context,
    project: &Project,
    speaker: &Speaker,
    given: StateInput,
) -> Result<StateSet, Failure> {
    const ADVICE: &str = "shorten the fields, or SQ_AGENT, SQ_MODEL or SQ_HARNESS";
    let repo = &project.repo;
    let (named, author) = (speaker.named(), &speaker.author);
    let events = project.events()?;
    let writer = clone_id(repo)?;
    let row_of = |sid: &str| {
        let mut rows = all_rows(&events).into_iter();
        rows.find(|row| row.sid == sid && row.writer.as_ref() == Some(&writer))
    };
    let row = named.name().and_then(row_of);
    session::check_row(repo, named, row.as_ref(), author.agent.as_ref())?;
    let mut writing = Writing::begin(context, repo, speaker)?;
    let sid = writing.sid.clone();
    let before = row_of(&sid);
    let (mut envelope, _) = writing.envelope_at_head(project)?;
    if let Some(before) = &before {
        session::follow(&mut envelope, before);
    }
    let sets_done = given.done.is_some();
    let mut state = limits::tidy(given.upon(before.as_ref()));
    let over = limits::over(&state);
    if !over.is_empty() {
        for alert in &over {
            let envelope =
                Envelope { id: session::new_id(author.now), head: None, ..envelope.clone() };
            writing.add(project.tip, envelope, Body::Alert(alert.clone()), ADVICE)?;
        }
        writing.append_and_publish("git sq state")?;
        return Err(Failure::refused_for(
            over.iter().map(alert_text).collect(),
            "only an alert was written to the log; shorten it, and try again",
        ));
    }
    let mut cites = Vec::new();
    if sets_done {
        (state.cites, cites) =
            Cites::new(repo, project.tip, |id| events.has_id(id)).pin_items(&state.done);
    }
    writing.add(project.tip, envelope.clone(), Body::State(state.clone()), ADVICE)?;
    let held = Held::read(repo)?;
    if let Some(before) = before.filter(|before| held.holds(&before.id))
        && !held.holds(&envelope.id)
    {
        // It keeps fields of a state that waits.
        hold(repo, &envelope.id, held.branch(&before.id))?;
    }
    writing.append_and_publish("git sq state")?;
    Ok(StateSet {
        sid,
        id: envelope.id.to_string(),
        ts: envelope.ts.to_string(),
        agent: envelope.agent.and_then(|agent| agent.name),
        head: project.tip.to_string(),
        state,
        cites,
    })
}
