//! Reads what the proofs of the log are about.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    path::PathBuf,
};

use jiff::{SignedDuration, Timestamp};

use super::{
    Error, Project,
    questions::{first_store_commit, store_blob},
};
use crate::{
    git::{Oid, RefTip},
    proof::{Checkpoint, LogFacts, Remembered, Span, StoreChange, Work},
    question::{ClosedKind, changes},
    store::{
        KEPT_REF, LOCAL_REF, LogHistory,
        share::{Homes, shared_logs},
        shared_tip,
    },
    timeline::short,
};

/// The trailer of a commit that remembers a state of the log.
const TRAILER: &str = "Sq-Log";

/// The notes of other tools that say which lines an agent wrote.
const AI_NOTES: &str = "refs/notes/ai";

/// Parts of the addresses that agents give themselves in authors and trailers.
const AGENTS: [&str; 14] = [
    "noreply@anthropic.com",
    "noreply@openai.com",
    "codex@openai.com",
    "noreply@aider.chat",
    "cursoragent@cursor.com",
    "noreply@opencode.ai",
    "amp@ampcode.com",
    "openhands@all-hands.dev",
    "qwen-coder@",
    "copilot@users.noreply",
    "copilot-swe-agent",
    "devin-ai-integration",
    "gemini-code-assist",
    "google-labs-jules",
];

/// A longer tolerance of clocks hides what the proof of times is for.
const TOLERANCE: SignedDuration = SignedDuration::from_hours(24);

/// The time for which a session without an end may have gone on after its last line.
const GRACE: SignedDuration = SignedDuration::from_hours(2);

impl Project {
    /// The cost is that of the whole log and of the messages of the first parents.
    pub fn log_facts(
        &self,
        checkpoint: Option<Checkpoint>,
        signers: Option<&PathBuf>,
    ) -> Result<LogFacts, Error> {
        let repo = &self.repo;
        let homes = Homes::read(repo)?;
        let mut tips = shared_logs(repo, &self.tips.fetched)?;
        if tips.is_empty() {
            let own = [(LOCAL_REF, self.tips.local), (KEPT_REF, self.tips.restored())];
            tips.extend(
                own.into_iter()
                    .filter_map(|(name, tip)| Some(RefTip { name: name.to_owned(), target: tip? })),
            );
        }
        let mut logs = Vec::new();
        for tip in &tips {
            logs.push(LogHistory::read(repo, &tip.name, tip.target)?);
        }
        let entries = || logs.iter().flat_map(LogHistory::entries);
        let named: HashSet<Oid> = entries().filter_map(|entry| entry.head).collect();
        let heads: HashMap<Oid, Timestamp> = named
            .into_iter()
            .filter_map(|head| Some((head, repo.commit_time(head).ok()?)))
            .collect();
        let commits: Vec<Oid> =
            logs.iter().flat_map(|log| &log.commits).map(|commit| commit.id).collect();
        let signatures = repo.signatures(&commits, signers.map(PathBuf::as_path))?;
        let (works, mut remembered) = self.works()?;
        remembered.extend(self.witnessed(&tips)?);
        let states = entries().filter_map(|entry| Some(entry.seen?.1));
        let states: HashSet<Oid> =
            states.chain(remembered.iter().map(|remembered| remembered.state)).collect();
        let mut here: HashSet<Oid> =
            states.into_iter().filter(|state| repo.is_notes_commit(*state)).collect();
        let known: HashSet<Oid> = commits.into_iter().collect();
        let merged = here
            .difference(&known)
            .filter(|state| tips.iter().any(|tip| repo.is_ancestor(**state, tip.target)))
            .copied()
            .collect();
        here.retain(|state| !homes.left(repo, *state));
        let (store_changes, store_unknown) = self.store_works()?;
        let mut agents_commits = works;
        agents_commits.retain(|work| work.agent.is_some());
        // Before the first question, and the first entry, nobody could answer one.
        let first = entries().map(|entry| entry.at).min();
        let is_early = |work: &Work| first.is_some_and(|first| work.at < first);
        if agents_commits.iter().any(is_early)
            && let Some(asked) = first_store_commit(repo, self.tip)?
        {
            agents_commits.retain(|work| !is_early(work) || repo.is_ancestor(asked, work.commit));
        }
        let closed = self.closed()?;
        let settings =
            self.questions_if_any().map(|store| store.set.settings.clone()).unwrap_or_default();
        Ok(LogFacts {
            closed: closed.ids(ClosedKind::Look).map(str::to_owned).collect(),
            is_shallow: repo.is_shallow()?,
            merged,
            remembered,
            checkpoint,
            heads,
            here,
            tolerance: settings.clock.tolerance.min(TOLERANCE),
            signatures,
            has_signers: signers.is_some(),
            store_changes,
            store_unknown,
            agents_commits,
            sessions: spans(&logs),
            logs,
        })
    }

    /// The states that this clone saw, and those that tags point at.
    fn witnessed(&self, tips: &[RefTip]) -> Result<Vec<Remembered>, Error> {
        let repo = &self.repo;
        let mut remembered = Vec::new();
        let mut fetched = HashSet::new();
        for tip in tips {
            let moves = repo.ref_moves(&tip.name)?;
            for state in moves.into_iter().flat_map(|step| [step.to, step.from]).flatten() {
                if fetched.insert(state) {
                    let log = Some(tip.name.clone());
                    remembered.push(Remembered { log, ..Remembered::of("this clone", state) });
                }
            }
        }
        if let Some((_, state)) = shared_tip(repo)?.filter(|(_, state)| !fetched.contains(state)) {
            let may_be_newer = tips.iter().any(|tip| repo.is_ancestor(tip.target, state));
            remembered.push(Remembered { may_be_newer, ..Remembered::of("this clone", state) });
        }
        for tag in repo.refs_under("refs/tags/")? {
            let is_log = |state: &Oid| {
                repo.is_notes_commit(*state)
                    && repo.notes(*state).is_ok_and(|notes| !notes.is_empty())
            };
            if let Some(state) = repo.peeled(tag.target).filter(is_log) {
                let by = format!("the tag {}", &tag.name["refs/tags/".len()..]);
                remembered.push(Remembered::of(by, state));
            }
        }
        Ok(remembered)
    }

    /// The commits of the code, and the states of the log that their trailers remember.
    fn works(&self) -> Result<(Vec<Work>, Vec<Remembered>), Error> {
        let repo = &self.repo;
        let noted = match repo.ref_target(AI_NOTES)? {
            Some(tip) if repo.is_notes_commit(tip) => repo
                .notes(tip)
                .map_err(|error| error.help(format!("git update-ref -d {AI_NOTES}")))?,
            _ => Vec::new(),
        };
        let noted: HashSet<Oid> = noted.into_iter().map(|note| note.anchor).collect();
        let history = repo.walk(self.tip)?;
        let (mut works, mut remembered) = (Vec::new(), Vec::new());
        for id in history.nodes().map(|node| history.id(node)) {
            // A commit that can't be read is no agent's.
            let Ok(message) = repo.message(id) else {
                continue;
            };
            let Ok(mut work) = self.work(id, &message) else {
                continue;
            };
            let states = trailers(&message).filter(|(key, _)| key.eq_ignore_ascii_case(TRAILER));
            remembered.extend(states.filter_map(|(_, state)| {
                Some(Remembered::of(format!("commit {}", short(id)), state.parse().ok()?))
            }));
            if noted.contains(&id) {
                work.agent.get_or_insert_with(|| AI_NOTES.to_owned());
            }
            works.push(work);
        }
        Ok((works, remembered))
    }

    pub(super) fn work(&self, commit: Oid, message: &str) -> Result<Work, Error> {
        let author = self.repo.author(commit)?;
        let authors = trailers(message)
            .filter(|(key, _)| key.to_ascii_lowercase().ends_with("-by"))
            .map(|(_, author)| author.to_owned());
        let name = format!("{} <{}>", author.name, author.email);
        let agent = [name].into_iter().chain(authors).find(|author| {
            let author = author.to_ascii_lowercase();
            AGENTS.iter().any(|agent| author.contains(agent))
        });
        Ok(Work { commit, at: self.repo.authored(commit)?, email: author.email, agent })
    }

    /// The commit, or the one by an agent that changed the store in what it merged.
    fn store_work(&self, commit: Oid) -> Result<Work, Error> {
        let repo = &self.repo;
        let parents = repo.parents(commit)?;
        if let [first, _, ..] = parents[..] {
            for merged in repo.commits_between(first, commit)? {
                let before = repo.first_parent(merged)?.and_then(|parent| store_blob(repo, parent));
                let work = self.work(merged, &repo.message(merged)?)?;
                if work.agent.is_some() && merged != commit && store_blob(repo, merged) != before {
                    return Ok(work);
                }
            }
        }
        self.work(commit, &repo.message(commit)?)
    }

    /// The changes of the question store after the commit that brought it, and why some may not be known.
    fn store_works(&self) -> Result<(Vec<StoreChange>, Vec<String>), Error> {
        let mut found = Vec::new();
        let (stores, unknown) = self.stores()?;
        for (commit, before, set) in stores.into_iter().skip(1) {
            let ids: BTreeSet<&str> = before
                .questions
                .iter()
                .chain(&set.questions)
                .map(|question| &*question.id)
                .collect();
            let mut what: Vec<String> = ids
                .into_iter()
                .filter(|id| !changes(id, &before, &set).is_empty())
                .map(str::to_owned)
                .collect();
            if before.settings != set.settings {
                what.push("settings".to_owned());
            }
            if !what.is_empty() {
                found.push(StoreChange { work: self.store_work(commit)?, what });
            }
        }
        Ok((found, unknown))
    }
}

/// The keys and values of the last paragraph.
fn trailers(message: &str) -> impl Iterator<Item = (&str, &str)> {
    let last = message.trim_end().rsplit("\n\n").next().unwrap_or_default();
    last.lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(key, value)| (key.trim(), value.trim()))
}

/// The sessions of numbered lines.
fn spans(logs: &[LogHistory]) -> Vec<Span> {
    let mut spans: HashMap<(&str, &str), (Timestamp, Span)> = HashMap::new();
    for line in logs.iter().flat_map(LogHistory::lines) {
        let Some(entry) = &line.entry else { continue };
        let Some((writer, _)) = &entry.place else {
            continue;
        };
        // What has a start is the session's end.
        let grace = if entry.since.is_some() { SignedDuration::ZERO } else { GRACE };
        let to = entry.at.checked_add(grace).unwrap_or(entry.at);
        let (last, span) = spans.entry((writer, &entry.sid)).or_insert_with(|| {
            let (sid, email) = (entry.sid.clone(), entry.email.clone());
            let (from, anchors) = (entry.at, BTreeSet::new());
            (entry.at, Span { sid, email, is_agents: false, from, to, anchors })
        });
        span.from = span.from.min(entry.since.unwrap_or(entry.at));
        if entry.at >= *last {
            (*last, span.to) = (entry.at, to);
        }
        span.is_agents |= entry.is_agents;
        span.anchors.insert(line.anchor);
    }
    spans.into_values().map(|(_, span)| span).collect()
}
