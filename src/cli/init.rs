//! `git sq init`: sets this clone up, says each thing that it did, and can take it back.

mod done;
mod hooks;
mod place;
mod undo;

use std::time::{Duration, Instant};

use clap::Args;

pub use self::{
    done::Done,
    hooks::{by_hand, set_hooks},
};
use self::{
    done::{Planted, cannot_write},
    place::Place,
    undo::undo,
};
use super::{CommandResult, Context, Failure, Outcome, quote};
use crate::{
    agent::{QuestionSetName, questions},
    git::{ConfigEdit, Repo, Talk},
    project::{STORE_PATHS, find_store, store_paths, worktree_store},
    question,
    report::escape,
    store::{WritersLock, clone_id, fetch, fetch_refspec, fold},
};

/// How long the upstream may take to give its log.
const ASK_TIME: Duration = Duration::from_secs(60);

/// Where git looks for notes to show; a glob, because an absent exact ref makes every `git log` warn.
const DISPLAY_GLOB: &str = "refs/notes/sq*";

/// Set this clone up: plant a question store, show the log in `git log`, fetch and push it with the upstream
///
/// Says each thing that it does. Running it again does what is missing.
#[derive(Args)]
pub struct InitArgs {
    /// Which questions to begin with, where there is no store yet
    #[arg(long, value_enum, value_name = "SET", default_value = "generic")]
    set: QuestionSetName,
    #[command(flatten)]
    declined: Declined,
    /// Say what would be done, and do nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Take back what init did, all but the log and committed files
    #[arg(long)]
    undo: bool,
}

/// What is done unless it is declined.
#[derive(Args)]
struct Declined {
    /// Leave `notes.displayRef` alone: plain `git log` will not show the log
    #[arg(long)]
    no_display: bool,
    /// Set no hooks: `git sq sync` pushes the log, `git sq carry` finds rewritten commits
    #[arg(long)]
    no_hooks: bool,
}

impl InitArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let mut repo = context.open()?;
        if self.undo {
            return undo(context, &mut repo, self.dry_run);
        }
        let turn = if self.dry_run {
            None
        } else {
            Some(WritersLock::acquire(&repo)?)
        };
        // Another init may have been at work while this one waited.
        repo.reload()?;
        let mut done = Done::load(&repo)?;
        let store = self.plant(context, &repo, &mut done)?;
        let branch = repo.head()?.branch;
        let upstream = repo.upstream_remote(branch.as_deref());
        let edits = self.config_edits(context, &repo, upstream.as_deref());
        if self.dry_run {
            say_config(context, &edits, "would set");
            if !self.declined.no_hooks {
                hooks::say(context, &repo)?;
            }
            context.print("Nothing was done (--dry-run).\n");
            return Ok(Outcome::Clean);
        }
        done.will_set(&repo, &edits)?;
        if !edits.is_empty() {
            say_config(context, &repo.add_config(&edits)?, "set");
        }
        done.decline_hooks(&repo, self.declined.no_hooks)?;
        if !self.declined.no_hooks {
            set_hooks(context, &mut repo, &mut done)?;
        }
        // Folding in takes the lock itself, and a remote may be slow.
        drop(turn);
        clone_id(&repo)?;
        if let Some(remote) = &upstream {
            ask(context, &repo, remote);
        }
        if fold(&repo)?.commit.is_some() {
            context.print("log:    what was fetched is in refs/notes/sq now\n");
        }
        context.print(&next_steps(&repo, store.as_deref()));
        Ok(Outcome::Clean)
    }

    /// Plants a question store where there is none; gives the path of one that has to be committed.
    fn plant(
        &self,
        context: &Context,
        repo: &Repo,
        done: &mut Done,
    ) -> Result<Option<String>, Failure> {
        if let Some(tip) = repo.head()?.commit {
            for path in store_paths(repo) {
                if repo.file_at(tip, &path)?.is_some() {
                    find_store(repo, tip)?;
                    context.print(&format!("store:  {} is there, committed\n", escape(&path)));
                    return Ok(None);
                }
            }
        }
        if let Some((path, bytes)) = worktree_store(repo) {
            question::parse(&path, &bytes)?;
            context.print(&format!(
                "store:  {} is there, not committed yet\n",
                escape(&path)
            ));
            return Ok(Some(path));
        }
        let Some(root) = repo.worktree() else {
            context.print("store:  none; a bare repository has no worktree to plant one in\n");
            return Ok(None);
        };
        let text = questions(self.set);
        let path = repo
            .config_string("sq.questions")
            .unwrap_or_else(|| STORE_PATHS[0].to_owned());
        let place = Place::new(&root, &path)?;
        let shown = escape(&path);
        if self.dry_run {
            context.print(&format!(
                "store:  would plant twelve questions in {shown}\n"
            ));
            return Ok(None);
        }
        let planted = Planted {
            root: root.to_str().map(str::to_owned),
            path: path.clone(),
            blob: repo.blob_id(text.as_bytes())?.to_string(),
            folders: place.missing_folders().to_vec(),
        };
        done.will_plant(repo, planted)?;
        place
            .write(text)
            .map_err(|error| cannot_write(place.file(), &error, "git sq init"))?;
        context.print(&format!("store:  planted twelve questions in {shown}\n"));
        Ok(Some(path))
    }

    fn config_edits(
        &self,
        context: &Context,
        repo: &Repo,
        upstream: Option<&str>,
    ) -> Vec<ConfigEdit> {
        let mut edits = Vec::new();
        let edit = |section: &str, subsection: Option<&str>, name: &str, value: &str| ConfigEdit {
            section: section.to_owned(),
            subsection: subsection.map(str::to_owned),
            name: name.to_owned(),
            value: value.to_owned(),
        };
        let shown = repo.config_strings("notes.displayRef");
        let covered = shown
            .iter()
            .any(|glob| ["refs/notes/*", DISPLAY_GLOB].contains(&glob.as_str()));
        if !self.declined.no_display && !covered {
            edits.push(edit("notes", None, "displayRef", DISPLAY_GLOB));
        }
        for remote in repo.remotes() {
            let shown = escape(&remote.name);
            let word = quote::word(&remote.name);
            if !remote.can_share_log() {
                context.print(&format!(
                    "remote: {shown} can't share the log, because no ref can have that name (`git remote rename` gives it another)\n"
                ));
                continue;
            }
            let refspec = fetch_refspec(&remote);
            if remote.fetch.iter().any(|spec| {
                spec.trim_start_matches('+')
                    .starts_with("refs/notes/*:refs/notes/*")
            }) {
                context.print(&format!(
                    "remote: {shown} fetches refs/notes/* over the local notes, which can overwrite entries that were not pushed: take that refspec out\n"
                ));
            }
            if Some(remote.name.as_str()) != upstream {
                if !remote.shares_log {
                    let key = quote::word(&format!("remote.{}.sq", remote.name));
                    context.print(&format!(
                        "remote: {shown} does not share the log (`git config {key} true` and `git sq init` change that)\n"
                    ));
                    continue;
                }
            } else if !remote.shares_log {
                edits.push(edit("remote", upstream, "sq", "true"));
            }
            if remote.fetch.is_empty() {
                // A first refspec would change what a plain `git fetch` brings.
                let refspec = quote::word(&refspec);
                context.print(&format!(
                    "remote: {shown} is fetched without a refspec here, and that stays so; `git fetch {word} {refspec}` brings its log\n"
                ));
            } else if !remote.fetch.contains(&refspec) {
                edits.push(edit("remote", Some(&remote.name), "fetch", &refspec));
            }
        }
        edits
    }
}

fn say_config(context: &Context, edits: &[ConfigEdit], verb: &str) {
    for edit in edits {
        let (key, value) = (escape(&edit.to_string()), escape(&edit.value));
        context.print(&format!("config: {verb} {key} = {value}\n"));
    }
    if edits.iter().any(|edit| edit.name == "displayRef") {
        context.print(
            "        (plain `git log` shows the log from now on; --no-display declines that)\n",
        );
    }
}

/// Asks the upstream for its log, so that nothing is unknown that could be known.
fn ask(context: &Context, repo: &Repo, name: &str) {
    let remotes = repo.remotes();
    let Some(remote) = remotes.iter().find(|remote| remote.name == name) else {
        return;
    };
    let talk = Talk {
        deadline: Some(Instant::now() + ASK_TIME),
        may_ask: false,
    };
    let shown = escape(name);
    let what = match fetch(repo, remote, talk) {
        Ok(true) => "was asked and gave its log".to_owned(),
        Ok(false) => "was asked and has no log yet".to_owned(),
        Err(_) => format!(
            "could not be asked for its log now; `git fetch {}` does it later",
            quote::word(name)
        ),
    };
    context.print(&format!("remote: {shown} {what}\n"));
}

fn next_steps(repo: &Repo, store: Option<&str>) -> String {
    let mut steps = vec![String::new(), "Next:".into()];
    if let Some(path) = store {
        steps.push(format!("  edit {}: the questions are yours", escape(path)));
        steps.push(format!(
            "  git add {} && git commit -m 'Ask standing questions'",
            quote::path(path)
        ));
    }
    if repo.require_identity().is_err() {
        steps.push(
            "  git config --global user.name 'Your Name'   (every note has an author)".into(),
        );
        steps.push("  git config --global user.email you@example.com".into());
    }
    steps.push(
        "  git sq brief     what to re-derive now
"
        .into(),
    );
    steps.join(
        "
",
    )
}
