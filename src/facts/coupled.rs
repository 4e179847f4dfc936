//! Versions in documents that followed the project's own: what stood between the same words was its version more than once.

use std::{
    collections::{BTreeSet, HashMap, HashSet, hash_map::Entry},
    path::Path,
    rc::Rc,
};

use super::{
    State,
    document::samples,
    history::{History, Pair, Stated},
    kinds::{DOCKERFILES, GUIDES, WORKFLOWS},
    literals::{Literal, literals},
    place::{Place, numbers, place_at},
    sources::sources,
    tree::{Tree, folder, line_at, pattern},
    versions::MINIMUM,
};
use crate::git;

/// Words beside which no version is that of today.
const OTHER: &str = r"(?i-u)<sup>|\bexamples?([^\w.]|\.?\s|\.?$)|\b(since|adapt(ed|s)?|e\.g|older|newer|after|before|until|prior|earlier|fix(ed|es)?|introduced?|deprecated|dropp\w+|removed|added|version(added|changed)|starting|new in|upgrad\w+|migrat\w+|later|like|such as|as of|(19|20)\d\d-\d\d-\d\d)\b";

/// The version of this one is a sample wherever the document has it.
const SAMPLE: &str = r"(?i-u)\bfollowing examples?\b";

/// The name of another program, before its version.
const TOOL: &str = r"(?i-u)\b(?:elixir|erlang|otp|rustc?|go|golang|python|node(?:\.?js)?|npm|pnpm|yarn|php|ruby|java|jdk|kotlin|scala|swift|terraform|gradle|maven|cmake|gcc|clang|llvm|dart|flutter|deno|bun|perl|ghc|docker|postgres(?:ql)?|mysql)(?:\]\([^)\s]*\))?\W{0,6}(?:versions?\W{1,4})?v?$";

/// A picture, which shows what was so when it was made.
const PICTURE: &str = r#"(?i-u)[^\s()<>"']+\.(?:png|jpe?g|gif|webp|avif|mp4|webm)\b"#;

/// Sources that are tried for a document, the nearest first; a monorepo has hundreds.
const NEAREST: usize = 40;

/// Documents with versions that a source may state, or may have stated.
#[derive(Default)]
pub struct Candidates {
    sources: Vec<Place>,
    documents: Vec<(String, Vec<Literal>)>,
}

impl Candidates {
    pub fn find(tree: &Tree) -> git::Result<Self> {
        // One agreement may be chance, and with a base no more is read of the history.
        if tree.base.is_some() {
            return Ok(Self::default());
        }
        let sources = sources(tree)?;
        let (mut documents, mut others) = (Vec::new(), HashSet::new());
        if !sources.is_empty() {
            for file in tree.own(&[GUIDES, DOCKERFILES, WORKFLOWS].join("|"))? {
                let text = tree.text(file)?.unwrap_or_default();
                documents.push((file.clone(), singular(file, &text, &mut others)?));
            }
        }
        // Translations show the same samples.
        for (_, literals) in &mut documents {
            literals.retain(|literal| !others.contains(&literal.on_line));
        }
        documents.retain(|(_, literals)| !literals.is_empty());
        Ok(Self { sources, documents })
    }

    pub fn files(&self) -> impl Iterator<Item = &String> {
        let documents = self.documents.iter().map(|(file, _)| file);
        let sources = self.sources.iter().filter(|_| !self.documents.is_empty());
        documents.chain(sources.map(|source| &source.file))
    }

    /// The versions that were those of a source more than once, and whether they still are.
    pub fn coupled(&self, tree: &Tree, history: &History) -> git::Result<Vec<Pair>> {
        let (mut documents, mut released) = (Vec::new(), HashMap::new());
        for (file, literals) in &self.documents {
            let mut sources = Vec::new();
            for source in self.nearest(file) {
                let stated = match released.entry(&source.file) {
                    Entry::Occupied(known) => Rc::clone(known.get()),
                    Entry::Vacant(new) => new.insert(Rc::new(history.released(source))).clone(),
                };
                sources.push((source, stated));
            }
            let text = tree.text(file)?.unwrap_or_default();
            let mut literals: Vec<&Literal> = literals.iter().collect();
            literals.retain(|literal| {
                let version = numbers(&text[literal.at.clone()]);
                sources.iter().any(|(_, stated)| has_stated(stated, &version))
            });
            documents.push((file, text, literals, sources));
        }
        let asked = documents.iter().map(|(file, _, literals, _)| {
            (file.as_str(), literals.iter().map(|literal| literal.around.clone()).collect())
        });
        let told = history.told(tree, &asked.collect::<Vec<_>>());
        let mut coupled = Vec::new();
        for ((file, text, literals, sources), told) in documents.iter().zip(told) {
            for literal in literals {
                coupled.extend(shared(
                    file,
                    text,
                    literal,
                    sources,
                    &told[&literal.around],
                    history,
                ));
            }
        }
        Ok(coupled)
    }

    /// The sources above a document, from its folder on, and then those of other folders.
    fn nearest(&self, file: &str) -> Vec<&Place> {
        let mut nearest: Vec<_> = self
            .sources
            .iter()
            .filter(|source| source.file != file)
            .map(|source| {
                let folder = folder(&source.file);
                let depth = folder.split_terminator('/').count();
                let is_above = Path::new(file).starts_with(folder);
                ((!is_above, if is_above { usize::MAX - depth } else { depth }), source)
            })
            .collect();
        nearest.sort_by_key(|(distance, _)| *distance);
        nearest.into_iter().map(|(_, source)| source).take(NEAREST).collect()
    }
}

/// The fact that a place shares with the nearest source. If it still agrees with one, it need not with the others.
fn shared(
    file: &str,
    text: &str,
    literal: &Literal,
    sources: &[(&Place, Rc<Stated>)],
    told: &Stated,
    history: &History,
) -> Option<Pair> {
    let (before, version) = (&text[..literal.at.start], numbers(&text[literal.at.clone()]));
    let compared = sources.iter().filter_map(|(source, stated)| {
        let precision = version.len().min(source.version.len());
        let compared = history.compare([stated, told], precision)?;
        let is_range = compared.state.is_wrong() && admits(before, &version, &source.version);
        (compared.agreed > 1 && !is_range).then_some((*source, compared))
    });
    let (source, compared) = compared.min_by_key(|(_, compared)| compared.state.is_wrong())?;
    Some(Pair {
        word: "version".to_owned(),
        name: "version".to_owned(),
        manifest: source.clone(),
        place: place_at(file, text, &literal.at)?,
        state: match compared.state {
            State::Differs { was, since, .. } if compared.is_usual => {
                State::Differs { was, since, is_left_behind: false }
            }
            state => state,
        },
    })
}

/// True if a text ends with the operator of a range that holds a later version, too.
fn admits(before: &str, version: &[u64], later: &[u64]) -> bool {
    let operators = [(">=", 0), ("~>", version.len() - 1), ("~=", version.len() - 1), ("~", 2)];
    let caret = ("^", 1 + version.iter().take_while(|number| **number == 0).count());
    operators
        .into_iter()
        .chain([caret])
        .find(|(operator, _)| before.trim_end().ends_with(operator))
        .is_some_and(|(_, same)| version.iter().zip(later).take(same).all(|(one, two)| one == two))
}

/// True if a source had this version, as far as both go.
fn has_stated(stated: &Stated, version: &[u64]) -> bool {
    let versions = stated.iter().filter_map(|(_, version)| version.as_ref());
    versions.into_iter().any(|stated| stated.iter().zip(version).all(|(one, two)| one == two))
}

/// The first version of each line that stands between words of its own. The same words with different versions are a list of
/// releases, and rows with different ones a table of many things; those of another time go to `others`. What a command
/// printed, an example and the minimum of a tool are none.
fn singular(file: &str, text: &str, others: &mut HashSet<String>) -> git::Result<Vec<Literal>> {
    let [other, sample, tool, minimum, picture] =
        [OTHER, SAMPLE, TOOL, MINIMUM, PICTURE].map(pattern);
    let (other, sample, tool, minimum, picture) = (other?, sample?, tool?, minimum?, picture?);
    let (samples, mut shown) = (samples(file, text)?, BTreeSet::new());
    let (mut versions, mut singular) = (HashMap::<_, BTreeSet<_>>::new(), Vec::new());
    let (mut known, mut taken, mut row, mut table) = (BTreeSet::new(), 0, 0, 0);
    for literal in literals(text) {
        let version = numbers(&text[literal.at.clone()]);
        let (number, line) = (literal.number, line_at(text, literal.at.start));
        let mut series = literal.on_line.clone();
        if line.trim_start().starts_with('|') {
            table += usize::from(number > row + 1);
            row = number;
            series = format!("| {table}");
        }
        if sample.is_match(line.as_bytes()) {
            shown.insert(version.clone());
        }
        versions.entry(series.clone()).or_default().insert(version);
        let before = &text[..literal.at.start];
        let before = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
        let is_of_tool = || minimum.is_match(line.as_bytes()) && tool.is_match(before.as_bytes());
        let is_in_picture = || {
            let mut pictures = picture.find_iter(line.as_bytes());
            pictures.any(|picture| picture.range().contains(&before.len()))
        };
        if other.is_match(line.as_bytes()) {
            others.insert(literal.on_line);
        } else if literal.is_labelled || samples[number - 1] || is_of_tool() || is_in_picture() {
            // What stands here is not the version of the project.
        } else if number > taken && known.insert(literal.around.clone()) {
            taken = number;
            singular.push((literal, series));
        }
    }
    singular.retain(|(literal, series)| {
        versions[series].len() == 1 && !shown.contains(&numbers(&text[literal.at.clone()]))
    });
    Ok(singular.into_iter().map(|(literal, _)| literal).collect())
}
