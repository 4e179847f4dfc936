//! Facts that stand in a manifest and in another file.

use std::{collections::HashMap, iter::once, ops::Range};

use regex::{bytes::Regex, escape};
use serde::Serialize;

use self::Take::{Every, First, Lowest, Minimums};
use super::tree::{Tree, folder, lines, pattern};
use crate::{
    evidence::joined,
    git,
    question::{Probe, TextKind, TextOf},
};

/// A fact of a manifest, and where one other file states it.
#[derive(Debug)]
pub struct Fact {
    /// For the question's id.
    pub word: String,
    pub name: String,
    pub manifest: Place,
    pub places: Vec<Place>,
}

/// A statement of a version.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Place {
    pub file: String,
    /// The lines that state it in the same words; the first is read.
    pub lines: Vec<usize>,
    pub says: String,
    #[serde(skip)]
    pub version: Vec<u64>,
    #[serde(skip)]
    pub pattern: String,
}

/// Characters of a statement that are shown.
const SAYS: usize = 80;

/// A kind of fact.
struct Kind {
    word: &'static str,
    name: &'static str,
    /// File names of manifests, each with a pattern whose first group is the version.
    manifests: &'static [(&'static str, &'static str)],
    /// Patterns of other files' paths, each with one for the version; `NAME` is the project's name.
    rules: &'static [(&'static str, &'static str, Take)],
}

/// The statements of a file that count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Take {
    /// Those of a minimum in prose, outside of code.
    Minimums,
    Every,
    First,
    /// The lowest, of lists that begin with their lowest.
    Lowest,
}

/// Documents that say how to install, build or develop.
const GUIDES: &str = r"(?i)(^|/)(README|[^/]*(readme|contribut|install|set-?up|getting|start|build|develop|hacking|require|msrv|agents|claude|gemini)[^/]*\.(md|mdx|markdown|rst|adoc|txt))$|^\.github/copilot-instructions\.md$|^\.cursor/rules/";
const WORKFLOWS: &str = r"^\.github/workflows/[^/]+\.ya?ml$";
const CHANGELOGS: &str = r"(?i)(^|/)(changelog|changes|history|news|releases)(\.\w+)?$";
const PYTHON: &str = r"(^|/)(pyproject\.toml|setup\.cfg|setup\.py)$";

/// A minimum stands beside such words, or in a list or a table.
const MINIMUM: &str = r"(?i-u)\bminim|at least|\bor (later|newer|higher|above|greater|up|more recent)|\d\+|>=|≥|&gt;=|requir|prerequisit|\bneeds?\b|\bmsrv\b|\bsupport|^\s*([-*+]|\d+\.|\|)\s";

/// What stands beside such words was true of another time or place.
const OTHER: &str = r"(?i-u)\bsince\b|\bbefore\b|\buntil\b|\bprior\b|\bolder\b|\bearlier\b|\bfix(ed|es)?\b|introduc|deprecat|\bdropp|\bbugs?\b|\bexamples?\b|\brecommend|\blatest\b|tested (on|with)";

// `-u`: with the classes of Unicode, long gaps match slowly in texts that are not ASCII.
#[rustfmt::skip]
const KINDS: [Kind; 5] = [
    Kind { word: "msrv", name: "minimum Rust version",
        manifests: &[("Cargo.toml", r#"^rust-version\s*=\s*"(\d+(?:\.\d+)+)"#)],
        rules: &[
            (GUIDES, r"(?i-u)\b(?:rust|rustc|msrv|cargo)\b[^\d\n;]{0,40}?\bv?(1\.\d{2,3}(?:\.\d+)?)\b", Minimums),
            (r"(^|/)\.?clippy\.toml$", r#"^msrv\s*=\s*"(1\.\d+(?:\.\d+)?)"#, First),
            (WORKFLOWS, r#"(?i-u)(?:msrv|rust\w*|toolchain)["']?\s*[:=@]\s*\[?\s*["']?(1\.\d{2,3}(?:\.\d+)?)\b"#, Lowest),
        ] },
    Kind { word: "go", name: "minimum Go version",
        manifests: &[("go.mod", r"^go (\d+\.\d+(?:\.\d+)?)\s*$")],
        rules: &[
            (GUIDES, r"(?-u)\b(?:Go|[Gg]olang)\b[^\d\n;]{0,30}?\bv?(1\.\d{1,2}(?:\.\d+)?)\b", Minimums),
            (WORKFLOWS, r#"(?-u)\bgo(?:-version)?["']?:\s*\[\s*["']?(1\.\d+(?:\.\d+)?)\b"#, Lowest),
        ] },
    Kind { word: "python", name: "minimum Python version",
        manifests: &[
            ("pyproject.toml", r#"^(?:requires-python|python)\s*=\s*["'](?:>=|~=?|\^)\s*(3\.\d+)"#),
            ("setup.cfg", r"^python_requires\s*=\s*>=\s*(3\.\d+)"),
            ("setup.py", r#"\bpython_requires\s*=\s*["']>=\s*(3\.\d+)"#),
        ],
        rules: &[
            (GUIDES, r"(?i-u)\bpython\b[^\d\n;]{0,30}?\bv?(3\.\d{1,2})\b", Minimums),
            (PYTHON, r"Programming Language :: Python :: (3\.\d+)\b", Lowest),
            (WORKFLOWS, r#"(?-u)\bpython(?:-version)?["']?:\s*\[\s*["']?(3\.\d+)\b"#, Lowest),
        ] },
    Kind { word: "node", name: "minimum Node version",
        manifests: &[("package.json", r#""node":\s*"(?:>=|\^|~)?\s*v?(\d+(?:\.\d+){0,2})(?:\.x)?"\s*,?$"#)],
        rules: &[
            (GUIDES, r"(?i-u)\bnode(?:\.?js)?\b[^\d\n;]{0,30}?\bv?(\d{2}(?:\.\d+){0,2})\b", Minimums),
            (WORKFLOWS, r#"(?-u)\bnode(?:-version)?["']?:\s*\[\s*["']?(\d{2}(?:\.\d+){0,2})\b"#, Lowest),
        ] },
    // A version with a label, as in `1.2.0-dev`, is not out yet.
    Kind { word: "version", name: "version",
        manifests: &[
            ("Cargo.toml", r#"^version\s*=\s*"(\d+\.\d+\.\d+)""#),
            ("pyproject.toml", r#"^version\s*=\s*["'](\d+\.\d+(?:\.\d+)?)["']"#),
            ("package.json", r#"^\s{1,4}"version":\s*"(\d+\.\d+\.\d+)""#),
        ],
        rules: &[
            (CHANGELOGS, r"(?-u)^(?:#{1,3} [^\n]*?|\[?v?)\b(\d+\.\d+\.\d+)\b", First),
            (GUIDES, r#"(?-u)(?:\bNAME["']?(?: ?= ?(?:\{[^}\n]*version ?= ?)?|[=@:_-]{1,2})["']?v?|releases/download/v?|\brev:\s*["']?v?|--(?:version|tag|branch)[ =]["']?v?)(\d+\.\d+(?:\.\d+)?)(?:[^\d.-]|-[^A-Za-z]|\.\D|[.-]?$)"#, Every),
        ] },
];

/// The name of a project in its manifest; a shorter one may be any word.
const NAME: &str = r#"^\s*"?name"?\s*[:=]\s*["'](?:@[^/"]+/)?([\w.-]{3,})["']"#;

pub fn facts(tree: &Tree) -> git::Result<Vec<Fact>> {
    let mut facts = Vec::new();
    for kind in KINDS {
        let mut manifests = HashMap::new();
        for &(files, rule, take) in kind.rules {
            let files = pattern(files)?;
            for file in tree
                .own
                .iter()
                .filter(|path| files.is_match(path.as_bytes()))
            {
                let Some((manifest, project)) = nearest(tree, &kind, file, &mut manifests)? else {
                    continue;
                };
                let project = project.map_or("[^\\s\\S]".to_owned(), |name| escape(&name));
                let rule = rule.replace("NAME", &project);
                let text = tree.text(file)?.unwrap_or_default();
                let places = places(file, &text, &rule, take)?;
                facts.extend((!places.is_empty()).then(|| Fact {
                    word: kind.word.to_owned(),
                    name: kind.name.to_owned(),
                    manifest,
                    places,
                }));
            }
        }
    }
    facts.extend(pins(tree)?);
    Ok(facts)
}

/// The statement of a manifest, and the name of its project.
type Manifest = Option<(Place, Option<String>)>;

/// That of the nearest folder above which has one.
fn nearest(
    tree: &Tree,
    kind: &Kind,
    path: &str,
    known: &mut HashMap<String, Manifest>,
) -> git::Result<Manifest> {
    let at = folder(path);
    if let Some(known) = known.get(at) {
        return Ok(known.clone());
    }
    let mut found = None;
    for (name, source) in kind.manifests {
        let file = joined(at, name).unwrap_or_default();
        if let Some(text) = tree.text(&file)?.filter(|_| found.is_none()) {
            let project = found_in(NAME, &text)?.map(|name| text[name].to_owned());
            found = place(&file, &text, source)?.map(|place| (place, project));
        }
    }
    if found.is_none() && !at.is_empty() {
        found = nearest(tree, kind, at, known)?;
    }
    known.insert(at.to_owned(), found.clone());
    Ok(found)
}

/// The first statement that matches in a text; its pattern may span lines.
fn place(file: &str, text: &str, source: &str) -> git::Result<Option<Place>> {
    let Some(at) = found_in(source, text)? else {
        return Ok(None);
    };
    let before = text[..at.start].matches('\n').count();
    let line = text.lines().nth(before).unwrap_or_default();
    Ok(Some(Place {
        file: file.to_owned(),
        lines: vec![before + 1],
        says: line
            .split(" #")
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned(),
        version: numbers(&text[at]),
        pattern: source.to_owned(),
    }))
}

/// The statements that match in the lines of a text.
fn places(file: &str, text: &str, rule: &str, take: Take) -> git::Result<Vec<Place>> {
    let [matcher, minimum, other] = [pattern(rule)?, pattern(MINIMUM)?, pattern(OTHER)?];
    let mut places: Vec<(Place, usize)> = Vec::new();
    for (number, (start, line, is_code)) in (1..).zip(lines(text)?) {
        let is = |words: &Regex| words.is_match(line.as_bytes());
        if take == First && line.to_ascii_lowercase().contains("unreleased") {
            // The manifest may be ahead of the last release.
            break;
        }
        let Some(at) = found_in(rule, line)? else {
            continue;
        };
        let version = numbers(&line[at.clone()]);
        let rest = line[at.end..].split(']').next().unwrap_or_default();
        let mut others = rest
            .split([',', ' '])
            .map(numbers)
            .filter(|other| !other.is_empty());
        // `golang:1.25` is the image of a container.
        let is_image = line[..at.start].ends_with(':');
        let is_wrong = match take {
            Minimums => is_code || is_image || !is(&minimum) || is(&other),
            Lowest => others.any(|other| other < version),
            Every | First => false,
        };
        if is_wrong {
            continue;
        }
        let from = matcher
            .find(line.as_bytes())
            .map_or(0, |found| found.start());
        let said = line[from..at.end].trim_start();
        if let Some((same, _)) = places
            .iter_mut()
            .find(|(place, _)| place.says.starts_with(said))
        {
            same.lines.push(number);
            continue;
        }
        let says = line[from..].trim().chars().take(SAYS).collect();
        let (file, lines) = (file.to_owned(), vec![number]);
        let place = Place {
            file,
            lines,
            says,
            version,
            pattern: rule.to_owned(),
        };
        places.push((place, start + at.start));
        if take == First {
            break;
        }
    }
    if take == Lowest {
        places.sort_by(|(one, _), (two, _)| one.version.cmp(&two.version));
        places.truncate(1);
    }
    let mut found = Vec::new();
    for (place, at) in places {
        found.extend(only(rule, text, at)?.map(|pattern| Place { pattern, ..place }));
    }
    Ok(found)
}

/// The pattern, or a narrower one, whose first match in the text is the version at this place.
fn only(rule: &str, text: &str, place: usize) -> git::Result<Option<String>> {
    let start = text[..place].rfind('\n').map_or(0, |end| end + 1);
    let before = &text[start..place];
    let words = before.rmatch_indices(' ').map(|(at, _)| &before[at + 1..]);
    let words = words.filter(|words| words.contains(char::is_alphabetic));
    let version = |context: &str| format!(r"{}(\d+(?:\.\d+){{0,2}})", escape(context));
    let narrower = words
        .map(version)
        .chain(once(format!("^{}", version(before))));
    for one in once(rule.to_owned()).chain(narrower) {
        if found_in(&one, text)?.is_some_and(|at| at.start == place) {
            return Ok(Some(one));
        }
    }
    Ok(None)
}

/// The first group of the first match.
fn found_in(rule: &str, text: &str) -> git::Result<Option<Range<usize>>> {
    let found = pattern(rule)?.captures(text.as_bytes());
    Ok(found
        .and_then(|found| found.get(1))
        .map(|found| found.range()))
}

/// The version that a pattern finds in a text.
pub fn version_in(text: &str, rule: &str) -> git::Result<Option<Vec<u64>>> {
    Ok(found_in(rule, text)?.map(|at| numbers(&text[at])))
}

/// The numbers of the first version in a text.
fn numbers(text: &str) -> Vec<u64> {
    let from = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let version = from.split(|c: char| !c.is_ascii_digit() && c != '.').next();
    let numbers = version.into_iter().flat_map(|version| version.split('.'));
    numbers.filter_map(|number| number.parse().ok()).collect()
}

impl Place {
    /// The probe that reads it, to so many numbers.
    pub fn probe(&self, precision: usize) -> Probe {
        Probe::Text(TextOf {
            file: self.file.clone(),
            lines: None,
            pattern: Some(self.pattern.clone()),
            section: None,
            kind: Some(TextKind::Version),
            precision: Some(precision),
        })
    }
}

const LOCKS: [&str; 5] = [
    "uv.lock",
    "poetry.lock",
    "pdm.lock",
    "requirements-dev.txt",
    "package-lock.json",
];

/// The tools that pre-commit and a lock file pin.
fn pins(tree: &Tree) -> git::Result<Vec<Fact>> {
    const CONFIG: &str = ".pre-commit-config.yaml";
    let repos =
        pattern(r"\brepo:\s*(\S+/(?:mirrors-)?([\w.-]+?)(?:-pre-commit)?(?:-mirror)?)\s+rev:")?;
    let config = tree.text(CONFIG)?.unwrap_or_default();
    let mut pins = Vec::new();
    for found in repos.captures_iter(config.as_bytes()) {
        let part = |group| found.get(group).map_or("", |part| &config[part.range()]);
        let (repo, tool) = (escape(part(1)), escape(part(2)));
        let pin = format!(r#"{repo}\s+rev:\s*["']?v?(\d+(?:\.\d+)+)"#);
        let locked = format!(
            r#"^(?:name = "{tool}"\s+version = "|{tool}==|\s*"node_modules/{tool}": \{{\s+"version": ")(\d+(?:\.\d+)+)"#
        );
        for lock in LOCKS {
            let text = tree.text(lock)?.unwrap_or_default();
            if let Some(manifest) = place(lock, &text, &locked)?
                && let Some(pinned) = place(CONFIG, &config, &pin)?
            {
                pins.push(Fact {
                    word: part(2).to_owned(),
                    name: format!("{} version", part(2)),
                    manifest,
                    places: vec![pinned],
                });
                break;
            }
        }
    }
    Ok(pins)
}
