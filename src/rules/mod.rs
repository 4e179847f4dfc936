//! The rules of the gate, one per file: each is a pure function of the facts.
//!
//! A new rule is a file here, its page in `docs/rules` (a title, the meaning, then **Why.**, **What to do.**, **What it
//! cannot tell.**), a line in the list of [`Rule`] in `finding.rs`, which sets the order, an arm of `check_of` below, its
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

use self::common::{Found, accept, entries, error, session, warning};
use crate::{
    finding::{Finding, Rule},
    git::Oid,
    metrics::{Standing, Survey},
    question::{Closed, Closings, Loosening, Settings, StoreSchema},
};

type Check = fn(&Facts) -> Vec<Found>;

fn check_of(rule: Rule) -> Check {
    match rule {
        Rule::NoSessions => no_sessions::check,
        Rule::Stale => stale::check,
        Rule::QuietRun => quiet_run::check,
        Rule::Unanswered => unanswered::check,
        Rule::Flagged => flagged::check,
        Rule::LeftOut => left_out::check,
        Rule::NoEvidence => |facts| flagged::answers(facts, Rule::NoEvidence),
        Rule::NotShown => |facts| flagged::answers(facts, Rule::NotShown),
        Rule::NothingChanged => |facts| flagged::answers(facts, Rule::NothingChanged),
        Rule::NeverDiffers => never_differs::check,
        Rule::Failing => failing::check,
        Rule::NotRun => not_run::check,
        Rule::SecondLook => second_look::check,
        Rule::Disputed => disputed::check,
        Rule::Never => never::check,
        Rule::Outdated => outdated::check,
        Rule::Unasked => unasked::check,
        Rule::Drift => drift::check,
        Rule::VersionChangedInPlace => version_changed_in_place::check,
        Rule::WatchesNothing => watches_nothing::check,
        Rule::LinesRemoved => lines_removed::check,
        Rule::ForeignText => foreign_text::check,
        Rule::Clock => clock::check,
        Rule::BrokenChain => broken_chain::check,
        Rule::Tensions => tensions::check,
        Rule::ImportedLate => imported_late::check,
        Rule::ManyQuestions => many_questions::check,
        Rule::StoreDiffers => store_differs::check,
        Rule::Loosened => loosened::check,
        Rule::Blinded => blinded::check,
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
            Standing::Unknown | Standing::Unstable | Standing::Holds | Standing::Fresh => {
                return false;
            }
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
    /// How the question store of the worktree differs from the committed one, and what to do.
    pub store: Option<[String; 2]>,
    pub proposed: Proposed,
    /// True for the tip of the default branch, without a base.
    pub is_default_branch: bool,
}

/// A blocking fact that a proposal changed in a way that nobody expects.
#[derive(Debug)]
pub struct ProposedDrift {
    pub question: String,
    /// Its one place.
    pub place: Option<String>,
    /// The values before and now.
    pub change: String,
    /// True if the proposal asks it itself.
    pub is_asked: bool,
    /// True if the proposal is held against its base, which fails it.
    pub is_judged: bool,
}

/// The changes of a proposal since it left its base branch.
#[derive(Debug, Default)]
pub struct Proposed {
    /// Each with the command that shows it.
    pub loosened: Vec<(Loosening, String)>,
    /// Questions, each with the files or lines that it no longer watches, and the commit at which it did.
    pub blinded: Vec<(String, String, Oid)>,
    /// Blocking facts that it changed in a way that nobody expects.
    pub drifts: Vec<ProposedDrift>,
    /// The questions that it asks in other words, each with its new name and its new text.
    pub reworded: Vec<(String, String, String)>,
    /// Its closings that its base does not have.
    pub closed: Vec<Closed>,
    /// Those that do not count, because the base has what they close.
    pub late: Vec<Closed>,
}

impl Facts {
    /// The findings of all rules, errors first.
    pub fn findings(&self) -> Vec<Finding<Rule>> {
        let found = Rule::value_variants().iter().flat_map(|&rule| {
            let found = check_of(rule)(self).into_iter();
            found.map(move |found| found.of(rule))
        });
        let mut found: Vec<Finding<Rule>> = found.collect();
        found.sort_by_key(|finding| finding.severity);
        found
    }
}
