//! Proposes questions for facts that stand in two places of a repository.
//!
//! Here: which files state what (`kinds`, `pins`, `paths`), whether two statements ever agreed (`history`), and which facts come
//! first. Not here: the look of a suggestion (`report`). A new kind of fact is a row of `KINDS`.

mod document;
mod facts;
mod history;
mod kinds;
mod paths;
mod pins;
mod tree;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use self::{
    facts::{Fact, Place, numbers},
    history::{Broke, History},
    paths::Named,
    tree::{Tree, folder, name},
};
use crate::{
    git::{self, FileChange, Oid, Repo},
    question::{Probe, QuestionSet, Severity},
};

/// Younger contradictions may be work in progress.
const SETTLED: i64 = 14;

/// Suggestions that are shown in any case, if there are so many.
const SHOWN: usize = 5;

#[derive(Debug, Default, Serialize)]
pub struct Suggestions {
    pub suggestions: Vec<Suggestion>,
    pub unknown: Vec<String>,
}

/// A question that a repository could ask.
#[derive(Debug, Serialize)]
pub struct Suggestion {
    /// Counted from 1; the same for a commit, whatever is asked already.
    pub number: usize,
    #[serde(flatten)]
    pub state: State,
    pub about: String,
    /// The newest change that made the places differ, or removed a path.
    pub since: Option<Since>,
    pub places: Vec<Shown>,
    /// True if it is shown without `--all`.
    pub is_likely: bool,
    /// The id of the question that asks this already.
    pub asked: Option<String>,
    pub question: Proposed,
    #[serde(skip)]
    rank: (u8, i64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum State {
    Contradicted,
    /// A path that existed.
    Gone,
    Holds {
        broke: usize,
    },
    /// A path that never existed.
    Never,
}

#[derive(Debug, Serialize)]
pub struct Since {
    pub days: i64,
    pub commit: String,
    pub author: String,
    pub path: String,
    /// The version on which the places agreed.
    pub was: Option<String>,
}

/// A place with what it says.
#[derive(Debug, Serialize)]
pub struct Shown {
    pub file: String,
    pub lines: Vec<usize>,
    pub says: String,
}

/// A question as it would stand in the store.
#[derive(Debug, Serialize)]
pub struct Proposed {
    pub id: String,
    pub q: String,
    pub importance: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    pub expect: Value,
    pub probe: Value,
}

/// Proposes questions for a commit, the most useful ones first. `store` holds the questions that are asked already.
pub fn suggest(
    repo: &Repo,
    commit: Oid,
    store: Option<&QuestionSet>,
    now: Timestamp,
) -> git::Result<Suggestions> {
    let tree = Tree::open(repo, commit)?;
    let mut facts = facts::facts(&tree)?;
    facts.extend(pins::pins(&tree)?);
    let absent = paths::absent(&tree)?;
    let stated = facts
        .iter()
        .flat_map(|fact| fact.places.iter().chain([&fact.manifest]));
    let stated = stated.map(|place| place.file.clone());
    let mut files: Vec<String> = stated.collect();
    files.extend(absent.iter().flat_map(|named| named.places.clone()));
    files.sort_unstable();
    files.dedup();
    let history = match History::read(&tree, &files) {
        Err(_) if repo.is_shallow()? => None,
        history => Some(history?),
    };
    let mut found = Suggestions::default();
    for fact in facts {
        match &history {
            Some(history) => found.suggestions.extend(of_fact(fact, history, now)?),
            None => found.unknown.extend(unknown(&fact)),
        }
    }
    let mut documents: BTreeMap<(String, bool), Vec<(Named, Option<&FileChange>)>> =
        BTreeMap::new();
    for named in absent {
        match history.as_ref().map(|history| history.end(&named)) {
            None => found.unknown.push(format!(
                "{}:{} names {}: the history is cut off here, and may have had it before",
                named.document, named.line, named.path
            )),
            Some(None) if !document::is_for_agents(&named.document) => {}
            Some(end) => {
                let key = (named.document.clone(), end.is_some());
                documents.entry(key).or_default().push((named, end));
            }
        }
    }
    let of_document = |(document, named)| of_document(document, named, now);
    found
        .suggestions
        .extend(documents.into_iter().filter_map(of_document));
    found.finish(store);
    Ok(found)
}

/// The suggestion of a fact, for the places that agreed with the manifest at some commit.
fn of_fact(fact: Fact, history: &History, now: Timestamp) -> git::Result<Option<Suggestion>> {
    let Fact {
        word,
        name,
        manifest,
        places,
    } = fact;
    let named = places
        .iter()
        .chain([&manifest])
        .map(|place| numbers(&place.version).len());
    let precision = named.min().unwrap_or(1);
    let (mut kept, mut broken, mut broke) = (vec![manifest.clone()], Vec::new(), 0);
    for place in places {
        let past = history.compare([&manifest, &place], precision)?;
        broke += past.breaks;
        if past.agrees || past.broke.is_some() {
            kept.push(place);
        }
        broken.extend(past.broke);
    }
    let Some(document) = kept.get(1).map(|place| place.file.clone()) else {
        return Ok(None);
    };
    let since = broken
        .into_iter()
        .min_by_key(|broke| broke.change.committed);
    let age = |broke: &Broke| days(now, &broke.change);
    let rank = match &since {
        Some(broke) if broke.first_moved && broke.is_behind && age(broke) >= SETTLED => {
            (0, age(broke))
        }
        Some(broke) => (3, age(broke)),
        None => (2, i64::try_from(broke).unwrap_or(i64::MAX)),
    };
    let parts = kept.iter().map(|place| part(&place.probe, precision));
    let parts: Vec<Value> = parts.collect();
    let state = match since {
        Some(_) => State::Contradicted,
        None => State::Holds { broke },
    };
    Ok(Some(Suggestion {
        number: 0,
        state,
        since: since.map(|broke| Since {
            was: Some(broke.was),
            ..Since::of(&broke.change, now)
        }),
        places: kept.into_iter().map(Shown::from).collect(),
        is_likely: rank.0 < 3,
        asked: None,
        question: Proposed {
            id: id(&document, &word),
            q: format!("Does {document} state the {name} of {}?", manifest.file),
            importance: 2,
            severity: (state == State::Contradicted).then_some(Severity::Informational),
            expect: true.into(),
            probe: json!({ "agree": parts }),
        },
        about: name,
        rank,
    }))
}

/// A part of `agree` that compares versions.
fn part(probe: &Probe, precision: usize) -> Value {
    let mut part = json!(probe);
    for kind in ["text", "value"] {
        if let Some(part) = part.get_mut(kind) {
            part["as"] = json!("version");
            part["precision"] = json!(precision);
        }
    }
    part
}

fn unknown(fact: &Fact) -> Option<String> {
    let Fact { name, manifest, .. } = fact;
    let is_same = |place: &&Place| {
        let [one, two] = [&manifest.version, &place.version].map(|version| numbers(version));
        one.iter().zip(&two).all(|(one, two)| one == two)
    };
    let place = fact.places.iter().find(|place| !is_same(place))?;
    Some(format!(
        "{name}: {}:{} and {}:{} differ; the history is cut off here, so whether they ever agreed is not known",
        manifest.file, manifest.lines[0], place.file, place.lines[0]
    ))
}

fn of_document(
    (document, existed): (String, bool),
    named: Vec<(Named, Option<&FileChange>)>,
    now: Timestamp,
) -> Option<Suggestion> {
    let ends = named.iter().filter_map(|(_, end)| *end);
    let oldest = ends.min_by_key(|end| end.committed);
    let paths: Vec<String> = named
        .iter()
        .map(|(named, _)| regex::escape(&named.path))
        .collect();
    let pattern = format!(
        r"(?:^|[^\w./-])(?:\./)?({})/?(?:[^\w/-]|$)",
        paths.join("|")
    );
    let about = match &named[..] {
        [(only, _)] => only.path.clone(),
        [(first, _), rest @ ..] => format!("{} and {} more", first.path, rest.len()),
        [] => return None,
    };
    let shown = named.into_iter().map(|(named, _)| Shown {
        file: named.document,
        lines: vec![named.line],
        says: named.path,
    });
    Some(Suggestion {
        number: 0,
        state: if existed { State::Gone } else { State::Never },
        about,
        since: oldest.map(|end| Since::of(end, now)),
        places: shown.collect(),
        is_likely: existed,
        asked: None,
        rank: match oldest {
            Some(end) => (1, days(now, end)),
            None => (4, 0),
        },
        question: Proposed {
            id: id(&document, "paths"),
            q: format!("Which of the paths that {document} names are gone?"),
            importance: 2,
            severity: Some(Severity::Informational),
            expect: json!({ "pattern": r"^\[\]$" }),
            probe: json!({ "exist": { "pattern": pattern, "paths": [document], "capture": 1 } }),
        },
    })
}

impl Suggestions {
    /// Orders and numbers the suggestions, and names their questions.
    fn finish(&mut self, store: Option<&QuestionSet>) {
        let by_rank = |one: &Suggestion| (one.rank.0, -one.rank.1, one.question.id.clone());
        self.suggestions.sort_by_key(by_rank);
        let asked: Vec<_> = store
            .into_iter()
            .flat_map(|store| &store.questions)
            .collect();
        let mut taken: Vec<String> = asked.iter().map(|question| question.id.clone()).collect();
        for (number, one) in (1..).zip(&mut self.suggestions) {
            one.number = number;
            one.is_likely &= one.rank.0 < 2 || number <= SHOWN;
            let probe = serde_json::from_value::<Probe>(one.question.probe.clone()).ok();
            let same = asked
                .iter()
                .find(|asked| probe.is_some() && asked.probe == probe);
            one.asked = same.map(|asked| asked.id.clone());
            let id = one.question.id.clone();
            let more = (2..).map(|number| format!("{id}-{number}"));
            let free = std::iter::once(id.clone())
                .chain(more)
                .find(|id| !taken.contains(id));
            one.question.id = free.unwrap_or(id);
            taken.push(one.question.id.clone());
        }
    }
}

/// A name of words: the document's, with its folder, and the fact's.
fn id(document: &str, word: &str) -> String {
    let stem = name(document)
        .trim_start_matches('.')
        .split('.')
        .next()
        .unwrap_or_default();
    let folder = name(folder(document));
    let folder = if folder.starts_with('.') { "" } else { folder };
    let text = format!("{folder}-{stem}").to_ascii_lowercase();
    let words = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    let words = words.collect::<Vec<_>>().join("-");
    let words: String = words
        .trim_start_matches(|c: char| !c.is_ascii_lowercase())
        .chars()
        .take(40)
        .collect();
    let word: String = word
        .chars()
        .filter(|c| c.is_ascii_alphanumeric())
        .take(16)
        .collect();
    format!("{words}-{}", word.to_ascii_lowercase())
        .trim_start_matches('-')
        .to_owned()
}

fn days(now: Timestamp, change: &FileChange) -> i64 {
    (now.as_second() - change.committed.as_second()) / 86_400
}

impl Since {
    fn of(change: &FileChange, now: Timestamp) -> Self {
        Self {
            days: days(now, change),
            commit: change.commit.to_string(),
            author: change.author.clone(),
            path: change.path.clone(),
            was: None,
        }
    }
}

impl From<Place> for Shown {
    fn from(place: Place) -> Self {
        Self {
            file: place.file,
            lines: place.lines,
            says: place.text,
        }
    }
}
