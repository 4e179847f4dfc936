use clap::Args;

use super::{
    CommandResult, Context, Failure, PrintArgs,
    writing::{Writing, author, person_session},
};
use crate::{
    entry::{Body, CLOSING_NOTE_MAX, Event, fitting},
    git::Repo,
    store::{
        Held, hold,
        share::{standing, tells_of_work},
    },
    view::Redaction,
};

/// Hide the text of an entry from every reader of the log
///
/// In place of the text, git sq shows who redacted it and why. The entry still counts. This can't be undone, and only
/// a person can do it, on a terminal. The text is still in git, and in clones that have the log: if it is a secret,
/// replace the secret first.
#[derive(Args)]
pub struct RedactArgs {
    /// The id of the entry; `git sq log --kind all --format jsonl` lists ids
    entry: String,
    /// Why; one line of at most 500 characters
    #[arg(long, value_name = "TEXT")]
    because: String,
    #[command(flatten)]
    print: PrintArgs,
}

impl RedactArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        const NOTHING: &str =
            "nothing was written; usage: git sq redact ENTRY --because 'it held a token'";
        context.require_person("git sq redact")?;
        let project = context.project(None)?;
        let mut reasons = Vec::new();
        let because = fitting("reason", &self.because, CLOSING_NOTE_MAX, &mut reasons);
        let found = project.redact(&self.entry, &because)?.unwrap_or_else(|why| {
            reasons.push(why);
            Vec::new()
        });
        Failure::check(reasons, NOTHING)?;
        let author = author(context)?;
        let sid = person_session(context, &project.repo)?;
        let mut writing = Writing::of(&project.repo, &author, sid)?;
        let held = Held::read(&project.repo)?;
        let waits = held.holds(&self.entry) && waits(&project.repo, &self.entry)?;
        let mut commits = Vec::new();
        for (commit, redacted) in found {
            let (envelope, body) = (writing.envelope(commit)?, Body::Redact(redacted));
            if waits {
                // Others could take the entry for one that was purged.
                hold(&project.repo, &envelope.id, held.branch(&self.entry))?;
            }
            writing.add(commit, envelope, body, "shorten the reason")?;
            commits.push(commit.to_string());
        }
        writing.append_and_publish("git sq redact")?;
        let project = context.project(None)?;
        let events = project.events()?;
        let mut rows = events.rows().iter();
        let mark =
            rows.find_map(|row| events.redaction(row).filter(|_| events.id(row) == self.entry));
        let [repeated_by, found_again] = project.repeated_by(&self.entry)?;
        let redaction = Redaction {
            entry: self.entry.clone(),
            mark: mark.unwrap_or_default().to_owned(),
            commits,
            repeated_by,
            found_again,
        };
        context.show(&project.repo, &redaction, self.print.format)
    }
}

/// Returns true if an entry waits for its work to be pushed, and not only for its commit, for which a redaction waits, too.
fn waits(repo: &Repo, entry: &str) -> Result<bool, Failure> {
    for remote in repo.remotes() {
        let waiting = standing(repo, &remote)?.waiting;
        let mut events = waiting.iter().filter_map(|(_, line)| Event::parse(line).ok());
        if events.any(|event| *event.envelope.id == *entry && tells_of_work(&event.envelope)) {
            return Ok(true);
        }
    }
    Ok(false)
}
