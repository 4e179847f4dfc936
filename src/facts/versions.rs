//! Facts that stand in a manifest and in another file.

use std::iter::once;

use regex::escape;
use serde::Serialize;

use self::Take::{Every, First, Lowest, Minimums};
use super::tree::{Tree, first, folder, pattern};
use crate::{
    evidence::{joined, lines_and_code},
    git,
};

/// A fact of a manifest, the first of the places, that one other file states.
pub struct Fact {
    pub word: String,
    pub name: String,
    pub places: Vec<Place>,
}

/// A statement of a version.
#[derive(Debug, Default, Clone, Serialize)]
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

struct Kind<'k> {
    word: &'k str,
    name: &'k str,
    /// File names of manifests, each with a pattern whose first group is the version.
    manifests: &'k [(&'k str, &'k str)],
    /// Patterns of other files' paths, each with one for the version; `NAME` is the project's name.
    rules: &'k [(&'k str, &'k str, Take)],
}

/// The statements of a file that count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Take {
    /// Those of a minimum in prose, outside of code.
    Minimums,
    Every,
    /// The first, unless it is unreleased: the manifest may be ahead of the last release.
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
const KINDS: [Kind<'static>; 5] = [
    Kind { word: "msrv", name: "minimum Rust version",
        manifests: &[("Cargo.toml", r#"^rust-version\s*=\s*"(\d+(?:\.\d+)+)"#)],
        rules: &[
            (GUIDES, r"(?i-u)\b(?:rust|rustc|msrv|cargo)\b[^\d\n;]{0,40}?\bv?(1\.\d{2,3}(?:\.\d+)?)\b", Minimums),
            (r"(^|/)\.?clippy\.toml$", r#"^msrv\s*=\s*"(1\.\d+(?:\.\d+)?)"#, First),
            (WORKFLOWS, r#"(?i-u)(?:msrv|rust\w*|toolchain)["']? *[:=@] *\[? *["']?(1\.\d{2,3}(?:\.\d+)?)\b"#, Lowest),
        ] },
    Kind { word: "go", name: "minimum Go version",
        manifests: &[("go.mod", r"^go (\d+\.\d+(?:\.\d+)?)\s*$")],
        rules: &[
            (GUIDES, r"(?-u)\b(?:Go|[Gg]olang)\b[^\d\n;]{0,30}?\bv?(1\.\d{1,2}(?:\.\d+)?)\b", Minimums),
            (WORKFLOWS, r#"(?-u)\bgo(?:-version)?["']?: *\[ *["']?(1\.\d+(?:\.\d+)?)\b"#, Lowest),
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
            (WORKFLOWS, r#"(?-u)\bpython(?:-version)?["']?: *\[ *["']?(3\.\d+)\b"#, Lowest),
        ] },
    Kind { word: "node", name: "minimum Node version",
        manifests: &[("package.json", r#""node":\s*"(?:>=|\^|~)?\s*v?(\d+(?:\.\d+){0,2})(?:\.x)?"\s*,?$"#)],
        rules: &[
            (GUIDES, r"(?i-u)\bnode(?:\.?js)?\b[^\d\n;]{0,30}?\bv?(\d{2}(?:\.\d+){0,2})\b", Minimums),
            (WORKFLOWS, r#"(?-u)\bnode(?:-version)?["']?: *\[ *["']?(\d{2}(?:\.\d+){0,2})\b"#, Lowest),
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
            (GUIDES, r#"(?-u)(?:\bNAME["']?(?: ?= ?(?:\{[^}\n]*version ?= ?)?|[=@:_-]{1,2})["']?v?|releases/download/v?|\brev: *["']?v?|--(?:version|tag|branch)[ =]["']?v?)(\d+\.\d+(?:\.\d+)?)(?:[^\d.-]|-[^A-Za-z]|\.\D|[.-]?$)"#, Every),
        ] },
];

/// The name of a project in its manifest; a shorter one may be any word.
const NAME: &str = r#"^\s*"?name"?\s*[:=]\s*["'](?:@[^/"]+/)?([\w.-]{3,})["']"#;

const LOCKS: &str = "uv.lock poetry.lock pdm.lock requirements-dev.txt package-lock.json";

/// A repository of pre-commit, and the tool in it.
const HOOKS: &str = r"\brepo:\s*(\S+/(?:mirrors-)?([\w.-]+?)(?:-pre-commit)?(?:-mirror)?)\s+rev:";

pub fn facts(tree: &Tree) -> git::Result<Vec<Fact>> {
    let mut facts = Vec::new();
    for kind in &KINDS {
        facts.extend(of_kind(tree, kind)?);
    }
    let config = tree.text(".pre-commit-config.yaml")?.unwrap_or_default();
    for hook in pattern(HOOKS)?.captures_iter(config.as_bytes()) {
        let [repo, tool] = hook.extract().1.map(String::from_utf8_lossy);
        let pin = format!(r#"{}\s+rev:\s*["']?v?(\d+(?:\.\d+)+)"#, escape(&repo));
        let locked = format!(
            r#"^(?:name = "{0}"\s+version = "|{0}==|\s*"node_modules/{0}": \{{\s+"version": ")(\d+(?:\.\d+)+)"#,
            escape(&tool)
        );
        let manifests: Vec<_> = LOCKS.split(' ').map(|lock| (lock, &*locked)).collect();
        let kind = Kind {
            word: &tool,
            name: &format!("{tool} version"),
            manifests: &manifests,
            rules: &[(r"^\.pre-commit-config\.yaml$", &pin, First)],
        };
        facts.extend(of_kind(tree, &kind)?);
    }
    Ok(facts)
}

fn of_kind(tree: &Tree, kind: &Kind) -> git::Result<Vec<Fact>> {
    let mut facts = Vec::new();
    for &(files, rule, take) in kind.rules {
        for file in tree.own(files)? {
            let Some((manifest, project)) = nearest(tree, kind, file)? else {
                continue;
            };
            let stated = places(tree, file, &rule.replace("NAME", &project), take)?;
            if !stated.is_empty() {
                facts.push(Fact {
                    word: kind.word.to_owned(),
                    name: kind.name.to_owned(),
                    places: once(manifest).chain(stated).collect(),
                });
            }
        }
    }
    Ok(facts)
}

/// The statement of the manifest in the nearest folder above, and a pattern of its project's name.
fn nearest(tree: &Tree, kind: &Kind, mut at: &str) -> git::Result<Option<(Place, String)>> {
    while !at.is_empty() {
        at = folder(at);
        for (name, rule) in kind.manifests {
            let file = joined(at, name).unwrap_or_default();
            if let Some(place) = places(tree, &file, rule, First)?.pop() {
                let text = tree.text(&file)?.unwrap_or_default();
                let project = first(NAME, &text).map(|name| escape(&text[name]));
                return Ok(Some((place, project.unwrap_or("[^\\s\\S]".into()))));
            }
        }
    }
    Ok(None)
}

/// The statements of a file that match.
fn places(tree: &Tree, file: &str, rule: &str, take: Take) -> git::Result<Vec<Place>> {
    let text = tree.text(file)?.unwrap_or_default();
    let [matcher, minimum, other] = [pattern(rule)?, pattern(MINIMUM)?, pattern(OTHER)?];
    let prose = match take {
        Minimums => lines_and_code(&text),
        _ => Vec::new(),
    };
    let (mut places, mut done) = (Vec::<Place>::new(), None);
    for found in matcher.captures_iter(text.as_bytes()) {
        let (Some(whole), Some(at)) = (found.get(0), found.get(1)) else {
            continue;
        };
        let start = text[..at.start()].rfind('\n').map_or(0, |end| end + 1);
        let number = text[..start].matches('\n').count();
        if done.replace(number) == Some(number) {
            continue;
        }
        let line = text[start..].lines().next().unwrap_or_default();
        let (before, after) = (&text[start..at.start()], &line[at.end() - start..]);
        let version = numbers(&text[at.range()]);
        let is_wrong = match take {
            Minimums => {
                // `golang:1.25` is the image of a container.
                prose[number].1
                    || before.ends_with(':')
                    || !minimum.is_match(line.as_bytes())
                    || other.is_match(line.as_bytes())
            }
            First => text[..start + line.len()].to_lowercase().contains("unreleased"),
            Lowest => {
                let list = after.split(']').next().unwrap_or_default();
                let mut others = list.split([',', ' ']).map(numbers);
                others.any(|other| !other.is_empty() && other < version)
            }
            Every => false,
        };
        let said = text[start.max(whole.start())..at.end()].trim_start();
        let mut known = places.iter_mut();
        if is_wrong {
            // What stands here is no statement of this fact.
        } else if let Some(same) = known.find(|place| place.says.starts_with(said)) {
            same.lines.push(number + 1);
        } else if let Some(pattern) = only(rule, &text, at.start()) {
            let rest = after.split(" #").next().unwrap_or_default();
            places.push(Place {
                file: file.to_owned(),
                lines: vec![number + 1],
                says: format!("{said}{rest}").trim().chars().take(SAYS).collect(),
                version,
                pattern,
            });
        }
        if take == First {
            break;
        }
    }
    if take == Lowest {
        places.sort_by(|place, other| place.version.cmp(&other.version));
        places.truncate(1);
    }
    Ok(places)
}

/// The pattern, or a narrower one, whose first match in the text is the version at this place.
fn only(rule: &str, text: &str, at: usize) -> Option<String> {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = &text[start..at];
    let words = line.rmatch_indices(' ').map(|(at, _)| &line[at + 1..]);
    let words = words.filter(|words| words.contains(char::is_alphabetic));
    let version = |before: &str| format!(r"{}(\d+(?:\.\d+){{0,2}})", escape(before));
    let whole = format!("^{}", version(line));
    let mut rules = once(rule.to_owned()).chain(words.map(version)).chain([whole]);
    rules.find(|rule| first(rule, text).is_some_and(|found| found.start == at))
}

impl Place {
    /// The version that another text states there, with so many numbers.
    pub fn version_in(&self, text: &str, precision: usize) -> Option<Vec<u64>> {
        let mut version = numbers(&text[first(&self.pattern, text)?]);
        version.resize(precision, 0);
        Some(version)
    }
}

/// The numbers of the first version in a text.
fn numbers(text: &str) -> Vec<u64> {
    let version = text
        .trim_start_matches(|c: char| !c.is_ascii_digit())
        .split(|c: char| !c.is_ascii_digit() && c != '.')
        .next();
    version
        .into_iter()
        .flat_map(|version| version.split('.'))
        .filter_map(|number| number.parse().ok())
        .collect()
}
