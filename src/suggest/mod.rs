//! Proposes questions for facts that stand in two places of a repository.
//!
//! Here: what states which fact (`facts`), which paths are absent (`paths`), whether two places ever agreed (`history`), and
//! which suggestion comes first. Not here: the look of one (`report`). A new kind of fact is a row of `facts::KINDS`.

mod facts;
mod history;
mod paths;
mod tree;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use self::{
    facts::{Fact, Place},
    history::{History, Past},
    tree::Tree,
};
use crate::{
    git::{self, FileChange, Oid, Repo},
    question::{Exist, Probe, QuestionSet, Severity},
};

/// In days; a younger contradiction may be work in progress, and is not among the first.
const SETTLED: i64 = 14;

/// The number of suggestions up to which those that hold are shown, too.
const SHOWN: usize = 5;

#[derive(Debug, Default, Serialize)]
pub struct Suggestions {
    pub suggestions: Vec<Suggestion>,
    pub unknown: Vec<String>,
}

/// A question that a repository could ask.
#[derive(Debug, Serialize)]
pub struct Suggestion {
    /// Counted from 1; does not depend on the question store.
    pub number: usize,
    #[serde(flatten)]
    pub state: State,
    pub about: String,
    pub places: Vec<Place>,
    /// False if it is shown with `--all` only.
    pub is_likely: bool,
    /// The question of the store that asks the same.
    pub asked: Option<String>,
    pub question: Proposed,
    #[serde(skip)]
    rank: (u8, i64),
}

#[derive(Debug, Serialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum State {
    /// Two places differ that agreed on a version.
    Contradicted { was: String, since: Since },
    /// A path existed, and does not.
    Gone { since: Since },
    /// A path never existed.
    Never,
    /// How often two places differed for a day or longer.
    Holds { broke: usize },
}

impl Suggestions {
    /// The number of likely ones whose facts are wrong today.
    pub fn wrong(&self) -> usize {
        let likely = self.suggestions.iter().filter(|one| one.is_likely);
        likely.filter(|one| one.state.is_wrong()).count()
    }
}

impl State {
    pub fn is_wrong(&self) -> bool {
        !matches!(self, Self::Holds { .. })
    }
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

/// A question as it would stand in the store.
#[derive(Debug, Serialize)]
pub struct Proposed {
    pub id: String,
    pub q: String,
    pub importance: u8,
    pub severity: Severity,
    pub expect: Value,
    pub probe: Probe,
}

/// Proposes questions for a commit, the most useful ones first; `store` is what is asked already.
pub fn suggest(
    repo: &Repo,
    commit: Oid,
    store: Option<&QuestionSet>,
    now: Timestamp,
) -> git::Result<Suggestions> {
    let tree = Tree::open(repo, commit)?;
    let facts = facts::facts(&tree)?;
    let absent = paths::absent(&tree)?;
    if repo.is_shallow()? {
        return Ok(Suggestions {
            unknown: facts.iter().filter_map(unknown).collect(),
            ..Suggestions::default()
        });
    }
    let files = facts
        .iter()
        .flat_map(|fact| [&fact.manifest.file, &fact.places[0].file]);
    let files: BTreeSet<&String> = files
        .chain(absent.iter().flat_map(|named| &named.paths))
        .collect();
    let history = History::read(&tree, &files.into_iter().cloned().collect::<Vec<_>>())?;
    let mut found = Vec::new();
    for fact in facts {
        found.extend(of_fact(fact, &history, now)?);
    }
    let mut documents: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for named in absent {
        let end = history.end(&named.paths);
        if end.is_some() || named.is_mistaken {
            let key = (named.place.file.clone(), end.is_none());
            documents.entry(key).or_default().push((named.place, end));
        }
    }
    found.extend(documents.into_values().map(|named| of_document(named, now)));
    Ok(numbered(found, store))
}

/// The suggestion of a fact, for the places that agreed with the manifest at some commit.
fn of_fact(fact: Fact, history: &History, now: Timestamp) -> git::Result<Option<Suggestion>> {
    let Fact {
        word,
        name,
        manifest,
        places,
    } = fact;
    let numbers = places
        .iter()
        .chain([&manifest])
        .map(|place| place.version.len());
    let precision = numbers.min().unwrap_or(1);
    let (mut kept, mut broke, mut breaks) = (Vec::new(), 0, Vec::new());
    for place in places {
        match history.compare([&manifest, &place], precision)? {
            Past::Strangers => continue,
            Past::Agree(before) => broke += before,
            Past::Broke(one) => breaks.push(one),
        }
        kept.push(place);
    }
    let Some(document) = kept.first().map(|place| place.file.clone()) else {
        return Ok(None);
    };
    let q = format!("Does {document} state the {name} of {}?", manifest.file);
    kept.insert(0, manifest);
    let probe = Probe::Agree(kept.iter().map(|place| place.probe(precision)).collect());
    let (state, rank) = match breaks.into_iter().min_by_key(|one| one.change.committed) {
        None => (
            State::Holds { broke },
            (3, i64::try_from(broke).unwrap_or(0)),
        ),
        Some(one) => {
            let since = Since::of(one.change, now);
            let rank = match one.is_left_behind {
                true if since.days >= SETTLED => 0,
                true => 2,
                false => 4,
            };
            let rank = (rank, since.days);
            let was = one
                .was
                .iter()
                .map(u64::to_string)
                .collect::<Vec<_>>()
                .join(".");
            (State::Contradicted { was, since }, rank)
        }
    };
    let question = Proposed::new(id(&document, &word), q, true.into(), probe);
    Ok(Some(Suggestion::new(rank, state, name, kept, question)))
}

/// In a shallow clone, a fact whose places differ.
fn unknown(fact: &Fact) -> Option<String> {
    let Fact {
        name,
        manifest,
        places,
        ..
    } = fact;
    let differs = |place: &&Place| {
        place
            .version
            .iter()
            .zip(&manifest.version)
            .any(|(one, two)| one != two)
    };
    let place = places.iter().find(differs)?;
    let [one, two] = [manifest, place].map(|place| format!("{}:{}", place.file, place.lines[0]));
    Some(format!(
        "{name}: {one} and {two} differ, and history is cut off: they may never have agreed"
    ))
}

/// The suggestion of a document that names absent paths.
fn of_document(named: Vec<(Place, Option<&FileChange>)>, now: Timestamp) -> Suggestion {
    let oldest = named
        .iter()
        .filter_map(|(_, end)| *end)
        .min_by_key(|end| end.committed);
    let (state, rank) = match oldest.map(|end| Since::of(end, now)) {
        Some(since) => {
            let rank = (1, since.days);
            (State::Gone { since }, rank)
        }
        None => (State::Never, (5, 0)),
    };
    let places: Vec<Place> = named.into_iter().map(|(place, _)| place).collect();
    let document = places
        .first()
        .map(|place| place.file.clone())
        .unwrap_or_default();
    let paths: Vec<String> = places
        .iter()
        .map(|place| regex::escape(&place.says))
        .collect();
    let pattern = format!(
        r"(?:^|[^\w./-])(?:\./)?({})/?(?:[^\w/-]|$)",
        paths.join("|")
    );
    let probe = Probe::Exist(Exist {
        pattern,
        paths: vec![document.clone()],
    });
    let q = format!("Which of the paths that {document} names are absent?");
    let expect = json!({ "pattern": r"^\[\]$" });
    let question = Proposed::new(id(&document, "paths"), q, expect, probe);
    Suggestion::new(
        rank,
        state,
        format!("paths in {document}"),
        places,
        question,
    )
}

/// Sorts and numbers suggestions, and gives each question an id of its own.
fn numbered(mut found: Vec<Suggestion>, store: Option<&QuestionSet>) -> Suggestions {
    found.sort_by_key(|one| (one.rank.0, -one.rank.1, one.question.id.clone()));
    let known: Vec<_> = store
        .into_iter()
        .flat_map(|store| &store.questions)
        .collect();
    let mut taken: HashSet<String> = known.iter().map(|known| known.id.clone()).collect();
    for (number, one) in (1..).zip(&mut found) {
        one.number = number;
        one.is_likely = one.rank.0 < 3 || one.rank.0 == 3 && number <= SHOWN;
        let Proposed { id, probe, .. } = &mut one.question;
        let same = known
            .iter()
            .find(|known| known.probe.as_ref() == Some(probe));
        one.asked = same.map(|known| known.id.clone());
        let (stem, mut more) = (id.clone(), 2..);
        while !taken.insert(id.clone()) {
            *id = format!("{stem}-{}", more.next().unwrap_or_default());
        }
    }
    Suggestions {
        suggestions: found,
        unknown: Vec::new(),
    }
}

/// An id of words: the document's folder and name, and the fact's.
fn id(document: &str, word: &str) -> String {
    let stem = document.rsplit_once('.').map_or(document, |(stem, _)| stem);
    let stem = stem.rsplitn(3, '/').take(2).collect::<Vec<_>>();
    let words = format!(
        "{}-{word}",
        stem.into_iter().rev().collect::<Vec<_>>().join("-")
    );
    let words = words.to_ascii_lowercase();
    let words = words.split(|c: char| !c.is_ascii_alphanumeric());
    let words = words.skip_while(|word| !word.starts_with(|c: char| c.is_ascii_lowercase()));
    let words = words
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join("-");
    words.chars().take(56).collect()
}

impl Suggestion {
    fn new(
        rank: (u8, i64),
        state: State,
        about: String,
        places: Vec<Place>,
        question: Proposed,
    ) -> Self {
        Self {
            number: 0,
            state,
            about,
            places,
            is_likely: false,
            asked: None,
            question,
            rank,
        }
    }
}

impl Proposed {
    fn new(id: String, q: String, expect: Value, probe: Probe) -> Self {
        Self {
            id,
            q,
            importance: 2,
            severity: Severity::Informational,
            expect,
            probe,
        }
    }
}

impl Since {
    fn of(change: &FileChange, now: Timestamp) -> Self {
        Self {
            days: (now.as_second() - change.committed.as_second()) / 86_400,
            commit: change.commit.to_string(),
            author: change.author.clone(),
            is_merge: change.is_merge,
            path: change.path.clone(),
        }
    }
}
