//! Makes sure that all objects that refs lead to are here, and stay here beside a `git gc` that read the refs before they
//! moved.

use super::{Oid, RefTip, Repo, Result};

impl Repo {
    /// The refs that lead to objects which are missing, other than those that the remote of a partial clone has.
    pub fn refs_over_missing(&self, mut tips: Vec<RefTip>) -> Vec<RefTip> {
        let ids: Vec<Oid> = tips.iter().map(|tip| tip.target).collect();
        if self.reaches_all(&ids, &[]) {
            return Vec::new();
        }
        tips.retain(|tip| !self.reaches_all(&[tip.target], &[]));
        tips
    }

    /// Moves refs by `work`, and moves them back if what they lead to is not whole; returns false then.
    pub(super) fn move_to_whole(
        &self,
        prefixes: &[&str],
        work: impl FnOnce() -> Result<()>,
    ) -> Result<bool> {
        let before = self.refs_below(prefixes)?;
        let done = work();
        let mut moved = self.refs_below(prefixes)?;
        moved.retain(|tip| !before.contains(tip));
        let known: Vec<Oid> =
            before.iter().map(|tip| tip.target).filter(|id| self.has_object(*id)).collect();
        let ids: Vec<Oid> = moved.iter().map(|tip| tip.target).collect();
        if moved.is_empty() || self.stays_whole(&ids, &known) {
            return done.map(|()| true);
        }
        for tip in moved {
            let old = before.iter().find(|old| old.name == tip.name && known.contains(&old.target));
            self.set_back(&tip, old.map(|old| old.target))?;
        }
        Ok(false)
    }

    fn refs_below(&self, prefixes: &[&str]) -> Result<Vec<RefTip>> {
        let mut tips = Vec::new();
        for prefix in prefixes {
            tips.extend(self.refs_under(prefix)?);
        }
        Ok(tips)
    }

    /// As git does for what it fetched. A running `git gc` that read the refs before they moved may yet remove loose
    /// objects, but no pack that it does not know; one that knows the pack reads the refs later.
    fn stays_whole(&self, tips: &[Oid], known: &[Oid]) -> bool {
        if !self.is_collecting_garbage() {
            return self.reaches_all(tips, known);
        }
        let git = self.git().args(["pack-objects", "--revs", "--non-empty"]);
        git.words("--quiet --exclude-promisor-objects")
            .args([self.packs()])
            .run_with_input(revisions(tips, known))
            .is_ok()
    }

    fn reaches_all(&self, tips: &[Oid], known: &[Oid]) -> bool {
        self.git()
            .words("rev-list --objects --quiet --exclude-promisor-objects --stdin")
            .run_with_input(revisions(tips, known))
            .is_ok()
    }
}

fn revisions(tips: &[Oid], known: &[Oid]) -> String {
    let tips = tips.iter().map(|id| format!("{id}\n"));
    tips.chain(known.iter().map(|id| format!("^{id}\n"))).collect()
}
