//! The log for the commands about tensions, with or without a question store.

use std::sync::Arc;

use clap::Args;

use crate::{
    cli::{
        Context, Failure, PrintArgs, complete,
        writing::{Speaker, Writing, named},
    },
    entry::{Body, Citation, Cited, Envelope},
    evidence::{CitedRow, Cites},
    project::{Project, TensionRow},
    question::TensionSettings,
    session::{Ledger, Tension},
    store::Events,
    view::{TensionView, Tensions, entries},
};

/// The options of a command that writes about a tension.
#[derive(Args)]
pub struct WriteArgs {
    /// Evidence: `path:line`, `path:from-to` or an entry's id; may be repeated
    #[arg(long, value_name = "CITATION")]
    pub cite: Vec<String>,
    /// The session; defaults to `SQ_SESSION`, the agent's own variable, the current session, or a new one
    #[arg(long, value_name = "SID", add = complete::sessions())]
    pub sid: Option<String>,
    #[command(flatten)]
    pub print: PrintArgs,
}

pub struct TensionLog {
    pub project: Project,
    events: Arc<Events>,
    pub settings: TensionSettings,
    pub ledger: Ledger,
}

impl TensionLog {
    /// Opens HEAD. Without a question store, the settings are the defaults.
    pub fn open(context: &Context) -> Result<Self, Failure> {
        let project = context.project(None)?;
        let store = project.questions_if_any();
        let settings = store.map_or_else(Default::default, |store| store.set.settings.clone());
        let events = project.events()?;
        Ok(Self { ledger: Ledger::of(&events), project, events, settings: settings.tension })
    }

    pub fn replay(&self, context: &Context) -> Vec<Tension> {
        self.ledger.replay(context.now, &self.settings)
    }

    pub fn document<'t>(
        &self,
        tensions: impl IntoIterator<Item = &'t Tension>,
        view: TensionView,
    ) -> Tensions {
        Tensions {
            tensions: tensions
                .into_iter()
                .map(|tension| TensionRow::new(tension, &self.settings))
                .collect(),
            warnings: Vec::new(),
            unknown: self.unknown(),
            view,
        }
    }

    pub fn unknown(&self) -> Vec<String> {
        let mut unknown = Vec::new();
        if self.ledger.unreadable > 0 {
            unknown.push(format!(
                "{} about tensions can't be read, or come from a newer version",
                entries(self.ledger.unreadable)
            ));
        }
        unknown.extend(self.project.never_fetched().unwrap_or_default());
        unknown
    }

    /// Pins citations to HEAD; failures are added to `reasons`.
    pub fn pin(&self, given: &[String], reasons: &mut Vec<String>) -> Vec<Citation> {
        let log = Cites::new(&self.project.repo, self.project.tip, |id| self.events.has_id(id));
        let mut pinned: Vec<Citation> = Vec::new();
        for text in given {
            let Some(cited) = Cited::parse(text) else {
                reasons.push(format!(
                    "invalid citation {text:?}: expected path:line, path:from-to or an entry's id"
                ));
                continue;
            };
            match log.pin(cited, None) {
                Ok(citation) if pinned.contains(&citation) => {}
                Ok(citation) => pinned.push(citation),
                Err(why) => reasons.push(format!("{text:?} can't be cited: {why}")),
            }
        }
        pinned
    }

    pub fn look_up(&self, citations: &[Citation]) -> Vec<CitedRow> {
        let cites = Cites::new(&self.project.repo, self.project.tip, |id| self.events.has_id(id));
        citations.iter().map(|citation| cites.look_up(citation)).collect()
    }

    /// Adds an entry to the log and reads the log again; gives the envelope of the entry.
    pub fn append(
        &mut self,
        context: &Context,
        sid: Option<&str>,
        body: Body,
    ) -> Result<Envelope<'static>, Failure> {
        let advice = "cite less, or shorten SQ_AGENT, SQ_MODEL or SQ_HARNESS";
        let project = &self.project;
        let speaker = Speaker::of(context, &project.repo, named(sid, project)?)?;
        let mut writing = Writing::begin(context, &project.repo, &speaker)?;
        let (envelope, _) = writing.envelope_at_head(project)?;
        writing.add(project.tip, envelope.clone(), body, advice)?;
        writing.append_and_publish(&context.command)?;
        *self = Self::open(context)?;
        Ok(envelope)
    }
}
