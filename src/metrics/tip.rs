//! How each active question stands at the tip.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a question stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// No answer counts.
    Never,
    Fresh,
    /// A session more without it, and it is stale.
    Due,
    /// It was not asked for too many sessions.
    Stale,
    /// What it depends on changed since the answer that counts.
    Outdated,
    /// Two sessions disagree about one commit.
    Disputed,
    /// The answer is not what it must be.
    Failing,
}

impl State {
    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Never => "never answered",
            Self::Fresh => "fresh",
            Self::Due => "due",
            Self::Stale => "stale",
            Self::Outdated => "outdated",
            Self::Disputed => "disputed",
            Self::Failing => "fails",
        }
    }
}

/// One active question at the tip.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AtTip {
    /// The question, with the version where that is not 1.
    pub question: String,
    pub state: State,
    /// The entry whose answer counts; none where no answer does. Of a line that another program wrote, its digest.
    pub entry: Option<String>,
    /// The commit that carries it.
    pub commit: Option<String>,
    /// What it is held against: that commit, or the tree of one that was rewritten.
    pub at: Option<String>,
    /// What changed since then, where that makes it outdated.
    pub changed: Option<String>,
    /// How many sessions came after that change and gave no answer that counts.
    pub missed: usize,
}
