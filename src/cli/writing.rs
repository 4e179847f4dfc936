//! Writing entries: who writes, which text is accepted, and how an entry gets into the log.

use super::{Context, Failure, context::programs};
use crate::{
    entry::{Body, Draft, Envelope, Event, Line, Undraftable, may_abbreviate, new_sid},
    git::{Oid, Repo},
    project::{Project, Reader},
    session::{self, Author, EndedSession, Named, check_name},
    store::{
        Turn, append_new,
        carry::Move,
        share::{publish_later, withhold},
    },
    view::session_ended_text,
};

pub fn named(given: Option<&str>, project: &Project) -> Result<Option<String>, Failure> {
    let Some(given) = given else {
        return Ok(None);
    };
    let log = may_abbreviate(given).then(|| project.events()).transpose()?;
    let whole = session::whole_name(&project.repo, given, log.as_deref())?;
    Ok(Some(whole))
}

pub struct Speaker<'a> {
    option: Option<String>,
    environment: Option<&'a str>,
    pub author: Author,
}

impl<'a> Speaker<'a> {
    /// The session that an option gives by its whole name, else the environment's.
    pub fn of(context: &'a Context, repo: &Repo, whole: Option<String>) -> Result<Self, Failure> {
        Ok(Self {
            option: whole,
            environment: context.named(repo, None)?.environment,
            author: author(context)?,
        })
    }

    pub fn named(&self) -> Named<'_> {
        Named { option: self.option.as_deref(), environment: self.environment }
    }

    pub fn reader(&self, repo: &Repo) -> Result<Reader, Failure> {
        let expected = session::expected(repo, self.named(), &self.author)?;
        let agent = self.author.agent.as_ref();
        Ok(Reader {
            agent: agent.and_then(|agent| agent.name.clone()),
            sid: expected,
            now: self.author.now,
        })
    }
}

pub fn author(context: &Context) -> Result<Author, Failure> {
    Ok(Author { now: context.now, agent: context.agent()?, programs: programs() })
}

/// The session for a person's entries; a person need not be in one.
pub fn person_session(context: &Context, repo: &Repo) -> Result<String, Failure> {
    let sid = context.named(repo, None)?.name().map_or_else(new_sid, str::to_owned);
    check_name(&sid)?;
    Ok(sid)
}

pub struct Writing<'a> {
    repo: &'a Repo,
    author: &'a Author,
    pub sid: String,
    /// Kinds of secrets that entries may hold; `None` if the command has no option for that.
    pub allowed: Option<&'a [String]>,
    /// The turn that was taken to judge the entries.
    pub turn: Option<Turn>,
    drafts: Vec<(Oid, Draft<'a>)>,
    copies: Vec<(Oid, Line)>,
}

impl<'a> Writing<'a> {
    /// Begins with the named session, else this worktree's current one, else a new one.
    pub fn begin(context: &Context, repo: &'a Repo, speaker: &'a Speaker) -> Result<Self, Failure> {
        // Must come before the session is touched.
        repo.require_identity()?;
        let (sid, swept) = session::enter(repo, speaker.named(), &speaker.author)?;
        tell(context, repo, &swept);
        Self::of(repo, &speaker.author, sid)
    }

    /// The same, but begins no session: who carries entries is asked for no answers.
    fn begin_nothing(
        context: &Context,
        repo: &'a Repo,
        speaker: &'a Speaker,
    ) -> Result<Self, Failure> {
        if speaker.named().name().is_some() {
            return Self::begin(context, repo, speaker);
        }
        repo.require_identity()?;
        tell(context, repo, &session::sweep(repo, speaker.author.now)?);
        let sid = session::expected(repo, speaker.named(), &speaker.author)?;
        Self::of(repo, &speaker.author, sid.unwrap_or_else(new_sid))
    }

    /// Begins with a session that need not be running.
    pub fn of(repo: &'a Repo, author: &'a Author, sid: String) -> Result<Self, Failure> {
        repo.require_identity()?;
        Ok(Self {
            repo,
            author,
            sid,
            allowed: None,
            turn: None,
            drafts: Vec::new(),
            copies: Vec::new(),
        })
    }

    /// The envelope of an entry on a commit, without the keys that only some kinds have.
    pub fn envelope(&self, commit: Oid) -> Result<Envelope<'static>, Failure> {
        Ok(session::envelope(self.repo, self.author, &self.sid, commit)?)
    }

    /// The envelope of an entry on HEAD, with HEAD's place, and what could not be determined about it.
    pub fn envelope_at_head(
        &self,
        project: &Project,
    ) -> Result<(Envelope<'static>, Option<String>), Failure> {
        let branch = project.head.branch.as_deref();
        let (head, doubt) = self.repo.head_details(project.tip, branch)?;
        let doubt = doubt.map(|why| {
            let why = why.lines().next_back().unwrap_or_default().trim_start_matches("fatal: ");
            format!("could not check for uncommitted changes ({why}): the entry says that there were some")
        });
        let envelope = Envelope { head: Some(head), ..self.envelope(project.tip)? };
        Ok((envelope, doubt))
    }

    /// Adds an entry on a commit, without the names that are private; `advice` says what to shorten if it is too long
    /// for a line.
    pub fn add(
        &mut self,
        commit: Oid,
        mut envelope: Envelope<'a>,
        body: Body<'a>,
        advice: &str,
    ) -> Result<(), Failure> {
        withhold(self.repo, &mut envelope)?;
        let draft = draft(envelope, body, self.allowed, advice)?;
        self.drafts.push((commit, draft));
        Ok(())
    }

    pub fn copy(&mut self, lines: impl Iterator<Item = (Oid, Line)>) {
        self.copies.extend(lines);
    }

    pub fn append(self, command: &str) -> Result<(), Failure> {
        let mut message = format!("Notes added by '{command}'");
        if self.repo.is_author_assumed {
            message += "\n\nGit knew no author here: this one was seen when the session started.";
        }
        Ok(append_new(self.repo, self.turn, &self.drafts, &self.copies, &message)?)
    }

    pub fn append_and_publish(self, command: &str) -> Result<(), Failure> {
        let repo = self.repo;
        self.append(command)?;
        publish_later(repo);
        Ok(())
    }
}

fn tell(context: &Context, repo: &Repo, swept: &[EndedSession]) {
    for ended in swept {
        context.note(&session_ended_text(ended, context.style(Some(repo))));
    }
}

/// Copies entries to their new homes, and adds an entry that says so.
pub fn write_moves(
    context: &Context,
    repo: &Repo,
    whole: Option<String>,
    tip: Oid,
    moves: &[Move],
    command: &str,
) -> Result<(), Failure> {
    let speaker = Speaker::of(context, repo, whole)?;
    let mut writing = Writing::begin_nothing(context, repo, &speaker)?;
    let envelope = writing.envelope(tip)?;
    for to_home in moves {
        writing.copy(to_home.copies());
        for (envelope, body) in to_home.entries(&envelope) {
            let advice = "shorten SQ_AGENT, SQ_MODEL or SQ_HARNESS";
            writing.add(to_home.to, envelope, body, advice)?;
        }
    }
    writing.append(command)
}

/// Fails if the entry is too long for a line (`advice` says what to shorten), or if it looks like a secret of a kind
/// that is not in `allowed`; `None` if the command has no option for that.
pub fn draft<'e>(
    envelope: Envelope<'e>,
    body: Body<'e>,
    allowed: Option<&[String]>,
    advice: &str,
) -> Result<Draft<'e>, Failure> {
    Draft::of(Event::new(envelope, body), allowed.unwrap_or_default()).map_err(|why| match why {
        Undraftable::TooLong(error) => {
            Failure::refused(error.to_string(), format!("nothing was written; {advice}"))
        }
        Undraftable::Secret(leak) => {
            let refused = Failure::refused(
                leak.to_string(),
                "nothing was written: the log is as public as the repository; leave it out, or say where it is kept",
            );
            let name = leak.rule.name;
            match allowed {
                Some(_) => refused.hinting(&format!(
                    "if it is not one, a person can add --allow-secret {name} on a terminal"
                )),
                None => refused,
            }
        }
    })
}
