//! What the humans ask: bytes of the tracked file go in, a set of questions or the marked place comes out.

mod document;
mod error;
mod json;
mod keys;
mod lint;
mod parse;
mod probe;
mod reader;
mod reference;
mod set;
mod settings;
mod shape;

pub use document::StoreDocument;
pub use error::{Problem, StoreError};
pub use lint::{MANY, Warning, warnings};
pub use parse::parse;
pub use probe::Probe;
pub use reference::QuestionRef;
pub use set::{Question, QuestionSet, StoreSchema};
pub use settings::{QuietSettings, Settings, StalenessSettings, TensionSettings, duration};
pub use shape::{Expect, Importance, Severity, Shape, Status, Trigger};

/// Where a question store is looked for, from the root of the repository, after the path that `sq.questions` names.
pub const STORE_PATHS: [&str; 2] = ["context/standing_questions.json", "standing_questions.json"];

/// The paths of a question store, the first choice first; `configured` is the value of `sq.questions`.
pub fn store_paths(configured: Option<String>) -> Vec<String> {
    let defaults = STORE_PATHS.iter().map(ToString::to_string);
    configured.into_iter().chain(defaults).collect()
}
