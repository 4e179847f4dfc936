//! Files and lines that a question watches at one commit and misses at another.

use std::collections::HashSet;

use regex::bytes::Regex;

use crate::{
    git::{Changes, Oid, Pathspecs, Repo, Result},
    question::{Probe, Question, lines_pattern},
};

pub struct Sight<'s> {
    pub repo: &'s Repo,
    pub from: Oid,
    pub to: Oid,
    pub changes: &'s Changes,
    /// The files that git calls renamed or copied, each with its path before and after.
    pub moves: &'s [(String, String)],
}

impl Sight<'_> {
    /// The first loss: a pathspec that matched files matches none, `lines` match nothing any more, or most of a file
    /// moved to an unwatched path.
    pub fn lost(&self, question: &Question) -> Result<Option<String>> {
        let read = question.probe.as_ref().map(Probe::reads);
        for specs in [Some(question.watch.clone()), read].into_iter().flatten() {
            let before = self.repo.unmatched(self.from, &specs)?;
            let now = self.repo.unmatched(self.to, &specs)?;
            for spec in now.into_iter().filter(|spec| !before.contains(spec)) {
                if !self.follows(spec, &specs)? {
                    return Ok(Some(format!("{spec} matches no file any more")));
                }
            }
        }
        let specs = question.dependencies();
        if specs.is_empty() {
            return Ok(None);
        }
        let mut specs = Pathspecs::parse(&specs)?;
        let pattern = question.lines.as_deref().and_then(|lines| lines_pattern(lines).ok());
        if let Some(pattern) = &pattern
            && self.lost_all_lines(&mut specs, pattern)?
        {
            return Ok(Some("`lines` matches nothing any more".into()));
        }
        let changed: Vec<_> = self.changes.matching(&mut specs).collect();
        for (path, blobs) in changed {
            let mut moves = self.moves.iter();
            let away = moves.find(|(from, to)| *from == path && !specs.match_path(to));
            if let Some((_, to)) = away
                && self.lost_most(blobs, pattern.as_ref())?
            {
                return Ok(Some(format!("{path} was renamed to {to}")));
            }
        }
        Ok(None)
    }

    /// Returns true if all files that a pathspec matched went to where others look.
    fn follows(&self, spec: &str, specs: &[String]) -> Result<bool> {
        let mut lost = Pathspecs::parse(std::slice::from_ref(&spec.to_owned()))?;
        let mut specs = Pathspecs::parse(specs)?;
        let gone: Vec<_> = self.changes.matching(&mut lost).map(|(path, _)| path).collect();
        Ok(gone
            .iter()
            .all(|path| self.moves.iter().any(|(from, to)| from == path && specs.match_path(to))))
    }

    fn lost_all_lines(&self, specs: &mut Pathspecs, pattern: &Regex) -> Result<bool> {
        let changed: Vec<_> = self.changes.matching(specs).collect();
        for [old, _] in changed.into_iter().map(|(_, blobs)| blobs) {
            if !self.lines(old, Some(pattern))?.is_empty() {
                for file in self.repo.files_at(self.to, specs)? {
                    if !self.lines(Some(file.blob), Some(pattern))?.is_empty() {
                        return Ok(false);
                    }
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns true if a file lost more than half of its lines that mattered.
    fn lost_most(&self, [old, new]: [Option<Oid>; 2], pattern: Option<&Regex>) -> Result<bool> {
        let (old, new) = (self.lines(old, pattern)?, self.lines(new, pattern)?);
        Ok(old.difference(&new).count() * 2 > old.len())
    }

    /// The distinct lines of a file that match or, without a pattern, are not blank.
    fn lines(&self, blob: Option<Oid>, pattern: Option<&Regex>) -> Result<HashSet<Vec<u8>>> {
        let bytes = blob.map(|blob| self.repo.blob(blob)).transpose()?.unwrap_or_default();
        Ok(bytes
            .split(|&byte| byte == b'\n')
            .filter(|line| pattern.is_none_or(|pattern| pattern.is_match(line)))
            .map(<[u8]>::trim_ascii)
            .filter(|line| !line.is_empty())
            .map(<[u8]>::to_vec)
            .collect())
    }
}
