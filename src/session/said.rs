//! What the log has of one session, whatever it is.

use serde::Deserialize;

use crate::{entry::Ts, store::Log};

/// An entry of a session, as far as its life goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    pub ts: Ts,
    /// The clone; with the name, the session's identity.
    pub writer: Option<String>,
    /// It says that the session ended, and when what ended had begun.
    pub ended: Option<String>,
}

/// The entries of the sessions of this name, of every clone. What has no time that can be read is passed over.
pub fn said(log: &Log, sid: &str) -> Vec<Said> {
    #[derive(Deserialize)]
    struct Key {
        ts: String,
        kind: String,
        sid: String,
        #[serde(default)]
        writer: Option<String>,
        #[serde(default)]
        started: Option<String>,
    }
    let texts = log.annotations.iter().map(|one| &one.text);
    let lines = texts.flat_map(|text| text.split(|&byte| byte == b'\n'));
    let keys = lines.filter_map(|line| serde_json::from_slice::<Key>(line).ok());
    keys.filter(|key| key.sid == sid)
        .filter_map(|key| {
            Some(Said {
                ts: Ts::parse(&key.ts)?,
                writer: key.writer,
                ended: key.started.filter(|_| key.kind == "session"),
            })
        })
        .collect()
}
