//! One suggestion for what one fact is: a manifest with every place that states it alike.

use std::{collections::BTreeMap, iter::once};

use serde_json::json;

use super::{State, Suggestion, history::Judged, place::Place, question, tree::folder};

pub fn suggestions(judged: Vec<Judged>) -> Vec<Suggestion> {
    let mut groups: BTreeMap<_, Vec<Judged>> = BTreeMap::new();
    for fact in judged {
        let group = (fact.manifest.file.clone(), fact.name.clone(), class(&fact.state));
        groups.entry(group).or_default().push(fact);
    }
    let mut groups: Vec<Suggestion> = groups.into_values().map(of_group).collect();
    groups.sort_by_key(|found| folder(&found.places[0].file).len());
    let (mut suggestions, mut quiet) = (Vec::new(), BTreeMap::<_, Vec<_>>::new());
    for found in groups {
        // A tool that writes the manifests and changelogs of a hundred packages is worth one line.
        if matches!(found.state, State::Holds { broke: 0 }) {
            quiet.entry(found.about.clone()).or_default().push(found);
        } else {
            suggestions.push(found);
        }
    }
    for same in quiet.into_values() {
        let more = same.len() - 1;
        suggestions.extend(same.into_iter().next().map(|mut found| {
            if more > 0 {
                found.about += &format!(", and {more} more that never differed");
            }
            found
        }));
    }
    suggestions
}

/// What can stand in one suggestion.
fn class(state: &State) -> u8 {
    match state {
        State::Contradicted { is_left_behind: true, .. } => 0,
        State::Contradicted { .. } => 1,
        _ => 2,
    }
}

/// The suggestion of a manifest; the first document is a README, if there is one.
fn of_group(mut facts: Vec<Judged>) -> Suggestion {
    facts.sort_by_cached_key(|fact| {
        let file = &fact.place.file;
        let is_readme = file.to_ascii_lowercase().starts_with("readme");
        (file.matches('/').count(), !is_readme, file.clone(), fact.place.lines.clone())
    });
    let Judged { word, name, manifest, place, .. } = &facts[0];
    let is_one = facts.iter().all(|fact| fact.place.file == place.file);
    let (does, others) = if is_one { ("Does", "") } else { ("Do", " and others") };
    let asks = format!("{does} {}{others} state the {name} of {}?", place.file, manifest.file);
    let places = once(manifest).chain(facts.iter().map(|fact| &fact.place));
    let precision = places.clone().map(|place| place.version.len()).min();
    let probes = places.clone().map(|Place { file, pattern, .. }| {
        json!({ "text": { "file": file, "pattern": pattern, "as": "version", "precision": precision } })
    });
    let probe = json!({ "agree": probes.collect::<Vec<_>>() });
    Suggestion {
        about: name.clone(),
        question: question(&place.file, word, &asks, &json!(true), &probe),
        places: places.cloned().collect(),
        state: State::summed(facts.into_iter().map(|fact| fact.state).collect()),
        ..Suggestion::default()
    }
}
