//! The fix of a fact: the value of the side that changed, or a rename that git is sure of; never a guess.

use std::{collections::BTreeMap, ops::Range, path::Path, slice};

use super::{
    found::{Edit, Fix, Found, Part, State},
    kinds::LOCK,
    literals::permalinks,
    names::{Form, Spot, decoded},
    place::{Place, numbers, version_in},
    sources::{has_entry, is_changelog},
    tree::{Tree, first, folder, last, pattern},
};
use crate::{
    evidence::joined,
    git::{self, Line, Oid},
    quote,
};

/// Moves of one path that are followed.
const MOVES: usize = 8;

/// A version beside another one is one of a list or a range, whose other ends may have to change, too.
const NEXT: &str = r#"(?-u)^["'`*+]{0,2}\s*(?:,\s*(?:and|or)?|–|[-/|&]|(?:to|through|and|or)\b)\s*["'`*v]*(\d+(?:\.\d+)*)"#;
const PREVIOUS: &str = r#"(?-u)(?:^|[^\w.])v?(\d+(?:\.\d+)*)["'`*+]{0,2}\s*(?:,\s*(?:and|or)?|–|[-/|&]|\b(?:to|through|and|or))\s*["'`*v]*$"#;

/// A commit or a digest, which programs go by, whatever version stands beside it.
const PINNED: &str = r#"(?-u)[@:=]\s*["']?[0-9a-f]{40}"#;

/// The text of a link up to its target, if that may be a path.
const SHOWN: &str = r"(?-u)\[`*(?:\./)?([^\[\]`]+?)/?`*\]\(\s*<?(?:\./)?$";

pub fn of(tree: &Tree, line: &Line, found: &Found) -> git::Result<Fix> {
    match &found.state {
        State::Differs { was, .. } => of_versions(tree, &found.places, was),
        _ => of_paths(tree, line, found),
    }
}

fn of_versions(tree: &Tree, places: &[Place], was: &str) -> git::Result<Fix> {
    let mut fix = Fix::default();
    let Some((source, others)) = places.split_first() else {
        return Ok(fix);
    };
    let text = tree.text(&source.file)?.unwrap_or_default();
    let Some(at) = first(&source.pattern, &text) else {
        let line = source.lines[0];
        fix.by_hand.push(format!("{}:{line} states no released version", source.file));
        return Ok(fix);
    };
    let value = &version_in(&text[at.start..whole(&text, &at).end]);
    let mut behind = others.iter().filter(|place| place.is_left_behind).peekable();
    if behind.peek().is_none() {
        let file = &source.file;
        let why = if source.moved_from(was) {
            format!("both changed since they said {was}")
        } else {
            format!("{file} has not changed since both said {was}")
        };
        fix.by_hand.push(format!("{why}: only you know which is right"));
    }
    for place in behind {
        let text = tree.text(&place.file)?.unwrap_or_default();
        match by_others(&place.file, &text, value)? {
            Some(why) => fix.by_hand.push(why),
            None => fix.of_version(place, &text, value)?,
        }
    }
    Ok(fix)
}

/// Why a file is not edited: it is not UTF-8, it has a history of versions, or a program writes it.
pub(super) fn by_others(file: &str, text: &str, value: &str) -> git::Result<Option<String>> {
    Ok(if let Some(why) = unreadable(file, text) {
        Some(why)
    } else if is_changelog(file) {
        Some(if has_entry(text, &numbers(value))? {
            format!("{file} has an entry for {value}, which is not the first one")
        } else {
            format!("{file} has no entry for {value} yet")
        })
    } else if pattern(LOCK)?.is_match(file.as_bytes()) {
        Some(format!("npm writes {file}"))
    } else {
        None
    })
}

/// Why a text is not edited: bytes that are not UTF-8 were read as U+FFFD.
fn unreadable(file: &str, text: &str) -> Option<String> {
    let why = format!("{file} has bytes that are not UTF-8, or the character U+FFFD");
    text.contains('\u{fffd}').then_some(why)
}

impl Fix {
    /// Writes a version into each line that states the old one.
    fn of_version(&mut self, place: &Place, text: &str, value: &str) -> git::Result<()> {
        let Some(at) = first(&place.pattern, text) else {
            return Ok(());
        };
        let before = text[..at.start].rfind('\n').map_or(0, |end| end + 1);
        let old = &text[at.clone()];
        // The other lines say it in the same words.
        let words = place.says.find(old).map(|from| &place.says[..from + old.len()]);
        let lines: Vec<&str> = text.lines().collect();
        for (number, &line) in place.lines.iter().enumerate() {
            let said = lines.get(line - 1).copied().unwrap_or_default();
            let again = || Some(said.find(words?)? + words?.len() - old.len());
            let from = if number == 0 { Some(at.start - before) } else { again() };
            let written = match from {
                Some(from) => rewritten(said, whole(said, &(from..from + old.len())), value)?,
                None => Err("says it in other words".to_owned()),
            };
            match written {
                Ok((parts, value)) => {
                    let edit = Edit::new(&place.file, text, line, parts, value);
                    self.edits.push(Edit { url: changed_url(&edit), ..edit });
                }
                Err(why) => self.by_hand.push(format!("{}:{line} {why}", place.file)),
            }
        }
        Ok(())
    }
}

/// The whole version of which a part is at a place.
fn whole(text: &str, part: &Range<usize>) -> Range<usize> {
    let is_number = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
    let (mut start, mut end) = (part.start, part.end);
    while let Some(rest) = text[end..].strip_prefix('.').filter(|rest| is_number(rest)) {
        end = text.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    }
    while let Some(rest) = text[..start].strip_suffix('.') {
        let before = rest.trim_end_matches(|c: char| c.is_ascii_digit());
        if before.len() == rest.len() {
            break;
        }
        start = before.len();
    }
    start..end
}

/// The version with as many numbers as another one has, if it has so many.
fn as_precise(version: &str, like: &str) -> String {
    version.split('.').take(like.split('.').count()).collect::<Vec<_>>().join(".")
}

fn is_in_list(line: &str, at: &Range<usize>, value: &str) -> git::Result<bool> {
    let (before, after) = (&line[..at.start], &line[at.end..]);
    let is_open = before.rfind('[').is_some_and(|open| !before[open..].contains(']'));
    let old = &line[at.clone()];
    let is_other = |rule: &str, text: &str| {
        let other = first(rule, text).map(|other| &text[other]);
        other.is_some_and(|other| other != old && other.contains('.') == old.contains('.'))
    };
    Ok(is_open && after.split(']').next().is_some_and(|rest| rest.contains(','))
        || before.contains("Programming Language ::")
        || before.trim_matches([' ', '"', '\'']) == "-"
        || is_other(NEXT, after)
        || is_other(PREVIOUS, before)
        || versions(line)?.iter().any(|other| line[other.clone()] == *value))
}

/// The numbers of a line, each with all that dots join to it, but for those of permalinks.
fn versions(line: &str) -> git::Result<Vec<Range<usize>>> {
    let (numbers, permalinks) = (pattern(r"(?-u)\d+(?:\.\d+)*")?, permalinks(line)?);
    let numbers = numbers.find_iter(line.as_bytes()).map(|number| number.range());
    let is_free =
        |number: &Range<usize>| !permalinks.iter().any(|link| link.contains(&number.start));
    Ok(numbers.filter(is_free).collect())
}

/// The parts of a line that become another version: at `at`, and where the same one stands again: in the same word, perhaps
/// with more or fewer numbers, or anywhere if it has three. Beside them what stands at `at` then, or why it is left to a person.
pub(super) fn rewritten(
    line: &str,
    at: Range<usize>,
    value: &str,
) -> git::Result<Result<(Vec<Part>, String), String>> {
    let old = &line[at.clone()];
    let written = as_precise(value, old);
    if is_in_list(line, &at, &written)? {
        return Ok(Err("is a list".to_owned()));
    }
    if pattern(PINNED)?.is_match(line.as_bytes()) {
        return Ok(Err("is pinned to a hash, which has to change along".to_owned()));
    }
    let mut parts = Vec::new();
    for other in versions(line)? {
        let between = other.start.min(at.start)..other.start.max(at.start);
        let is_same_word = !line[between].contains(char::is_whitespace);
        let said = &line[other.clone()];
        let is_again = said == old && (is_same_word || old.matches('.').count() >= 2);
        let is_alike =
            said.contains('.') && said.split('.').zip(old.split('.')).all(|(one, two)| one == two);
        if other != at && !is_again && !(is_same_word && is_alike) {
            continue;
        }
        if said != old && said.split('.').count() > value.split('.').count() {
            return Ok(Err(format!("says {said}, too")));
        }
        parts.push((other, as_precise(value, said)));
    }
    Ok(Ok((parts, written)))
}

/// The URL that a change of a line made another one.
fn changed_url(edit: &Edit) -> Option<String> {
    let words = edit.before.split_whitespace().zip(edit.after.split_whitespace());
    let changed = words.filter(|(before, after)| before != after && after.contains("://"));
    let (_, word) = changed.last()?;
    let start = word.find("http").unwrap_or_default();
    let end = |c| matches!(c, '"' | '\'' | '<' | '>' | ')' | '`');
    let whole = word[start..].split(end).next().unwrap_or_default();
    Some(whole.trim_end_matches([',', '.']).to_owned())
}

fn of_paths(tree: &Tree, history: &Line, found: &Found) -> git::Result<Fix> {
    let (mut fix, mut renamed) = (Fix::default(), Vec::new());
    for place in &found.places {
        let target = match (&place.path, found.state.since()) {
            (Some(path), Some(since)) => moved_to(tree, history, path, since.commit),
            _ => None,
        };
        if place.says.starts_with('/') {
            let says = &place.says;
            fix.by_hand.push(format!("{says} may begin at the root of a site"));
            continue;
        }
        let Some(target) = target else {
            fix.by_hand.push(unmended(tree, found, place));
            continue;
        };
        renamed.push((place, target));
    }
    // All are named in one document.
    let file = found.places.first().map_or("", |place| &place.file);
    let text = tree.text(file)?.filter(|_| !renamed.is_empty()).unwrap_or_default();
    if let Some(why) = unreadable(file, &text) {
        fix.by_hand.push(why);
        return Ok(fix);
    }
    let lines: Vec<&str> = text.lines().collect();
    let mut parts = BTreeMap::<usize, Vec<Part>>::new();
    for (place, target) in &renamed {
        let is_known = |spot: &&Spot| spot.form != Form::Bare || is_beside(found, place, target);
        if !place.spots.iter().all(|spot| is_known(&spot)) {
            let (says, path) = (&place.says, place.path.as_deref().unwrap_or_default());
            let why = format!("{path} is {target} now: only you know what becomes of {says}");
            fix.by_hand.push(why);
        }
        for spot in place.spots.iter().filter(is_known) {
            let line = lines.get(spot.line - 1).copied().unwrap_or_default();
            parts.entry(spot.line).or_default().extend(renamed_at(spot, line, place, target));
        }
    }
    for (line, parts) in parts {
        if let Some((_, value)) = parts.first().cloned() {
            let edit = Edit::new(file, &text, line, parts, value);
            let url = changed_url(&edit).filter(|_| found.kind == "url");
            fix.edits.push(Edit { url, ..edit });
        }
    }
    Ok(fix)
}

/// True if a name without a folder names what a file is called now, too. Of another folder, a less certain name may mean
/// the reader's own file.
fn is_beside(found: &Found, place: &Place, target: &str) -> bool {
    let of = folder(place.path.as_deref().unwrap_or_default());
    of == folder(target) && (!found.is_doubtful || of == folder(&place.file))
}

/// The parts of a line that change where a place names a path. Other words of the same letters are none of its business; but
/// the text of a link that shows the path does so afterwards, too.
fn renamed_at(spot: &Spot, line: &str, place: &Place, target: &str) -> Vec<Part> {
    let says = place.says.trim_end_matches('/');
    let mut at = spot.column..spot.column + says.len();
    if line.get(at.clone()) != Some(says) {
        return Vec::new();
    }
    let text = match spot.form {
        Form::Bare => last(target).to_owned(),
        form => written(place, says, target, form == Form::Url),
    };
    if spot.form != Form::Link {
        return vec![(at, text)];
    }
    let before = &line[..at.start];
    let shown = first(SHOWN, before).and_then(|shown| {
        let name = &before[shown.clone()];
        // A word that is spelled like a folder is no path.
        let is_path = name.contains(['/', '.'])
            || before[..shown.start].ends_with('`')
            || before[shown.end..].starts_with('/');
        let is_whole = place.path.as_deref() == Some(name);
        let text = if is_whole { target.to_owned() } else { text };
        (is_path && (is_whole || name == says)).then_some((shown, text))
    });
    // The target of a link is seen from the folder of its document, whatever it was before.
    let beside = beside(&place.file, target);
    let is_plain = !beside.contains(|c: char| c.is_whitespace() || "()<>".contains(c));
    let beside = if is_plain && decoded(says) == says { beside } else { encoded(&beside) };
    if beside.starts_with("../") && before.ends_with("./") {
        at.start -= "./".len();
    }
    [(at, beside)].into_iter().chain(shown).collect()
}

/// Why a name of something that is missing stays as it is.
fn unmended(tree: &Tree, found: &Found, place: &Place) -> String {
    let (says, name) = (&place.says, decoded(&place.says));
    let or_meant = |why: String, path: Option<String>| match path {
        Some(path) => format!("{why}: is {} meant?", beside(&place.file, &path)),
        None => why,
    };
    match &found.state {
        State::Never => {
            or_meant(format!("{says} does not exist"), tree.only_file(last(&name)).cloned())
        }
        State::Missing { since: Some(since) } if since.is_move => {
            let path = joined(folder(&since.path), &name).filter(|path| tree.has(path));
            or_meant(format!("{says} was written for {}", since.path), path)
        }
        _ if found.kind == "place" => format!("nothing in {says} matches any more"),
        _ if found.kind == "command" => format!("only you know what replaced {says}"),
        _ => format!("git is sure of no rename of {says}"),
    }
}

/// The new path in the words of the document: from the root, from its folder, or in a URL.
fn written(place: &Place, says: &str, target: &str, is_url: bool) -> String {
    let path = place.path.as_deref().unwrap_or_default();
    let name = decoded(says);
    let text = match name.strip_suffix(path) {
        Some(before) => format!("{before}{target}"),
        None => beside(&place.file, target),
    };
    if is_url || name != says { encoded(&text) } else { text }
}

/// A path as a document names it from its own folder.
fn beside(document: &str, target: &str) -> String {
    let (mut from, mut to): (Vec<&str>, Vec<&str>) =
        (folder(document).split('/').collect(), target.split('/').collect());
    while to.len() > 1 && from.first() == to.first() {
        from.remove(0);
        to.remove(0);
    }
    let up = if from == [""] { 0 } else { from.len() };
    std::iter::repeat_n("..", up).chain(to).collect::<Vec<_>>().join("/")
}

fn encoded(path: &str) -> String {
    quote::percent(path, b"-._~/@+=,")
}

/// The path to which a file or a folder moved in the commit that removed it, and then in others.
fn moved_to(tree: &Tree, line: &Line, path: &str, mut commit: Oid) -> Option<String> {
    let mut path = path.to_owned();
    for _ in 0..MOVES {
        path = tree.moves.target(commit, &path)?;
        if tree.has(&path) {
            return Some(path);
        }
        let mut changes = tree.changes(line, slice::from_ref(&path)).into_iter();
        commit = changes.find(|change| Path::new(&change.path).starts_with(&path))?.commit;
    }
    None
}

impl Place {
    fn moved_from(&self, was: &str) -> bool {
        let was: Vec<u64> = was.split('.').filter_map(|number| number.parse().ok()).collect();
        !self.version.starts_with(&was)
    }
}
