//! Fetches and pushes single refs with the user's git, and reports the outcome of each.

use std::time::{Duration, Instant};

use super::{DOCTOR, Error, ErrorKind, Git, Oid, RefTip, Remote, Repo, Result, command::Printed};
use crate::quote;

#[derive(Debug, Clone, Copy)]
pub struct Talk {
    /// The limit of one run of git; `None` if a person waits.
    pub timeout: Option<Duration>,
    pub may_ask: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pushed {
    Done,
    /// The ref moved meanwhile, or the push is not a fast-forward: fetch, and push again.
    Outrun(String),
    /// The remote rejects the ref permanently, with its reason and what it printed.
    Refused(String, Vec<String>),
    /// The remote failed and may accept the ref later.
    Failed(String, Vec<String>),
}

/// Attempts to fetch beside a `git gc` that removes what was fetched.
const TRIES: usize = 4;
/// The folders of the refs of logs.
const OURS: [&str; 2] = ["refs/notes/", "refs/sq/"];
/// Lines of a remote that are shown.
const SAID: usize = 10;

/// Fetches nothing else, and leaves no other trace.
const ALONE: [&str; 4] =
    ["--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance"];

impl Repo {
    /// Fetches refs from a URL or the name of a remote, and prunes those that the refspecs cover and the remote no
    /// longer has.
    /// Nothing else changes: no tags, no `FETCH_HEAD`, no other tracking ref, no maintenance.
    /// Git checks that it got all objects before it moves the refs, but a `git gc` that read them before may remove
    /// objects afterwards. So the refs of a log are checked once more.
    pub fn fetch(&self, remote: &Remote, at: &str, refspecs: &[String], talk: Talk) -> Result<()> {
        let own = [
            "--prune",
            // All notes are read, and a partial clone would fetch them one by one.
            "--no-filter",
            // Otherwise git would also apply the configured refspecs to these refs, such as a foreign `refs/notes/*`.
            "--refmap=",
        ];
        let mut options = [&ALONE[..], &own].concat();
        let prefixes: Vec<&str> = refspecs
            .iter()
            .filter_map(|spec| spec.split_once(':'))
            .map(|(_, target)| target.trim_end_matches('*'))
            .filter(|target| is_ours(target))
            .collect();
        for attempt in 1..=TRIES {
            let is_beside_gc = self.is_collecting_garbage();
            match self.move_to_whole(&prefixes, || {
                self.ask(remote, at, talk, "fetch", &options, refspecs).map(drop)
            }) {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                // It also removes files that git is writing.
                Err(_) if attempt < TRIES && (is_beside_gc || self.is_collecting_garbage()) => {}
                // A remote takes what a partial clone left out for what it has.
                Err(_) if attempt == 1 && !self.promisors().is_empty() => options.push("--refetch"),
                Err(error) => return Err(error),
            }
        }
        let message =
            format!("objects of the log of {} are missing after it was fetched", remote.name);
        Err(Error::new(ErrorKind::Missing, message).help(DOCTOR))
    }

    pub fn deepen(&self, remote: &Remote, talk: Talk) -> Result<()> {
        let options = [&ALONE[..], &["--unshallow"]].concat();
        self.ask(remote, &remote.name, talk, "fetch", &options, &[])?;
        Ok(())
    }

    /// Fetches so many more commits beyond each end of a shallow clone.
    pub fn deepen_by(&self, remote: &Remote, commits: u32, talk: Talk) -> Result<()> {
        let ends: Vec<String> = self.shallow_ends()?.iter().map(ToString::to_string).collect();
        let more = format!("--deepen={commits}");
        let options = [&ALONE[..], &["--refmap=", &more]].concat();
        self.ask(remote, &remote.name, talk, "fetch", &options, &ends)?;
        Ok(())
    }

    /// Fetches one commit without its history.
    pub fn fetch_tip(&self, remote: &Remote, refspec: &str, talk: Talk) -> Result<()> {
        let options = [&ALONE[..], &["--refmap=", "--depth=1"]].concat();
        self.ask(remote, &remote.name, talk, "fetch", &options, &[refspec.to_owned()])?;
        Ok(())
    }

    /// What a ref of the remote points to.
    pub fn ref_at(&self, remote: &Remote, name: &str, talk: Talk) -> Result<Option<Oid>> {
        let asked = [name.to_owned()];
        let listed = self.ask(remote, &remote.name, talk, "ls-remote", &[], &asked)?;
        let mut lines = listed.stdout.lines().filter_map(|line| line.split_once('\t'));
        Ok(lines.find(|(_, known)| *known == name).and_then(|(id, _)| id.parse().ok()))
    }

    /// The branches and tags at a URL of a remote; a tag is peeled to its commit.
    pub fn heads_and_tags(&self, remote: &Remote, at: &str, talk: Talk) -> Result<Vec<RefTip>> {
        let options = ["--heads", "--tags"];
        let ended = self.ask(remote, at, talk, "ls-remote", &options, &[])?;
        Ok(ended
            .stdout
            .lines()
            .filter_map(|line| {
                let (id, name) = line.split_once('\t')?;
                Some(RefTip {
                    name: name.trim_end_matches("^{}").to_owned(),
                    target: id.parse().ok()?,
                })
            })
            .collect())
    }

    /// Where this clone does not know the remote's `HEAD`, sets it to that branch or, without one, asks the remote. Git
    /// does so when it fetches from version 2.48 on, and before only when it clones.
    pub fn find_remote_head(
        &self,
        remote: &Remote,
        branch: Option<&str>,
        talk: Talk,
    ) -> Result<()> {
        if self.ref_target(&format!("refs/remotes/{}/HEAD", remote.name))?.is_none() {
            let branch = branch.unwrap_or("--auto");
            talk.run(
                remote,
                self.talking(talk).args(["remote", "set-head", &remote.name, branch]),
            )?;
        }
        Ok(())
    }

    fn ask(
        &self,
        remote: &Remote,
        at: &str,
        talk: Talk,
        verb: &str,
        options: &[&str],
        refspecs: &[String],
    ) -> Result<Printed> {
        let git = self
            .talking(talk)
            .args([verb, "--quiet"])
            .args(options)
            .args(self.other_side(remote, "upload-pack"));
        let ended = talk.run(remote, git.args(["--", at]).args(refspecs))?;
        if ended.ok {
            return Ok(ended);
        }
        Err(unreachable(&remote.name, &ended.stderr))
    }

    /// Pushes a commit to one ref at a URL of a remote, fast-forward only.
    /// After an error, the outcome is unknown.
    pub fn push(
        &self,
        remote: &Remote,
        at: &str,
        to: Oid,
        name: &str,
        talk: Talk,
    ) -> Result<Pushed> {
        // Push options are meant for the user's own pushes.
        let git = self
            .talking(talk)
            .config("push.pushOption", "")
            .words("push --porcelain --no-verify --no-follow-tags --no-signed")
            .args(["--recurse-submodules=no"])
            .args(self.other_side(remote, "receive-pack"));
        let ended = talk.run(remote, git.args(["--", at, &format!("{to}:{name}")]))?;
        match outcome(&ended, name) {
            // A hook that was killed is reported like one that rejected the push.
            Some(Pushed::Refused(reason, said)) if ended.stderr.contains("died of signal") => {
                Ok(Pushed::Failed(reason, said))
            }
            found => found.ok_or_else(|| unreachable(&remote.name, &ended.stderr)),
        }
    }

    /// The user's program on the remote side; git looks it up by the remote's name, not by its URL.
    fn other_side(&self, remote: &Remote, program: &str) -> Option<String> {
        let key = format!("remote.{}.{}", remote.name, program.replace('-', ""));
        let set = self.config_string(&key)?;
        Some(format!("--{program}={set}"))
    }

    fn talking(&self, talk: Talk) -> Git {
        let git = self.git();
        if talk.may_ask {
            return git.interactive();
        }
        let git = git.without_terminal().config("credential.interactive", "false");
        // After Ctrl-C, the child processes of git end by themselves.
        match talk.timeout {
            Some(timeout) => git
                .config("http.lowSpeedLimit", "1")
                .config("http.lowSpeedTime", &(timeout.as_secs() + 1).to_string()),
            None => git,
        }
    }
}

impl Talk {
    fn run(self, remote: &Remote, git: Git) -> Result<Printed> {
        let deadline = self.timeout.map(|timeout| Instant::now() + timeout);
        git.run_until(deadline).map_err(|error| {
            let timeout = self.timeout.unwrap_or_default().as_secs();
            match error.kind {
                ErrorKind::Unreachable => Error::new(
                    ErrorKind::Unreachable,
                    format!("{} timed out after {timeout} s (sq.pushTimeout)", remote.name),
                ),
                _ => error,
            }
        })
    }
}

/// Parses the outcome of one ref from git's porcelain output: `FLAG <TAB> FROM:TO <TAB> SUMMARY (REASON)`.
fn outcome(printed: &Printed, name: &str) -> Option<Pushed> {
    printed.stdout.lines().find_map(|line| {
        let mut parts = line.splitn(3, '\t');
        let (flag, refs, summary) = (parts.next()?, parts.next()?, parts.next()?);
        let to = refs.split_once(':').map(|(_, to)| to)?;
        (to == name).then(|| judge(flag, summary, &printed.stderr))
    })
}

fn judge(flag: &str, summary: &str, stderr: &str) -> Pushed {
    if flag != "!" {
        return Pushed::Done;
    }
    let reason = summary
        .split_once('(')
        .map_or(summary, |(_, reason)| reason.strip_suffix(')').unwrap_or(reason));
    // Phrases of send-pack, receive-pack and the ref backends; all mean that another push was first.
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
    // Phrases of a receive-pack that could not write, and of failing servers.
    let failed = [
        "unpacker error",
        "unpack failed",
        "failed to write",
        "failed to store",
        "unable to",
        "internal",
        "transaction failed",
        "missing necessary objects",
        "timeout",
        "timed out",
        "unavailable",
        "try again",
    ];
    let says = |phrases: &[&str]| phrases.iter().any(|words| reason.contains(words));
    // A ref above this one or below it, such as a branch `sq`, stays.
    let is_in_the_way = stderr.contains("' exists; cannot create '");
    if says(&outrun) && !is_in_the_way {
        Pushed::Outrun(reason.to_owned())
    } else if says(&failed) {
        Pushed::Failed(reason.to_owned(), said(stderr))
    } else {
        Pushed::Refused(reason.to_owned(), said(stderr))
    }
}

fn is_ours(name: &str) -> bool {
    OURS.iter().any(|ours| name.starts_with(ours))
}

fn unreachable(remote: &str, stderr: &str) -> Error {
    // The first fatal line names the cause; advice about access rights follows.
    let mut lines = stderr.lines().map(str::trim).filter(|line| !line.is_empty());
    let why = lines
        .clone()
        .find_map(|line| line.strip_prefix("fatal: "))
        .or_else(|| lines.clone().next())
        .unwrap_or("git said nothing");
    if let Some(name) = why.strip_prefix("bad object ").filter(|name| is_ours(name)) {
        let message = format!("{name} leads to an object that is missing here");
        return Error::new(ErrorKind::Missing, message).help(DOCTOR);
    }
    let what = if let Some(name) = why.strip_prefix("couldn't find remote ref ") {
        format!("{remote} has no {name}")
    } else if let Some(answer) = lines.find_map(|line| line.strip_prefix("fatal: remote error: ")) {
        format!("{remote} answered: {answer}")
    } else {
        format!("{remote} could not be reached: {why}")
    };
    Error::new(ErrorKind::Unreachable, what)
        .help(format!(
            "see that `git ls-remote {}` works, and run the command again",
            quote::word(remote)
        ))
        .saying(said(stderr).into_iter().filter(|line| !line.ends_with(why)).collect())
}

/// The first lines that were printed before git's own verdict: those of the remote, or of the program that connects to it.
fn said(stderr: &str) -> Vec<String> {
    stderr
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("fatal:") && !line.starts_with("error:"))
        .filter(|line| !line.is_empty() && *line != "remote:")
        .take(SAID)
        // A server's own words must not look like advice.
        .map(
            |line| {
                if line.starts_with("remote:") { line.to_owned() } else { format!("git: {line}") }
            },
        )
        .collect()
}
