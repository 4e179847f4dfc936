//! Whether two places agreed, and since when they differ.

use jiff::Timestamp;

use super::{Since, State, tree::Tree, versions::Place};
use crate::git::{self, FileChange, Repo};

/// The changes of some files along first parents, newest first.
pub struct History {
    repo: Repo,
    now: Timestamp,
    changes: Vec<FileChange>,
}

impl History {
    pub fn read(tree: &Tree, paths: &[String], now: Timestamp) -> git::Result<Self> {
        Ok(Self {
            changes: match paths {
                [] => Vec::new(),
                _ => tree.repo.file_changes(tree.commit, paths)?,
            },
            repo: tree.repo.remembering_versions(),
            now,
        })
    }

    pub fn changes(&self) -> &[FileChange] {
        &self.changes
    }

    /// Compares two places at each commit that changes one of them; `None` if they differ, and never agreed.
    pub fn compare(&self, places: [&Place; 2], precision: usize) -> git::Result<Option<State>> {
        let mut moves = Vec::new();
        // The newest first: older versions of files are deltas of newer ones.
        for change in &self.changes {
            for side in (0..2).filter(|&side| places[side].file == change.path) {
                let text = change.blob.map(|blob| self.repo.blob(blob)).transpose()?;
                let text = String::from_utf8_lossy(text.as_deref().unwrap_or_default());
                moves.push((change, side, places[side].version_in(&text, precision)));
            }
        }
        moves.reverse();
        let mut now: [Option<Vec<u64>>; 2] = [None, None];
        let (mut agreed, mut broke, mut breaks) = (None, None, 0);
        for commit in moves.chunk_by(|(change, ..), (next, ..)| change.commit == next.commit) {
            let change = commit[commit.len() - 1].0;
            for (_, side, version) in commit {
                now[*side].clone_from(version);
            }
            match &now {
                [Some(one), Some(two)] if one == two => {
                    if let Some((since, _)) = broke.take()
                        && days(since, change.committed) > 0
                    {
                        breaks += 1;
                    }
                    agreed.clone_from(&now[0]);
                }
                [Some(_), Some(_)] if agreed.is_some() => {
                    broke = broke.or(Some((change, now.clone())));
                }
                // What comes back is another statement.
                _ => broke = None,
            }
        }
        Ok(match (broke, agreed) {
            (Some((change, [first, second])), Some(was)) => Some(State::Contradicted {
                is_left_behind: first.as_ref() != Some(&was)
                    && second.as_ref() == Some(&was)
                    && (now[1] == second || now[1] < now[0]),
                was: was.iter().map(u64::to_string).collect::<Vec<_>>().join("."),
                since: since(change, self.now),
            }),
            _ if now[0].is_some() && now[0] == now[1] => Some(State::Holds { broke: breaks }),
            _ => None,
        })
    }
}

pub fn since(change: &FileChange, now: Timestamp) -> Since {
    Since {
        days: days(change, now),
        commit: change.commit.to_string(),
        author: change.author.clone(),
        is_merge: change.is_merge,
        path: change.path.clone(),
    }
}

/// Whole days since a change; shorter breaks are work in progress.
fn days(change: &FileChange, until: Timestamp) -> i64 {
    (until.as_second() - change.committed.as_second()) / 86_400
}
