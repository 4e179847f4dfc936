//! Configuration that keeps the log from travelling, or puts it in danger.

use super::{
    super::{init::Done, quote},
    Cure, Examination,
};
use crate::{
    git::{ConfigEdit, Remote},
    metrics::Severity::{Error, Warning},
    report::Ailment,
    store::{LOCAL_REF, fetch_refspec, tracking_prefix},
};

impl Examination<'_> {
    pub(super) fn config(&mut self, done: &Done) {
        let remotes = self.repo.remotes();
        for remote in &remotes {
            self.remote(remote);
        }
        let branch = self.repo.head().ok().and_then(|head| head.branch);
        if let Some(upstream) = self.repo.upstream_remote(branch.as_deref())
            && !remotes.iter().any(|remote| remote.shares_log)
        {
            self.found(
                (Ailment::NotShared, Warning),
                format!("no remote shares the log, not even {upstream}"),
                "what is recorded here stays in this clone",
                "git sq init",
                None,
            );
        }
        self.notes(done);
    }

    fn remote(&mut self, remote: &Remote) {
        let name = &remote.name;
        let key = |what: &str| quote::word(&format!("remote.{name}.{what}"));
        let wants = self.repo.config_string(&format!("remote.{name}.sq"));
        let wants = wants.is_some_and(|value| value != "false");
        if wants && !remote.can_share_log() {
            self.found(
                (Ailment::CannotShare, Warning),
                format!("{name} is to share the log and can't"),
                "no ref can have that name, or its sqRef is no ref",
                format!("git remote rename {} NAME", quote::word(name)),
                None,
            );
        }
        for spec in &remote.fetch {
            self.refspec(remote, spec);
        }
        if !remote.shares_log {
            return;
        }
        let wanted = fetch_refspec(remote);
        if remote.fetch.is_empty() {
            self.found(
                (Ailment::NotFetched, Warning),
                format!("{name} has no fetch refspec, so plain `git fetch` brings no log from it"),
                "what others record is seen here only after `git sq sync`",
                format!("git sq sync {}", quote::word(name)),
                None,
            );
        } else if !remote.fetch.contains(&wanted) {
            self.found(
                (Ailment::NotFetched, Error),
                format!("`git fetch {name}` does not bring the log to its place"),
                "what others record is not seen here",
                format!("git config --add {} {}", key("fetch"), quote::word(&wanted)),
                Some(Cure::Set(vec![edit(remote, "fetch", &wanted)])),
            );
        }
        if let Some(spec) = remote.fetch.iter().find(|spec| {
            let left_out = spec.strip_prefix('^');
            left_out.is_some_and(|pattern| covers(pattern, &remote.log_ref))
        }) {
            self.found(
                (Ailment::NotFetched, Error),
                format!("{name} is fetched by {spec}, which leaves the log out"),
                "what others record is seen here only after `git sq sync`",
                format!(
                    "git config --fixed-value --unset-all {} {}",
                    key("fetch"),
                    quote::word(spec)
                ),
                None,
            );
        }
        let value = |what: &str| self.repo.config_string(&format!("remote.{name}.{what}"));
        if let (Some(push), Some(fetch)) = (value("pushurl"), value("url"))
            && push != fetch
        {
            self.found(
                (Ailment::PushElsewhere, Warning),
                format!("{name} is pushed to another address than it is fetched from"),
                "the log goes to the one, and others who fetch from the other don't see it",
                format!(
                    "git config --get-regexp {}",
                    quote::word(&format!("^remote\\.{name}\\..*url$"))
                ),
                None,
            );
        }
        let mirror = self.repo.config_string(&format!("remote.{name}.mirror"));
        if mirror.is_some_and(|value| value != "false") {
            self.found(
                (Ailment::MirrorPush, Error),
                format!("{name} is pushed to as a mirror"),
                "each push deletes what this clone lacks there, entries of others included",
                format!("git config --unset {}", key("mirror")),
                None,
            );
        }
    }

    /// One fetch refspec of a remote.
    fn refspec(&mut self, remote: &Remote, spec: &str) {
        let name = &remote.name;
        let Some((source, target)) = spec.trim_start_matches(['+', '^']).split_once(':') else {
            return;
        };
        let command = format!(
            "git config --fixed-value --unset-all {} {}",
            quote::word(&format!("remote.{name}.fetch")),
            quote::word(spec)
        );
        let unset = || Some(Cure::Unset(edit(remote, "fetch", spec)));
        let is_forced = spec.starts_with('+');
        if covers(target, LOCAL_REF) {
            let whole_mirror = !source.starts_with("refs/notes");
            self.found(
                (Ailment::DangerousRefspec, Error),
                format!("{name} is fetched by {spec}"),
                if is_forced {
                    "each fetch overwrites the local log, with entries that were not pushed yet, and pruning deletes it"
                } else {
                    "each fetch fails as soon as both sides have recorded, and pruning deletes the local log"
                },
                command,
                // Other refs come by a mirror's refspec, too: that is for a person to decide.
                if whole_mirror { None } else { unset() },
            );
        } else if is_ours(target) && *spec != fetch_refspec(remote) {
            let ours = target.starts_with(&tracking_prefix(name));
            let why = if ours {
                "it is not where the log of this remote comes from now"
            } else {
                "the remote was renamed, and nothing reads what is fetched there"
            };
            self.found(
                (Ailment::StrayRefspec, Warning),
                format!("{name} is fetched by {spec}"),
                why,
                command,
                unset(),
            );
        }
    }

    fn notes(&mut self, done: &Done) {
        let env = |name: &str| std::env::var(name).ok();
        let config = |key: &str| self.repo.config_strings(key);
        let notes_ref = env("GIT_NOTES_REF").or_else(|| config("core.notesRef").pop());
        let from_env = env("GIT_NOTES_REWRITE_REF");
        let rewritten: Vec<String> = match &from_env {
            Some(list) => list.split(':').map(str::to_owned).collect(),
            None => config("notes.rewriteRef"),
        };
        let shown = config("notes.displayRef");
        if notes_ref.is_some_and(|name| expand(&name) == LOCAL_REF) {
            self.found(
                (Ailment::NotesRef, Warning),
                "plain `git notes` edits the log here (core.notesRef, or GIT_NOTES_REF)",
                "it loses lines when something else writes, and removes lines when told to",
                "git config --unset core.notesRef",
                None,
            );
        }
        if rewritten
            .iter()
            .any(|glob| covers(&expand(glob), LOCAL_REF))
        {
            self.found(
                (Ailment::RewriteRef, Warning),
                "git itself copies the log when commits are rewritten (notes.rewriteRef)",
                "its copying can lose lines that are written meanwhile; the hook post-rewrite does it safely",
                if from_env.is_some() {
                    "unset GIT_NOTES_REWRITE_REF"
                } else {
                    "git config --edit   (take the log's ref out of notes.rewriteRef)"
                },
                None,
            );
        }
        if let Some(set) = done.display()
            && !shown.iter().any(|glob| covers(&expand(glob), LOCAL_REF))
        {
            self.found(
                (Ailment::NotShown, Warning),
                "notes.displayRef, which init set, is gone",
                "plain `git log` does not show the log",
                format!(
                    "git config --add notes.displayRef {}",
                    quote::word(&set.value)
                ),
                Some(Cure::Set(vec![set.clone()])),
            );
        }
    }
}

fn edit(remote: &Remote, name: &str, value: &str) -> ConfigEdit {
    ConfigEdit {
        section: "remote".into(),
        subsection: Some(remote.name.clone()),
        name: name.into(),
        value: value.into(),
    }
}

/// Whether a refspec of ours, of now or of before, has this target; others have a right to be there.
fn is_ours(target: &str) -> bool {
    let remote = target
        .strip_prefix("refs/notes/remotes/")
        .and_then(|rest| rest.strip_suffix("/sq*"));
    remote.is_some_and(|remote| !remote.contains('*'))
}

/// Whether a ref, or a pattern with one `*`, names `name`.
fn covers(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => {
            name.len() >= before.len() + after.len()
                && name.starts_with(before)
                && name.ends_with(after)
        }
    }
}

/// A notes ref in full, as git reads it in its settings.
fn expand(name: &str) -> String {
    if name.starts_with("refs/notes/") {
        name.to_owned()
    } else if name.starts_with("notes/") {
        format!("refs/{name}")
    } else {
        format!("refs/notes/{name}")
    }
}
