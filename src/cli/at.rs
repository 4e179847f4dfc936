//! HEAD and the log, for commands that need no question store.

use super::{
    Context, Failure,
    envelope::{envelope, head},
    view::{event_log, no_commit},
};
use crate::{
    entry::{Envelope, Kind},
    evidence::Cites,
    git::{HeadRef, Oid, Repo},
    report::unnamed_text,
    session::{EventLog, Started},
    store::{LogTips, sessions_dir, unasked},
    timeline::Unknown,
};

/// One state of both.
pub struct At {
    pub repo: Repo,
    pub head: HeadRef,
    pub tip: Oid,
    pub tips: LogTips,
}

impl At {
    /// Opens what HEAD names.
    ///
    /// # Errors
    /// When there is no repository or no commit, or the log's refs can't be read.
    pub fn open(context: &Context) -> Result<Self, Failure> {
        let repo = context.open()?;
        let head = repo.head()?;
        let tip = head.commit.ok_or_else(no_commit)?;
        let tips = LogTips::read(&repo)?;
        Ok(Self {
            repo,
            head,
            tip,
            tips,
        })
    }

    /// The entries that sessions are made of.
    ///
    /// # Errors
    /// When the log can't be read.
    pub fn events(&self, context: &Context) -> Result<EventLog, Failure> {
        event_log(context, &self.repo, &self.tips)
    }

    /// Where citations are looked up.
    pub fn cites<'a>(&'a self, events: &'a EventLog) -> Cites<'a> {
        Cites::new(&self.repo, self.tip, &self.tips, |id| events.has(id))
    }

    /// Remotes that may have more and were never asked: those that share the log, and any where nothing `is_found`.
    pub fn never_fetched(&self, is_found: bool) -> Vec<String> {
        let remotes = unasked(&self.repo, &self.tips).into_iter();
        remotes
            .filter(|remote| remote.shares_log || !is_found)
            .map(|remote| Unknown::NeverFetched(remote.name).to_string())
            .collect()
    }

    /// What to say after `command` where its session is one of its own, that no later call goes on with; else nothing.
    ///
    /// # Errors
    /// When the file of a session can't be read.
    pub fn unnamed(
        &self,
        context: &Context,
        given: Option<&str>,
        command: &str,
    ) -> Result<String, Failure> {
        let is_named = given.or(context.session.as_deref()).is_some();
        let folder = sessions_dir(&self.repo).filter(|_| !is_named);
        let current = folder.map(|folder| Started::all(&folder)).transpose()?;
        if is_named || current.is_some_and(|found| !found.sessions.is_empty()) {
            return Ok(String::new());
        }
        Ok(unnamed_text(command, context.style(Some(&self.repo))))
    }

    /// The envelope of a new entry on HEAD, with what is known of HEAD.
    ///
    /// # Errors
    /// When HEAD can't be described.
    pub fn envelope(&self, context: &Context, kind: Kind, sid: &str) -> Result<Envelope, Failure> {
        let branch = self.head.branch.as_deref();
        let details = self.repo.head_details(self.tip, branch)?;
        Ok(Envelope {
            head: Some(head(details)),
            ..envelope(context, &self.repo, kind, sid, self.tip)?
        })
    }
}
