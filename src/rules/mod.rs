//! The rules of the gate, one per file: each is a pure function of the facts.
//!
//! A new rule is a file here, its page in `docs/rules` (a title, the meaning, then **Why.**, **What to do.**, **What it
//! cannot tell.**), a line in the list of [`Rule`] in `finding.rs`, which sets the order, an arm of `judge_of` below, its
//! place in the row of its severity in docs/ci.md, a higher `FORMAT` in `project/cache.rs`, and a test in
//! `tests/cli/check.rs`. A fact that `Survey` lacks is a new figure: see `metrics`. `unasked.rs` is a short example,
//! and what several rules need is in `common.rs`.

mod blinded;
mod broken_chain;
mod clock;
mod common;
mod disputed;
mod drift;
mod failing;
mod flagged;
mod foreign_text;
mod imported_late;
mod left_out;
mod lines_removed;
mod loosened;
mod many_questions;
mod never;
mod never_differs;
mod no_sessions;
mod not_run;
mod outdated;
mod quiet_run;
mod second_look;
mod stale;
mod store_differs;
mod tensions;
mod unanswered;
mod unasked;
mod version_changed_in_place;
mod watches_nothing;

use clap::ValueEnum as _;

use self::common::{ACCEPT, Found, entries, error, session, warning};
use crate::{
    finding::{Finding, Rule},
    git::Oid,
    metrics::{Staleness, Standing, Survey},
    question::{self, Closed, Closings, Loosening, Settings, StoreSchema},
};

type Judge = fn(&Facts) -> Vec<Found>;

fn judge_of(rule: Rule) -> Judge {
    match rule {
        Rule::NoSessions => no_sessions::judge,
        Rule::Stale => stale::judge,
        Rule::QuietRun => quiet_run::judge,
        Rule::Unanswered => unanswered::judge,
        Rule::Flagged => flagged::judge,
        Rule::LeftOut => left_out::judge,
        Rule::NoEvidence => |facts| flagged::answers(facts, Rule::NoEvidence),
        Rule::NotShown => |facts| flagged::answers(facts, Rule::NotShown),
        Rule::NothingChanged => |facts| flagged::answers(facts, Rule::NothingChanged),
        Rule::NeverDiffers => never_differs::judge,
        Rule::Failing => failing::judge,
        Rule::NotRun => not_run::judge,
        Rule::SecondLook => second_look::judge,
        Rule::Disputed => disputed::judge,
        Rule::Never => never::judge,
        Rule::Outdated => outdated::judge,
        Rule::Unasked => unasked::judge,
        Rule::Drift => drift::judge,
        Rule::VersionChangedInPlace => version_changed_in_place::judge,
        Rule::WatchesNothing => watches_nothing::judge,
        Rule::LinesRemoved => lines_removed::judge,
        Rule::ForeignText => foreign_text::judge,
        Rule::Clock => clock::judge,
        Rule::BrokenChain => broken_chain::judge,
        Rule::Tensions => tensions::judge,
        Rule::ImportedLate => imported_late::judge,
        Rule::ManyQuestions => many_questions::judge,
        Rule::StoreDiffers => store_differs::judge,
        Rule::Loosened => loosened::judge,
        Rule::Blinded => blinded::judge,
    }
}

impl Rule {
    /// Returns true if it is the rule of a standing.
    pub fn is_of(self, standing: Standing) -> bool {
        let rule = match standing {
            Standing::Fails => Self::Failing,
            Standing::Disputed => Self::Disputed,
            Standing::NeverAnswered => Self::Never,
            Standing::Stale => Self::Stale,
            Standing::Outdated => Self::Outdated,
            Standing::NotRun => Self::NotRun,
            Standing::Unstable | Standing::Holds | Standing::Fresh => return false,
        };
        self == rule
    }
}

#[derive(Debug)]
pub struct Facts {
    pub survey: Survey,
    /// The format of the question store, and the limits in force.
    pub schema: StoreSchema,
    pub settings: Settings,
    pub closed: Closings,
    pub store: StoreNews,
    pub proposed: Proposed,
    /// True for the tip of the default branch, without a base.
    pub is_default_branch: bool,
}

/// The question store that was used, compared with the one in the worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreNews {
    Committed,
    /// The worktree's was used, because the tip has none.
    NotCommitted,
    /// The tip's was used, and the worktree's differs.
    Differs,
    /// The tip's was used, and the worktree's is not valid, for this reason.
    Invalid(String),
    /// The tip's was used, and the worktree's was deleted: this path.
    Deleted(String),
}

/// The changes of a proposal since it left its base branch.
#[derive(Debug, Default)]
pub struct Proposed {
    /// Each with the command that shows it.
    pub loosened: Vec<(Loosening, String)>,
    /// Questions, each with the files or lines that it no longer watches, and the commit at which it did.
    pub blinded: Vec<(String, String, Oid)>,
    /// What it closes that its base does not.
    pub closed: Vec<Closed>,
    /// Those that do not count, because the base has what they close.
    pub late: Vec<Closed>,
}

impl Facts {
    /// The findings of all rules, errors first.
    pub fn findings(&self) -> Vec<Finding<Rule>> {
        let found = Rule::value_variants().iter().flat_map(|&rule| {
            let found = judge_of(rule)(self).into_iter();
            found.map(move |found| found.of(rule))
        });
        let mut found: Vec<Finding<Rule>> = found.collect();
        found.sort_by_key(|finding| finding.severity);
        found
    }

    fn staleness(&self, name: &str) -> Option<&Staleness> {
        let mut rows = self.survey.staleness.iter();
        rows.find(|row| question::name(&row.q_id, row.q_version) == name)
    }
}
