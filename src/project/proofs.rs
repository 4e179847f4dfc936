//! Reads what the proofs of the log are about.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    path::PathBuf,
};

use jiff::{SignedDuration, Timestamp};

use super::{Error, Project};
use crate::{
    git::{Oid, RefTip},
    proof::{Checkpoint, LogFacts, Remembered, Span, StoreChange, Work},
    question::changes,
    store::{LOCAL_REF, LogHistory, seen_tips},
    timeline::short,
};

/// The trailer of a commit that remembers a state of the log.
const TRAILER: &str = "Sq-Log:";

/// The notes of other tools that say which lines an agent wrote.
const AI_NOTES: &str = "refs/notes/ai";

/// Names of agents, as trailers of commits have them.
const AGENTS: [&str; 11] = [
    "aider", "amp", "claude", "codex", "copilot", "cursor", "devin", "gemini", "jules", "opencode",
    "qwen",
];

/// How long after its last line a session without an end may have gone on.
const GRACE: SignedDuration = SignedDuration::from_hours(2);

impl Project {
    /// The cost is that of the whole log and of the messages of the first parents.
    pub fn log_facts(
        &self,
        checkpoint: Option<Checkpoint>,
        signers: Option<&PathBuf>,
    ) -> Result<LogFacts, Error> {
        let repo = &self.repo;
        let local = self.tips.local.map(|target| RefTip {
            name: LOCAL_REF.to_owned(),
            target,
        });
        let mut logs = Vec::new();
        let tips = if self.tips.fetched.is_empty() {
            local.as_slice()
        } else {
            &self.tips.fetched
        };
        for tip in tips {
            logs.push(LogHistory::read(repo, &tip.name, tip.target)?);
        }
        let entries = || {
            logs.iter()
                .flat_map(LogHistory::lines)
                .filter_map(|line| line.entry.as_ref())
        };
        let named: HashSet<Oid> = entries().filter_map(|entry| entry.head).collect();
        let time = |head: Oid| Some((head, repo.commit_time(head).ok()?));
        let heads: HashMap<Oid, Timestamp> = named.into_iter().filter_map(time).collect();
        let here = entries()
            .filter_map(|entry| entry.seen)
            .filter(|seen| repo.is_notes_commit(*seen));
        let here = here.collect();
        let commits: Vec<Oid> = logs
            .iter()
            .flat_map(|log| &log.commits)
            .map(|commit| commit.id)
            .collect();
        let signatures = repo.signatures(&commits, signers.map(PathBuf::as_path))?;
        let (works, mut remembered) = self.works()?;
        let mut unfetched = HashSet::new();
        for state in seen_tips(repo)? {
            remembered.push(Remembered {
                by: "this clone".to_owned(),
                state,
            });
            for tip in tips {
                // A tracking ref that was there, and is behind it now, was rewound.
                let was_there = || {
                    Ok::<_, Error>(
                        repo.ref_moves(&tip.name)?
                            .iter()
                            .any(|step| step.to == Some(state)),
                    )
                };
                if repo.is_ancestor(tip.target, state) && !was_there()? {
                    unfetched.insert(state);
                }
            }
        }
        for tag in repo.refs_under("refs/tags/")? {
            if repo.is_notes_commit(tag.target) {
                let by = format!("the tag {}", &tag.name["refs/tags/".len()..]);
                remembered.push(Remembered {
                    by,
                    state: tag.target,
                });
            }
        }
        let settings = self
            .questions_if_any()
            .map(|store| store.set.settings.clone());
        Ok(LogFacts {
            remembered,
            unfetched,
            checkpoint,
            heads,
            here,
            tolerance: settings.unwrap_or_default().clock.tolerance,
            signatures,
            has_signers: signers.is_some(),
            store_changes: self.store_works()?,
            agents_commits: works
                .into_iter()
                .filter(|work| work.agent.is_some())
                .collect(),
            sessions: spans(&logs),
            logs,
        })
    }

    /// The commits of the line of first parents, and the states of the log that their messages remember.
    fn works(&self) -> Result<(Vec<Work>, Vec<Remembered>), Error> {
        let repo = &self.repo;
        let noted = match repo.ref_target(AI_NOTES)? {
            Some(tip) if repo.is_notes_commit(tip) => repo.notes(tip)?,
            _ => Vec::new(),
        };
        let noted: HashSet<Oid> = noted.into_iter().map(|note| note.anchor).collect();
        let history = repo.walk(self.tip)?;
        let mut next = history.nodes().next();
        let (mut works, mut remembered) = (Vec::new(), Vec::new());
        while let Some(node) = next {
            let id = history.id(node);
            next = history.first_parent(node);
            let Ok(message) = repo.message(id) else {
                continue;
            };
            let states = message
                .lines()
                .filter_map(|line| line.strip_prefix(TRAILER)?.trim().parse().ok());
            remembered.extend(states.map(|state| {
                let by = format!("commit {}", short(id));
                Remembered { by, state }
            }));
            let mut work = self.work(id, &message)?;
            if noted.contains(&id) {
                work.agent.get_or_insert_with(|| AI_NOTES.to_owned());
            }
            works.push(work);
        }
        Ok((works, remembered))
    }

    pub(super) fn work(&self, commit: Oid, message: &str) -> Result<Work, Error> {
        let trailers = message.lines().rev().take_while(|line| !line.is_empty());
        let authors = trailers.filter_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case("co-authored-by")
                .then(|| value.to_ascii_lowercase())
        });
        let agent = authors.into_iter().find_map(|author| {
            let mut words = author.split(|c: char| !c.is_ascii_alphanumeric());
            words.find(|word| AGENTS.contains(word)).map(str::to_owned)
        });
        Ok(Work {
            commit,
            at: self.repo.authored(commit)?,
            email: self.repo.author(commit)?.email,
            agent,
        })
    }

    /// The changes of the question store after the commit that brought it.
    fn store_works(&self) -> Result<Vec<StoreChange>, Error> {
        let mut found = Vec::new();
        for (commit, before, set) in self.stores()?.into_iter().skip(1) {
            let ids: BTreeSet<&str> = before
                .questions
                .iter()
                .chain(&set.questions)
                .map(|one| &*one.id)
                .collect();
            let changed = ids
                .into_iter()
                .filter(|id| !changes(id, &before, &set).is_empty());
            let mut what: Vec<String> = changed.map(str::to_owned).collect();
            if before.settings != set.settings {
                what.push("settings".to_owned());
            }
            if !what.is_empty() {
                let work = self.work(commit, &self.repo.message(commit)?)?;
                found.push(StoreChange { work, what });
            }
        }
        Ok(found)
    }
}

/// The sessions of numbered lines.
fn spans(logs: &[LogHistory]) -> Vec<Span> {
    let mut spans: HashMap<(&str, &str), Span> = HashMap::new();
    for line in logs.iter().flat_map(LogHistory::lines) {
        let Some(entry) = &line.entry else { continue };
        let Some((writer, _)) = &entry.place else {
            continue;
        };
        let to = entry.at.checked_add(GRACE).unwrap_or(entry.at);
        let span = spans.entry((writer, &entry.sid)).or_insert_with(|| Span {
            sid: entry.sid.clone(),
            email: entry.email.clone(),
            is_agents: false,
            from: entry.at,
            to,
            anchors: BTreeSet::new(),
        });
        span.from = span.from.min(entry.since.unwrap_or(entry.at));
        span.to = span.to.max(to);
        span.is_agents |= entry.is_agents;
        span.anchors.insert(line.anchor);
    }
    spans.into_values().collect()
}
