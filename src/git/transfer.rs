//! Fetches and pushes single refs through the user's git, and tells what became of each.

use std::time::Instant;

use super::{Error, ErrorKind, Git, Oid, Repo, Result};

/// How git behaves while it talks to a remote.
#[derive(Debug, Clone, Copy)]
pub struct Talk {
    /// When it is ended; `None` if a person waits.
    pub deadline: Option<Instant>,
    /// Whether it may ask for a password or a host key.
    pub may_ask: bool,
}

/// One ref to be pushed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushRef {
    /// Its new target, which has to be a fast-forward; `None` deletes it.
    pub to: Option<Oid>,
    /// The ref's full name on the remote.
    pub name: String,
    /// For a deletion: what it has to point at before.
    pub lease: Option<Oid>,
}

/// What became of a pushed ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pushed {
    /// The remote has it.
    Done,
    /// It moved meanwhile, or this would be no fast-forward: fetch, and push again.
    Outrun(String),
    /// The remote does not take it, now or later; its reason.
    Refused(String),
}

impl Repo {
    /// Fetches refs, and prunes those that the refspecs cover and the remote no longer has.
    ///
    /// Nothing else changes: no tags, no `FETCH_HEAD`, no other tracking ref, no maintenance.
    pub fn fetch(&self, remote: &str, refspecs: &[String], talk: Talk) -> Result<()> {
        let git = self.talking(talk).args([
            "fetch",
            "--quiet",
            "--prune",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-recurse-submodules",
            "--no-auto-maintenance",
            // All notes are read, and a partial clone would fetch them one by one.
            "--no-filter",
            // Otherwise git would also apply the configured refspecs to these refs, such as a foreign `refs/notes/*`.
            "--refmap=",
            "--",
            remote,
        ]);
        let ended = git.args(refspecs).run_until(talk.deadline)?;
        if ended.ok {
            return Ok(());
        }
        Err(unreachable(remote, &ended.stderr))
    }

    /// Pushes refs, independently of each other, without running the pre-push hook.
    ///
    /// After an error it is unknown what became of them.
    pub fn push(&self, remote: &str, refs: &[PushRef], talk: Talk) -> Result<Vec<Pushed>> {
        let mirror = format!("remote.{remote}.mirror");
        let mut git = self
            .talking(talk)
            // A push mirror takes no refspecs, and push options are meant for the user's own pushes.
            .config(&mirror, "false")
            .config("push.pushOption", "")
            .args([
                "push",
                "--porcelain",
                "--no-verify",
                "--no-follow-tags",
                "--no-signed",
                "--recurse-submodules=no",
            ]);
        for (lease, one) in refs.iter().filter_map(|one| one.lease.map(|l| (l, one))) {
            git = git.args([format!("--force-with-lease={}:{lease}", one.name)]);
        }
        let specs = refs.iter().map(|one| match one.to {
            Some(to) => format!("{to}:{}", one.name),
            None => format!(":{}", one.name),
        });
        let ended = git
            .args(["--", remote])
            .args(specs)
            .run_until(talk.deadline)?;
        let found: Option<Vec<Pushed>> = refs
            .iter()
            .map(|one| outcome(&ended.stdout, &one.name))
            .collect();
        // A remote may have several addresses, of which some may not have answered.
        let is_whole = |found: &Vec<Pushed>| ended.ok || found.iter().any(|o| *o != Pushed::Done);
        found
            .filter(is_whole)
            .ok_or_else(|| unreachable(remote, &ended.stderr))
    }

    /// Git for talking to a remote.
    fn talking(&self, talk: Talk) -> Git {
        if talk.may_ask {
            return self.git().interactive();
        }
        let git = self
            .git()
            .without_terminal()
            .config("credential.interactive", "false");
        // What is left of a run that was killed, as by Ctrl-C, ends by itself.
        match talk.deadline {
            Some(deadline) => {
                let left = deadline.saturating_duration_since(Instant::now());
                git.config("http.lowSpeedLimit", "1")
                    .config("http.lowSpeedTime", &(left.as_secs() + 1).to_string())
            }
            None => git,
        }
    }
}

/// The outcome for one ref in git's porcelain output: `FLAG <TAB> FROM:TO <TAB> SUMMARY (REASON)`, once for each
/// address of the remote. The worst counts.
fn outcome(printed: &str, name: &str) -> Option<Pushed> {
    let of_line = |line: &str| {
        let mut parts = line.splitn(3, '\t');
        let (flag, refs, summary) = (parts.next()?, parts.next()?, parts.next()?);
        let to = refs.split_once(':').map(|(_, to)| to)?;
        (to == name).then(|| judge(flag, summary))
    };
    let severity = |outcome: &Pushed| match outcome {
        Pushed::Done => 0,
        Pushed::Outrun(_) => 1,
        Pushed::Refused(_) => 2,
    };
    printed.lines().filter_map(of_line).max_by_key(severity)
}

fn judge(flag: &str, summary: &str) -> Pushed {
    if flag != "!" {
        return Pushed::Done;
    }
    let reason = summary.split_once('(').map_or(summary, |(_, reason)| {
        reason.strip_suffix(')').unwrap_or(reason)
    });
    // Phrases of send-pack, receive-pack and the ref backends; all of them mean that somebody else was first.
    let outrun = [
        "fetch first",
        "non-fast-forward",
        "already exists",
        "stale info",
        "needs force",
        "cannot lock ref",
        "failed to lock",
        "unable to lock",
        "failed to update ref",
        "incorrect old value",
        "remote failed to report status",
        "remote ref does not exist",
    ];
    if outrun.iter().any(|words| reason.contains(words)) {
        Pushed::Outrun(reason.to_owned())
    } else {
        Pushed::Refused(reason.to_owned())
    }
}

fn unreachable(remote: &str, stderr: &str) -> Error {
    // The first fatal line gives the cause; advice about access rights follows.
    let mut lines = stderr
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty());
    let why = lines
        .clone()
        .find_map(|line| line.strip_prefix("fatal: "))
        .or_else(|| lines.next())
        .unwrap_or("git said nothing");
    Error::new(
        ErrorKind::Unreachable,
        format!("{remote} could not be reached: {why}"),
    )
    .help(format!(
        "see that `git ls-remote {remote}` works, and run the command again"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn porcelain_is_read_ref_by_ref() {
        let printed = "To ../remote.git\n \tabc:refs/notes/sq\t1..2\n!\tabc:refs/notes/sq-inbox/A\t[rejected] (fetch first)\n!\t:refs/notes/sq-inbox/B\t[remote rejected] (pre-receive hook declined)\n-\t:refs/notes/sq-inbox/C\t[deleted]\n*\tabc:refs/notes/sq-inbox/D\t[new reference]\nDone\n";
        let of = |name: &str| outcome(printed, &format!("refs/notes/{name}"));
        assert_eq!(of("sq"), Some(Pushed::Done));
        assert_eq!(of("sq-inbox/A"), Some(Pushed::Outrun("fetch first".into())));
        assert_eq!(
            of("sq-inbox/B"),
            Some(Pushed::Refused("pre-receive hook declined".into()))
        );
        assert_eq!(of("sq-inbox/C"), Some(Pushed::Done));
        assert_eq!(of("sq-inbox/D"), Some(Pushed::Done));
        assert_eq!(of("sq-inbox/E"), None);
        // Two addresses, of which one refuses, in words that have parentheses and a lock in them.
        let printed = "To a\n*\tabc:refs/notes/sq\t[new reference]\nDone\nTo b\n!\tabc:refs/notes/sq\t[remote rejected] (blocked by policy (7))\n";
        assert_eq!(
            outcome(printed, "refs/notes/sq"),
            Some(Pushed::Refused("blocked by policy (7)".into()))
        );
    }
}
