//! One line of the log: the envelope outside, the kind inside; bytes to entry and back.
//!
//! Here: the stored formats, with their limits and the search for secrets. Not here: the place of a line (`store`) or its meaning
//! (`timeline`, `metrics`). docs/contributing.md lists what a new kind of entry needs; `verdict.rs` is a short
//! example.

mod answer;
mod carried;
mod cite;
mod digest;
mod draft;
mod envelope;
mod event;
mod import;
mod kind;
mod limit;
mod line;
mod long;
mod redact;
mod redacted;
mod secret;
mod sid;
mod state;
mod tension;
mod text;
mod time;
mod trace;
mod verdict;

pub use answer::{Answer, CommandRun, Rederive, unstable, value_text, word};
pub use carried::{Carried, CarryRule};
pub use cite::{Citation, Cited, CitedLines, is_entry_id};
pub use digest::{Sum, base64, from_hex, hex, sha256, sha256_hex, sha256_of};
pub use draft::{Draft, Link, Undraftable};
pub use envelope::{Agent, Envelope, Head, Origin, Person, Seen};
pub use event::{Body, Event, VERSION};
pub use import::{Imported, ImportedFile, import_file};
pub use kind::Kind;
pub use limit::{clip, clip_with, fitting, length, one_line};
pub use line::{Line, MAX_LINE, TooLong, harden, hardened_json, is_entry, is_unseen, lines_of};
pub use long::{begins, fit, is_same_recorded, recorded};
pub use redact::hide;
pub use redacted::Redacted;
pub use secret::{Leak, RULES, Rule, find_secret, leak_in};
pub use sid::{abbreviates, may_abbreviate, new_sid, short_sid};
pub use state::{
    Alert, SessionEnd, SessionEvent, SessionHow, State, StateCite, StateField, Transcript,
};
pub use tension::{
    CLOSING_NOTE_MAX, ClosedAs, SOURCE_MAX, TOPIC_MAX, TensionClosed, TensionOpened, TensionType,
    is_share, share,
};
pub use text::Text;
pub use time::{Ts, entry_id};
pub use trace::{Trace, trace};
pub use verdict::{SecondLook, Verdict, VerdictWord};

/// The program and its version, as entries name it.
pub const TOOL: &str = concat!("git-sq/", env!("CARGO_PKG_VERSION"));
