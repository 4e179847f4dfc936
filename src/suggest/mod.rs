//! Proposes questions for facts that stand in two places of a repository.
//!
//! Here: what states which fact (`facts`), which paths are absent (`paths`), whether two places ever agreed (`history`), and
//! which suggestion comes first. Not here: the look of one (`view`). A new kind of fact is a row of `facts::KINDS`.

mod facts;
mod history;
mod paths;
mod tree;

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    iter::once,
};

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use self::{
    facts::{Fact, Place},
    history::History,
    tree::Tree,
};
use crate::{
    git::{self, Oid, Repo},
    question::QuestionSet,
};

/// In days; a younger contradiction may be work in progress, and is not among the first.
const SETTLED: i64 = 14;

/// The number of suggestions up to which those that hold are shown, too.
const SHOWN: usize = 5;

/// A question that a repository could ask.
#[derive(Debug, Default, Serialize)]
pub struct Suggestion {
    /// Does not depend on the question store.
    pub number: usize,
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

#[derive(Debug, Default, Serialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum State {
    Contradicted {
        was: String,
        since: Since,
        /// Only the manifest moved, and the other place stands where it stood, or below the manifest.
        #[serde(skip)]
        is_left_behind: bool,
    },
    Gone {
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
            Self::Contradicted { since, is_left_behind, .. } => match since.days {
                days if !is_left_behind => (4, -days),
                days if days < SETTLED => (2, -days),
                days => (0, -days),
            },
            Self::Gone { since } => (1, -since.days),
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
pub fn suggest(
    repo: &Repo,
    commit: Oid,
    store: Option<&QuestionSet>,
    now: Timestamp,
) -> git::Result<Vec<Suggestion>> {
    if repo.is_shallow()? {
        return Ok(Vec::new());
    }
    let tree = Tree::open(repo, commit)?;
    let facts = facts::facts(&tree)?;
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
            Some(since) => State::Gone { since },
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
    number(&mut found, store);
    Ok(found)
}

/// The suggestion of a fact, for the places that agreed with the manifest at some commit.
fn of_fact(fact: Fact, history: &History) -> git::Result<Option<Suggestion>> {
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
    Ok(Some(Suggestion {
        state: State::oldest(breaks).unwrap_or(State::Holds { broke: holds }),
        question: question(file, &fact.word, &asks, &json!(true), &probe),
        about,
        places: kept,
        ..Suggestion::default()
    }))
}

/// The suggestion of a document that names absent paths.
fn of_document(file: &str, (places, states): (Vec<Place>, Vec<State>)) -> Suggestion {
    let paths = places.iter().map(|place| regex::escape(&place.says)).collect::<Vec<_>>().join("|");
    let pattern = format!(r"(?:^|[^\w./-])(?:\./)?({paths})/?(?:[^\w/-]|$)");
    let asks = format!("Which of the paths that {file} names are absent?");
    let expect = json!({ "pattern": r"^\[\]$" });
    let probe = json!({ "exist": { "pattern": pattern, "paths": [file] } });
    Suggestion {
        state: State::oldest(states).unwrap_or_default(),
        about: format!("paths in {file}"),
        places,
        question: question(file, "paths", &asks, &expect, &probe),
        ..Suggestion::default()
    }
}

fn question(file: &str, word: &str, asks: &str, expect: &Value, probe: &Value) -> Value {
    json!({
        "id": id(file, word),
        "q": asks,
        "importance": 2,
        "expect": expect,
        "probe": probe,
    })
}

/// Sorts and numbers suggestions, and gives each question an id of its own.
fn number(found: &mut [Suggestion], store: Option<&QuestionSet>) {
    let id =
        |suggestion: &Suggestion| suggestion.question["id"].as_str().unwrap_or_default().to_owned();
    found.sort_by_key(|suggestion| (suggestion.state.rank(), id(suggestion)));
    let known = store.map_or(&[][..], |store| &store.questions);
    let mut taken: HashSet<String> = known.iter().map(|known| known.id.clone()).collect();
    for (number, suggestion) in (1..).zip(found) {
        suggestion.number = number;
        let rank = suggestion.state.rank().0;
        suggestion.is_likely = rank < 3 || rank == 3 && number <= SHOWN;
        suggestion.asked = known
            .iter()
            .find(|known| json!(known.probe) == suggestion.question["probe"])
            .map(|known| known.id.clone());
        let stem = id(suggestion);
        let more = (2..).map(|more| format!("{stem}-{more}"));
        let mut ids = once(stem.clone()).chain(more);
        suggestion.question["id"] = json!(ids.find(|id| taken.insert(id.clone())));
    }
}

/// An id of words: the document's folder and name, and the fact's.
fn id(document: &str, word: &str) -> String {
    let stem = document.rsplit_once('.').map_or(document, |(stem, _)| stem);
    let from = stem.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at);
    let words = format!("{}-{word}", &stem[from..]).to_ascii_lowercase();
    let words = words
        .split(|c: char| !c.is_ascii_alphanumeric())
        .skip_while(|word| !word.starts_with(|c: char| c.is_ascii_lowercase()));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("-").chars().take(56).collect()
}
