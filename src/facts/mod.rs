//! Proposes questions for facts that stand in two places of a repository.
//!
//! Here: what states which fact (`versions`), which paths are absent (`paths`), whether two places ever agreed (`history`), and
//! which suggestion comes first. Not here: the look of one (`view`). A new kind of fact is a row of `versions::KINDS`.

mod history;
mod id;
mod paths;
mod tree;
mod versions;

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    iter::once,
};

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use self::{
    history::History,
    tree::Tree,
    versions::{Fact, Place},
};
use crate::{
    git::{self, Oid, Repo},
    question::QuestionSet,
};

/// In days; a younger contradiction may be work in progress, and is not among the first.
const SETTLED: i64 = 14;

/// The number of suggestions up to which those that hold are shown, too.
const SHOWN: usize = 5;

/// A fact that is stated in several places, or a path that a document names and that is missing.
#[derive(Debug, Default, Serialize)]
pub struct Found {
    /// Four letters, or more where facts share them; derived from the fact and not from its rank.
    pub id: String,
    #[serde(flatten)]
    pub state: State,
    pub about: String,
    pub places: Vec<Place>,
    /// False if it is shown with `--all` only.
    pub is_likely: bool,
    /// The question of the store that asks the same.
    pub asked: Option<String>,
    pub question: Value,
}

impl Found {
    /// The kind of fact, its files, and the paths that it names; what a place says may change.
    fn key(&self) -> String {
        let files: BTreeSet<&str> = self.places.iter().map(|place| &*place.file).collect();
        let names = self.places.iter().filter(|place| place.version.is_empty());
        let names: BTreeSet<&str> = names.map(|place| &*place.says).collect();
        let parts = once(&*self.about).chain(files).chain(names);
        parts.collect::<Vec<_>>().join("\n")
    }
}

#[derive(Debug, Default, Serialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum State {
    Differs {
        was: String,
        since: Since,
        /// Only the manifest moved, and the other place stands where it stood, or below the manifest.
        #[serde(skip)]
        is_left_behind: bool,
    },
    Missing {
        since: Since,
    },
    /// A path never existed.
    #[default]
    Never,
    /// How often two places differed for a day or longer.
    Holds {
        broke: i64,
    },
}

#[derive(Debug, Serialize)]
pub struct Since {
    pub days: i64,
    pub commit: String,
    pub author: String,
    /// True if the commit is a merge, whose author need not be that of the change.
    pub is_merge: bool,
    pub path: String,
}

impl State {
    pub fn is_wrong(&self) -> bool {
        !matches!(self, Self::Holds { .. })
    }

    /// Of two with the same first number, the lower second one is the older, or broke more often.
    fn rank(&self) -> (u8, i64) {
        match self {
            Self::Differs { since, is_left_behind, .. } => match since.days {
                days if !is_left_behind => (4, -days),
                days if days < SETTLED => (2, -days),
                days => (0, -days),
            },
            Self::Missing { since } => (1, -since.days),
            Self::Holds { broke } => (3, -broke),
            Self::Never => (5, 0),
        }
    }

    fn oldest(states: Vec<Self>) -> Option<Self> {
        states.into_iter().min_by_key(|state| state.rank().1)
    }
}

/// Proposes questions for a commit, the most useful ones first; `store` is what is asked already. A shallow clone has none:
/// two places that differ there may never have agreed.
pub fn find(
    repo: &Repo,
    commit: Oid,
    store: Option<&QuestionSet>,
    now: Timestamp,
) -> git::Result<Vec<Found>> {
    if repo.is_shallow()? {
        return Ok(Vec::new());
    }
    let tree = Tree::open(repo, commit)?;
    let facts = versions::facts(&tree)?;
    let absent = paths::absent(&tree)?;
    let places = facts.iter().flat_map(|fact| &fact.places);
    let files = places.map(|place| &place.file).chain(absent.iter().flat_map(|named| &named.paths));
    let files: BTreeSet<String> = files.cloned().collect();
    let history = History::read(&tree, &Vec::from_iter(files), now)?;
    let mut found = Vec::new();
    for fact in facts {
        found.extend(of_fact(fact, &history)?);
    }
    let mut documents: BTreeMap<_, (Vec<_>, Vec<_>)> = BTreeMap::new();
    for named in absent {
        let state = match history.end(&named.paths) {
            Some(since) => State::Missing { since },
            None if named.is_mistaken => State::Never,
            None => continue,
        };
        let key = (named.place.file.clone(), state.rank().0);
        let (places, states) = documents.entry(key).or_default();
        places.push(named.place);
        states.push(state);
    }
    let documents = documents.into_iter();
    found.extend(documents.map(|((file, _), named)| of_document(&file, named)));
    order(&mut found, store);
    Ok(found)
}

/// The suggestion of a fact, for the places that agreed with the manifest at some commit.
fn of_fact(fact: Fact, history: &History) -> git::Result<Option<Found>> {
    let precision = fact.places.iter().map(|place| place.version.len()).min().unwrap_or(1);
    let (mut kept, mut holds, mut breaks) = (Vec::new(), 0, Vec::new());
    for place in fact.places {
        // The manifest agrees with itself.
        match history.compare([kept.first().unwrap_or(&place), &place], precision)? {
            Some(State::Holds { broke }) => holds += broke,
            Some(state) => breaks.push(state),
            None => continue,
        }
        kept.push(place);
    }
    let [manifest, place, ..] = &kept[..] else {
        return Ok(None);
    };
    let probes = kept.iter().map(|Place { file, pattern, .. }| {
        json!({ "text": { "file": file, "pattern": pattern, "as": "version", "precision": precision } })
    });
    let (file, about) = (&place.file, fact.name);
    let asks = format!("Does {file} state the {about} of {}?", manifest.file);
    let probe = json!({ "agree": probes.collect::<Vec<_>>() });
    Ok(Some(Found {
        state: State::oldest(breaks).unwrap_or(State::Holds { broke: holds }),
        question: question(file, &fact.word, &asks, &json!(true), &probe),
        about,
        places: kept,
        ..Found::default()
    }))
}

/// The suggestion of a document that names absent paths.
fn of_document(file: &str, (places, states): (Vec<Place>, Vec<State>)) -> Found {
    let paths = places.iter().map(|place| regex::escape(&place.says)).collect::<Vec<_>>().join("|");
    let pattern = format!(r"(?:^|[^\w./-])(?:\./)?({paths})/?(?:[^\w/-]|$)");
    let asks = format!("Which of the paths that {file} names are absent?");
    let expect = json!({ "pattern": r"^\[\]$" });
    let probe = json!({ "exist": { "pattern": pattern, "paths": [file] } });
    Found {
        state: State::oldest(states).unwrap_or_default(),
        about: match places.len() {
            1 => format!("a path named in {file}"),
            _ => format!("paths named in {file}"),
        },
        places,
        question: question(file, "paths", &asks, &expect, &probe),
        ..Found::default()
    }
}

fn question(file: &str, word: &str, asks: &str, expect: &Value, probe: &Value) -> Value {
    json!({
        "id": name(file, word),
        "q": asks,
        "importance": 2,
        "severity": "informational",
        "expect": expect,
        "probe": probe,
    })
}

/// Sorts facts, and gives each one and each question an id of its own.
fn order(facts: &mut [Found], store: Option<&QuestionSet>) {
    let name = |found: &Found| found.question["id"].as_str().unwrap_or_default().to_owned();
    facts.sort_by_key(|found| (found.state.rank(), name(found)));
    let ids = id::ids(&facts.iter().map(Found::key).collect::<Vec<_>>());
    let known = store.map_or(&[][..], |store| &store.questions);
    let mut taken: HashSet<String> = known.iter().map(|known| known.id.clone()).collect();
    for (number, (found, id)) in (1..).zip(facts.iter_mut().zip(ids)) {
        found.id = id;
        let rank = found.state.rank().0;
        found.is_likely = rank < 3 || rank == 3 && number <= SHOWN;
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
