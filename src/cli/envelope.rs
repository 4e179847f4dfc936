//! What commands that write entries take from their surroundings: the session's name, the time and the agent.

use clap::{Args, builder::PossibleValuesParser};

use super::{Context, Failure};
use crate::{
    entry::{
        Body, Draft, Envelope, Event, Leak, MAX_LINE, NotALine, RULES, Undraftable, find_secret,
        may_abbreviate,
    },
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

/// The option of commands that write what somebody says.
#[derive(Args)]
pub struct AllowArgs {
    /// Let through what looks like a secret of this kind; for people only, on a terminal
    #[arg(long, value_name = "RULE", hide_possible_values = true,
        value_parser = PossibleValuesParser::new(RULES.iter().map(|rule| rule.name)))]
    allow_secret: Vec<String>,
}

impl AllowArgs {
    /// How the texts of this run are screened.
    pub fn screen<'a>(&'a self, context: &'a Context) -> Result<Screen<'a>, Failure> {
        if !self.allow_secret.is_empty() {
            context.require_person("--allow-secret")?;
        }
        Ok(Screen {
            allowed: &self.allow_secret,
            ..Screen::of(context)
        })
    }
}

/// What every new entry goes through: secrets are refused, what is personal is worth a warning.
pub struct Screen<'a> {
    context: &'a Context,
    allowed: &'a [String],
}

impl<'a> Screen<'a> {
    /// One that lets no secret through.
    pub fn of(context: &'a Context) -> Self {
        Self {
            context,
            allowed: &[],
        }
    }

    /// Refuses texts that are cut before they are drafted: the rest of a secret may be enough of it.
    pub fn refuse<'t>(&self, mut texts: impl Iterator<Item = &'t String>) -> Result<(), Failure> {
        let found = texts.find_map(|text| find_secret(text, self.allowed));
        found.map_or(Ok(()), |(rule, at)| {
            let field = "a field".to_owned();
            Err(refused(&Leak { rule, field, at }))
        })
    }

    /// Refuses what looks like a secret before an entry can be drafted.
    pub fn check(&self, body: Body, project: &Project) -> Result<(), Failure> {
        let envelope = session::envelope(&project.repo, &author(self.context)?, "", project.tip)?;
        match Draft::of(Event::new(envelope, body), self.allowed) {
            Err(Undraftable::Secret(leak)) => Err(refused(&leak)),
            _ => Ok(()),
        }
    }

    /// An entry for the log; `advice` says what to shorten where it is too long for a line.
    pub fn draft<'e>(
        &self,
        envelope: Envelope<'e>,
        body: Body<'e>,
        advice: &str,
    ) -> Result<Draft<'e>, Failure> {
        let draft = Draft::of(Event::new(envelope, body), self.allowed);
        let draft = draft.map_err(|why| match why {
            Undraftable::NotALine(NotALine::TooLong(length)) => Failure::refused(
                format!("the entry would be {length} bytes long, more than {MAX_LINE}"),
                format!("nothing was written; {advice}"),
            ),
            Undraftable::Secret(leak) => refused(&leak),
        })?;
        self.context.warn_of(&draft);
        Ok(draft)
    }
}

fn refused(leak: &Leak) -> Failure {
    Failure::refused(
        leak.to_string(),
        format!(
            "nothing was written: the log is as public as the repository; leave it out, or say where it is kept\nif it is not one, a person can add --allow-secret {} on a terminal",
            leak.rule.name
        ),
    )
}
