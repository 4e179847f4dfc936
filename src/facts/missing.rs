//! One row for what one commit removed of what a document names.

use std::{
    collections::{BTreeMap, HashMap, hash_map::Entry},
    path::Path,
};

use serde_json::json;

use super::{
    Found, State,
    claim::{Claim, Target, Topic},
    commands, paths,
    place::Place,
    question,
    tree::Tree,
};
use crate::{evidence::joined, git};

/// Groups claims of documents: one fact for what one commit removed, and what is less certain is one of its own.
pub fn found(claims: Vec<Claim>, states: Vec<Option<State>>, url: &str) -> Vec<Found> {
    let mut wrong: Vec<(Claim, State)> =
        claims.into_iter().zip(states).filter_map(|(claim, state)| Some((claim, state?))).collect();
    // The more certain claim about the same words stays.
    wrong.sort_by_key(|(claim, state)| (!claim.is_likely, state.rank().0));
    let mut seen = HashMap::<_, usize>::new();
    let mut certain = Vec::<(Claim, State)>::new();
    for (mut claim, state) in wrong {
        claim.place.path = state.since().and_then(|since| missing(&claim, &since.path));
        match seen.entry((claim.place.file.clone(), claim.topic, claim.place.says.clone())) {
            Entry::Occupied(known) => join(&mut certain[*known.get()].0.place, claim.place),
            Entry::Vacant(new) => {
                new.insert(certain.len());
                certain.push((claim, state));
            }
        }
    }
    let mut groups: BTreeMap<_, (Vec<Place>, State)> = BTreeMap::new();
    for (claim, state) in certain {
        let change = state.since().map(|since| (since.commit, since.is_move));
        let key = (claim.place.file.clone(), claim.topic, !claim.is_likely, state.rank().0, change);
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

/// Adds the lines that name the same path in another form, as a link and in code.
fn join(place: &mut Place, other: Place) {
    if place.path == other.path {
        place.lines.extend(other.lines);
        place.lines.sort_unstable();
        place.lines.dedup();
        place.spots.extend(other.spots);
        place.spots.sort_unstable();
        place.spots.dedup();
    }
}

/// Returns true if the base says it already: then it is not what a proposal broke.
pub fn was_said(tree: &Tree, claim: &Claim) -> git::Result<bool> {
    let (repo, Place { file, says, .. }) = (tree.repo, &claim.place);
    let Some(base) = tree.base else {
        return Ok(false);
    };
    // A document that is not there may have another name.
    let Some(blob) = repo.blob_at(base, file)? else {
        return Ok(true);
    };
    Ok(String::from_utf8_lossy(&repo.blob(blob)?).contains(says))
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
    // The probe finds no other names than these.
    let asks = match places.as_slice() {
        [one] => format!("Is `{}`, which {file} names, missing?", one.says),
        [one, others @ ..] => {
            let (one, others) = (&one.says, others.len());
            let noun = if others == 1 { noun.trim_end_matches('s') } else { noun };
            format!("Are `{one}` and {others} other {noun} that {file} names missing?")
        }
        [] => String::new(),
    };
    Found {
        kind: kind.into(),
        one,
        state,
        about: match places.len() {
            1 => format!("{one} named in {file}"),
            number => format!("{number} {many} named in {file}"),
        },
        places,
        question: question(file, noun, &asks, &json!("none"), &probe),
        ..Found::default()
    }
}
