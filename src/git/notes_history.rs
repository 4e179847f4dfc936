//! The history of a notes ref: which commit brought which notes.

use std::panic::resume_unwind;

use gix::odb::pack::cache::{DecodeEntry, lru::MemoryCappedHashmap};
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;

use super::{Note, Oid, Repo, Result, error::Doing};

/// Fewer commits than this are looked at sooner than a thread starts.
const FEW: usize = 64;

/// One commit of the history of a notes ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotesStep {
    pub commit: Oid,
    /// Its commit time, in seconds since 1970.
    pub time: i64,
    /// Its parents; none for a first commit, and where history is cut.
    pub parents: Vec<Oid>,
}

/// The commits that notes commits contain.
#[derive(Debug, Default)]
pub struct NotesHistory {
    /// The newest first.
    pub steps: Vec<NotesStep>,
    /// Whether it goes back to its beginning: nothing is cut off by a shallow fetch, and nothing is missing.
    pub is_whole: bool,
}

/// The bases of deltas that were met last. Folders of a fanout are small, and the older one of two is built on the
/// newer one, which was met hundreds of commits ago: the trees above them, of which each commit has another, must not
/// drive them out.
struct Bases {
    folders: MemoryCappedHashmap,
    others: MemoryCappedHashmap,
}

impl Bases {
    /// Bytes.
    const LARGEST_FOLDER: usize = 4 << 10;
    const FOLDERS: usize = 4 << 20;
    const OTHERS: usize = 1 << 20;

    fn new() -> Self {
        Self {
            folders: MemoryCappedHashmap::new(Self::FOLDERS),
            others: MemoryCappedHashmap::new(Self::OTHERS),
        }
    }
}

impl DecodeEntry for Bases {
    fn put(&mut self, pack: u32, offset: u64, data: &[u8], kind: gix::objs::Kind, packed: usize) {
        if data.len() <= Self::LARGEST_FOLDER {
            self.folders.put(pack, offset, data, kind, packed);
        } else {
            self.others.put(pack, offset, data, kind, packed);
        }
    }

    fn get(
        &mut self,
        pack: u32,
        offset: u64,
        out: &mut Vec<u8>,
    ) -> Option<(gix::objs::Kind, usize)> {
        let found = self.folders.get(pack, offset, out);
        found.or_else(|| self.others.get(pack, offset, out))
    }
}

impl Repo {
    /// The notes commits that `tips` contain and `seen` do not. Cost follows how many these are.
    ///
    /// # Errors
    /// When the repository can't be read at all.
    pub fn notes_history(&self, tips: &[Oid], seen: &[Oid]) -> Result<NotesHistory> {
        let shallow = self.inner.shallow_commits();
        let shallow = shallow.doing("read the shallow file")?;
        let seen = seen.iter().filter(|commit| self.tree_of(**commit).is_ok());
        let mut history = NotesHistory {
            steps: Vec::new(),
            is_whole: true,
        };
        let walk = self
            .inner
            .rev_walk(tips.iter().map(|tip| tip.0))
            .with_hidden(seen.map(|commit| commit.0))
            .sorting(Sorting::ByCommitTime(CommitTimeOrder::NewestFirst))
            .all();
        let Ok(walk) = walk else {
            // A tip that git itself can't date.
            history.is_whole = false;
            return Ok(history);
        };
        for info in walk {
            let Ok(info) = info else {
                history.is_whole = false;
                continue;
            };
            let is_cut = shallow.as_ref().is_some_and(|s| s.contains(&info.id));
            history.is_whole &= !is_cut;
            history.steps.push(NotesStep {
                commit: Oid(info.id),
                time: info.commit_time(),
                parents: if is_cut {
                    Vec::new()
                } else {
                    info.parent_ids().map(|id| Oid(id.detach())).collect()
                },
            });
        }
        Ok(history)
    }

    /// What each of these commits has and its first parent has not, or has otherwise.
    ///
    /// # Errors
    /// For each by itself, when a tree can't be read.
    pub fn notes_brought(&self, steps: &[NotesStep]) -> Vec<Result<Vec<Note>>> {
        self.bring_trees(steps);
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let repo = self.inner.clone().into_sync();
        // Neighbours have most of their trees in common, and these are remembered.
        let look = |steps: &[NotesStep]| -> Vec<Result<Vec<Note>>> {
            let inner = repo.to_thread_local();
            let mut repo = Self { inner, now: None }.remembering();
            let objects = &mut repo.inner.objects;
            objects.set_pack_cache(|| Box::new(Bases::new()));
            let mut found: Vec<_> = steps.iter().rev().map(|step| repo.brought(step)).collect();
            found.reverse();
            found
        };
        let share = steps.len().div_ceil(threads).max(FEW);
        std::thread::scope(|scope| {
            let look = &look;
            let shares = steps.chunks(share);
            let shares: Vec<_> = shares.map(|some| scope.spawn(move || look(some))).collect();
            let shares = shares.into_iter();
            let found =
                shares.map(|share| share.join().unwrap_or_else(|panic| resume_unwind(panic)));
            found.flatten().collect()
        })
    }

    /// Brings the trees of these commits, all at once, where a treeless clone left them with its remote.
    fn bring_trees(&self, steps: &[NotesStep]) {
        if self.promisors().is_empty() {
            return;
        }
        let commits = steps
            .iter()
            .map(|step| self.inner.find_commit(step.commit.0));
        let trees = commits.flatten().filter_map(|commit| commit.tree_id().ok());
        let trees: Vec<Oid> = trees.map(|tree| Oid(tree.detach())).collect();
        self.bring(&trees);
    }

    fn brought(&self, step: &NotesStep) -> Result<Vec<Note>> {
        match step.parents.first() {
            Some(parent) => self.notes_added(*parent, step.commit),
            None => self.notes(step.commit),
        }
    }
}
