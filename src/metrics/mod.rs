//! One figure per file, each a pure function of the timeline: no I/O, no clock, no formatting.
//!
//! Not here: what a figure means for the gate (`rules`). A new figure is a file here, a field of `Survey`, a line in `survey()`,
//! and a field of the document that shows it; it raises `FORMAT` in `project/cache.rs`. `unanswered.rs` is a short example. A figure
//! of `git sq stats` alone is a field of `Stats`, a line in `stats()`, and a row in `view/stats.rs`: nothing keeps it.

/// Number of recent sessions that are shown or examined.
pub const RECENT: usize = 20;

/// Number of sessions whose results are kept, for pages that show more of them.
pub const KEPT: usize = 60;

mod answered;
mod disputes;
mod drift;
mod drifts;
mod looks;
mod quiet;
mod second;
mod staleness;
mod stats;
mod survey;
mod suspects;
mod tensions;
mod tip;
mod unanswered;

pub use answered::{Answered, answered};
pub use disputes::{Dispute, Disputes, Outcome, Outcomes, Party, settle};
pub use drift::{BlockingDrift, Drift, Fate, Said, blocking, last_word};
pub use drifts::{Doubted, drifts};
pub use looks::{
    Flagged, FlaggedLooks, Looks, NEVER_DIFFERS, NeverDiffers, RuledLook, answer_anew, compared,
    doubted, flagged_answers, flagged_by_rules, open_flags,
};
pub use quiet::{Quiet, Run, Verdict, quiet};
pub use second::{Correction, LookedAt, SecondLooks, has_ended, said_first};
pub use staleness::{Mark, Staleness, staleness};
pub use stats::{ProbeTimes, Stats, exposure, stats};
pub use survey::{Delta, SessionInBrief, Survey, survey};
pub use suspects::{Suspect, suspects};
pub use tensions::{TensionConduct, tension_conduct};
pub use tip::{AtTip, Named, Source, Standing, Standings, Thread};
pub use unanswered::{Unanswered, UnansweredSession, unanswered};
