//! What the commands about tensions look at, with or without a question store.

use serde::Serialize;

use crate::{
    cli::{
        Context, Failure,
        envelope::{envelope, head},
        view::{event_log, no_commit, store_if_any},
    },
    entry::{Envelope, Kind, Line, MAX_LINE, Misfit, NotALine, fits},
    git::{HeadRef, Oid, Repo},
    question::TensionSettings,
    report::{Tensions, entries},
    session::{Ledger, Tension},
    store::{LogTips, append, unasked},
    timeline::Unknown,
};

use super::rows::row;

/// One state of the repository and its log.
pub struct Ground {
    pub repo: Repo,
    pub head: HeadRef,
    pub tip: Oid,
    pub tips: LogTips,
    pub settings: TensionSettings,
    pub ledger: Ledger,
}

impl Ground {
    /// Opens what HEAD names. Without a question store, the settings are the usual ones.
    ///
    /// # Errors
    /// When there is no repository or no commit, or when the store or the log can't be read.
    pub fn open(context: &Context) -> Result<Self, Failure> {
        let repo = context.open()?;
        let head = repo.head()?;
        let tip = head.commit.ok_or_else(no_commit)?;
        let store = store_if_any(&repo, tip)?;
        let settings = store.map_or_else(Default::default, |store| store.set.settings);
        let tips = LogTips::read(&repo)?;
        let ledger = Ledger::of(&event_log(context, &repo, &tips)?);
        Ok(Self {
            repo,
            head,
            tip,
            tips,
            settings: settings.tension,
            ledger,
        })
    }

    /// All tensions as they stand now.
    pub fn replay(&self, context: &Context) -> Vec<Tension> {
        self.ledger.replay(context.now, &self.settings)
    }

    /// Some tensions as a document.
    pub fn document<'t>(&self, tensions: impl IntoIterator<Item = &'t Tension>) -> Tensions {
        let rows = tensions.into_iter();
        Tensions {
            tensions: rows.map(|one| row(one, &self.settings)).collect(),
            warnings: Vec::new(),
            unknown: self.unknown(),
        }
    }

    /// Why there may be more.
    pub fn unknown(&self) -> Vec<String> {
        let mut unknown = Vec::new();
        if self.ledger.unreadable > 0 {
            unknown.push(format!(
                "{} about tensions can't be read, or come from a newer version",
                entries(self.ledger.unreadable)
            ));
        }
        let unasked = unasked(&self.repo, &self.tips);
        let sharing = unasked.into_iter().filter(|remote| remote.shares_log);
        unknown.extend(sharing.map(|remote| Unknown::NeverFetched(remote.name).to_string()));
        unknown
    }

    /// The envelope of a new entry on HEAD.
    ///
    /// # Errors
    /// When HEAD can't be described.
    pub fn envelope(&self, context: &Context, kind: Kind, sid: &str) -> Result<Envelope, Failure> {
        let details = self
            .repo
            .head_details(self.tip, self.head.branch.as_deref())?;
        Ok(Envelope {
            head: Some(head(details)),
            ..envelope(context, &self.repo, kind, sid, self.tip)?
        })
    }

    /// Adds an entry to the log and reads the log again.
    ///
    /// # Errors
    /// When it is too long, or could not be written.
    pub fn append(
        &mut self,
        context: &Context,
        entry: &impl Serialize,
        message: &str,
    ) -> Result<(), Failure> {
        let line = Line::of(entry).map_err(|NotALine::TooLong(length)| {
            Failure::refused(
                format!("the entry would be {length} bytes long, more than {MAX_LINE}"),
                "nothing was written; cite less, or shorten SQ_AGENT and its like",
            )
        })?;
        append(&self.repo, &[(self.tip, line)], message)?;
        self.tips = LogTips::read(&self.repo)?;
        self.ledger = Ledger::of(&event_log(context, &self.repo, &self.tips)?);
        Ok(())
    }
}

/// A text that is given: without blanks around it. Why it does not fit is added to `reasons`.
pub fn fitting(what: &str, text: &str, max: usize, reasons: &mut Vec<String>) -> String {
    let text = text.trim();
    let reason = match fits(text, max) {
        Ok(()) => return text.to_owned(),
        Err(Misfit::Empty) => format!("the {what} is empty"),
        Err(Misfit::SeveralLines) => format!("the {what} has more than one line"),
        Err(Misfit::TooLong(length)) => {
            format!("the {what} has {length} characters, and {max} are the limit")
        }
        Err(Misfit::TooManyBytes(length)) => {
            format!("the {what} has {length} bytes, too many for {max} characters")
        }
    };
    reasons.push(reason);
    String::new()
}
