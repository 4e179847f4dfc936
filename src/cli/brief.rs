use clap::Args;

use super::{AgentFormat, AgentPrintArgs, CommandResult, Context, Format, writing::Speaker};
use crate::setup::SKILL;

/// Show what this session has to answer, and what has changed
///
/// It asks for answers that are outdated, disputed, failing or missing, for those to questions without `watch`, and
/// for some of the others in turn; twice in a session only if the answer is outdated again. Earlier answers are left
/// out: derive first, then compare with `git sq show`.
///
/// The text and markdown forms stay under 8,000 bytes and say what was left out.
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
