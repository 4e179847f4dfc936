//! What commands that write entries take from their surroundings: the session's name, the time and the agent.

use super::{Context, Failure};
use crate::{
    entry::{Body, Draft, Envelope, Event, MAX_LINE, NotALine, Undraftable, may_abbreviate},
    project::Project,
    session::{self, Author, head},
};

/// The whole name of the session that an option gives, perhaps abbreviated.
pub fn named(given: Option<&str>, project: &Project) -> Result<Option<String>, Failure> {
    let Some(given) = given else {
        return Ok(None);
    };
    let log = may_abbreviate(given)
        .then(|| project.events())
        .transpose()?;
    let whole = session::whole_name(&project.repo, given, log.as_deref())?;
    Ok(Some(whole))
}

/// The session of an entry that is about to be written: the one that is given, else the environment's, else this
/// worktree's current one, else a new one.
pub fn enter(given: Option<&str>, context: &Context, project: &Project) -> Result<String, Failure> {
    let whole = named(given, project)?;
    let named = context.named(&project.repo, whole.as_deref())?;
    Ok(session::enter(&project.repo, named, &author(context)?)?)
}

/// When this run writes, and for which agent.
pub fn author(context: &Context) -> Result<Author, Failure> {
    Ok(Author {
        now: context.now,
        agent: context.agent()?,
    })
}

/// The envelope of a new entry on HEAD, without what only some kinds have, and what can't be told of HEAD.
pub fn envelope_at_head(
    context: &Context,
    project: &Project,
    sid: &str,
) -> Result<(Envelope<'static>, Option<String>), Failure> {
    envelope_by(&author(context)?, project, sid)
}

/// As [`envelope_at_head`], by another author.
pub fn envelope_by(
    author: &Author,
    project: &Project,
    sid: &str,
) -> Result<(Envelope<'static>, Option<String>), Failure> {
    let branch = project.head.branch.as_deref();
    let mut details = project.repo.head_details(project.tip, branch)?;
    let doubt = details.doubt.take().map(|why| {
        let why = why.lines().next_back().unwrap_or_default();
        let why = why.trim_start_matches("fatal: ");
        format!("can't tell whether there are uncommitted changes ({why}): the entry says that there are")
    });
    let envelope = Envelope {
        head: Some(head(details)),
        ..session::envelope(&project.repo, author, sid, project.tip)?
    };
    Ok((envelope, doubt))
}

/// An entry for the log; `advice` says what to shorten where it is too long for a line. Of what looks like a secret, only
/// kinds that `allowed` names may be in it; None where the command has no option for that.
pub fn draft<'e>(
    envelope: Envelope<'e>,
    body: Body<'e>,
    allowed: Option<&[String]>,
    advice: &str,
) -> Result<Draft<'e>, Failure> {
    let draft = Draft::of(Event::new(envelope, body), allowed.unwrap_or_default());
    draft.map_err(|why| match why {
        Undraftable::NotALine(NotALine::TooLong(length)) => Failure::refused(
            format!("the entry would be {length} bytes long, more than {MAX_LINE}"),
            format!("nothing was written; {advice}"),
        ),
        Undraftable::Secret(leak) => {
            let mut help = "nothing was written: the log is as public as the repository; leave it out, or say where it is kept".to_owned();
            if allowed.is_some() {
                help += &format!(
                    "\nif it is not one, a person can add --allow-secret {} on a terminal",
                    leak.rule.name
                );
            }
            Failure::refused(leak.to_string(), help)
        }
    })
}
