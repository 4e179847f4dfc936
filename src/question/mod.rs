//! Standing questions: parses the tracked store into a set of questions, or errors with their places.
//!
//! Here: the store's text and what it says. Not here: git, or whether a question is due. A new key of a question is a field in
//! `set.rs`, read in `parse.rs`, shown in docs/format.md; a new setting is a field of its group in
//! `settings.rs` (a new group is also a block of `groups!` and a field of `Settings`), a row in docs/format.md, its name on
//! the page of its rule and, unless a lower number is stricter, a case of `is_as_strict` in `loosened.rs`: without one, any
//! change counts as laxer.

mod canonical;
mod closed;
mod closings;
mod compared;
mod compiled;
mod edit;
mod expect;
mod history;
mod lint;
mod loosened;
mod parse;
mod pattern;
mod place;
mod probe;
mod problem;
mod reference;
mod run;
mod set;
mod settings;
mod shape;
mod syntax;

pub use canonical::{canonical, expected, is_same_answer, plain};
pub use closed::{Closed, ClosedKind, Closing, Closings, VALUE, closings_path};
pub use closings::{add_closings, parse_closings};
pub use compiled::{lines_pattern, regex};
pub use edit::{Keys, NewQuestion, NewVersion, StoreEdit};
pub use expect::Expect;
pub use history::changes;
pub use lint::{MANY, errors, undo_edit, warnings};
pub use loosened::{Loosening, changed_in_place, loosened, reworded};
pub use parse::{StoreDocument, parse};
pub use pattern::TextPart;
pub use place::{Places, StoreError};
pub use probe::{
    Exist, Files, FilesTake, Grep, GrepTake, LogOf, LogTake, Paths, Probe, TextKind, TextOf,
    TextTake, ValueOf, ValueTake,
};
pub use problem::Problem;
pub use reference::{QuestionRef, name};
pub use run::{RunOf, RunTake};
pub use set::{Question, QuestionSet, StoreSchema};
pub use settings::{
    CiteSettings, ClockSettings, QuietSettings, SecondSettings, Settings, StalenessSettings,
    TensionSettings, UnansweredSettings, duration,
};
pub use shape::{Importance, ListOrder, NumberShape, Severity, Shape, Status, Trigger};

/// The paths of a question store from the root of the repository; `sq.questions` comes first.
pub const STORE_PATHS: [&str; 3] = [
    "context/standing_questions.json",
    "standing_questions.json",
    ".context/standing_questions.json",
];

/// A path as git has it: `./a//b` is `a/b`. An absolute one, and a folder's, stay and are refused.
fn plain_path(path: String) -> String {
    if path.starts_with('/') || path.ends_with('/') {
        return path;
    }
    let is_part = |part: &&str| !part.is_empty() && *part != ".";
    path.split('/').filter(is_part).collect::<Vec<_>>().join("/")
}

/// The paths of a question store, the first choice first; `configured` is the value of `sq.questions`.
pub fn store_paths(configured: Option<String>) -> Vec<String> {
    let defaults = STORE_PATHS.iter().map(ToString::to_string);
    configured.map(plain_path).into_iter().chain(defaults).collect()
}
