//! On branches: which session follows which, what counts once, and how runs are made.

use std::{collections::BTreeMap, fmt::Write as _, sync::Arc};

use git_sq::{
    git::{History, Oid},
    metrics::{Looks, Survey, survey},
    question::{QuestionSet, parse},
    store::{Events, Row},
    timeline::{AskedBy, Lineage, OnMain, Timeline, Unknown, Watch},
};
use proptest::prelude::*;
use serde_json::json;

use super::ancestry::{contained, history, id, walked};

/// An entry: its session, its anchors, whether it reports a delta.
type Entry = (usize, Vec<usize>, bool);

fn log(entries: &[Entry]) -> Events {
    let mut notes: BTreeMap<usize, String> = BTreeMap::new();
    for (second, (sid, anchors, delta)) in entries.iter().enumerate() {
        let ts = format!("2026-02-01T00:00:{second:02}.000Z");
        let line = json!({"ts": ts, "kind": "rederive", "id": format!("id{second}"), "sid": format!("s{sid}"),
            "repo_head_sha": id(anchors[0]).to_string(), "writer": "w",
            "results": [{"q_id": "q1", "last_rederived_ts": ts, "delta": delta}]});
        for anchor in anchors {
            writeln!(notes.entry(*anchor).or_default(), "{line}").unwrap();
        }
    }
    Events::of_notes(notes.iter().map(|(anchor, text)| (id(*anchor), text.as_bytes())))
}

/// A history that was walked, as the program asks it.
pub struct Walked<'h> {
    pub history: &'h History,
    pub events: Arc<Events>,
}

impl Lineage for Walked<'_> {
    fn changes_after(&mut self, _: &[u32], _: &Watch) -> git_sq::git::Result<usize> {
        Ok(0)
    }

    fn first_change(&mut self, _: u32, _: &Watch) -> Option<OnMain> {
        None
    }

    fn is_beside(&mut self, _: u32, _: OnMain) -> bool {
        false
    }

    fn reached(&mut self, anchor: u32) -> Option<(i64, u32)> {
        let node = self.history.find(self.events.anchor(anchor))?;
        let merged = self.history.main_length() - 1 - self.history.merged(node).0;
        Some((self.history.time(node), merged))
    }

    fn contains(&mut self, commit: Oid) -> bool {
        self.history.find(commit).is_some()
    }

    fn holds(&mut self, commit: u32, ancestor: u32) -> bool {
        let node = |anchor| self.history.find(self.events.anchor(anchor)).unwrap();
        self.history.contains(node(commit), node(ancestor))
    }

    fn count_ancestors(&mut self, anchor: u32) -> usize {
        let node = self.history.find(self.events.anchor(anchor)).unwrap();
        self.history.count_contained(node)
    }

    fn is_changed(&mut self, _: u32, _: u32, _: &Watch) -> Option<bool> {
        Some(false)
    }

    fn store(&mut self, _: Oid) -> Option<QuestionSet> {
        None
    }

    fn asked(&mut self, _: &Row) -> AskedBy {
        AskedBy::Named
    }

    fn unknown(&self) -> Vec<Unknown> {
        Vec::new()
    }
}

/// The anchor at which an entry counts: the one that it names where the tip has it, else the one with the fewest
/// ancestors, then the lowest id. None where the tip has none.
fn counts_at(parents: &[Vec<usize>], anchors: &[usize]) -> Option<usize> {
    let known = |anchor: &&usize| **anchor < parents.len();
    if anchors[0] < parents.len() {
        return Some(anchors[0]);
    }
    anchors
        .iter()
        .filter(known)
        .min_by_key(|anchor| (contained(parents, **anchor).len(), **anchor))
        .copied()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn runs_follow_lines_of_history(
        parents in history(),
        raw in prop::collection::vec((0..8_usize, prop::collection::vec(0..30_usize, 1..3), prop::bool::weighted(0.2)), 0..14),
    ) {
        let history = walked(&parents);
        let log = log(&raw);
        let store = parse("store", br#"{"_schema":"standing_questions/v1","questions":[{"id":"q1","q":"?","importance":1}]}"#).unwrap();
        let events = Arc::new(log);
        let mut lineage = Walked { history: &history, events: events.clone() };
        let timeline = Timeline::build(id(0), events, store, Vec::new(), &mut lineage, false);
        let survey = survey(&timeline, Looks::default(), &[], &[], Survey::default());

        let placed: Vec<_> = raw
            .iter()
            .filter_map(|(sid, anchors, delta)| Some((sid, anchors[0], counts_at(&parents, anchors)?, delta)))
            .collect();
        let mut order: Vec<usize> = Vec::new();
        for (sid, ..) in &placed {
            if !order.contains(sid) {
                order.push(**sid);
            }
        }
        let last = |sid: usize| placed.iter().rfind(|(s, ..)| **s == sid).unwrap();
        let in_line = |one: usize, two: usize| {
            contained(&parents, one).contains(&two) || contained(&parents, two).contains(&one)
        };
        let mut lengths: Vec<usize> = Vec::new();
        for (place, &sid) in order.iter().enumerate() {
            let (_, head, anchor, delta) = last(sid);
            let predecessor = (0..place).rev().find(|&p| in_line(last(order[p]).2, *anchor));
            let suspicious = predecessor.is_some_and(|p| last(order[p]).1 != *head) && !**delta;
            lengths.push(match (suspicious, predecessor) {
                (true, Some(p)) => lengths[p] + 1,
                (true, None) | (false, _) => 0,
            });
        }
        prop_assert_eq!(survey.sessions, order.len());
        prop_assert_eq!(survey.elsewhere, raw.len() - placed.len());
        prop_assert_eq!(survey.quiet.longest_run, lengths.iter().copied().max().unwrap_or(0));
        let expected: Vec<bool> = lengths.iter().map(|&l| l > 0).collect();
        let newest = &expected[expected.len().saturating_sub(20)..];
        let verdicts = survey.quiet.verdicts.iter().map(|verdict| verdict.suspicious);
        prop_assert_eq!(verdicts.collect::<Vec<_>>(), newest);
        prop_assert_eq!(survey.quiet.suspicious, expected.iter().filter(|&&quiet| quiet).count());
        for run in &survey.quiet.runs {
            prop_assert_eq!(run.length, run.sids.len());
        }
    }
}
