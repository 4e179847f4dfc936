//! What would mend a fact: the value of the side that moved, or git's rename; never a guess.

use std::{io, ops::Range, path::Path};

use super::{
    found::{Edit, Fix, Found, State},
    place::Place,
    tree::{Tree, first, folder, pattern},
};
use crate::{
    file,
    git::{self, Error, Repo},
};

/// Its first heading is that of a release, which a new version does not rename.
const CHANGELOGS: &str = r"(?i)(^|/)(changelog|changes|history|news|releases)(\.\w+)?$";

/// Moves of one path that are followed.
const MOVES: usize = 8;

pub fn of(tree: &Tree, found: &Found) -> git::Result<Fix> {
    match &found.state {
        State::Differs { was, .. } => of_versions(tree, &found.places, was),
        _ => of_paths(tree, found),
    }
}

fn of_versions(tree: &Tree, places: &[Place], was: &str) -> git::Result<Fix> {
    let mut fix = Fix::default();
    let Some((source, others)) = places.split_first() else {
        return Ok(fix);
    };
    let text = tree.text(&source.file)?.unwrap_or_default();
    let Some(range) = first(&source.pattern, &text) else {
        return Ok(fix);
    };
    let value = &text[range];
    let mut behind = others.iter().filter(|place| place.is_left_behind).peekable();
    if behind.peek().is_none() {
        let file = &source.file;
        let why = if source.moved_from(was) {
            format!("both moved since they said {was}")
        } else {
            format!("{file} did not move since both said {was}")
        };
        fix.by_hand.push(format!("{why}: only you know which is right"));
    }
    for place in behind {
        let at = format!("{}:{}", place.file, place.lines.first().copied().unwrap_or_default());
        let text = tree.text(&place.file)?.unwrap_or_default();
        if pattern(CHANGELOGS)?.is_match(place.file.as_bytes()) {
            fix.by_hand.push(format!("{} has no entry for {value} yet", place.file));
        } else if let Some(edits) = edits_of(place, &text, value) {
            fix.edits.extend(edits);
        } else {
            fix.by_hand.push(format!("{at} is a list"));
        }
    }
    Ok(fix)
}

/// `None` if it is part of a list, whose other versions would have to change, too.
fn edits_of(place: &Place, text: &str, value: &str) -> Option<Vec<Edit>> {
    let at = first(&place.pattern, text)?;
    let start = text[..at.start].rfind('\n').map_or(0, |end| end + 1);
    let before = &text[start..at.start];
    let old = &text[at.clone()];
    let value = as_precise(value, old);
    // The other lines say it in the same words.
    let said = &place.says[..place.says.find(old)? + old.len()];
    let lines: Vec<&str> = text.lines().collect();
    let mut edits = Vec::new();
    for &line in &place.lines {
        let text = *lines.get(line - 1)?;
        let again = || Some(text.find(said)? + said.len() - old.len());
        let is_first = Some(&line) == place.lines.first();
        let Some(from) = (if is_first { Some(before.len()) } else { again() }) else {
            continue;
        };
        if is_in_list(text, from) {
            return None;
        }
        let (after, url) = rewritten(text, from..from + old.len(), &value);
        edits.push(Edit {
            file: place.file.clone(),
            line,
            before: text.into(),
            after,
            value: value.clone(),
            url,
        });
    }
    Some(edits)
}

/// The version with as many numbers as another one has.
fn as_precise(version: &str, like: &str) -> String {
    let numbers = version.split('.').chain(std::iter::repeat("0"));
    numbers.take(like.split('.').count()).collect::<Vec<_>>().join(".")
}

fn is_in_list(line: &str, at: usize) -> bool {
    let (before, after) = line.split_at(at);
    let is_open = before.rfind('[').is_some_and(|open| !before[open..].contains(']'));
    is_open && after.split(']').next().is_some_and(|rest| rest.contains(','))
        || before.contains("Programming Language ::")
        || before.trim_matches([' ', '"', '\'']) == "-"
}

/// The line with another text at `at`, and where the same version stands again: in the same word, or anywhere if it has
/// three numbers. Beside it the URL that was changed.
fn rewritten(line: &str, at: Range<usize>, value: &str) -> (String, Option<String>) {
    let old = &line[at.clone()];
    let is_same_word = |other: usize| {
        let between =
            if other < at.start { &line[other..at.start] } else { &line[at.start..other] };
        !between.contains(char::is_whitespace)
    };
    let is_whole = |other: usize| {
        let (before, after) = (&line[..other], &line[other + old.len()..]);
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        let (mut last, mut next) = (before.chars().rev(), after.chars());
        let is_more =
            |c: Option<char>, beyond: Option<char>| digit(c) || c == Some('.') && digit(beyond);
        !is_more(last.next(), last.next()) && !is_more(next.next(), next.next())
    };
    let is_meant = |other: usize| {
        other == at.start
            || is_whole(other) && (is_same_word(other) || old.matches('.').count() >= 2)
    };
    let (mut text, mut end, mut url) = (String::new(), 0, None);
    for (other, _) in line.match_indices(old).filter(|&(other, _)| is_meant(other)) {
        text += &line[end..other];
        text += value;
        end = other + old.len();
    }
    text += &line[end..];
    let words = line.split_whitespace().zip(text.split_whitespace());
    for (_, word) in words.filter(|(before, after)| before != after && after.contains("://")) {
        let start = word.find("http").unwrap_or_default();
        let end = |c| matches!(c, '"' | '\'' | '<' | '>' | ')' | '`');
        let whole = word[start..].split(end).next().unwrap_or_default();
        url = Some(whole.trim_end_matches([',', '.']).to_owned());
    }
    (text, url)
}

fn of_paths(tree: &Tree, found: &Found) -> git::Result<Fix> {
    let mut fix = Fix::default();
    for place in &found.places {
        let target = match (&place.path, found.state.since()) {
            (Some(path), Some(since)) => moved_to(tree, path, &since.commit)?,
            _ => None,
        };
        let Some(target) = target else {
            fix.by_hand.push(format!("git knows no rename of {}", place.says));
            continue;
        };
        let value = written(place, &target);
        let matcher = pattern(&named(&[&place.says]))?;
        let text = tree.text(&place.file)?.unwrap_or_default();
        for (line, before) in (1..).zip(text.lines()) {
            let (mut after, mut end) = (String::new(), 0);
            for found in matcher.captures_iter(before.as_bytes()).filter_map(|found| found.get(1)) {
                after += &before[end..found.start()];
                after += &value;
                end = found.end();
            }
            after += &before[end..];
            if end > 0 {
                let url = value.contains("://").then(|| value.clone());
                let (file, value, before) = (place.file.clone(), value.clone(), before.to_owned());
                fix.edits.push(Edit { file, line, before, after, value, url });
            }
        }
    }
    Ok(fix)
}

/// A pattern of paths as documents name them.
pub(super) fn named(paths: &[&str]) -> String {
    let paths: Vec<String> = paths.iter().map(|path| regex::escape(path)).collect();
    format!(r"(?:^|[^\w./-])(?:\./)?({})/?(?:[^\w/-]|$)", paths.join("|"))
}

/// The new path in the words of the document: from the root, from its folder, or in a URL.
fn written(place: &Place, target: &str) -> String {
    let path = place.path.as_deref().unwrap_or_default();
    let from = folder(&place.file);
    if let Some(before) = place.says.strip_suffix(path) {
        return format!("{before}{target}");
    }
    let (mut from, mut to): (Vec<&str>, Vec<&str>) =
        (from.split('/').collect(), target.split('/').collect());
    while to.len() > 1 && from.first() == to.first() {
        from.remove(0);
        to.remove(0);
    }
    let up = if from == [""] { 0 } else { from.len() };
    let up = std::iter::repeat_n("..", up);
    up.chain(to).collect::<Vec<_>>().join("/")
}

/// The path to which a file or a folder moved in the commit that removed it, and then in others.
fn moved_to(tree: &Tree, path: &str, commit: &str) -> git::Result<Option<String>> {
    let (mut path, mut commit) = (path.to_owned(), commit.to_owned());
    for _ in 0..MOVES {
        let moves = tree.moves(&commit)?;
        let Some(target) = target(&moves, &path) else {
            return Ok(None);
        };
        if tree.has(&target) {
            return Ok(Some(target));
        }
        let Some(change) = tree
            .changes(std::slice::from_ref(&target))?
            .into_iter()
            .find(|change| Path::new(&change.path).starts_with(&target))
        else {
            return Ok(None);
        };
        (path, commit) = (target, change.commit.to_string());
    }
    Ok(None)
}

/// Where the path went; a folder only if all of its files went to one other folder.
fn target(moves: &[(String, String)], path: &str) -> Option<String> {
    if let Some((_, target)) = moves.iter().find(|(from, _)| from == path) {
        return Some(target.clone());
    }
    let mut targets = moves.iter().filter_map(|(from, to)| {
        let rest = from.strip_prefix(path)?.strip_prefix('/')?;
        Some(to.strip_suffix(rest).and_then(|to| to.strip_suffix('/')).map(str::to_owned))
    });
    let target = targets.next()??;
    targets.all(|other| other.as_ref() == Some(&target)).then_some(target)
}

impl Edit {
    /// The part of the line that is replaced, and its new text.
    fn part(&self) -> (Range<usize>, &str) {
        let (before, after) = (&self.before, &self.after);
        let same = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
            pairs.take_while(|(one, two)| one == two).map(|(c, _)| c.len_utf8()).sum()
        };
        let start = same(&mut before.chars().zip(after.chars()));
        let (left, right) = (&before[start..], &after[start..]);
        let end = same(&mut left.chars().rev().zip(right.chars().rev()));
        (start..before.len() - end, &right[..right.len() - end])
    }
}

impl Place {
    fn moved_from(&self, was: &str) -> bool {
        let was: Vec<u64> = was.split('.').filter_map(|number| number.parse().ok()).collect();
        !self.version.starts_with(&was)
    }
}

/// Writes edits into the files of the worktree, and nothing else: line ends and modes stay.
/// # Errors
/// If a file has changes that are not committed, or does not have the lines; then nothing is written.
pub fn write(repo: &Repo, edits: &[&Edit]) -> git::Result<Vec<String>> {
    let root = repo.worktree().ok_or_else(|| {
        Error::refused(
            "a bare repository has no files to change",
            "run it in a clone with a worktree",
        )
    })?;
    let mut files: Vec<String> = edits.iter().map(|edit| edit.file.clone()).collect();
    files.sort_unstable();
    files.dedup();
    if let Some(changed) = repo.differing(&files, false)?.first() {
        let message = format!("{changed} has changes that are not committed");
        return Err(Error::refused(
            message,
            "nothing was changed; commit or stash them, and run it again",
        ));
    }
    let mut texts = Vec::new();
    for name in &files {
        let unread = |error: io::Error| {
            Error::refused(format!("could not read {name}: {error}"), "nothing was changed")
        };
        let bytes = file::read(&root, name.as_ref(), file::MOST).map_err(unread)?;
        let text =
            String::from_utf8(bytes).map_err(|_| unread(io::Error::other("it is not UTF-8")))?;
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        let mut parts: Vec<_> = edits
            .iter()
            .filter(|edit| edit.file == *name)
            .map(|edit| (edit.line, edit.part()))
            .collect();
        // From the end of each line to its start, so that what is left to change stays where it is.
        parts.sort_unstable_by_key(|(line, (range, _))| (*line, std::cmp::Reverse(range.start)));
        for (line, (range, value)) in parts {
            let text = lines.get_mut(line - 1).filter(|text| {
                text.is_char_boundary(range.start) && text.is_char_boundary(range.end)
            });
            let text = text
                .ok_or_else(|| unread(io::Error::other(format!("line {line} is another one"))))?;
            text.replace_range(range, value);
        }
        texts.push((root.join(name), lines.concat()));
    }
    for (path, text) in texts {
        file::replace(&path, &text).map_err(Error::file("write", &path))?;
    }
    Ok(files)
}
