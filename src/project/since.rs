use schemars::JsonSchema;
use serde::Serialize;

use super::{Error, Project};
use crate::{
    git::{ErrorKind, Oid},
    metrics::Survey,
};

/// Changes since the last entry.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Since {
    pub sid: String,
    /// The commit of the last entry.
    pub commit: String,
    pub commits: usize,
    pub files: Vec<String>,
}

impl Project {
    pub fn since(&self, survey: &Survey) -> Result<Option<Since>, Error> {
        let last = survey.latest.first();
        let last = last.and_then(|last| Some((&last.sid, last.anchor.parse().ok()?)));
        last.map(|(sid, anchor)| self.moved_since(sid, anchor))
            .transpose()
    }

    pub fn moved_since(&self, sid: &str, anchor: Oid) -> Result<Since, Error> {
        let files = match self.repo.changes(anchor, self.tip) {
            Ok(changes) => changes.paths().collect(),
            Err(error) if error.kind == ErrorKind::Missing => Vec::new(),
            Err(error) => return Err(error),
        };
        Ok(Since {
            sid: sid.to_owned(),
            commit: anchor.to_string(),
            commits: self.repo.count_between(anchor, self.tip)?,
            files,
        })
    }
}
