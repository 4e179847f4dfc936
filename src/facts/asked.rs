//! A fact that a question asks and that fails: where its places stand, what made them differ, and what would fix it.

use std::{collections::HashMap, ops::Range};

use jiff::Timestamp;
use serde_json::json;

use super::{
    At, Edit, Fix, Found, Place, Since, State,
    document::is_prose,
    fix,
    place::{shown_at, version_in},
    tree::{first, line_at, number_at},
};
use crate::{
    evidence::{Change, Derived, LABEL, Prober, agree_in, part_text, trace, value_at},
    file,
    git::{self, ErrorKind, Oid, Repo},
    question::{Probe, Question},
};

/// The places that a question compares, with what they say at a commit, in the order of its probe.
struct Places<'q> {
    parts: &'q [Probe],
    texts: HashMap<&'q str, String>,
    ranges: Vec<Range<usize>>,
}

/// The fact of a question that fails; `None` unless its places agreed at the base or, without one, at an earlier
/// commit, as far as the history is known, and differ now.
pub fn asked(
    repo: &Repo,
    at: At,
    base: Option<Oid>,
    question: &Question,
    now: Timestamp,
) -> git::Result<Option<Found>> {
    let Some(probe @ Probe::Agree(parts)) = &question.probe else {
        return Ok(None);
    };
    let (Some(tip), Some(places)) = (at.tip(), Places::read(repo, at.files(), parts)?) else {
        return Ok(None);
    };
    let prober = Prober::new(repo, at.files());
    let agreed = |derived: &Derived| derived.found.value() == Some(&json!(true));
    let is_staged = at.is_index() && agreed(&prober.run(tip, probe)?);
    let broke = match base {
        _ if is_staged => Some((tip, None)),
        Some(base) => Some((base, None)),
        None if repo.is_shallow()? => None,
        None => broken(repo, tip, probe)?.map(|(before, broke)| (before, Some(broke))),
    };
    let Some((before, broke)) = broke else {
        return Ok(None);
    };
    let (before, after) = (prober.run(before, probe)?, prober.run(at.files(), probe)?);
    if !agreed(&before) || agreed(&after) {
        return Ok(None);
    }
    let (before, after) = (before.parts, after.parts);
    let moved: Vec<usize> =
        (0..after.len()).filter(|&part| !before[part].is_same(&after[part])).collect();
    let was = part_text(&before[0]);
    let fix = places.fix(&moved, &was)?;
    let first = broke.as_ref().map_or(&*moved, |broke| &broke.moved).first();
    let path = first.and_then(|&part| parts[part].file());
    let committed = match &broke {
        Some(broke) => broke.committed,
        None if is_staged => now,
        None => repo.commit_time(tip)?,
    };
    let name = question.name().to_string();
    Ok(Some(Found {
        id: name.clone(),
        kind: "question".into(),
        about: question.text.clone(),
        state: State::Differs {
            was,
            since: Since {
                days: now.duration_since(committed).as_hours() / 24,
                date: committed.strftime("%Y-%m-%d").to_string(),
                commit: match &broke {
                    Some(broke) => broke.commit,
                    None if is_staged => Oid::null(),
                    None => tip,
                },
                is_merge: broke.as_ref().is_some_and(|broke| broke.is_merge),
                is_move: false,
                author: broke.map(|broke| broke.author).unwrap_or_default(),
                path: path.cloned().unwrap_or_default(),
            },
            is_left_behind: !fix.edits.is_empty(),
        },
        is_fixed_in_worktree: places.agree_in_worktree(repo, at.is_index())?,
        places: places.shown(&moved),
        is_likely: true,
        asked: Some(name),
        fix: Some(fix),
        question: json!({ "id": question.id, "q": question.text, "probe": probe }),
        ..Found::default()
    }))
}

/// The last change of whether places agree, and the commit before it.
fn broken(repo: &Repo, commit: Oid, probe: &Probe) -> git::Result<Option<(Oid, Change)>> {
    let Some(broke) = trace(repo, commit, probe, false, &|_, _| ())?.changes.pop() else {
        return Ok(None);
    };
    Ok(repo.first_parent(broke.commit)?.map(|before| (before, broke)))
}

impl<'q> Places<'q> {
    fn read(repo: &Repo, commit: Oid, parts: &'q [Probe]) -> git::Result<Option<Self>> {
        let mut places = Self { parts, texts: HashMap::new(), ranges: Vec::new() };
        for part in parts {
            let Some(file) = part.file() else {
                return Ok(None);
            };
            let blob = match repo.file_at(commit, file) {
                // The standing says that it is no file.
                Err(error) if error.kind == ErrorKind::Unsupported => None,
                found => found?.map(|(_, bytes)| bytes),
            };
            let Some(text) = blob.and_then(|bytes| String::from_utf8(bytes).ok()) else {
                return Ok(None);
            };
            let Some(range) = value_at(part, &text) else {
                return Ok(None);
            };
            places.ranges.push(range);
            places.texts.insert(file, text);
        }
        Ok((parts.len() > 1).then_some(places))
    }

    fn file(&self, part: usize) -> (&'q str, &str) {
        let file = self.parts[part].file().map_or("", String::as_str);
        (file, &self.texts[file])
    }

    /// The text of a value.
    fn text(&self, part: usize) -> &str {
        &self.file(part).1[self.ranges[part].clone()]
    }

    fn shown(&self, moved: &[usize]) -> Vec<Place> {
        let places = self.ranges.iter().enumerate().map(|(part, range)| {
            let (file, text) = self.file(part);
            Place {
                file: file.to_owned(),
                lines: vec![number_at(text, range.start)],
                says: shown_at(text, range.start),
                is_left_behind: !moved.contains(&part),
                ..Place::default()
            }
        });
        places.collect()
    }

    /// The value of the parts that moved, in the lines of all others.
    fn fix(&self, moved: &[usize], was: &str) -> git::Result<Fix> {
        let mut fix = Fix::default();
        let is_same = |parts: &[usize]| {
            let parts = parts.iter().map(|&part| (&self.parts[part], self.file(part).1));
            agree_in(&parts.collect::<Vec<_>>())
        };
        let mut left: Vec<usize> =
            (0..self.parts.len()).filter(|part| !moved.contains(part)).collect();
        let source = moved.iter().min_by_key(|&&part| is_prose(self.file(part).0));
        let Some(&source) = source.filter(|_| !left.is_empty() && is_same(moved)) else {
            fix.by_hand
                .push(format!("all changed since they said {was}: only you know which is right"));
            return Ok(fix);
        };
        let source_file = self.file(source).0;
        left.retain(|&part| !is_same(&[source, part]));
        let read = left.iter().map(|&part| self.file(part).0).find(|file| !is_prose(file));
        // A pattern may find other words of a document.
        if let Some(file) = read.filter(|_| is_prose(source_file)) {
            fix.by_hand.push(format!(
                "programs read {file}: it is not written from the words of {source_file}"
            ));
            return Ok(fix);
        }
        for part in left {
            let (file, text) = self.file(part);
            if file == source_file {
                fix.by_hand.push(format!("{file} says both: only you know which is right"));
                continue;
            }
            if let Some(why) = fix::by_others(file, text, self.text(source))? {
                fix.by_hand.push(why);
                continue;
            }
            let is_version = self.parts[part].is_version();
            if is_version && first(&format!(r"\d({LABEL})"), self.text(source)).is_some() {
                fix.by_hand.push(format!("{source_file} states no released version"));
                continue;
            }
            match self.edit(source, part)? {
                Ok(edit) => fix.edits.push(edit),
                Err(why) => fix.by_hand.push(why),
            }
        }
        Ok(fix)
    }

    /// The line of a part with the value of the source, or why that is left to a person.
    fn edit(&self, source: usize, part: usize) -> git::Result<Result<Edit, String>> {
        let (file, text) = self.file(part);
        let (from, at) = (self.text(source), &self.ranges[part]);
        let (line, before) = (number_at(text, at.start), line_at(text, at.start));
        let start = text[..at.start].rfind('\n').map_or(0, |end| end + 1);
        let at = at.start - start..at.end - start;
        let Some(old) = before.get(at.clone()) else {
            return Ok(Err(format!("{file}:{line} has a value of several lines")));
        };
        let written = if self.parts[part].is_version() {
            let digits = old.find(|c: char| c.is_ascii_digit()).unwrap_or(0);
            let end = old[digits..].find(|c: char| !c.is_ascii_digit() && c != '.');
            let end = end.map_or(old.len(), |end| digits + end);
            fix::rewritten(before, at.start + digits..at.start + end, &version_in(from))?
        } else {
            Ok((vec![(at, from.to_owned())], from.to_owned()))
        };
        Ok(written.map_err(|why| format!("{file}:{line} {why}")).and_then(|(parts, value)| {
            let edit = Edit::new(file, text, line, parts, value);
            let text = [&text[..start], &edit.after, &text[start + before.len()..]].concat();
            let source = (&self.parts[source], self.file(source).1);
            let is_right = agree_in(&[source, (&self.parts[part], &text)]);
            is_right.then_some(edit).ok_or_else(|| format!("{file}:{line} says it in other words"))
        }))
    }

    fn agree_in_worktree(&self, repo: &Repo, from_index: bool) -> git::Result<bool> {
        let files: Vec<String> = self.texts.keys().map(|&file| file.to_owned()).collect();
        let Some(root) = repo.worktree().filter(|_| !files.is_empty()) else {
            return Ok(false);
        };
        if repo.differing(&files, from_index)?.is_empty() {
            return Ok(false);
        }
        let read = |part: &'q Probe| {
            let bytes = file::read(&root, part.file()?.as_ref(), file::MOST).ok()?;
            Some((part, String::from_utf8(bytes).ok()?))
        };
        let texts: Option<Vec<(&Probe, String)>> = self.parts.iter().map(read).collect();
        Ok(texts.is_some_and(|texts| {
            let texts = texts.iter().map(|(part, text)| (*part, text.as_str()));
            agree_in(&texts.collect::<Vec<_>>())
        }))
    }
}

impl Found {
    /// True if a fact that a question asks has each of its places; a path that is missing there is another fact.
    pub fn is_in(&self, asked: &Self) -> bool {
        let is_missing = matches!(self.state, State::Missing { .. } | State::Never);
        !is_missing
            && self.places.iter().all(|place| {
                let mut others = asked.places.iter();
                others.any(|other| other.file == place.file && other.lines[0] == place.lines[0])
            })
    }
}
