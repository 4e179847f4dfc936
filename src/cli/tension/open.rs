use clap::Args;
use jiff::{SignedDuration, Span};

use super::log::{TensionLog, WriteArgs};
use crate::{
    cli::{CommandResult, Context, Failure},
    entry::{Body, SOURCE_MAX, TOPIC_MAX, TensionOpened, TensionType, fitting, is_share},
    question::duration,
    session::time_to_live,
    view::{TensionView, opening_warnings},
};

/// Open a tension: a question that came up and was not followed up
#[derive(Args)]
pub struct OpenArgs {
    /// The question, in one line of at most 280 characters
    topic: String,
    /// The kind of question
    #[arg(long = "type", value_name = "TYPE")]
    tension_type: TensionType,
    /// The place where it came up: a file, a conversation, a test
    #[arg(long, value_name = "TEXT")]
    source: String,
    /// How much you want the answer, from 0 to 1
    #[arg(long, value_name = "0..1", default_value_t = 0.5, allow_negative_numbers = true)]
    curiosity: f64,
    /// How much it is worth interrupting a person, from 0 to 1
    #[arg(long, value_name = "0..1", default_value_t = 0.5, allow_negative_numbers = true)]
    intrusiveness: f64,
    /// How long it stays open, such as `7d`; defaults to the setting `tension.ttl` if its curiosity is below the floor,
    /// and to six times that otherwise
    #[arg(long, value_name = "LENGTH")]
    ttl: Option<String>,
    #[command(flatten)]
    write: WriteArgs,
}

const USAGE: &str = "nothing was written; usage: git sq tension open 'why is it so?' --type unknown --source src/lib.rs";

impl OpenArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let mut log = TensionLog::open(context)?;
        let opened = self.opened(&log)?;
        let (sid, body) = (self.write.sid.as_deref(), Body::TensionOpen(opened));
        let envelope = log.append(context, sid, body)?;
        let tensions = log.replay(context);
        let effect = log.ledger.effect(&tensions, &envelope);
        let mut done = log.document(effect.new.iter().copied(), TensionView::Done("Opened"));
        done.warnings = opening_warnings(&effect, &log.settings);
        context.show(&log.project.repo, &done, self.write.print.format)
    }

    fn opened(&self, log: &TensionLog) -> Result<TensionOpened, Failure> {
        let mut reasons = Vec::new();
        let topic = fitting("topic", &self.topic, TOPIC_MAX, &mut reasons);
        let source = fitting("source", &self.source, SOURCE_MAX, &mut reasons);
        let (curiosity, intrusiveness) = (self.curiosity, self.intrusiveness);
        for (what, value) in [("curiosity", curiosity), ("intrusiveness", intrusiveness)] {
            if !is_share(value) {
                reasons.push(format!("the {what} must be between 0 and 1, not {value}"));
            }
        }
        let ttl = self.ttl.as_deref().map(|text| {
            let length = duration(text).filter(|length| !length.is_zero());
            let length = length.and_then(|_| text.parse::<Span>().ok());
            if length.is_none() {
                reasons.push(format!("invalid duration {text:?}: expected one such as 7d"));
            }
            length.map(|length| format!("{length:#}"))
        });
        let cite = log.pin(&self.write.cite, &mut reasons);
        Failure::check(reasons, USAGE)?;
        Ok(TensionOpened {
            // Settings that change later do not rewrite what ended under these.
            ttl: ttl.flatten().or_else(|| in_words(time_to_live(curiosity, &log.settings)?)),
            cap: Some(log.settings.cap),
            topic,
            tension_type: self.tension_type,
            source,
            curiosity,
            intrusiveness,
            cite,
        })
    }
}

/// In whole days, else in the largest units that it has; `None` if no span has that length.
fn in_words(length: SignedDuration) -> Option<String> {
    let hours = length.as_hours();
    let is_whole = hours % 24 == 0 && length == SignedDuration::from_hours(hours);
    let text = if is_whole { format!("{}d", hours / 24) } else { format!("{length:#}") };
    duration(&text).is_some().then_some(text)
}
