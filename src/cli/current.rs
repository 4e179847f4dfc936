//! The sessions of a worktree that have not ended, as commands find them.

use super::{Context, Failure};
use crate::{
    git::Repo,
    session::{Broken, Started},
    store::sessions_dir,
};

/// Those of this worktree, the current one last; warns of files that hold none.
///
/// # Errors
/// When the folder can't be read.
pub fn sessions_here(context: &Context, repo: &Repo) -> Result<Vec<Started>, Failure> {
    let Some(folder) = sessions_dir(repo) else {
        return Ok(Vec::new());
    };
    let found = Started::all(&folder)?;
    warn_of_broken(context, repo, &found.broken);
    Ok(found.sessions)
}

/// Says of each that it is passed over.
pub fn warn_of_broken(context: &Context, repo: &Repo, broken: &[Broken]) {
    for broken in broken {
        let warning = Failure::refused(broken.to_string(), "it is passed over; delete it");
        context.note(&warning.warning(context.style(Some(repo))));
    }
}
