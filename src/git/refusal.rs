//! Asks git whether it refuses to work in a repository, and passes its reason on.

use std::path::Path;

use super::{Error, ErrorKind, Result, command::Git};

/// Fails with git's own message and remedy if git refuses to work in the repository around `dir`.
pub(super) fn refuse_where_git_refuses(dir: &Path) -> Result<()> {
    let printed = Git::as_the_user(dir).args(["rev-parse", "--git-dir"]).run_until(None)?;
    if printed.ok {
        return Ok(());
    }
    let stderr = printed.stderr.trim().trim_start_matches("fatal: ");
    let (message, rest) = stderr.split_once('\n').unwrap_or((stderr, ""));
    Err(if stderr.contains("dubious ownership") {
        let remedy = rest
            .lines()
            .map(str::trim)
            .find(|line| line.starts_with("git config"))
            .unwrap_or("see safe.directory in `git help config`");
        Error::new(ErrorKind::Unsafe, message).help(remedy)
    } else if message.contains("safe.bareRepository") {
        Error::new(ErrorKind::Unsafe, message)
            .help("name it, if you trust it: `git --git-dir=PATH sq`")
    } else if message.contains("not a git repository") {
        Error::new(ErrorKind::NoRepository, message)
            .help("change to a repository, or name one: `git -C PATH sq`; `git init` creates one")
    } else {
        Error::new(ErrorKind::Other, message)
    })
}
