//! Places that release tools are told to update, and which they skip in silence once nothing there matches.

use regex::escape;
use serde_json::{Value, json};

use super::{
    Found, State,
    history::History,
    names::{Form, Spot},
    place::{Place, labelled, place_of},
    question,
    tree::Tree,
    versions::Fact,
};
use crate::git;

/// The numbers of a version; what follows as a label is not compared.
const VERSION: &str = r"(\d+(?:\.\d+)+(?:))";

/// The files in which bump-my-version looks for its table, in its order.
const BUMPVERSION: [&str; 2] = [".bumpversion.toml", "pyproject.toml"];

/// The text for which it searches stands for this.
const CURRENT: &str = "{current_version}";

const RELEASE_PLEASE: &str = "release-please-config.json";
const RELEASED: &str = ".release-please-manifest.json";

/// The lines that release-please updates: the marked one, and the first version in a marked block.
const MARKED: [&str; 2] = [
    r"(\d+\.\d+\.\d+(?:))[^\n]*x-release-please-version",
    r"x-release-please-start-version[\s\S]*?\b(\d+\.\d+\.\d+(?:))",
];

/// A place of which a tool's configuration says that the version stands there.
pub struct Declared {
    /// Where the tool keeps the version.
    source: Place,
    /// Where it is told of the file.
    config: Place,
    file: String,
    /// Those of its texts, of which one has to match.
    patterns: Vec<String>,
}

/// The places of all tools.
pub fn declared(tree: &Tree) -> git::Result<Vec<Declared>> {
    let mut declared = Vec::new();
    for config in BUMPVERSION {
        let text = tree.text(config)?.unwrap_or_default();
        let parsed: Value = toml::from_str(&text).unwrap_or_default();
        let table = &parsed["tool"]["bumpversion"];
        if table.is_object() {
            declared.extend(bumpversion(config, &text, table));
            break;
        }
    }
    let text = tree.text(RELEASE_PLEASE)?.unwrap_or_default();
    let released = tree.text(RELEASED)?.unwrap_or_default();
    declared.extend(release_please(&text, &released));
    Ok(declared)
}

/// Without a text to search for, any version may be meant, and a pattern may be anything.
fn bumpversion(config: &str, text: &str, table: &Value) -> Vec<Declared> {
    let current = format!(r#"^current_version\s*=\s*["']v?{VERSION}"#);
    let Some(source) = place_of(config, text, &current) else {
        return Vec::new();
    };
    let is_set = |entry: &Value, key: &str| entry[key] == true || table[key] == true;
    let is_optional = |entry: &Value| {
        ["regex", "ignore_missing_version", "ignore_missing_files"]
            .iter()
            .any(|key| is_set(entry, key))
    };
    let entries = table["files"].as_array().into_iter().flatten();
    let places = entries.filter(|entry| !is_optional(entry)).filter_map(|entry| {
        let file = entry["filename"].as_str()?;
        let (before, after) = entry["search"].as_str()?.split_once(CURRENT)?;
        let is_plain = ![before, after].concat().contains(['{', '}']);
        let is_named = [before, after].concat().contains(char::is_alphabetic);
        (is_plain && is_named).then(|| Declared {
            source: source.clone(),
            config: declaration(config, text, file),
            file: file.to_owned(),
            patterns: vec![format!("{}{VERSION}{}", escape(before), escape(after))],
        })
    });
    places.collect()
}

fn release_please(text: &str, released: &str) -> Vec<Declared> {
    let config: Value = serde_json::from_str(text).unwrap_or_default();
    let packages = config["packages"].as_object().into_iter().flatten();
    let places = packages.flat_map(|(package, of_package)| {
        let current = format!(r#""{}":\s*"{VERSION}"#, escape(package));
        let source = place_of(RELEASED, released, &current);
        let files = of_package["extra-files"].as_array().into_iter().flatten();
        files.filter_map(move |entry| {
            let is_generic = entry["type"] == "generic";
            let path = entry.as_str().or_else(|| entry["path"].as_str().filter(|_| is_generic))?;
            let file = match path.strip_prefix('/') {
                Some(path) => path.to_owned(),
                None if package == "." => path.to_owned(),
                None => format!("{package}/{path}"),
            };
            Some(Declared {
                source: source.clone()?,
                // A package's folder does not stand in the paths of its files.
                config: Place {
                    says: path.trim_start_matches('/').to_owned(),
                    path: (path == file).then(|| file.clone()),
                    ..declaration(RELEASE_PLEASE, text, path)
                },
                file,
                patterns: MARKED.map(str::to_owned).to_vec(),
            })
        })
    });
    places.collect()
}

/// The line of a configuration that names a file.
fn declaration(config: &str, text: &str, file: &str) -> Place {
    let named = ['"', '\''].map(|quote| format!("{quote}{file}{quote}"));
    let mut lines = (1..).zip(text.lines());
    let spot = lines.find_map(|(line, text)| {
        let column = named.iter().find_map(|named| text.find(named))? + 1;
        Some(Spot { line, column, form: Form::Code })
    });
    Place {
        file: config.to_owned(),
        lines: vec![spot.as_ref().map_or(1, |spot| spot.line)],
        spots: spot.into_iter().collect(),
        says: file.to_owned(),
        path: Some(file.to_owned()),
        ..Place::default()
    }
}

impl Declared {
    /// The files whose changes say since when it does not match.
    pub fn files(&self) -> [&String; 2] {
        [&self.source.file, &self.file]
    }

    /// The text there that should be the tool's version; else the declaration itself.
    pub fn fact(self, tree: &Tree) -> git::Result<Result<Fact, Self>> {
        let text = tree.text(&self.file)?.unwrap_or_default();
        let mut places = self.patterns.iter().filter_map(|rule| place_of(&self.file, &text, rule));
        Ok(match places.next() {
            Some(place) => Ok(Fact::declared(self.source, place)),
            None => Err(self),
        })
    }

    /// The row of a place that matched once, and does not any more.
    pub fn found(self, tree: &Tree, history: &History) -> Option<Found> {
        let Self { source, mut config, file, patterns } = self;
        let places = patterns.into_iter().map(|pattern| Place {
            file: file.clone(),
            pattern,
            ..Place::default()
        });
        let ended = places.filter_map(|place| Some((history.ended(&place)?, place)));
        let (since, place) = ended.min_by_key(|(since, _)| since.days)?;
        let is_there = tree.has(&file);
        if is_there {
            config.path = None;
        }
        let probe = json!({ "agree": [probe(&source), probe(&place)] });
        let asks = format!("Does {file} state the version of {}?", source.file);
        Some(Found {
            kind: if is_there { "place" } else { "path" }.into(),
            about: format!("the version in {file}, which {} has to update", config.file),
            question: question(&file, "version", &asks, &json!(true), &probe),
            state: State::Missing { since: Some(since) },
            places: vec![config],
            ..Found::default()
        })
    }
}

fn probe(place: &Place) -> Value {
    json!({ "text": { "file": place.file, "pattern": labelled(&place.pattern, false), "as": "version" } })
}
