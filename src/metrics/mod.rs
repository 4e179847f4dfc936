//! One figure a file, each a pure function of the timeline: no I/O, no clock, no formatting.

mod findings;
mod quiet;
mod staleness;
mod survey;

pub use findings::{Finding, Rule, Severity, StoreNews, findings};
pub use quiet::{Quiet, Run, Verdict, quiet};
pub use staleness::{Staleness, staleness};
pub use survey::{Delta, LateEntry, SURVEY_VERSION, SessionInBrief, Survey, survey};
