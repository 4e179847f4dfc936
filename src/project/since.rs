//! What moved since an entry, and whether a session owes answers for that.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Error, Project};
use crate::{
    git::{ErrorKind, Oid},
    metrics::owes_answer,
    store::{LocalState, Row},
};

/// What moved since the last entry.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Since {
    pub sid: String,
    /// The commit of the last entry.
    pub commit: String,
    pub commits: usize,
    pub files: Vec<String>,
}

impl Project {
    /// What moved since a commit that carries an entry of a session.
    pub fn moved_since(&self, sid: &str, anchor: Oid) -> Result<Since, Error> {
        let files = match self.repo.changes(anchor, self.tip) {
            Ok(changes) => changes.paths().collect(),
            Err(error) if error.kind == ErrorKind::Missing => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        Ok(Since {
            sid: sid.to_owned(),
            commit: anchor.to_string(),
            commits: self.repo.count_between(anchor, self.tip)?,
            files,
        })
    }

    /// Whether a session of this clone that ends now owes an answer, as `check` will see it.
    pub fn owes_answer(&self, sid: &str) -> Result<bool, Error> {
        let writer = LocalState::read(&self.repo)?.writer.unwrap_or_default();
        let timeline = self.timeline()?;
        let events = &timeline.events;
        let is_own = |row: &Row| events.sid(row) == sid && events.writer(row) == writer;
        Ok(owes_answer(&timeline, is_own))
    }
}
