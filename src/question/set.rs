//! The questions of one store, all versions of them, in the file's order.

use serde::Serialize;

use super::{Expect, Importance, Probe, QuestionRef, Settings, Severity, Shape, Status, Trigger};

/// Which of the two formats a store is written in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub enum StoreSchema {
    #[default]
    #[serde(rename = "standing_questions/v1")]
    V1,
    #[serde(rename = "standing_questions/v2")]
    V2,
}

/// One version of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    pub id: String,
    pub version: u32,
    pub text: String,
    pub importance: Importance,
    pub status: Status,
    pub evidence_hint: Option<String>,
    /// Why this version or this status.
    pub reason: Option<String>,
    /// A date or a time, as written.
    pub created: Option<String>,
    pub shape: Option<Shape>,
    /// Git pathspecs whose change can change the answer.
    pub watch: Vec<String>,
    pub trigger: Trigger,
    pub severity: Severity,
    pub expect: Option<Expect>,
    pub probe: Option<Probe>,
    /// Sessions; instead of the store's `staleness.max`.
    pub max_staleness: Option<u32>,
    pub require_evidence: bool,
}

impl Question {
    /// Its name with the version where that is not 1.
    pub fn name(&self) -> QuestionRef {
        QuestionRef {
            id: self.id.clone(),
            version: (self.version != 1).then_some(self.version),
        }
    }

    /// The pathspecs that say what the answer depends on: what it watches, else what its built-in probe reads.
    pub fn dependencies(&self) -> &[String] {
        match &self.probe {
            Some(Probe::Grep { paths, .. } | Probe::Files(paths)) if self.watch.is_empty() => paths,
            _ => &self.watch,
        }
    }
}

/// A whole store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QuestionSet {
    pub schema: StoreSchema,
    pub settings: Settings,
    pub questions: Vec<Question>,
}

impl QuestionSet {
    /// The questions that are asked and measured, at most one version of each.
    pub fn active(&self) -> impl Iterator<Item = &Question> {
        self.questions.iter().filter(|q| q.status == Status::Active)
    }

    /// One version of a question.
    pub fn find(&self, id: &str, version: u32) -> Option<&Question> {
        self.questions
            .iter()
            .find(|q| q.id == id && q.version == version)
    }

    /// What `name` means: the version it says, else the active one, else the newest.
    pub fn resolve(&self, name: &QuestionRef) -> Option<&Question> {
        if let Some(version) = name.version {
            return self.find(&name.id, version);
        }
        let versions = || self.questions.iter().filter(|q| q.id == name.id);
        versions()
            .find(|q| q.status == Status::Active)
            .or_else(|| versions().max_by_key(|q| q.version))
    }

    /// Whether any active question says what its answer depends on.
    pub fn has_dependencies(&self) -> bool {
        self.active().any(|q| !q.dependencies().is_empty())
    }
}
