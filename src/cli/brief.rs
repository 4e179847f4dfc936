use clap::Args;

use super::{
    AgentFormat, AgentPrintArgs, CommandResult, Context, Format, Outcome, writing::Speaker,
};
use crate::setup::SKILL;

/// Show what this session has to answer, and what has changed
///
/// Earlier answers are left out, except for the deltas of the last two sessions: derive first, then compare with `git
/// sq show`. Warnings and changes come first, then questions for every session, where this agent's last session
/// stopped, the other questions, and the top three tensions. The text and markdown forms stay under 8,000 bytes and say
/// what was left out; markdown ends with the JSON that `git sq record` takes.
#[derive(Args)]
pub struct BriefArgs {
    /// Print the instructions for agents, which are also the skill of the plugin
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
        let speaker = Speaker::of(context, &project.repo, None)?;
        let brief = project.brief(speaker.reader(&project.repo)?)?;
        match self.print.format {
            AgentFormat::Json => context.show(&project.repo, &brief, Format::Json),
            AgentFormat::Text => context.show(&project.repo, &brief, Format::Text),
            AgentFormat::Markdown => context.print(&brief.markdown()),
        };
        Ok(Outcome::Clean)
    }
}
