use super::{Facts, Found, StoreNews, warning};
use crate::quote;

pub fn check(facts: &Facts) -> Vec<Found> {
    let found = match &facts.store {
        StoreNews::Committed => return Vec::new(),
        StoreNews::NotCommitted => warning(
            "the question store is not committed yet: the worktree's copy was used",
            "commit it, so that everybody answers the same questions",
        ),
        StoreNews::Differs => warning(
            "the worktree's question store differs from the committed one, which was used",
            "commit or revert the change",
        ),
        StoreNews::Invalid(why) => warning(
            format!(
                "the worktree's question store is not valid ({why}): the committed one was used"
            ),
            "`git sq question lint` shows where",
        ),
        StoreNews::Deleted(path) => warning(
            "the question store was deleted in the worktree: the committed one was used",
            format!(
                "commit the deletion, or undo it: `git checkout HEAD -- {}`",
                quote::path(path)
            ),
        ),
    };
    vec![found]
}
