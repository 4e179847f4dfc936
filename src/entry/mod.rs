//! What a line of the log says: the envelope outside, the kind inside; bytes to entry and back.

mod cite;
mod digest;
mod import;
mod limit;
mod line;
mod read;
mod stamp;
mod state;
mod tension;
mod time;
mod trace;
mod write;

pub use cite::{Citation, Cited, is_entry_id};
pub use digest::sha256_hex;
pub use import::{Imported, NotImported, import_line};
pub use limit::{Excess, Misfit, Unit, cut, fits, one_line};
pub use line::{Line, MAX_LINE, NotALine, hardened_json, lines_of};
pub use read::{Entry, Reading, ResultIn, read};
pub use stamp::{Stamp, stamp, time_of};
pub use state::{
    Alert, AlertEntry, SessionEnd, SessionEntry, SessionEvent, SessionHow, State, StateCite,
    StateEntry, StateField,
};
pub use tension::{
    CLOSING_NOTE_MAX, ClosedAs, SOURCE_MAX, Share, TOPIC_MAX, TensionCloseEntry, TensionClosed,
    TensionOpenEntry, TensionOpened, TensionType,
};
pub use time::{Ts, entry_id};
pub use trace::{Trace, trace};
pub use write::{
    Agent, CarryEntry, CarryRule, Envelope, Head, Kind, Origin, RederiveEntry, ResultOut,
};

/// The program and its version, as entries name it.
pub const TOOL: &str = concat!("git-sq/", env!("CARGO_PKG_VERSION"));
