//! What the commands about tensions look at, with or without a question store.

use std::ops::Deref;

use serde::Serialize;

use crate::{
    cli::{Context, Failure, at::At, envelope::line, question_store::store_if_any},
    entry::{Citation, Cited, Misfit, fits},
    evidence::CitedRow,
    question::TensionSettings,
    report::{Tensions, entries},
    session::{EventLog, Ledger, Tension},
    store::{LogTips, append},
};

use super::rows::row;

/// One state of the repository and its log, and the ledger that it makes.
pub struct Ground {
    at: At,
    events: EventLog,
    pub settings: TensionSettings,
    pub ledger: Ledger,
}

impl Deref for Ground {
    type Target = At;

    fn deref(&self) -> &At {
        &self.at
    }
}

impl Ground {
    /// Opens what HEAD names. Without a question store, the settings are the usual ones.
    ///
    /// # Errors
    /// When there is no repository or no commit, or when the store or the log can't be read.
    pub fn open(context: &Context) -> Result<Self, Failure> {
        let at = At::open(context)?;
        let store = store_if_any(&at.repo, at.tip)?;
        let settings = store.map_or_else(Default::default, |store| store.set.settings);
        let events = at.events(context)?;
        Ok(Self {
            ledger: Ledger::of(&events),
            at,
            events,
            settings: settings.tension,
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
        unknown.extend(self.never_fetched(true));
        unknown
    }

    /// Pins what is cited to HEAD; why something can't be is added to `reasons`.
    ///
    /// # Errors
    /// When the log can't be read.
    pub fn pin(
        &self,
        given: &[String],
        reasons: &mut Vec<String>,
    ) -> Result<Vec<Citation>, Failure> {
        let mut pinned: Vec<Citation> = Vec::new();
        let mut place = self.cites(&self.events);
        for text in given {
            let Some(cited) = Cited::parse(text) else {
                reasons.push(format!(
                    "{text:?} is no citation: it has to be path:line, path:from-to or an entry's id"
                ));
                continue;
            };
            match place.pin(cited)? {
                Ok(citation) if pinned.contains(&citation) => {}
                Ok(citation) => pinned.push(citation),
                Err(why) => reasons.push(format!("{text:?} can't be cited: {why}")),
            }
        }
        Ok(pinned)
    }

    /// What became of citations.
    ///
    /// # Errors
    /// When the log can't be read.
    pub fn look_up(&self, citations: &[Citation]) -> Result<Vec<CitedRow>, Failure> {
        let mut place = self.cites(&self.events);
        Ok(citations
            .iter()
            .map(|one| place.look_up(one))
            .collect::<Result<_, _>>()?)
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
        let line = line(entry, "cite less, or shorten SQ_AGENT and its like")?;
        append(&self.repo, &[(self.tip, line)], message)?;
        self.at.tips = LogTips::read(&self.repo)?;
        self.events = self.events(context)?;
        self.ledger = Ledger::of(&self.events);
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
        Err(Misfit::TooLong(over)) => {
            let (length, unit, limit) = (over.length, over.unit.name(), over.limit);
            format!("the {what} has {length} {unit}, and {limit} are the limit")
        }
    };
    reasons.push(reason);
    String::new()
}
