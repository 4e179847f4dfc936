use std::{
    collections::BTreeSet,
    rc::Rc,
    sync::atomic::{AtomicUsize, Ordering},
};

use super::{Block, Claim, Judge, Moved, PAIRS, REMEMBERED};
use crate::{
    entry::CitedLines,
    git::{Changes, ErrorKind, Oid, Pathspecs, Repo, Result},
    question::{Question, lines_pattern},
};

/// Returns true if a line of the watched files matters: it matches the question's `lines` or, without them, is not blank.
pub fn has_line(repo: &Repo, question: &Question, commit: Oid) -> Result<bool> {
    let pattern = question.lines.as_deref().and_then(|lines| lines_pattern(lines).ok());
    let mut specs = Pathspecs::parse(&question.dependencies())?;
    for file in repo.files_at(commit, &mut specs)? {
        let bytes = repo.blob(file.blob)?;
        if bytes.split(|&byte| byte == b'\n').any(|line| match &pattern {
            Some(pattern) => pattern.is_match(line),
            None => !line.trim_ascii().is_empty(),
        }) {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Judge<'_> {
    /// The lines that a claim cites, if they stand at its commit.
    pub(super) fn block(&mut self, cite: &CitedLines, claim: &Claim) -> Result<Option<Block>> {
        let Some((_, here)) = self.file(claim.at, &cite.path)? else {
            return Ok(None);
        };
        let block = self.cited_block(cite, claim, 0)?;
        Ok(block.filter(|block| block.stands_in(&here) && block.has_quote(cite)))
    }

    /// Lines that a claim cites with `around` more on both sides; `None` if they are unreadable. Of a claim that was carried
    /// to another version of the file, others need not have the version that it names.
    fn cited_block(
        &mut self,
        cite: &CitedLines,
        claim: &Claim,
        around: u32,
    ) -> Result<Option<Block>> {
        let Ok(blob) = cite.blob.parse::<Oid>() else {
            return Ok(None);
        };
        let lines = match claim.moved {
            Moved::ToOtherFiles => match self.file(claim.at, &cite.path)? {
                Some((here, lines)) if here == blob => Some(lines),
                Some((_, lines)) => return Ok(Block::found(cite, &lines, around)),
                None => None,
            },
            _ => match self.lines(blob) {
                // A line of the log may name any blob.
                Err(error)
                    if error.is_unread() && self.blob(claim.at, &cite.path)? != Some(blob) =>
                {
                    None
                }
                lines => lines?,
            },
        };
        Ok(lines.and_then(|lines| Block::of(cite, &lines, around)))
    }

    /// Returns true if lines that a claim cites, with `around` more on both sides, are in that file of a commit, or
    /// unreadable.
    pub(super) fn stands_as(
        &mut self,
        (cite, claim): (&CitedLines, &Claim),
        commit: Oid,
        around: u32,
        is_in: fn(&Block, &[String]) -> bool,
    ) -> Result<bool> {
        let Some(here) = self.blob(commit, &cite.path)? else {
            return Ok(false);
        };
        if cite.blob == here.to_string() {
            return Ok(true);
        }
        let Some(lines) = self.lines(here)? else {
            return Ok(false);
        };
        let block = self.cited_block(cite, claim, around)?;
        Ok(block.is_none_or(|block| is_in(&block, &lines)))
    }

    pub(super) fn file(
        &mut self,
        commit: Oid,
        path: &str,
    ) -> Result<Option<(Oid, Rc<Vec<String>>)>> {
        let Some(blob) = self.blob(commit, path)? else {
            return Ok(None);
        };
        Ok(self.lines(blob)?.map(|lines| (blob, lines)))
    }

    fn blob(&self, commit: Oid, path: &str) -> Result<Option<Oid>> {
        match self.repo.blob_at(commit, path) {
            Err(error) if error.is_unread() => Err(error),
            // A line of the log may name any path.
            found => Ok(found.ok().flatten()),
        }
    }

    /// `None` if it is larger than what is read.
    pub(super) fn lines(&mut self, blob: Oid) -> Result<Option<Rc<Vec<String>>>> {
        if let Some(known) = self.files.get(&blob) {
            return Ok(Some(known.clone()));
        }
        match self.repo.blob(blob) {
            Ok(bytes) => Ok(Some(self.remember(blob, &bytes))),
            Err(error) if error.kind == ErrorKind::TooLarge => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads the files that these claims cite: together, they are read much faster than one by one.
    pub fn read_ahead<'c>(&mut self, claims: impl Iterator<Item = &'c Claim>) {
        let cites = claims.flat_map(|claim| &claim.cites);
        let blobs: BTreeSet<Oid> = cites.filter_map(|cite| cite.blob.parse().ok()).collect();
        let blobs = blobs.into_iter().filter(|blob| !self.files.contains_key(blob));
        let blobs: Vec<Oid> = blobs.collect();
        let size = AtomicUsize::new(0);
        let (read, _) = self.repo.fold_blobs(&blobs, Vec::new, |read, place, text| {
            if size.fetch_add(text.len(), Ordering::Relaxed) < REMEMBERED {
                read.push((blobs[place], text.to_vec()));
            }
        });
        for (blob, bytes) in read.into_iter().flatten() {
            self.remember(blob, &bytes);
        }
    }

    fn remember(&mut self, blob: Oid, bytes: &[u8]) -> Rc<Vec<String>> {
        self.size += bytes.len();
        if self.size > REMEMBERED {
            self.files.clear();
            self.size = bytes.len();
        }
        let text = String::from_utf8_lossy(bytes);
        let lines = Rc::new(text.lines().map(str::to_owned).collect::<Vec<_>>());
        self.files.insert(blob, lines.clone());
        lines
    }

    pub(super) fn changes(&mut self, from: Oid, to: Oid) -> Result<Rc<Changes>> {
        if let Some(known) = self.changes.get(&(from, to)) {
            return Ok(known.clone());
        }
        if self.changes.len() > PAIRS {
            self.changes.clear();
        }
        let changes = Rc::new(self.repo.changes(from, to)?);
        self.changes.insert((from, to), changes.clone());
        Ok(changes)
    }
}
