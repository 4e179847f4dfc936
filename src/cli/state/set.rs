//! `git sq state set`: writes this session's row anew.

use std::path::PathBuf;

use clap::Args;
use jiff::SignedDuration;
use serde::Deserialize;

use super::{StateRow, all_rows, check_agent};
use crate::{
    cli::{
        CommandResult, Context, Failure, Outcome,
        envelope::{draft, envelope_at_head, session_name, unnamed},
        handed_in::read_object,
    },
    entry::{Agent, Alert, Body, Cited, Draft, Envelope, State, StateCite, Ts},
    evidence::Cites,
    git::Oid,
    project::Project,
    report::{StateSet, cut_text},
    session::{self, RowSource, limits},
    store::WritersLock,
};

/// Not a doc comment, where the linter would have the keys marked as code.
const JSON_HELP: &str =
    r#"Read the fields from a file, `-` for standard input: {"handover":"...","done":["..."]}"#;

/// Write where this session stopped; any number of times, the last one counts
///
/// A field that is not given stays as this session wrote it last; an empty one empties it. `status` has at most 280
/// characters, `handover` 500, each list 5 items of 140. What is too long is cut, and an alert says so. In an item of
/// `done`, `path:line`, `path:from-to` and the id of an entry are citations: they are pinned to what HEAD has there. A
/// path with blanks is cited as `"path with blanks":12`.
#[derive(Args)]
pub struct SetArgs {
    #[command(flatten)]
    fields: StateInput,
    #[arg(long, value_name = "FILE", conflicts_with = "StateInput", help = JSON_HELP)]
    json: Option<PathBuf>,
    /// Refuse what is too long in place of cutting it
    #[arg(long)]
    strict: bool,
    /// The agent's name; otherwise `SQ_AGENT`, then that of the session's start, then that of its row so far
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// The session; otherwise `SQ_SESSION`, then the current one, then one of its own
    #[arg(long, value_name = "SID")]
    sid: Option<String>,
}

/// What an agent hands in. What is left out stays as it was; what is empty empties.
#[derive(Clone, Default, Args, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StateInput {
    /// How things are, in 280 characters
    #[arg(long, value_name = "TEXT")]
    status: Option<String>,
    /// What the next session has to know, in 500 characters
    #[arg(long, value_name = "TEXT")]
    handover: Option<String>,
    /// What was done, and where it shows; up to 5 times
    #[arg(long, value_name = "TEXT")]
    done: Option<Vec<String>>,
    /// What is half done; up to 5 times
    #[arg(long, value_name = "TEXT")]
    doing: Option<Vec<String>>,
    /// What waits for something, and for what; up to 5 times
    #[arg(long, value_name = "TEXT")]
    blocked: Option<Vec<String>>,
    /// What comes next; up to 5 times
    #[arg(long, value_name = "TEXT")]
    next: Option<Vec<String>>,
}

const FORM: &str = "nothing was written; the form is: git sq state set --status 'how things are' --handover 'what to know' --next 'what to do'";
const JSON_FORM: &str = "nothing was written; hand in {\"status\":\"...\",\"handover\":\"...\",\"done\":[\"...\"],\"doing\":[],\"blocked\":[],\"next\":[]}, or some of these";

impl StateInput {
    fn texts(&self) -> impl Iterator<Item = &String> {
        let texts = [&self.status, &self.handover].into_iter().flatten();
        let lists = [&self.done, &self.doing, &self.blocked, &self.next];
        texts.chain(lists.into_iter().flatten().flatten())
    }

    fn is_empty(&self) -> bool {
        let lists = [&self.done, &self.doing, &self.blocked, &self.next];
        self.status.is_none() && self.handover.is_none() && lists.into_iter().all(Option::is_none)
    }

    /// The row that `before` becomes.
    fn upon(self, before: State) -> State {
        let cites = if self.done.is_some() {
            Vec::new()
        } else {
            before.cites
        };
        State {
            status: self.status.unwrap_or(before.status),
            handover: self.handover.unwrap_or(before.handover),
            done: self.done.unwrap_or(before.done),
            doing: self.doing.unwrap_or(before.doing),
            blocked: self.blocked.unwrap_or(before.blocked),
            next: self.next.unwrap_or(before.next),
            cites,
        }
    }
}

impl SetArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let given = self.given()?;
        let sets_done = given.done.is_some();
        // From reading the row to writing it anew: of two calls at once the second builds on the first.
        let _turn = WritersLock::named(&context.open()?, "rows.lock")?;
        let project = context.project(None)?;
        let repo = &project.repo;
        let sid = session_name(self.sid.as_deref(), context, repo)?;
        let mut envelope = self.envelope(context, &project, &sid)?;
        let events = project.events()?;
        let writer = envelope.writer.as_deref().map(str::to_owned);
        let is_ours = |row: &StateRow| row.sid == sid && row.writer == writer;
        let before = all_rows(&events).into_iter().find(is_ours);
        if let Some(before) = &before {
            follow(&mut envelope, before)?;
        }
        let before = before.filter(|row| row.source != RowSource::Auto);
        let state = given.upon(before.map(|row| row.state).unwrap_or_default());
        let (mut state, alerts) = limits::within(state);
        if self.strict && !alerts.is_empty() {
            return Err(Failure::Refused {
                reasons: alerts.iter().map(cut_text).collect(),
                help: Some(
                    "nothing was written; shorten it, or leave --strict out to have it cut".into(),
                ),
            });
        }
        let mut set = StateSet {
            sid: sid.clone(),
            head: project.tip.to_string(),
            fields: fields(&state),
            alerts,
            cited: Vec::new(),
            not_cited: Vec::new(),
        };
        if sets_done {
            let has_entry = |id: &str| events.has_id(id);
            let cites = Cites::new(repo, project.tip, &has_entry);
            state.cites = pin(&cites, &state.done, &mut set);
        }
        repo.require_identity()?;
        let drafts = drafts(context, project.tip, &envelope, state, &set.alerts)?;
        session::append(
            repo,
            &sid,
            context.now,
            &drafts,
            "Notes added by 'git sq state'",
        )?;
        let hint = unnamed(context, repo, self.sid.as_deref(), "state set")?;
        context.print(&(set.text(context.style(Some(repo))) + &hint));
        Ok(Outcome::Clean)
    }

    fn given(&self) -> Result<StateInput, Failure> {
        let given = match &self.json {
            Some(path) => read_object(path, "state", JSON_FORM)?,
            None => self.fields.clone(),
        };
        if given.is_empty() {
            return Err(Failure::refused("there is nothing to set", FORM));
        }
        if given.texts().any(|text| text.contains('\0')) {
            return Err(Failure::refused(
                "a field has a NUL character, which no text has",
                "nothing was written; hand in text",
            ));
        }
        Ok(given)
    }

    fn envelope(
        &self,
        context: &Context,
        project: &Project,
        sid: &str,
    ) -> Result<Envelope<'static>, Failure> {
        let mut envelope = envelope_at_head(context, project, sid)?;
        if let Some(name) = &self.agent {
            check_agent(name, "nothing was written; ")?;
            envelope.agent = Some(Agent {
                name: Some(name.clone()),
                ..context.agent()?.unwrap_or_default()
            });
        }
        Ok(envelope)
    }
}

/// Has an entry take the agent's name from the session's row so far, where it has none, and a later time.
fn follow(envelope: &mut Envelope, before: &StateRow) -> Result<(), Failure> {
    if let Some(name) = &before.agent {
        let agent = envelope.agent.get_or_insert_default();
        agent.name.get_or_insert_with(|| name.clone());
    }
    // The clock went back, or no time has passed: what is said last still counts.
    if before.source != RowSource::Auto && before.ts >= envelope.ts {
        envelope.ts = just_after(&before.ts, &envelope.sid)?;
    }
    Ok(())
}

/// The first moment after another one.
fn just_after(ts: &Ts, sid: &str) -> Result<Ts, Failure> {
    let next = ts.timestamp().checked_add(SignedDuration::from_millis(1));
    next.map(Ts::from).map_err(|_| {
        Failure::refused(
            format!("the session {sid:?} has a state of {ts}, and no later time can be written"),
            "nothing was written; begin another session: git sq session start --sid NAME",
        )
    })
}

/// What the row holds, in words.
fn fields(state: &State) -> Vec<String> {
    let texts = state.texts().into_iter();
    let texts = texts.filter(|(_, text)| !text.is_empty());
    let lists = state.lists().into_iter();
    let lists = lists.filter(|(_, list)| !list.is_empty());
    texts
        .map(|(field, _)| field.name().to_owned())
        .chain(lists.map(|(field, list)| format!("{} {}", list.len(), field.name())))
        .collect()
}

/// Pins what the items cite to what HEAD has there, and notes what could not be.
fn pin(cites: &Cites, done: &[String], set: &mut StateSet) -> Vec<StateCite> {
    let mut pinned = Vec::new();
    for (item, text) in (1..).zip(done) {
        for cited in Cited::find_in(text) {
            let words = cited.to_string();
            match cites.pin(cited) {
                Ok(cite) => {
                    set.cited.push((item, words));
                    pinned.push(StateCite { item, cite });
                }
                Err(why) => set.not_cited.push((item, words, why.to_string())),
            }
        }
    }
    pinned
}

/// The state entry, and an alert for each cut.
fn drafts(
    context: &Context,
    tip: Oid,
    envelope: &Envelope<'static>,
    state: State,
    alerts: &[Alert],
) -> Result<Vec<(Oid, Draft<'static>)>, Failure> {
    const ADVICE: &str = "shorten the fields, or SQ_AGENT and its like";
    let state = draft(envelope.clone(), Body::State(state), ADVICE);
    let alerts = alerts.iter().map(|alert| {
        let envelope = Envelope {
            id: session::new_id(context.now),
            head: None,
            ..envelope.clone()
        };
        draft(envelope, Body::Alert(alert.clone()), ADVICE)
    });
    let drafts = std::iter::once(state).chain(alerts);
    drafts.map(|draft| Ok((tip, draft?))).collect()
}
