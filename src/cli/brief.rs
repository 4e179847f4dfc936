//! `git sq brief`: what a session has to re-derive now.

use clap::Args;

use super::{
    AgentFormat, AgentPrintArgs, CommandResult, Context, Failure, Format, Outcome,
    envelope::author,
    state::{SHOWN, last_states},
    tension,
};
use crate::{
    evidence::Cites,
    metrics::{SessionInBrief, Survey},
    project::{Measure, Project, Since, Snapshot, asked},
    report::Brief,
    session::expected,
    setup::SKILL,
};

/// Show what this session has to answer, and what changed since the last one
///
/// Earlier answers are left out, except for the deltas of the last two sessions: derive first, then compare with
/// `git sq show`. Warnings and what moved come first, then questions for every session, where this agent's last session
/// stopped, the other questions, and the top three tensions. The text and markdown forms stay under 8,000 bytes and say
/// what was left out; markdown ends with the JSON that `git sq record` takes.
#[derive(Args)]
pub struct BriefArgs {
    /// Print how an agent uses `git sq`, which is the skill of the plugin
    #[arg(long)]
    help_agent: bool,
    #[command(flatten)]
    print: AgentPrintArgs,
}

impl BriefArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        if self.help_agent {
            context.print(SKILL);
            return Ok(Outcome::Clean);
        }
        let project = context.project(None)?.hurried();
        let brief = brief(context, &project)?;
        match self.print.format {
            AgentFormat::Json => context.show(&project.repo, &brief, Format::Json),
            AgentFormat::Text => context.show(&project.repo, &brief, Format::Text),
            AgentFormat::Markdown => context.print(&brief.markdown()),
        };
        Ok(Outcome::Clean)
    }
}

/// What a session of this context's agent begins with.
pub fn brief(context: &Context, project: &Project) -> Result<Brief, Failure> {
    let store = project.questions()?;
    let Snapshot { survey, events, .. } = project.snapshot(&Measure::default())?;
    let has_entry = |id: &str| project.has_entry(id);
    let agent = context.agent_name()?;
    let cites = Cites::new(&project.repo, project.tip, &has_entry);
    let states = last_states(project, &events, &cites, agent, SHOWN);
    let author = author(context)?;
    let named = context.named(&project.repo, None)?;
    let reader = expected(&project.repo, named, &author)?.map(|(sid, _)| sid);
    Ok(Brief {
        tip: project.tip.to_string(),
        branch: project.head.branch.clone(),
        questions: asked(project, &store.set, &survey, context.now)?,
        since: since(project, &survey)?,
        second: project.second_looks(&survey.second, &store.set, reader.as_deref()),
        latest: blind(&survey.latest),
        states,
        agent: agent.map(str::to_owned),
        tensions: tension::for_brief(context, &store.set.settings.tension, &events),
        warnings: store
            .warning()
            .into_iter()
            .chain(survey.unanswered_news())
            .chain(survey.drifts.iter().map(|drift| {
                let name = &drift.question;
                format!("{name} blocks: its answer changed, see `git sq triage {name}`")
            }))
            .collect(),
        unknown: survey.unknown.clone(),
        place: project.place(),
        now: context.now,
    })
}

/// Sessions without what they say of their deltas: an answer that is on the screen is copied.
fn blind(latest: &[SessionInBrief]) -> Vec<SessionInBrief> {
    let mut latest = latest.to_vec();
    for delta in latest.iter_mut().flat_map(|session| &mut session.deltas) {
        delta.note = None;
    }
    latest
}

/// What moved since the last session; None where there is none.
pub fn since(project: &Project, survey: &Survey) -> Result<Option<Since>, Failure> {
    let last = survey.latest.first();
    let last = last.and_then(|last| Some((&last.sid, last.anchor.parse().ok()?)));
    let since = last.map(|(sid, anchor)| project.moved_since(sid, anchor));
    Ok(since.transpose()?)
}
