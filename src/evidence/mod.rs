//! Gathers evidence and checks it again.

mod cite;
mod exposed;
mod probe;

pub use cite::{CitedFate, CitedRow, Cites, ItemCite, NotPinned};
pub use exposed::is_exposed;
pub use probe::{Derivation, Derived, Found, Prober, probe_digest};
