//! What can be said of a delta that was recorded, by the answers that may have come before it.

use serde_json::Value;

use super::{Doubt, Replay, fails};
use crate::{
    git::{Node, Oid},
    question::Probe,
    store::Row,
    timeline::short,
};

/// The most earlier answers that are looked at, and of these, how many commits one delta is compared with.
const LOOKS: usize = 5_000_000;
const COMMITS: usize = 16;

impl Replay<'_> {
    /// What can be said of the recorded delta. It has to be a contradiction whatever the session could know: entries of
    /// other clones may have come later.
    pub(super) fn delta(
        &mut self,
        row: &Row,
        place: usize,
        probe: &Probe,
        now: &Value,
    ) -> Result<String, Doubt> {
        let recorded = self.timeline.events.answers(row)[place];
        let untold = |why: &str| Ok(format!("its delta can't be told: {why}"));
        if !self.timeline.events.is_at_head(row) {
            return untold("it stands on another commit than it names");
        }
        if !self.timeline.unknown.is_empty() {
            return untold("not everything before it is known");
        }
        if row.is_ahead {
            return untold("it names a time that has not come");
        }
        let Some(before) = self.before(row, recorded.question) else {
            return untold("too many entries stand before it");
        };
        for (number, last) in before.iter().enumerate() {
            let is_delta = match last.map(|last| self.answer(last, probe)) {
                None => false,
                Some(Ok(then)) => then != *now,
                Some(Err(error)) => return untold(&error.to_string()),
            };
            if is_delta == recorded.delta {
                return match number {
                    0 => Ok("the delta is as recorded".into()),
                    _ => untold("entries of other clones may have come later"),
                };
            }
        }
        let last = before.first().copied().flatten();
        fails(match (recorded.delta, last) {
            (true, Some(last)) => format!(
                "it recorded a delta, and its probe gives the same at {}, where it was answered last",
                short(last)
            ),
            (true, None) => "it recorded a delta, and nobody answered it before".into(),
            (false, last) => format!(
                "it recorded no delta, and its probe gives another answer at {}, where it was answered last",
                last.map(short).unwrap_or_default()
            ),
        })
    }

    /// The commits at which another session may have answered the question last, the nearest first, None for nowhere.
    /// Entries that the same clone made before were here; those of others may have come later. None where there are too
    /// many.
    fn before(&mut self, row: &Row, question: u32) -> Option<Vec<Option<Oid>>> {
        let (events, history) = (&self.timeline.events, &self.history);
        let here = history.find(events.anchor(row.anchor))?;
        let (sid, writer) = (events.sid(row), events.writer(row));
        let mut own: Vec<Node> = Vec::new();
        let mut found: Vec<Node> = Vec::new();
        for &(node, place) in self.answered.get(&question)? {
            self.looks += 1;
            if self.looks > LOOKS || found.len() > COMMITS {
                return None;
            }
            let other = &events.rows()[place as usize];
            let is_own = writer.is_empty() || events.writer(other) == writer;
            let is_own = is_own && !other.is_ahead;
            let tolerance = if is_own { 0 } else { self.tolerance };
            let is_earlier = other.millis < row.millis.saturating_add(tolerance);
            let is_hidden = |&nearer: &Node| nearer != node && history.contains(nearer, node);
            if events.sid(other) == sid
                || !is_earlier
                || !history.contains(here, node)
                || own.iter().any(is_hidden)
            {
                continue;
            }
            if !found.contains(&node) {
                found.push(node);
            }
            if is_own && !own.contains(&node) {
                own.push(node);
            }
        }
        // Commits of one second come in any order.
        found.retain(|&node| {
            let is_hidden = |&nearer: &Node| nearer != node && history.contains(nearer, node);
            !own.iter().any(is_hidden)
        });
        let nowhere = own.is_empty().then_some(None);
        let found = found.into_iter().map(|node| Some(history.id(node)));
        Some(found.chain(nowhere).collect())
    }
}
