//! Facts that stand in a manifest and in another file.

use std::{collections::BTreeSet, path::Path};

use regex::escape;

use super::{
    document::{NEWS, OTHERS, lines_and_code, printed, sentence},
    history::{History, Pair},
    kinds::{
        CHOICES, FLOOR, KINDS, Kind,
        Take::{self, Every, First, Label, Lock, Lowest, Minimums, Pin},
    },
    place::{Place, numbers, only, shown},
    sources::{has_entry, is_changelog, with_version},
    tree::{Tree, folder, line_at, number_at, pattern},
};
use crate::git;

/// A fact of a manifest that one other place states.
pub struct Fact {
    pub word: String,
    pub name: String,
    pub manifest: Place,
    pub place: Place,
    take: Take,
    /// Different versions on which a pin or a first statement has to agree with the manifest.
    agreements: usize,
}

/// A minimum stands beside such words, or in a list or a table.
pub const MINIMUM: &str = r"(?i-u)\bminim|at least|\bor (later|newer|higher|above|greater|up|more recent)|\d\+|>=|≥|&gt;=|%3E|requir|prerequisit|\bneeds?\b|\bmsrv\b|\bsupport|^\s*([-*+]|\d+\.|\|)\s";

/// Words in whose sentence a version is that of another time or place.
const OTHER: &str = r"(?i-u)\bsince\b|\bbefore\b|\buntil\b|\bprior\b|\bolder\b|\bearlier\b|\bfix(ed|es)?\b|introduc|deprecat|\bdropp|\bbugs?\b|\bexamples?([^\w.]|\.?\s|\.?$)|\brecommend|\blatest\b|\bas of\b|\bstarting (with|from|in)\b|tested (on|with)";

/// Words that begin what another version needs, up to a version in the same sentence.
const TURN: &str = r"(?i-u)\b(last|next) (major |minor )?(version|release)\b(?:[^.]|\.\S)*$";

/// The text between a name and its version: an operator of an address, too.
const GAP: &str = r"(?:[^\d\n;]|%3[DE]){0,40}?";

/// The same with the end of one line. A number alone on the next one may be that of an item.
const WRAP: &str = r"(?:[^\d\n;]|%3[DE]){0,40}?(?:\n[ \t>*]*)?";

/// Words above or beside the first release if it is not out yet.
const UNRELEASED: &str = r"(?i-u)unreleased|\b(tbd|upcoming|in progress)\b";

/// The head of a changelog that stopped says so, or where it goes on.
const ELSEWHERE: &str = r"(?i-u)/releases\b|\breleases? (page|notes)|\]\([^)]*changelog|\bno longer\b|\bmoved\b|\bdiscontinued\b|\bsuperseded\b|\barchived?\b";

/// Bytes of a line that no two documents have by chance.
const SENTENCE: usize = 20;

/// In a package.json, what is not published.
const PRIVATE: &str = r#"(?-u)"private":\s*true"#;

/// The files of tools' versions.
const LOCKS: &[&str] =
    &["uv.lock", "poetry.lock", "pdm.lock", "requirements-dev.txt", "package-lock.json"];

/// A repository of pre-commit, and the tool in it.
const HOOKS: &str = r"\brepo:\s*(\S+/(?:mirrors-)?([\w.-]+?)(?:-pre-commit)?(?:-mirror)?)\s+rev:";

pub fn facts(tree: &Tree) -> git::Result<Vec<Fact>> {
    let mut facts = Vec::new();
    for kind in &KINDS {
        facts.extend(of_kind(tree, kind)?);
    }
    let config = tree.text(".pre-commit-config.yaml")?.unwrap_or_default();
    let hooks = pattern(HOOKS)?;
    let hooks = hooks.captures_iter(config.as_bytes()).map(|hook| hook.extract().1);
    let hooks: Vec<_> = hooks.map(|hook| hook.map(String::from_utf8_lossy)).collect();
    let lock = tree.text("uv.lock")?.unwrap_or_default();
    for (number, [repo, tool]) in hooks.iter().enumerate() {
        let own = r"\s+version = .*\s+source = \{ (?:editable|virtual|directory|path) =";
        let own = format!(r#"^name = "{}"{own}"#, escape(tool));
        // What mirrors the project itself follows after its release.
        if pattern(&own)?.is_match(lock.as_bytes()) {
            continue;
        }
        let again = hooks[..number].iter().filter(|[other, _]| other == repo).count();
        let repo = format!(r"{}\s+rev:", escape(repo));
        let pin = format!(
            r#"{}{repo}\s*["']?(?:[0-9a-f]{{40}}["']?\s*#\s*frozen:\s*)?v?(\d+(?:\.\d+)+)"#,
            format!("{repo}(?s:.*?)").repeat(again)
        );
        let locked = format!(
            r#"^(?:name = "{0}"\s+version = "|{0}==|\s*"node_modules/{0}": \{{\s+"version": ")(\d+(?:\.\d+)+)"#,
            escape(tool)
        );
        let locks: Vec<_> = LOCKS.iter().map(|lock| format!("^{}$", escape(lock))).collect();
        let manifests: Vec<_> = locks.iter().map(|lock| (&**lock, &*locked)).collect();
        facts.extend(of_kind(
            tree,
            &Kind {
                word: tool,
                name: &format!("{tool} version"),
                manifests: &manifests,
                pins: &[],
                rules: &[(r"^\.pre-commit-config\.yaml$", &pin, First)],
            },
        )?);
    }
    Ok(facts)
}

fn of_kind(tree: &Tree, kind: &Kind) -> git::Result<Vec<Fact>> {
    let (manifests, pins) = (manifests(tree, kind.manifests)?, manifests(tree, kind.pins)?);
    if manifests.is_empty() && pins.is_empty() {
        return Ok(Vec::new());
    }
    let (tested, is_minimum) = (tested(tree, kind)?, kind.name.starts_with("minimum"));
    let in_file = |file: &str, rule: &str, take| -> git::Result<Vec<Fact>> {
        let pin = || nearest(&pins, file).filter(|_| matches!(take, Minimums | Every));
        let manifest = nearest(&manifests, file);
        let Some(stated_by) = manifest.or_else(pin) else {
            return Ok(Vec::new());
        };
        let mut stated = places(tree, file, rule, take)?;
        // What is still tested is the minimum, whatever developers use.
        stated.retain(|place| {
            manifest.is_some() || tested.iter().all(|tested| *tested > place.version)
        });
        stated.retain(|place| take != Lock || place.version != stated_by.version);
        let floor = pattern(FLOOR)?;
        stated.retain(|place| {
            let is_above = place.version > stated_by.version;
            is_above || is_minimum || !floor.is_match(sentence(&place.says, 0).as_bytes())
        });
        // Two patterns may read one statement.
        stated.retain(|place| (&place.file, &place.lines) != (&stated_by.file, &stated_by.lines));
        if take == First && is_changelog(file) {
            // After a release was withdrawn, the entry of today's version is not the first one.
            let text = tree.text(file)?.unwrap_or_default();
            let has_entry = has_entry(&text, &stated_by.version)?;
            stated.retain(|place| !has_entry || place.version == stated_by.version);
        }
        let fact = |place| {
            let root = match take {
                Minimums => of_root(tree, &manifests, stated_by, &place)?,
                _ => None,
            };
            Ok(Fact {
                word: kind.word.to_owned(),
                name: kind.name.to_owned(),
                manifest: root.unwrap_or(stated_by).clone(),
                place,
                take,
                // A component may be released on its own.
                agreements: if kind.word == "version" { 2 } else { 1 },
            })
        };
        stated.into_iter().map(fact).collect()
    };
    let mut facts = between(kind, &pins)?;
    let rules = kind.pins.iter().map(|&(files, rule)| (files, rule, Pin));
    for (files, rule, take) in rules.chain(kind.rules.iter().copied()) {
        let rule = with_version(rule).replace("GAP", GAP).replace("WRAP", WRAP);
        let mut found = Vec::new();
        for file in tree.own(files)? {
            found.extend(in_file(file, &rule, take)?);
        }
        if take == Minimums {
            let again = again(tree, files, &found, &|file| in_file(file, &rule, take))?;
            found.extend(again);
        }
        facts.extend(found);
    }
    Ok(facts)
}

/// The facts that other documents state in the same sentences.
fn again(
    tree: &Tree,
    known: &str,
    facts: &[Fact],
    in_file: &dyn Fn(&str) -> git::Result<Vec<Fact>>,
) -> git::Result<Vec<Fact>> {
    let mut sentences = BTreeSet::new();
    for Fact { place, .. } in facts {
        let text = tree.text(&place.file)?.unwrap_or_default();
        let line = text.lines().nth(place.lines[0] - 1).unwrap_or_default();
        sentences.insert(line.trim().trim_end_matches('.').to_owned());
    }
    sentences.retain(|sentence| sentence.len() >= SENTENCE);
    let is_again = |line: &str| sentences.iter().any(|sentence| line.contains(sentence));
    let [known, news] = [pattern(known)?, pattern(NEWS)?];
    let mut found = Vec::new();
    for file in tree.own(OTHERS)? {
        let text = tree.text(file)?.unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        let is_read = known.is_match(file.as_bytes()) || news.is_match(file.as_bytes());
        if is_read || !lines.iter().any(|line| is_again(line)) {
            continue;
        }
        let mut facts = in_file(file)?;
        facts.retain_mut(|Fact { place, .. }| {
            let first = place.lines[0];
            place.lines.retain(|line| is_again(lines[line - 1]));
            place.lines.first() == Some(&first)
        });
        found.extend(facts);
    }
    Ok(found)
}

/// The facts of two files of one folder that choose a version: the older one may have been left behind.
fn between(kind: &Kind, pins: &[Place]) -> git::Result<Vec<Fact>> {
    let choices = pattern(CHOICES)?;
    let pins: Vec<&Place> =
        pins.iter().filter(|pin| choices.is_match(pin.file.as_bytes())).collect();
    let mut facts = Vec::new();
    for (number, one) in pins.iter().enumerate() {
        for two in &pins[number + 1..] {
            if one.file == two.file || folder(&one.file) != folder(&two.file) {
                continue;
            }
            let (newer, older) = if one.version < two.version { (two, one) } else { (one, two) };
            facts.push(Fact {
                word: kind.word.to_owned(),
                name: kind.name.trim_start_matches("minimum ").to_owned(),
                manifest: (*newer).clone(),
                place: (*older).clone(),
                take: Pin,
                // Whole numbers are the same by chance.
                agreements: if older.version.len() > 1 { 1 } else { 2 },
            });
        }
    }
    Ok(facts)
}

/// The lowest versions of lists, such as those of workflows.
fn tested(tree: &Tree, kind: &Kind) -> git::Result<Vec<Vec<u64>>> {
    let mut tested = Vec::new();
    for (files, rule, _) in kind.rules.iter().filter(|(.., take)| *take == Lowest) {
        for file in tree.own(files)? {
            tested.extend(places(tree, file, rule, Lowest)?.into_iter().map(|place| place.version));
        }
    }
    Ok(tested)
}

impl Fact {
    /// The project's version, in a place of which its release tool is told.
    pub fn declared(manifest: Place, place: Place) -> Self {
        let [word, name] = ["version"; 2].map(str::to_owned);
        Self { word, name, manifest, place, take: Every, agreements: 1 }
    }

    /// `None` if nothing says that both state the same.
    pub fn judge(self, history: &History) -> Option<Pair> {
        let Self { word, name, manifest, place, take, agreements } = self;
        let precision = manifest.version.len().min(place.version.len());
        let stated = [history.stated(&manifest), history.stated(&place)];
        let compared = history.compare([&stated[0], &stated[1]], precision)?;
        let is_wrong = compared.state.is_wrong();
        let is_behind = place.version < manifest.version && compared.state.is_left_behind();
        let is_known = match take {
            First | Pin if compared.agreed < agreements => false,
            // A newer one is right, and so is a list that begins later.
            Pin | Lock | Lowest => !is_wrong || is_behind,
            _ => true,
        };
        is_known.then_some(Pair { word, name, manifest, place, state: compared.state })
    }
}

/// The first statement of each manifest.
fn manifests(tree: &Tree, rules: &[(&str, &str)]) -> git::Result<Vec<Place>> {
    let mut manifests = Vec::new();
    for (files, rule) in rules {
        for file in tree.own(files)? {
            manifests.extend(places(tree, file, &with_version(rule), Pin)?);
        }
    }
    Ok(manifests)
}

/// The manifest of the root if it says the same as a document, and the nearest one is private: that of a site says what builds
/// the documents, which say what the project needs.
fn of_root<'m>(
    tree: &Tree,
    manifests: &'m [Place],
    nearest: &Place,
    stated: &Place,
) -> git::Result<Option<&'m Place>> {
    let is_same = |root: &&Place| {
        folder(&root.file).is_empty()
            && root.version.iter().zip(&stated.version).all(|(one, two)| one == two)
    };
    let Some(root) = manifests.iter().find(is_same).filter(|_| !folder(&nearest.file).is_empty())
    else {
        return Ok(None);
    };
    let text = tree.text(&nearest.file)?.unwrap_or_default();
    Ok(pattern(PRIVATE)?.is_match(text.as_bytes()).then_some(root))
}

/// The manifest of the nearest folder above; without one, that of another folder if all say the same.
fn nearest<'m>(manifests: &'m [Place], file: &str) -> Option<&'m Place> {
    let depth = |manifest: &&Place| folder(&manifest.file).len();
    let is_above = |manifest: &&Place| Path::new(file).starts_with(folder(&manifest.file));
    // Of several, the first.
    manifests.iter().rev().filter(is_above).max_by_key(depth).or_else(|| {
        let first = manifests.iter().min_by_key(depth)?;
        manifests.iter().all(|manifest| manifest.version == first.version).then_some(first)
    })
}

/// The statements of a file that match.
fn places(tree: &Tree, file: &str, rule: &str, take: Take) -> git::Result<Vec<Place>> {
    let text = tree.text(file)?.unwrap_or_default();
    let [matcher, minimum, other, turn] = [rule, MINIMUM, OTHER, TURN].map(pattern);
    let (matcher, minimum, other, turn) = (matcher?, minimum?, other?, turn?);
    if !matcher.is_match(text.as_bytes()) {
        return Ok(Vec::new());
    }
    let prose = match take {
        Minimums => lines_and_code(file, &text).into_iter().zip(printed(file, &text)?).collect(),
        _ => Vec::new(),
    };
    let (mut places, mut done) = (Vec::<Place>::new(), None);
    for found in matcher.captures_iter(text.as_bytes()) {
        let (Some(whole), Some(at)) = (found.get(0), found.get(1)) else {
            continue;
        };
        let start = text[..at.start()].rfind('\n').map_or(0, |end| end + 1);
        let (number, line) = (number_at(&text, at.start()), line_at(&text, at.start()));
        if done.replace(number) == Some(number) {
            continue;
        }
        let (before, after) = (&text[start..at.start()], &line[at.end() - start..]);
        let version = numbers(&text[at.range()]);
        let is_wrong = match take {
            Minimums => {
                let from = text[..whole.start()].rfind('\n').map_or(0, |end| end + 1);
                let lines = &text[from..start + line.len()];
                // `golang:1.25` is the image of a container.
                let ((_, is_code), is_printed) = prose[number - 1];
                is_code
                    || is_printed
                    || before.ends_with(':')
                    || !minimum.is_match(lines.as_bytes())
                    || other.is_match(sentence(lines, at.start() - from).as_bytes())
                    || turn.is_match(&text.as_bytes()[from..at.start()])
            }
            First => {
                let head = &text[..start + line.len()];
                pattern(UNRELEASED)?.is_match(head.as_bytes())
                    || pattern(ELSEWHERE)?.is_match(head.as_bytes())
            }
            Lowest => !is_lowest(&text[whole.start()..at.start()], &text[at.end()..], &version),
            Every | Label | Pin | Lock => false,
        };
        let said = text[start.max(whole.start())..at.end()].trim_start();
        let mut known = places.iter_mut();
        if is_wrong {
            // What stands here is no statement of this fact.
        } else if let Some(same) = known.find(|place| place.says.starts_with(said)) {
            same.lines.push(number);
        } else if let Some(pattern) = only(rule, &text, at.start()) {
            let rest = after.split(" #").next().unwrap_or_default();
            places.push(Place {
                file: file.to_owned(),
                lines: vec![number],
                says: shown(&format!("{said}{rest}")),
                version,
                pattern,
                ..Place::default()
            });
        }
        if matches!(take, First | Pin | Lock) {
            break;
        }
    }
    if take == Label && places.len() > 1 {
        places.clear();
    }
    if take == Lowest {
        places.sort_by(|place, other| place.version.cmp(&other.version));
        places.truncate(1);
    }
    Ok(places)
}

/// True if a version is the lowest of the list that it opens, or stands alone; the single one of a list is no lowest.
fn is_lowest(before: &str, after: &str, version: &[u64]) -> bool {
    let is_block = before.trim_end_matches(['"', '\'']).ends_with("- ");
    let items: Vec<&str> = match (is_block, before.contains('[')) {
        (true, _) => {
            after.lines().skip(1).map(str::trim).map_while(|line| line.strip_prefix('-')).collect()
        }
        (_, true) => after.split(']').next().unwrap_or_default().split(',').skip(1).collect(),
        _ => return true,
    };
    let mut others = items.iter().map(|item| numbers(item));
    !items.is_empty() && others.all(|other| other.is_empty() || *other >= *version)
}
