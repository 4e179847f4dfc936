use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    entry::TensionType,
    evidence::CitedRow,
    question::TensionSettings,
    session::{Advice, Event, Tension, TensionState},
};

/// A tension, open or closed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TensionRow {
    /// Opaque; two lines of the log may share one.
    pub id: String,
    pub topic: String,
    #[serde(rename = "type")]
    pub tension_type: TensionType,
    pub state: TensionState,
    pub curiosity: f64,
    pub intrusiveness: f64,
    /// Curiosity times intrusiveness.
    pub score: f64,
    pub opened: String,
    /// The time when it expires or would have.
    pub expires: String,
    /// The advice for an open tension; null if it is closed.
    pub advice: Option<Advice>,
    /// The place where it came up.
    pub source: String,
    pub ttl: Option<String>,
    pub cite: Vec<CitedRow>,
    pub sid: String,
    pub agent: Option<String>,
    pub branch: Option<String>,
    /// HEAD when it was opened.
    pub head: String,
    /// The time of closing; null if it is open.
    pub closed: Option<String>,
    /// The closing entry; null if the end was computed.
    pub closing: Option<ClosingRow>,
}

/// The recorded end of a tension.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ClosingRow {
    /// The id of the closing entry.
    pub id: String,
    pub note: String,
    pub cite: Vec<CitedRow>,
    pub sid: String,
    pub agent: Option<String>,
    pub head: String,
}

impl TensionRow {
    /// Does not look up citations.
    pub fn new(tension: &Tension, settings: &TensionSettings) -> Self {
        let Event { id, ts, source, body, .. } = tension.opening.clone();
        let is_open = tension.state == TensionState::Open;
        let closing = tension.closing.clone().map(|closing| ClosingRow {
            id: closing.id,
            note: closing.body.note,
            cite: closing.body.cite.iter().map(Into::into).collect(),
            sid: closing.source.sid,
            agent: closing.source.agent,
            head: closing.source.head,
        });
        Self {
            id,
            topic: body.topic,
            tension_type: body.tension_type,
            state: tension.state,
            curiosity: body.curiosity,
            intrusiveness: body.intrusiveness,
            score: tension.score.get(),
            opened: ts.to_string(),
            expires: tension.expires.to_string(),
            advice: is_open.then(|| tension.advice(settings)),
            source: body.source,
            ttl: body.ttl,
            cite: body.cite.iter().map(Into::into).collect(),
            sid: source.sid,
            agent: source.agent,
            branch: source.branch,
            head: source.head,
            closed: tension.closed.as_ref().map(ToString::to_string),
            closing,
        }
    }
}
