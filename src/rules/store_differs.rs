use super::{Facts, Found, StoreNews, warning};

pub fn judge(facts: &Facts) -> Vec<Found> {
    let found = match facts.store {
        StoreNews::Committed => return Vec::new(),
        StoreNews::NotCommitted => warning(
            "the question store is not committed yet: the worktree's copy was used",
            "commit it, so that everybody answers the same questions",
        ),
        StoreNews::Differs => warning(
            "the worktree's question store differs from the committed one, which was used",
            "commit or revert the change",
        ),
    };
    vec![found]
}
