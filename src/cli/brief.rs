use clap::Args;

use super::{AgentFormat, AgentPrintArgs, CommandResult, Context, Format, writing::Speaker};
use crate::setup::SKILL;

/// Show what this session has to answer, and what has changed
///
/// It asks for answers that are outdated, disputed, failing or missing, for those to questions without `watch`, and, in
/// rotation, for as many others as keep each well within its limit of staleness; never twice in a session, unless
/// the answer is outdated since. Earlier answers are left out: derive first, then compare with `git sq show`.
///
/// The order: second looks, where this agent's last session stopped (a state older than two weeks is only named),
/// warnings, what changed, questions of importance 3, what the tool answered, questions of importance 2 and 1, the top
/// three tensions, the deltas of the last two sessions, the state before, what is not due. The text and markdown forms
/// stay under 8,000 bytes and say what was left out.
#[derive(Args)]
pub struct BriefArgs {
    /// Print the instructions for agents, which are also the skill of the plugin
    #[arg(long)]
    help_agent: bool,
    /// Print only a form for `git sq record --json`, with a `null` for each answer
    #[arg(long, conflicts_with = "format")]
    form: bool,
    /// Ask every question
    #[arg(short, long)]
    all: bool,
    #[command(flatten)]
    print: AgentPrintArgs,
}

impl BriefArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        if self.help_agent {
            return context.say(SKILL);
        }
        let mut project = context.project(None)?;
        project.is_hurried = true;
        let speaker = Speaker::of(context, &project.repo, None)?;
        let mut brief = project.brief(speaker.reader(&project.repo)?)?;
        if self.all {
            for question in &mut brief.questions {
                (question.is_due, question.due_within) = (true, None);
            }
        }
        match self.print.format {
            _ if self.form => context.say(&brief.form()),
            AgentFormat::Json => context.show(&project.repo, &brief, Format::Json),
            AgentFormat::Text => context.show(&project.repo, &brief, Format::Text),
            AgentFormat::Markdown => context.say(&brief.markdown()),
        }
    }
}
