//! Gathers evidence and checks it again.
//!
//! Here: probes, citations, commands and approvals, and the test of an answer against them. Not here: the findings (`rules`). A
//! new kind of probe is a variant of `question::Probe` with an arm in its `file` or `paths`, and in `mistake`, an arm of `Run::probe` in
//! `probe/mod.rs`, a row in docs/questions.md, and a case in `tests/cli/probe.rs`; `Probe::Tree` is a short example.

mod approval;
mod blinded;
mod cite;
mod command;
mod exposed;
mod look;
mod probe;
mod rehearsal;
mod trace;
mod verify;

/// Reports the progress of long work: the number of finished steps, and of all.
pub type Tell<'t> = &'t (dyn Fn(usize, usize) + Sync);

pub use approval::Approval;
pub use blinded::Sight;
pub use cite::{CitedRow, Cites, ItemCite, NotPinned};
pub use command::Commands;
pub use exposed::{Exposure, exposed_by, is_exposed};
pub use look::{Claim, Judge, Moved, Ruling, cited::cited_lines, has_line, is_empty, says_nothing};
pub use probe::{
    Derivation, Derived, Found, Prober, agree_in, apart, change_text, news, part_text,
    probe_digest,
    text::{joined, lines_and_code},
    traced_text, value_at,
    version::{LABEL, as_versions, lowest_of, read as read_version},
};
pub use rehearsal::{Rehearsal, rehearse};
pub use trace::{Change, PartSince, Trace, trace};
pub use verify::{Replay, Replayed, Verdict};
