//! A tension as it is printed.

use crate::{
    question::TensionSettings,
    report::{ClosingRow, TensionRow},
    session::{Tension, TensionState},
};

/// A tension as json has it; what became of its citations is not looked up.
pub fn row(tension: &Tension, settings: &TensionSettings) -> TensionRow {
    let opening = &tension.opening;
    let body = &opening.body;
    let is_open = tension.state == TensionState::Open;
    let closing = tension.closing.as_ref().map(|closing| ClosingRow {
        id: closing.id.clone(),
        note: closing.body.note.clone(),
        cite: closing.body.cite.iter().map(Into::into).collect(),
        sid: closing.source.sid.clone(),
        agent: closing.source.agent.clone(),
        head: closing.source.head.clone(),
    });
    TensionRow {
        id: opening.id.clone(),
        topic: body.topic.clone(),
        tension_type: body.tension_type,
        state: tension.state,
        curiosity: body.curiosity.get(),
        intrusiveness: body.intrusiveness.get(),
        score: tension.score.get(),
        opened: opening.ts.to_string(),
        expires: tension.expires.as_ref().map(ToString::to_string),
        advice: is_open.then(|| tension.advice(settings)),
        source: body.source.clone(),
        ttl: body.ttl.clone(),
        cite: body.cite.iter().map(Into::into).collect(),
        sid: opening.source.sid.clone(),
        agent: opening.source.agent.clone(),
        branch: opening.source.branch.clone(),
        head: opening.source.head.clone(),
        closed: tension.closed.as_ref().map(ToString::to_string),
        closing,
    }
}
