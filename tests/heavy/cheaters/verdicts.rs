//! What the gate says of sessions.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::game::{Game, Session};

/// The rules that flag an answer, or the lack of one.
const RULES: [&str; 5] = ["left-out", "no-evidence", "not-shown", "nothing-changed", "second-look"];

/// What became of all sessions.
#[derive(Default)]
pub struct Row {
    pub lying: usize,
    pub by_rules: usize,
    /// By rules, or by how the question stands at the tip.
    pub at_tip: usize,
    /// By that, or by readers.
    pub found: usize,
    pub honest: usize,
    pub wrongly: usize,
    pub refused: usize,
    pub looks: usize,
    pub alarms: usize,
    /// How many lying sessions each rule named, and how many it alone.
    pub rules: BTreeMap<String, [usize; 2]>,
}

impl Game<'_> {
    /// Marks what was found out about an entry's session.
    pub fn find(&mut self, sid: &str, commit: &str) -> Option<&mut Session> {
        let mut sessions = self.sessions.iter_mut();
        let session = sessions.find(|session| {
            session.sids.iter().any(|own| own == sid) && session.commit.starts_with(commit)
        })?;
        session.is_found = true;
        Some(session)
    }

    /// Asks the gate.
    pub fn ask(&mut self) {
        let (check, code) = self.world.check(&[]);
        assert_eq!(check["unknown"], json!([]));
        self.alarms += usize::from(code == 1);
        let now = self.session;
        let mut named = BTreeSet::new();
        for finding in check["findings"].as_array().unwrap() {
            let text = |key: &str| finding[key].as_str().unwrap_or_default();
            let mut words = text("message").split([' ', ',', ':']);
            let commit = words.find(|word| *word == "at").and_then(|_| words.next());
            if let Some(commit) = commit.filter(|_| RULES.contains(&text("rule"))) {
                self.find(text("about"), commit);
                let session = &self.sessions[now];
                let is_own = session.sids.iter().any(|own| own == text("about"));
                if is_own && session.commit.starts_with(commit) {
                    named.insert(text("rule").to_owned());
                }
            }
        }
        let states = check["questions"].as_array().unwrap();
        let is_lost = |question: &usize| {
            let name = format!("q{question}");
            let state = states.iter().find(|state| state["question"] == name.as_str());
            ["outdated", "disputed", "never answered", "stale"]
                .contains(&state.unwrap()["standing"].as_str().unwrap())
        };
        let session = &mut self.sessions[now];
        if session.rules.is_none() {
            session.is_given_away = !named.is_empty() || session.lies.iter().any(is_lost);
            session.rules = Some(named);
        }
    }

    pub fn row(self) -> Row {
        let mut row =
            Row { refused: self.refused, looks: self.looks, alarms: self.alarms, ..Row::default() };
        for session in &self.sessions {
            if session.is_honest {
                assert!(session.lies.is_empty(), "{:?}", session.sids);
                row.honest += 1;
                row.wrongly += usize::from(session.is_found);
            }
            if session.lies.is_empty() {
                continue;
            }
            row.lying += 1;
            let rules = session.rules.clone().unwrap_or_default();
            row.by_rules += usize::from(!rules.is_empty());
            row.at_tip += usize::from(session.is_given_away);
            row.found += usize::from(session.is_given_away || session.is_found);
            for rule in &rules {
                let of = row.rules.entry(rule.clone()).or_default();
                of[0] += 1;
                of[1] += usize::from(rules.len() == 1);
            }
        }
        row
    }
}
