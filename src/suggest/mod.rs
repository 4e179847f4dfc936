//! Proposes questions for facts that stand in two places of a repository.
//!
//! Here: what states which fact (`facts`), which paths are absent (`paths`), whether two places ever agreed (`history`), and
//! which suggestion comes first. Not here: the look of one (`report`). A new kind of fact is a row of `facts::KINDS`.

mod facts;
mod history;
mod paths;
mod tree;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use self::{
    facts::{Fact, Place},
    history::{History, Past},
    paths::Named,
    tree::{Tree, folder},
};
use crate::{
    git::{self, FileChange, Oid, Repo},
    question::{Exist, Probe, QuestionSet, Severity},
};

/// In days; a younger contradiction may be work in progress.
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
    pub places: Vec<Said>,
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

#[derive(Debug, Serialize)]
pub struct Since {
    pub days: i64,
    pub commit: String,
    pub author: String,
    pub path: String,
}

/// A place, and what it says.
#[derive(Debug, Serialize)]
pub struct Said {
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
    let mut facts = facts::facts(&tree)?;
    facts.extend(facts::pins(&tree)?);
    let absent = paths::absent(&tree)?;
    let places = facts
        .iter()
        .flat_map(|fact| [&fact.manifest, &fact.places[0]]);
    let mut files: Vec<String> = places.map(|place| place.file.clone()).collect();
    files.extend(absent.iter().flat_map(|named| named.places.clone()));
    files.sort_unstable();
    files.dedup();
    let mut found = Suggestions::default();
    if repo.is_shallow()? {
        found.unknown = facts.iter().filter_map(unknown).collect();
        return Ok(found);
    }
    let history = History::read(&tree, &files)?;
    for fact in facts {
        found.suggestions.extend(of_fact(fact, &history, now)?);
    }
    let mut documents: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for named in absent {
        let end = history.end(&named);
        if end.is_some() || named.is_mistaken(&tree) {
            let key = (named.document.clone(), end.is_none());
            documents.entry(key).or_default().push((named, end));
        }
    }
    let of_document = |((document, _), named)| of_document(document, named, now);
    found
        .suggestions
        .extend(documents.into_iter().map(of_document));
    found.number(store);
    Ok(found)
}

/// The suggestion of a fact, for the places that agreed with the manifest at some commit.
fn of_fact(fact: Fact, history: &History, now: Timestamp) -> git::Result<Option<Suggestion>> {
    let manifest = &fact.manifest;
    let places = fact.places.iter().chain([manifest]);
    let precision = places.map(|place| place.version.len()).min().unwrap_or(1);
    let (mut kept, mut broke, mut first) = (vec![manifest], 0, None);
    for place in &fact.places {
        match history.compare([manifest, place], precision)? {
            Past::Strangers => continue,
            Past::Agree(breaks) => broke += breaks,
            Past::Broke(one) => {
                let older = first.take_if(|known: &mut history::Break| {
                    known.change.committed < one.change.committed
                });
                first = older.or(Some(one));
            }
        }
        kept.push(place);
    }
    let [_, document, ..] = kept[..] else {
        return Ok(None);
    };
    let (rank, state) = match first {
        None => (
            (2, i64::try_from(broke).unwrap_or(0)),
            State::Holds { broke },
        ),
        Some(one) => {
            let since = Since::of(one.change, now);
            let is_sure = one.is_left_behind && since.days >= SETTLED;
            let was = one
                .was
                .iter()
                .map(u64::to_string)
                .collect::<Vec<_>>()
                .join(".");
            (
                (if is_sure { 0 } else { 3 }, since.days),
                State::Contradicted { was, since },
            )
        }
    };
    let q = format!(
        "Does {} state the {} of {}?",
        document.file, fact.name, manifest.file
    );
    let parts = kept.iter().map(|place| place.probe(precision)).collect();
    let question = Proposed::new(
        &document.file,
        &fact.word,
        q,
        true.into(),
        Probe::Agree(parts),
    );
    let said = kept.into_iter().map(Said::from).collect();
    Ok(Some(Suggestion::new(
        state,
        fact.name.clone(),
        said,
        question,
        rank,
    )))
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
fn of_document(
    document: String,
    named: Vec<(Named, Option<&FileChange>)>,
    now: Timestamp,
) -> Suggestion {
    let oldest = named
        .iter()
        .filter_map(|(_, end)| *end)
        .min_by_key(|end| end.committed);
    let paths: Vec<String> = named
        .iter()
        .map(|(named, _)| regex::escape(&named.path))
        .collect();
    let pattern = format!(
        r"(?:^|[^\w./-])(?:\./)?({})/?(?:[^\w/-]|$)",
        paths.join("|")
    );
    let (rank, state) = match oldest.map(|end| Since::of(end, now)) {
        Some(since) => ((1, since.days), State::Gone { since }),
        None => ((4, 0), State::Never),
    };
    let q = format!("Which of the paths that {document} names are absent?");
    let expect = json!({ "pattern": r"^\[\]$" });
    let paths = vec![document.clone()];
    let question = Proposed::new(
        &document,
        "paths",
        q,
        expect,
        Probe::Exist(Exist { pattern, paths }),
    );
    let said = named.into_iter().map(|(named, _)| Said {
        file: named.document,
        lines: vec![named.line],
        says: named.path,
    });
    Suggestion::new(
        state,
        format!("paths in {document}"),
        said.collect(),
        question,
        rank,
    )
}

impl Suggestions {
    /// Sorts and numbers the suggestions, and gives each question an id of its own.
    fn number(&mut self, store: Option<&QuestionSet>) {
        let key = |one: &Suggestion| (one.rank.0, -one.rank.1, one.question.id.clone());
        self.suggestions.sort_by_key(key);
        let known: Vec<_> = store
            .into_iter()
            .flat_map(|store| &store.questions)
            .collect();
        let mut taken: Vec<String> = known.iter().map(|known| known.id.clone()).collect();
        for (number, one) in (1..).zip(&mut self.suggestions) {
            one.number = number;
            one.is_likely = one.rank.0 < 2 || one.rank.0 == 2 && number <= SHOWN;
            let Proposed { id, probe, .. } = &mut one.question;
            let same = known
                .iter()
                .find(|known| known.probe.as_ref() == Some(probe));
            one.asked = same.map(|known| known.id.clone());
            let stem = id.clone();
            for more in 2.. {
                if !taken.contains(id) {
                    break;
                }
                *id = format!("{stem}-{more}");
            }
            taken.push(id.clone());
        }
    }
}

impl Suggestion {
    fn new(
        state: State,
        about: String,
        places: Vec<Said>,
        question: Proposed,
        rank: (u8, i64),
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
    /// Its id consists of words: the document's folder and name, and the fact's.
    fn new(document: &str, word: &str, q: String, expect: Value, probe: Probe) -> Self {
        let name = document[folder(document).len()..].trim_start_matches(['/', '.']);
        let stem = name.split('.').next().unwrap_or_default();
        let folder = folder(document)
            .rsplit('/')
            .next()
            .filter(|folder| !folder.starts_with('.'));
        let words =
            format!("{}-{stem}", folder.unwrap_or_default()).to_ascii_lowercase() + "-" + word;
        let words = words
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty());
        let id = words.collect::<Vec<_>>().join("-");
        let id = id.trim_start_matches(|c: char| !c.is_ascii_lowercase());
        let start = id.len().saturating_sub(56);
        let id = id[start..].trim_start_matches(|c: char| !c.is_ascii_lowercase());
        Self {
            id: id.to_owned(),
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
            path: change.path.clone(),
        }
    }
}

impl From<&Place> for Said {
    fn from(place: &Place) -> Self {
        Self {
            file: place.file.clone(),
            lines: place.lines.clone(),
            says: place.says.clone(),
        }
    }
}
