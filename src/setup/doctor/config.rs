//! Configuration that keeps the log from being shared, or endangers it.

use super::{
    super::remotes::{DangerousRefspec, FetchEdits},
    Ailment, Cure, Examination, Finding,
};
use crate::{
    git::{BadSetting, Remote},
    question::duration,
    quote,
    store::{LOCAL_REF, fetch_refspec, share::covers},
};

/// The settings of a clone's own that can't be read if they are anything else, and what they count as then.
const SETTINGS: [(&str, &str, &str); 4] = [
    ("sq.hooks", "boolean", "true"),
    ("sq.enforce", "boolean", "false"),
    ("sq.grace", "length of time such as 45m", "2h"),
    ("sq.pushTimeout", "number of seconds", "60"),
];

impl Examination<'_> {
    pub(super) fn config(&mut self) {
        self.settings();
        let remotes = self.repo.remotes();
        for remote in &remotes {
            for DangerousRefspec { message, remedy, cure } in
                DangerousRefspec::of(self.repo, remote)
            {
                let finding =
                    Finding::error(Ailment::DangerousRefspec, &remote.name, message, remedy);
                self.cases.push((finding, cure.map(Cure::Config)));
            }
            if remote.shares_log {
                self.not_fetched(remote);
            }
        }
        let bad = self.repo.bad_settings();
        let is_clear = bad.is_empty();
        for BadSetting { key, why, instead } in bad {
            let set = format!("git config {} {instead}", quote::word(&key));
            self.found(Finding::error(Ailment::BadSetting, &key, why, set));
        }
        let home = self.repo.log_home();
        if let Some(home) = &home
            && is_clear
            && !remotes.iter().any(|remote| remote.name == *home && remote.shares_log)
        {
            self.found(Finding::error(
                Ailment::NotShared,
                "sq.logRemote",
                format!("sq.logRemote is {home}, and no remote of this name can share the log: entries stay in this clone"),
                format!("git remote add {} URL\ngit sq init", quote::word(home)),
            ));
        }
        let branch = self.repo.head().ok().and_then(|head| head.branch);
        if let Some(upstream) = self.repo.upstream_remote(branch.as_deref())
            && home.is_none()
            && is_clear
            && !remotes.iter().any(|remote| remote.shares_log)
            && !remotes.iter().any(|remote| remote.name == upstream && remote.declines_log)
        {
            let message = format!(
                "no remote shares the log, not even {upstream}: entries stay in this clone"
            );
            let help = "git sq init";
            self.found(Finding::warning(Ailment::NotShared, &upstream, message, help));
        }
        self.notes_refs();
    }

    fn settings(&mut self) {
        for (key, what, default) in SETTINGS {
            let is_read = |text: &String| match what {
                "boolean" => self.repo.config_flag(key).is_some(),
                "number of seconds" => text.trim().parse::<u64>().is_ok(),
                _ => duration(text.trim()).is_some(),
            };
            if let Some(text) = self.repo.config_string(key).filter(|text| !is_read(text)) {
                let why = format!("{key} is {text:?}, which is no {what}: it counts as {default}");
                let set = format!("git config {key} {default}");
                self.found(Finding::error(Ailment::BadSetting, key, why, set));
            }
        }
    }

    fn not_fetched(&mut self, remote: &Remote) {
        let (rule, name) = (Ailment::NotFetched, &remote.name);
        let Some(edits) = FetchEdits::of(remote) else {
            return;
        };
        let message = format!(
            "`git fetch {name}` does not fetch its log: entries of others are not seen here"
        );
        let key = quote::word(&format!("remote.{name}.fetch"));
        let spec = quote::word(&fetch_refspec(remote));
        let help = format!("git config --add {key} {spec}");
        let finding = Finding::error(rule, name, message, help);
        self.cases.push((finding, Some(Cure::Config(edits))));
    }

    fn notes_refs(&mut self) {
        let config = |key: &str| self.repo.config_strings(key);
        let notes_ref = config("core.notesRef").pop();
        let rewritten = config("notes.rewriteRef");
        if notes_ref.is_some_and(|name| expand(&name) == LOCAL_REF) {
            self.found(Finding::warning(
                Ailment::NotesRef,
                "core.notesRef",
                "plain `git notes` edits the log here: it can lose lines that are written at the same time",
                "git config --unset-all core.notesRef",
            ));
        }
        if let Some(glob) = rewritten.iter().find(|glob| covers(&expand(glob), LOCAL_REF)) {
            self.found(Finding::warning(
                Ailment::RewriteRef,
                "notes.rewriteRef",
                "git itself copies notes of the log when commits are rewritten, and can lose lines that are written meanwhile; the post-rewrite hook does it safely",
                format!(
                    "git config --fixed-value --unset-all notes.rewriteRef {}",
                    quote::word(glob)
                ),
            ));
        }
    }
}

/// The full name of a notes ref, as git reads it in its settings.
fn expand(name: &str) -> String {
    let short = name.strip_prefix("refs/").unwrap_or(name);
    let short = short.strip_prefix("notes/").unwrap_or(short);
    format!("refs/notes/{short}")
}
