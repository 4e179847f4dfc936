//! One row for what one fact is: a manifest with every place that states it alike.

use std::{collections::BTreeMap, iter::once};

use serde_json::json;

use super::{
    Found, State,
    history::Pair,
    place::{Place, labelled},
    question,
    sources::is_changelog,
    tree::folder,
};

pub fn found(judged: Vec<Pair>) -> Vec<Found> {
    let mut groups: BTreeMap<_, Vec<Pair>> = BTreeMap::new();
    for fact in judged {
        let group = (fact.manifest.file.clone(), fact.name.clone(), class(&fact.state));
        groups.entry(group).or_default().push(fact);
    }
    let mut groups: Vec<Found> = groups.into_values().map(of_group).collect();
    groups.sort_by_key(|found| folder(&found.places[0].file).len());
    let (mut rows, mut quiet) = (Vec::new(), BTreeMap::<_, Vec<_>>::new());
    for found in groups {
        // A tool that writes the manifests and changelogs of a hundred packages is worth one line.
        if matches!(found.state, State::Holds { broke: 0 }) {
            quiet.entry(found.about.clone()).or_default().push(found);
        } else {
            rows.push(found);
        }
    }
    for same in quiet.into_values() {
        let more = same.len() - 1;
        rows.extend(same.into_iter().next().map(|mut found| {
            if more > 0 {
                found.about += &format!(", and {more} more that never differed");
            }
            found
        }));
    }
    rows
}

/// Facts of one class can stand in one row.
fn class(state: &State) -> u8 {
    match state {
        State::Differs { is_left_behind: true, .. } => 0,
        State::Differs { .. } => 1,
        _ => 2,
    }
}

/// The row of a manifest; the first document is a README, if there is one.
fn of_group(mut facts: Vec<Pair>) -> Found {
    facts.sort_by_cached_key(|fact| {
        let file = &fact.place.file;
        let is_readme = file.to_ascii_lowercase().starts_with("readme");
        (file.matches('/').count(), !is_readme, file.clone(), fact.place.lines.clone())
    });
    let Pair { word, name, manifest, place, .. } = &facts[0];
    let is_one = facts.iter().all(|fact| fact.place.file == place.file);
    let asks = match (is_one, &place.file) {
        (true, file) if *file == manifest.file => {
            format!("Is the {name} the same everywhere in {file}?")
        }
        (true, file) => format!("Does {file} state the {name} of {}?", manifest.file),
        (false, file) => format!("Do {file} and others state the {name} of {}?", manifest.file),
    };
    let places = once(manifest).chain(facts.iter().map(|fact| &fact.place));
    let probes = places.map(|Place { file, pattern, .. }| {
        // A changelog has entries of what is not out yet above the one of the manifest.
        let is_release = word == "version";
        let pattern = labelled(pattern, is_release && !is_changelog(file));
        let kind = if is_release { "release" } else { "version" };
        json!({ "text": { "file": file, "pattern": pattern, "as": kind } })
    });
    let probe = json!({ "agree": probes.collect::<Vec<_>>() });
    Found {
        kind: word.clone(),
        about: name.clone(),
        question: question(&place.file, word, &asks, &json!(true), &probe),
        places: once(manifest.clone()).chain(facts.iter().map(Pair::marked)).collect(),
        state: State::summed(facts.into_iter().map(|fact| fact.state).collect()),
        ..Found::default()
    }
}
