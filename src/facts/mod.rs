//! Facts that are stated in several places of a repository, and paths that documents name.
//!
//! Here: what states which fact (`versions`, `coupled`, `declared`), which paths and commands are missing (`paths`,
//! `commands`) and since when (`ends`), whether two places ever agreed (`history`), what the worktree says (`worktree`), what
//! would mend it (`fix`, `edits`), the same of questions that fail (`asked`), which fact comes first, and what later runs need not read again (`answers`). Not here: the
//! look of one (`view`). A new minimum is a row of `kinds::KINDS`, a new manifest with the project's own version one of
//! `sources::MANIFESTS`.

mod answers;
mod asked;
mod claim;
mod commands;
mod coupled;
mod declared;
mod document;
mod edits;
mod ends;
mod fix;
mod found;
mod grouped;
mod history;
mod id;
mod kinds;
mod literals;
mod missing;
mod moves;
mod names;
mod past;
mod paths;
mod place;
mod sources;
mod tree;
mod versions;
mod worktree;

use std::{
    collections::{BTreeSet, HashSet},
    iter::once,
    mem,
    panic::resume_unwind,
    thread,
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::{
    answers::Answers,
    claim::Claim,
    coupled::Candidates,
    declared::{Declared, declared},
    document::Document,
    history::{History, Pair},
    tree::Tree,
    versions::Fact,
};
pub use self::{
    asked::asked,
    edits::{patch, write},
    found::{Edit, Fix, Found, Since, State},
    id::ids,
    place::Place,
    tree::Compared,
};
use crate::{
    git::{self, DEEPEN, Line, Oid, Repo, Staged},
    question::QuestionSet,
};

/// The number of facts up to which those that hold are shown, too.
const SHOWN: usize = 5;

/// The state of the repository that is judged.
#[derive(Clone, Copy)]
pub enum At<'s> {
    Commit(Oid),
    /// The index, as the commit after this one.
    Index(&'s Staged, Option<Oid>),
}

impl<'s> At<'s> {
    /// The commit, or the tree of the index.
    pub fn files(self) -> Oid {
        match self {
            Self::Commit(commit) => commit,
            Self::Index(staged, _) => staged.tree,
        }
    }

    /// The newest commit of its history.
    pub fn tip(self) -> Option<Oid> {
        match self {
            Self::Commit(commit) => Some(commit),
            Self::Index(_, head) => head,
        }
    }

    /// The repository that has these files, the one that they are of or one with the tree of the index.
    pub fn repo(self, repo: &'s Repo) -> &'s Repo {
        match self {
            Self::Commit(_) => repo,
            Self::Index(staged, _) => &staged.repo,
        }
    }

    pub fn is_index(self) -> bool {
        matches!(self, Self::Index(..))
    }
}

/// A search for facts.
#[derive(Clone, Copy)]
pub struct Search<'s> {
    pub at: At<'s>,
    /// The commit since which facts broke: only those that held there are found, and of the history nothing else is read.
    pub base: Option<Oid>,
    /// The questions that are asked already.
    pub store: Option<&'s QuestionSet>,
    pub now: Timestamp,
    /// True if doubtful facts are found, too; they come last.
    pub is_all: bool,
}

impl Search<'_> {
    /// The likely facts of a commit.
    pub fn of(commit: Oid, now: Timestamp) -> Self {
        Self { at: At::Commit(commit), base: None, store: None, now, is_all: false }
    }
}

/// The facts, the most useful first.
#[derive(Debug, Default)]
pub struct Facts {
    pub facts: Vec<Found>,
    /// With a base, the number of facts that broke and need no fix on a branch.
    pub passing: usize,
    pub compared: Compared,
    /// The things that could not be told, each with the reason.
    pub unknown: Vec<String>,
}

/// Data read from objects, which can be kept for later runs: it follows from their names.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Kept {
    line: Line,
    answers: Answers,
    /// True if this run read more.
    #[serde(skip)]
    pub is_new: bool,
}

/// The collected reasons why something could not be told.
#[derive(Default)]
struct Unknown {
    /// Places that differ, and may have agreed.
    places: usize,
    /// Paths that are missing, and may have been there.
    paths: usize,
    /// Files of a partial clone.
    files: usize,
    /// A file of the history could not be read.
    is_damaged: bool,
}

/// Finds the facts of a commit or the index.
pub fn find(repo: &Repo, search: &Search, kept: &mut Kept) -> git::Result<Facts> {
    let Kept { line, answers, is_new } = kept;
    let mut of_two = Line::default();
    let line = if search.base.is_some() { &mut of_two } else { line };
    let known = line.tip();
    let found = of_tree(&Tree::open(repo, answers, search.at, search.base)?, search, line);
    *is_new = answers.settle() || search.base.is_none() && line.tip() != known;
    found
}

fn of_tree(tree: &Tree, search: &Search, line: &mut Line) -> git::Result<Facts> {
    let &Search { at, base, store, now, is_all } = search;
    // Who reads the files needs the history only afterwards.
    let (said, read) = thread::scope(|scope| {
        let (repo, known) = (tree.repo.clone(), mem::take(line));
        let read = tree.tip.map(|tip| {
            scope.spawn(move || match base {
                Some(base) => repo.line_of_two(base, tip),
                None => repo.line(tip, known),
            })
        });
        let said = Said::read(tree, is_all);
        (said, read.map(|read| read.join().unwrap_or_else(|panic| resume_unwind(panic))))
    });
    *line = read.transpose()?.unwrap_or_default();
    let Said { stated, unmatched, candidates, url, claims } = said?;
    let places = stated.iter().flat_map(|fact| [&fact.manifest.file, &fact.place.file]);
    let unmatched_files = unmatched.iter().flat_map(Declared::files);
    let files = places.chain(candidates.files()).chain(unmatched_files).cloned();
    let files: BTreeSet<String> = files.chain(claims.iter().flat_map(past::files)).collect();
    let history = History::read(tree, line, &Vec::from_iter(files), now);
    let mut unknown = Unknown { files: tree.lacks.borrow().len(), ..Unknown::default() };
    let mut judged = candidates.coupled(tree, &history)?;
    for fact in stated {
        // What agreed more than once says more.
        if !judged.iter().any(|known| known.is_at(&fact.place)) {
            judged.extend(of_fact(fact, tree, &history, &mut unknown));
        }
    }
    let is_kept = |judged: &Pair| base.is_none() || !judged.is_passing();
    let passing =
        judged.iter().filter(|judged| !is_kept(judged) && judged.state.is_wrong()).count();
    judged.retain(is_kept);
    let mut facts = grouped::found(judged);
    facts.extend(unmatched.into_iter().filter_map(|declared| declared.found(tree, &history)));
    let ends = ends::states(tree, line, &claims, history.changes(), now);
    let mut ends = unknown.of_claims(tree, &claims, ends);
    for (claim, state) in claims.iter().zip(&mut ends) {
        if matches!(state, Some(State::Never)) && missing::was_said(tree, claim)? {
            *state = None;
        }
    }
    facts.extend(missing::found(claims, ends, &url));
    order(&mut facts, store);
    facts.retain(|found| base.is_none() || found.is_broken());
    worktree::look(tree, at, &mut facts)?;
    let mailmap = tree.repo.mailmap(at.files());
    for found in facts.iter_mut().filter(|found| found.state.is_wrong()) {
        if let State::Differs { since, .. } | State::Missing { since: Some(since) } =
            &mut found.state
            && since.is_committed()
        {
            since.author = mailmap.resolve(&tree.repo.author(since.commit)?).name;
        }
        found.fix = Some(fix::of(tree, line, found)?);
    }
    unknown.is_damaged = tree.is_damaged();
    Ok(Facts { facts, passing, compared: tree.compared(), unknown: unknown.texts() })
}

/// The statements of a tree's files.
struct Said {
    stated: Vec<Fact>,
    /// The places of release tools in which nothing matches.
    unmatched: Vec<Declared>,
    candidates: Candidates,
    /// Matches URLs of the repository up to the path.
    url: String,
    claims: Vec<Claim>,
}

impl Said {
    fn read(tree: &Tree, is_all: bool) -> git::Result<Self> {
        loop {
            let documents = Document::all(tree)?;
            let url = paths::own_url(tree)?;
            let mut claims = paths::absent(tree, &documents, &url, is_all)?;
            claims.extend(commands::absent(tree, &documents)?);
            let (mut stated, candidates) = (versions::facts(tree)?, Candidates::find(tree)?);
            let mut unmatched = Vec::new();
            for declared in declared(tree)? {
                match declared.fact(tree)? {
                    Ok(fact) => stated.push(fact),
                    Err(declared) => unmatched.push(declared),
                }
            }
            // Which files are read depends on others: in a partial clone, each round fetches what the last one lacked.
            let lacks: Vec<Oid> = tree.lacks.take().into_iter().collect();
            let is_here = |&id: &Oid| !tree.repo.lacks(id);
            if lacks.is_empty() || !tree.repo.bring(&lacks) || !lacks.iter().any(is_here) {
                tree.lacks.borrow_mut().extend(lacks);
                return Ok(Self { stated, unmatched, candidates, url, claims });
            }
        }
    }
}

impl Unknown {
    /// In a shallow clone, what is missing may have been there, and nobody knows until when.
    fn of_claims(
        &mut self,
        tree: &Tree,
        claims: &[Claim],
        states: Vec<Option<State>>,
    ) -> Vec<Option<State>> {
        let states = claims.iter().zip(states).map(|(claim, state)| match state {
            None | Some(State::Never) if tree.is_shallow => {
                self.paths += usize::from(claim.is_likely);
                claim.is_broken_anyway.then_some(State::Missing { since: None })
            }
            state => state,
        });
        states.collect()
    }

    fn texts(&self) -> Vec<String> {
        let some = |number, one: &str, more: &str| match number {
            0 => None,
            1 => Some(format!("1 {one}")),
            _ => Some(format!("{number} {more}")),
        };
        let cut = [
            some(
                self.places,
                "place that differs may have agreed",
                "places that differ may have agreed",
            ),
            some(
                self.paths,
                "path that is missing may have existed",
                "paths that are missing may have existed",
            ),
        ];
        let cut: Vec<String> = cut.into_iter().flatten().collect();
        let cut = (!cut.is_empty())
            .then(|| format!("history is cut off: {} before; {DEEPEN}", cut.join(", and ")));
        let files = some(self.files, "file", "files").map(|files| {
            format!("{files} of this partial clone could not be fetched; `git fetch --refetch --no-filter` gets all")
        });
        let damaged = self.is_damaged.then(|| {
            "some of the history could not be read, so that more may be wrong; `git fsck` says what is lost".to_owned()
        });
        cut.into_iter().chain(files).chain(damaged).collect()
    }
}

/// The fact, if both places agreed at some commit.
fn of_fact(fact: Fact, tree: &Tree, history: &History, unknown: &mut Unknown) -> Option<Pair> {
    let precision = fact.manifest.version.len().min(fact.place.version.len());
    let differs = fact.manifest.version[..precision] != fact.place.version[..precision];
    let judged = fact.judge(history);
    unknown.places += usize::from(judged.is_none() && tree.is_shallow && differs);
    judged
}

fn question(file: &str, word: &str, asks: &str, expect: &Value, probe: &Value) -> Value {
    json!({
        "id": name(file, word),
        "q": asks,
        "importance": 2,
        "expect": expect,
        "probe": probe,
    })
}

/// Sorts facts, and gives each one and each question an id of its own.
fn order(facts: &mut [Found], store: Option<&QuestionSet>) {
    let name = |found: &Found| found.question["id"].as_str().unwrap_or_default().to_owned();
    facts.sort_by_key(|found| (found.is_doubtful, found.state.rank(), name(found)));
    let ids = id::ids(&facts.iter().map(Found::key).collect::<Vec<_>>());
    let known = store.map_or(&[][..], |store| &store.questions);
    let mut taken: HashSet<String> = known.iter().map(|known| known.id.clone()).collect();
    for (number, (found, id)) in (1..).zip(facts.iter_mut().zip(ids)) {
        found.id = id;
        let rank = found.state.rank().0;
        found.is_likely = !found.is_doubtful
            && (rank < 3 || matches!(found.state, State::Holds { broke: 1.. }) && number <= SHOWN);
        found.asked = known
            .iter()
            .find(|known| known.status.is_asked() && json!(known.probe) == found.question["probe"])
            .map(|known| known.id.clone());
        let stem = name(found);
        let alike = known.iter().find(|known| known.id == stem && known.status.is_asked());
        let namesake = alike.map(|known| known.name().to_string());
        found.namesake = namesake.filter(|_| found.asked.is_none() && !found.is_doubtful);
        let more = (2..).map(|more| format!("{stem}-{more}"));
        let mut names = once(stem.clone()).chain(more);
        found.question["id"] = json!(names.find(|name| taken.insert(name.clone())));
    }
}

/// An id of words: the document's folder and name, and the fact's.
fn name(document: &str, word: &str) -> String {
    let stem = document.rsplit_once('.').map_or(document, |(stem, _)| stem);
    let from = stem.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at);
    let words = format!("{}-{word}", &stem[from..]).to_ascii_lowercase();
    let words = words
        .split(|c: char| !c.is_ascii_alphanumeric())
        .skip_while(|word| !word.starts_with(|c: char| c.is_ascii_lowercase()));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("-").chars().take(56).collect()
}
