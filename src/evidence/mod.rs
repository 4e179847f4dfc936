//! Gathers evidence and checks it again.

mod cite;

pub use cite::{CitedFate, CitedRow, Cites, ItemCite, NotPinned};
