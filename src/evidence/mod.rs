//! Gathers evidence and checks it again.

mod cite;
mod exposed;
mod probe;
mod rehearsal;
mod trace;
mod verify;

pub use cite::{CitedFate, CitedRow, Cites, ItemCite, NotPinned};
pub use exposed::is_exposed;
pub use probe::{Derivation, Derived, Found, Prober, change_text, news, probe_digest};
pub use rehearsal::{Rehearsal, rehearse};
pub use trace::{Change, Trace, trace};
pub use verify::{Replay, Replayed, Verdict};
