//! Facts that are stated in several places of a repository, and paths that documents name.
//!
//! Here: what states which fact (`versions`, `coupled`), which paths and commands are missing (`paths`, `commands`) and since
//! when (`ends`), whether two places ever agreed (`history`), what the worktree says (`worktree`), what would mend it (`fix`),
//! which fact comes first, and what later runs need not read again (`answers`). Not here: the look of one (`view`). A new
//! minimum is a row of `kinds::KINDS`, a new manifest with the project's own version one of `sources::MANIFESTS`.

mod answers;
mod claim;
mod commands;
mod coupled;
mod document;
mod ends;
mod fix;
mod found;
mod grouped;
mod history;
mod id;
mod kinds;
mod literals;
mod names;
mod past;
mod paths;
mod place;
mod sources;
mod tree;
mod versions;
mod worktree;

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    iter::once,
    mem,
    panic::resume_unwind,
    path::Path,
    thread,
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::{
    answers::Answers,
    claim::{Claim, Target, Topic},
    coupled::Candidates,
    document::Document,
    history::{History, Judged},
    tree::Tree,
    versions::Fact,
};
pub use self::{
    fix::write,
    found::{Edit, Fix, Found, Since, State},
    id::ids,
    place::Place,
    tree::Compared,
};
use crate::{
    evidence::joined,
    git::{self, Line, Oid, Repo},
    question::QuestionSet,
};

/// The number of facts up to which those that hold are shown, too.
const SHOWN: usize = 5;

/// The state of the repository that is judged.
#[derive(Debug, Clone, Copy)]
pub enum At {
    Commit(Oid),
    /// The index, as the commit after this one.
    Index(Option<Oid>),
}

/// The facts, the most useful first.
#[derive(Debug, Default)]
pub struct Facts {
    pub facts: Vec<Found>,
    pub compared: Compared,
    /// The things that could not be told, each with the reason.
    pub unknown: Vec<String>,
}

/// What is read of objects, and can be kept for later runs: it follows from their names.
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

/// Finds the facts of a commit or the index, with `is_all` also the doubtful ones, which come last; `store` is what is asked
/// already.
pub fn find(
    repo: &Repo,
    at: At,
    store: Option<&QuestionSet>,
    now: Timestamp,
    is_all: bool,
    kept: &mut Kept,
) -> git::Result<Facts> {
    let Kept { line, answers, is_new } = kept;
    let known = line.tip();
    let found = match at {
        At::Commit(commit) => {
            of_tree(&Tree::open(repo, answers, commit)?, at, store, now, is_all, line)
        }
        At::Index(head) => {
            let staged = repo.staged(head)?;
            of_tree(&Tree::staged(&staged, answers, head)?, at, store, now, is_all, line)
        }
    };
    *is_new = answers.settle() || line.tip() != known;
    found
}

fn of_tree(
    tree: &Tree,
    at: At,
    store: Option<&QuestionSet>,
    now: Timestamp,
    is_all: bool,
    line: &mut Line,
) -> git::Result<Facts> {
    // Who reads the files needs the history only afterwards.
    let (said, read) = thread::scope(|scope| {
        let (repo, known) = (tree.repo.handle(), mem::take(line));
        let read = tree.tip.map(|tip| scope.spawn(move || repo.line(tip, known)));
        let said = Said::read(tree, is_all);
        (said, read.map(|read| read.join().unwrap_or_else(|panic| resume_unwind(panic))))
    });
    *line = read.transpose()?.unwrap_or_default();
    let Said { stated, candidates, url, claims } = said?;
    let places = stated.iter().flat_map(|fact| [&fact.manifest.file, &fact.place.file]);
    let files = places.chain(candidates.files()).cloned();
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
    let mut facts = grouped::found(judged);
    let ends = ends::states(tree, line, &claims, history.changes(), now);
    let ends = unknown.of_claims(tree, &claims, ends);
    facts.extend(of_claims(claims, ends, &url));
    order(&mut facts, store);
    worktree::look(tree, at, &mut facts)?;
    let mailmap = tree.repo.mailmap();
    for found in facts.iter_mut().filter(|found| found.state.is_wrong()) {
        if let Some(since) = found.state.since_mut().filter(|since| since.is_committed()) {
            since.author = mailmap.resolve(&tree.repo.author(since.commit)?).name;
        }
        found.fix = Some(fix::of(tree, line, found, &url)?);
    }
    unknown.is_damaged = tree.is_damaged();
    Ok(Facts { facts, compared: tree.compared(), unknown: unknown.texts(tree.repo) })
}

/// What the files of a tree say.
struct Said {
    stated: Vec<Fact>,
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
            let (stated, candidates) = (versions::facts(tree)?, Candidates::find(tree)?);
            // Which files are read depends on others: in a partial clone, each round fetches what the last one lacked.
            let lacks: Vec<Oid> = tree.lacks.take().into_iter().collect();
            let is_here = |&id: &Oid| !tree.repo.lacks(id);
            if lacks.is_empty() || !tree.repo.bring(&lacks) || !lacks.iter().any(is_here) {
                tree.lacks.borrow_mut().extend(lacks);
                return Ok(Self { stated, candidates, url, claims });
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

    fn texts(&self, repo: &Repo) -> Vec<String> {
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
                "path that is missing may have been there",
                "paths that are missing may have been there",
            ),
        ];
        let cut: Vec<String> = cut.into_iter().flatten().collect();
        let cut = (!cut.is_empty()).then(|| {
            format!("history is cut off: {} before; {}", cut.join(", and "), repo.how_to_deepen())
        });
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
fn of_fact(fact: Fact, tree: &Tree, history: &History, unknown: &mut Unknown) -> Option<Judged> {
    let precision = fact.manifest.version.len().min(fact.place.version.len());
    let differs = fact.manifest.version[..precision] != fact.place.version[..precision];
    let judged = fact.judge(history);
    unknown.places += usize::from(judged.is_none() && tree.is_shallow && differs);
    judged
}

/// Groups claims of documents: one fact for what one commit removed, and what is less certain is one of its own.
fn of_claims(claims: Vec<Claim>, states: Vec<Option<State>>, url: &str) -> Vec<Found> {
    let mut wrong: Vec<(Claim, State)> =
        claims.into_iter().zip(states).filter_map(|(claim, state)| Some((claim, state?))).collect();
    // The more certain claim about the same words stays.
    wrong.sort_by_key(|(claim, state)| (!claim.is_likely, state.rank().0));
    let mut seen = HashSet::new();
    let mut groups: BTreeMap<_, (Vec<Place>, State)> = BTreeMap::new();
    for (mut claim, state) in wrong {
        if !seen.insert((claim.place.file.clone(), claim.topic, claim.place.says.clone())) {
            continue;
        }
        claim.place.path = state.since().and_then(|since| missing(&claim, &since.path));
        let commit = state.since().map(|since| since.commit);
        let key = (claim.place.file.clone(), claim.topic, !claim.is_likely, state.rank().0, commit);
        groups.entry(key).or_insert_with(|| (Vec::new(), state)).0.push(claim.place);
    }
    let groups = groups.into_iter();
    groups
        .map(|((file, topic, is_doubtful, ..), (places, state))| Found {
            is_doubtful,
            ..of_document(&file, topic, places, state, url)
        })
        .collect()
}

/// The path that a claim is about, of the file whose change made it wrong.
fn missing(claim: &Claim, changed: &str) -> Option<String> {
    match &claim.target {
        Target::Path { path, from } => from
            .folders(&claim.place.file)
            .filter_map(|folder| joined(folder, path))
            .find(|path| Path::new(changed).starts_with(path)),
        Target::Anywhere(_) => Some(changed.to_owned()),
        Target::Defined { .. } => None,
    }
}

fn of_document(file: &str, topic: Topic, places: Vec<Place>, state: State, url: &str) -> Found {
    let (kind, one, many) = match topic {
        Topic::Paths => ("path", "a path", "paths"),
        Topic::Urls => ("url", "a URL of this repository", "URLs of this repository"),
        Topic::Commands(tool) => ("command", commands::TOOLS[tool].one, commands::TOOLS[tool].noun),
    };
    let (noun, probe) = match topic {
        Topic::Paths => ("paths", paths::probe(file, paths::BEFORE, &places)),
        Topic::Urls => ("URLs", paths::probe(file, url, &places)),
        Topic::Commands(tool) => (commands::TOOLS[tool].noun, commands::probe(tool, file, &places)),
    };
    let asks = format!("Which of the {noun} that {file} names are missing?");
    let expect = json!({ "pattern": r"^\[\]$" });
    Found {
        kind: kind.into(),
        one,
        state,
        about: match places.len() {
            1 => format!("{one} named in {file}"),
            number => format!("{number} {many} named in {file}"),
        },
        places,
        question: question(file, noun, &asks, &expect, &probe),
        ..Found::default()
    }
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
        found.is_likely =
            !found.is_doubtful && (rank < 3 || found.state.broke_before() && number <= SHOWN);
        found.asked = known
            .iter()
            .find(|known| json!(known.probe) == found.question["probe"])
            .map(|known| known.id.clone());
        let stem = name(found);
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
