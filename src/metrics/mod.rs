//! One figure a file, each a pure function of the timeline: no I/O, no clock, no formatting.

mod chains;
mod clock;
mod conduct;
mod drift;
mod findings;
mod flagged;
mod left_out;
mod quiet;
mod second;
mod settled;
mod staleness;
mod stats;
mod survey;
mod tensions;
mod unanswered;

pub use chains::{BrokenChain, broken_chains};
pub use clock::{ClockSkew, clock};
pub use conduct::{Conduct, Named};
pub use drift::{BlockingDrift, Drift, Fate, Said, blocking, drifts, last_word};
pub use findings::{Finding, Rule, StoreNews, findings, loosenings};
pub use flagged::flagged_entries;
pub use left_out::{LeftOut, left_out};
pub use quiet::{Quiet, Run, Verdict, quiet};
pub use second::{OpenAnswer, SecondLooks, SecondStanding, WrongAnswer};
pub use settled::{Settled, settled};
pub use staleness::{Mark, Staleness, staleness};
pub use stats::{ProbeTimes, Stats, exposure, stats};
pub use survey::{Delta, SessionInBrief, Survey, survey};
pub use tensions::{TensionConduct, tension_conduct};
pub use unanswered::{Unanswered, UnansweredSession, unanswered};
