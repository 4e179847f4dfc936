//! What people ask: the bytes of the tracked store become a set of questions, or errors with their places.

mod error;
mod lint;
mod parse;
mod probe;
mod reference;
mod set;
mod settings;
mod shape;

pub use error::{Problem, StoreError};
pub use lint::{MANY, warnings};
pub use parse::{StoreDocument, parse};
pub use probe::Probe;
pub use reference::QuestionRef;
pub use set::{Question, QuestionSet, StoreSchema};
pub use settings::{
    CiteSettings, ClockSettings, QuietSettings, SecondSettings, Settings, StalenessSettings,
    TensionSettings, UnansweredSettings, duration,
};
pub use shape::{Expect, Importance, Severity, Shape, Status, Trigger};
