//! Facts that stand in a manifest and in another file.

use std::{collections::HashMap, iter::once, ops::Range};

use ::regex::{bytes::Regex, escape};

use super::{
    document,
    kinds::{Files, KINDS, Kind, MINIMUM, OTHER, Take},
    tree::{Tree, folder, join, name},
};
use crate::{
    git,
    question::{Probe, TextOf, ValueOf, regex},
};

/// A fact of a manifest, and where one other file states it.
#[derive(Debug)]
pub struct Fact {
    pub word: String,
    pub name: String,
    pub manifest: Place,
    pub places: Vec<Place>,
}

/// A statement of a version.
#[derive(Debug, Clone)]
pub struct Place {
    pub file: String,
    /// The lines that state it in the same words; the first is read.
    pub lines: Vec<usize>,
    pub text: String,
    pub version: String,
    pub probe: Probe,
}

/// The statement of a manifest, and the name of its project.
type Manifest = Option<(Place, Option<String>)>;

pub fn facts(tree: &Tree) -> git::Result<Vec<Fact>> {
    let mut facts = Vec::new();
    for kind in &KINDS {
        let mut manifests = HashMap::new();
        for rule in kind.rules {
            for path in tree.own().filter(|path| rule.files.have(path)) {
                let Some((manifest, project)) = nearest(tree, kind, path, &mut manifests)? else {
                    continue;
                };
                let pattern = with_name(rule.pattern, project.as_deref());
                let (Some(text), Some(pattern)) = (tree.text(path)?, pattern) else {
                    continue;
                };
                let places = places(path, &text, &pattern, rule.take);
                if !places.is_empty() {
                    facts.push(Fact {
                        word: kind.word.to_owned(),
                        name: kind.name.to_owned(),
                        manifest,
                        places,
                    });
                }
            }
        }
    }
    Ok(facts)
}

impl Files {
    fn have(&self, path: &str) -> bool {
        let file = name(path).to_ascii_lowercase();
        match self {
            Self::Guides => document::is_guide(path),
            Self::Workflows => folder(path) == ".github/workflows",
            Self::Named(names) => names.contains(&file.as_str()),
            Self::Changelogs => ["changelog", "changes", "history", "news", "releases"]
                .contains(&file.split('.').next().unwrap_or_default()),
        }
    }
}

/// The statement in the nearest folder above that has one.
fn nearest(
    tree: &Tree,
    kind: &Kind,
    path: &str,
    known: &mut HashMap<String, Manifest>,
) -> git::Result<Manifest> {
    let mut at = path;
    while !at.is_empty() {
        at = folder(at);
        if !known.contains_key(at) {
            let mut found = None;
            for (manifest, source) in kind.manifests {
                let file = join(at, manifest);
                if found.is_none() && tree.has(&file) {
                    found = stated(tree, &file, source)?;
                }
            }
            known.insert(at.to_owned(), found);
        }
        if let Some(Some(found)) = known.get(at) {
            return Ok(Some(found.clone()));
        }
    }
    Ok(None)
}

fn stated(tree: &Tree, file: &str, source: &str) -> git::Result<Manifest> {
    let Some(text) = tree.text(file)? else {
        return Ok(None);
    };
    if !source.starts_with('/') {
        return Ok(place(file, &text, source).map(|place| (place, None)));
    }
    let value = |pointer: &str| {
        Probe::Value(ValueOf {
            file: file.to_owned(),
            pointer: pointer.to_owned(),
        })
    };
    let probe = value(source);
    let version = tree.find(tree.commit, &probe)?.unwrap_or_default();
    if numbers(&version).is_empty() {
        return Ok(None);
    }
    let key = source.rsplit('/').next().unwrap_or_default();
    let is_it = |line: &str| line.contains(key) && line.contains(&version);
    let (line, said) = (1..)
        .zip(text.lines())
        .find(|(_, line)| is_it(line))
        .unwrap_or_default();
    let mut project = None;
    for pointer in [
        "/package/name",
        "/project/name",
        "/tool/poetry/name",
        "/name",
    ] {
        if project.is_none() {
            project = tree.find(tree.commit, &value(pointer))?;
        }
    }
    let place = Place {
        file: file.to_owned(),
        lines: vec![line],
        text: said.trim().to_owned(),
        version,
        probe,
    };
    Ok(Some((place, project)))
}

/// The first statement that matches in a text.
pub fn place(file: &str, text: &str, pattern: &str) -> Option<Place> {
    let (_, at) = found(&regex(pattern).ok()?, text)?;
    let lines: Vec<&str> = text[..at.start].split('\n').collect();
    Some(Place {
        file: file.to_owned(),
        lines: vec![lines.len()],
        text: text.lines().nth(lines.len() - 1)?.trim().to_owned(),
        version: text[at].to_owned(),
        probe: text_probe(file, pattern),
    })
}

/// The pattern for a project of this name; a very short name may be any word.
fn with_name(pattern: &str, project: Option<&str>) -> Option<String> {
    if !pattern.contains("NAME") {
        return Some(pattern.to_owned());
    }
    let project = project?.rsplit('/').next().filter(|name| name.len() > 2)?;
    Some(pattern.replace("NAME", &escape(project)))
}

/// The statements that match in a text.
fn places(file: &str, text: &str, pattern: &str, take: Take) -> Vec<Place> {
    let patterns = [pattern, MINIMUM, OTHER].map(regex);
    let [Ok(matcher), Ok(minimum), Ok(other)] = &patterns else {
        return Vec::new();
    };
    let mut places: Vec<Place> = Vec::new();
    for (number, line) in (1..).zip(document::lines(text)) {
        let (bytes, is_prose) = (line.text.as_bytes(), take == Take::Minimums);
        if is_prose && (line.is_fenced || !minimum.is_match(bytes) || other.is_match(bytes)) {
            continue;
        }
        let Some((all, at)) = found(matcher, line.text) else {
            continue;
        };
        let (version, rest) = (&line.text[at.clone()], &line.text[at.end..]);
        let rest = rest.split(']').next().unwrap_or_default();
        let is_image = is_prose && line.text[..at.start].ends_with(':');
        let is_lowest = || versions(rest).all(|one| numbers(one) >= numbers(version));
        if is_image || take == Take::Lowest && !is_lowest() {
            continue;
        }
        let said = line.text[all]
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        if let Some(same) = places.iter_mut().find(|place| place.text == said) {
            same.lines.push(number);
        } else if let Some(pattern) = only(pattern, text, line.place.start + at.start) {
            places.push(Place {
                file: file.to_owned(),
                lines: vec![number],
                text: said,
                version: version.to_owned(),
                probe: text_probe(file, &pattern),
            });
        }
    }
    match take {
        Take::First => places.truncate(1),
        Take::Lowest => {
            let lowest = places.iter().min_by_key(|place| numbers(&place.version));
            places = lowest.cloned().into_iter().collect();
        }
        Take::Minimums | Take::Every => {}
    }
    places
}

/// The pattern, or a narrower one, whose first match in the text is the version at this place.
fn only(pattern: &str, text: &str, place: usize) -> Option<String> {
    let start = text[..place].rfind('\n').map_or(0, |end| end + 1);
    let before = &text[start..place];
    let begins_word =
        |&(at, c): &(usize, char)| c != ' ' && (at == 0 || before[..at].ends_with(' '));
    let words: Vec<usize> = before
        .char_indices()
        .filter(begins_word)
        .map(|(at, _)| at)
        .collect();
    let after = |context: &str| format!(r"{}(\d+(?:\.\d+){{0,2}})", escape(context));
    let contexts = words.iter().rev().map(|&at| &before[at..]);
    let contexts = contexts.filter(|context| context.contains(char::is_alphabetic));
    let mut patterns = once(pattern.to_owned())
        .chain(contexts.map(after))
        .chain(once(format!("^{}", after(before))));
    patterns.find(|pattern| {
        let first = regex(pattern)
            .ok()
            .and_then(|pattern| found(&pattern, text));
        first.is_some_and(|(_, version)| version.start == place)
    })
}

/// The first match, and its first group.
fn found(pattern: &Regex, text: &str) -> Option<(Range<usize>, Range<usize>)> {
    let found = pattern.captures(text.as_bytes())?;
    Some((found.get(0)?.range(), found.get(1)?.range()))
}

fn text_probe(file: &str, pattern: &str) -> Probe {
    Probe::Text(TextOf {
        file: file.to_owned(),
        lines: None,
        pattern: Some(pattern.to_owned()),
        section: None,
    })
}

fn versions(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|c: char| !c.is_ascii_digit() && c != '.');
    parts.filter(|part| part.contains(|c: char| c.is_ascii_digit()))
}

/// The numbers of the first version in a text.
pub fn numbers(text: &str) -> Vec<u64> {
    let version = versions(text).next().unwrap_or_default();
    version
        .split('.')
        .filter_map(|part| part.parse().ok())
        .collect()
}
