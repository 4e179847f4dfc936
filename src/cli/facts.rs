use clap::Args;

use super::{
    CommandResult, Context, Failure, Outcome,
    closing::close_all,
    complete,
    gate::{GateFormat, show},
    question::edit::edit,
};
use crate::{
    ci::Base,
    facts::{At, Edit, Found, Search, write},
    git::{self, ErrorKind, Oid, Repo},
    metrics::Standing,
    project::{
        asked_facts, asked_places, broken_asked_facts, facts, find_base, fixed_facts, fork,
        no_commit, questions_since, store_if_any, worktree_store,
    },
    question::{NewQuestion, NewVersion, QuestionRef, QuestionSet, name},
    timeline::short,
    view::{FactsBase, FactsDocument, fixed_text},
};

/// Show the facts that are asked, and find others that are wrong
///
/// Needs no question store. First come the questions with a built-in probe, which no session has to answer, then what
/// is wrong in HEAD: versions and minimum toolchains that differ between manifests, documents, changelogs and CI
/// though they once agreed, and paths and commands that README, CONTRIBUTING and documents for agents name and that
/// are gone. Writes only with `--fix`, `--add` or `--dismiss`.
#[derive(Args)]
pub struct FactsArgs {
    /// Show, fix or add only these facts; the id of a question names its fact
    #[arg(value_name = "ID", add = complete::questions())]
    ids: Vec<String>,
    /// Write the right value into the files of the worktree, and show the diff
    ///
    /// Takes the named facts, or all that are wrong. The value is that of the side that moved, no more precise than
    /// the old one; a missing path becomes the one that git is sure it was renamed to. Stages nothing. Refuses files
    /// with changes that are not committed or, with `--cached`, not staged; changes nothing where both sides moved.
    #[arg(long, conflicts_with = "add")]
    fix: bool,
    /// Add questions for the named facts, or all that are wrong, to the store in the worktree
    ///
    /// Where a place that a question reads is gone, its id adds a new version, which reads the same fact where it stands
    /// now.
    #[arg(long, conflicts_with = "cached")]
    add: bool,
    /// Say that the named facts are right as they are, so that only `--all` shows them; for people only, on a terminal
    ///
    /// Adds a line for each to the file beside the question store, in the worktree. It counts once HEAD has it; with
    /// `--base`, and in `git sq ci`, once the base has it.
    #[arg(long, requires = "ids", conflicts_with_all = ["add", "fix", "cached"])]
    dismiss: bool,
    /// Why; one line of at most 500 characters
    #[arg(long, value_name = "TEXT", requires = "dismiss")]
    reason: Option<String>,
    /// Check the index instead of HEAD, as for a pre-commit hook
    #[arg(long)]
    cached: bool,
    /// Show only what broke since the merge base with this branch or commit, and what was fixed
    ///
    /// Also shows new links that lead nowhere. Reads two commits and no history; a shallow clone fetches what it
    /// lacks. Leaves out changelogs, minimums that differ in the patch only, files that repeat the version by custom
    /// alone, and what only `--all` shows. Exits with 3 if the merge base could not be found.
    #[arg(long, value_name = "REV", add = complete::revisions(), conflicts_with = "all")]
    base: Option<String>,
    /// Include less certain facts, and all that hold
    #[arg(short, long)]
    all: bool,
    /// Exit with 1 if a fact is wrong, and with 3 if something could not be told
    #[arg(long)]
    exit_code: bool,
    /// Output format; markdown is for pull requests, the last four are for CI systems
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: GateFormat,
}

impl FactsArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let repo = context.open()?;
        if self.cached && repo.worktree().is_none() {
            let help = "run it in a clone with a worktree, or leave out --cached";
            return Err(Failure::refused("a bare repository has no index to check", help));
        }
        let head = repo.head()?.commit;
        let staged = self.cached.then(|| repo.staged(head)).transpose()?;
        let at = match &staged {
            Some(staged) => At::Index(staged, head),
            None => At::Commit(head.ok_or_else(no_commit)?),
        };
        let files = at.repo(&repo);
        let asks = store_if_any(files, at.files())?.map(|store| store.set);
        let store = match worktree_store(&repo) {
            Ok(Some((_, _, set))) => Some(set),
            _ => asks.clone(),
        };
        let of_head = match &asks {
            Some(set) if self.base.is_none() => asked_facts(files, set, at),
            _ => Default::default(),
        };
        let mut document = if let Some(base) = &self.base {
            let commit = named_base(&repo, base);
            since(context, &repo, (at, store.as_ref()), (base, commit))?
        } else {
            // What fails may be asked of what is less certain.
            let fails = of_head.0.iter().any(|fact| fact.standing == Standing::Fails);
            let is_all = self.all || !self.ids.is_empty() || fails;
            let search = Search { at, base: None, store: store.as_ref(), now: context.now, is_all };
            FactsDocument::new(at, facts(&repo, &search, context.cache)?)
        };
        let base = document.base.as_ref().and_then(|base| base.commit);
        let asks = match base {
            Some(base) => questions_since(&repo, asks, (base, at))?,
            None => asks.filter(|_| document.base.is_none()),
        };
        if let Some(set) = asks {
            let (asked, unknown) = match base {
                Some(base) => broken_asked_facts(files, &set, at, base),
                None => of_head,
            };
            let failing = asked.iter().filter(|fact| fact.standing == Standing::Fails);
            let failing = failing.map(|fact| &*fact.question);
            let places = asked_places(files, &set, (at, base), failing)?;
            document.ask(asked, places, unknown);
        }
        document.keep(&self.ids, self.all).map_err(|id| {
            let message = format!("there is no fact {id}");
            Failure::refused(message, "`git sq facts --all` lists them")
        })?;
        if self.dismiss {
            context.require_person("git sq facts --dismiss")?;
            if let Some(asked) = document.facts.iter().find_map(|found| found.asked.as_ref()) {
                let message = format!("{asked} is a question, and no fact that was found");
                return Err(Failure::refused(message, "change its `expect`, or retire it"));
            }
            let closed = document.facts.into_iter().map(|found| (found.as_closed(), found.about));
            return close_all(context, &closed.collect::<Vec<_>>(), self.reason.as_deref());
        }
        if self.add {
            return add(context, &document);
        }
        if self.fix {
            return fix(context, &repo, &document);
        }
        document.is_gate = self.exit_code;
        document.is_cut = repo.is_shallow()?;
        document.before_add = if store.is_none() { "git sq init, then " } else { "" };
        show(context, &repo, &document, self.format);
        let is_wrong = document.number_wrong() > 0;
        let is_lost = document.base.is_some_and(|base| base.commit.is_none());
        Ok(match self.exit_code {
            true => Outcome::of(is_wrong, &document.unknown),
            false if is_lost => Outcome::of(false, &document.unknown),
            false => Outcome::Clean,
        })
    }
}

/// A shallow clone fetches what it lacks.
fn named_base(repo: &Repo, name: &str) -> git::Result<Oid> {
    match repo.base(name) {
        Err(_) if repo.is_shallow()? => {
            find_base(repo, &Base::Commit(name.to_owned())).map(|(_, commit)| commit)
        }
        found => found,
    }
}

/// The facts that broke since the merge base with a commit, which has a name for people.
pub fn since(
    context: &Context,
    repo: &Repo,
    (at, store): (At, Option<&QuestionSet>),
    (name, commit): (&str, git::Result<Oid>),
) -> Result<FactsDocument, Failure> {
    let id = commit.as_ref().ok().filter(|id| id.to_string() == name);
    let name = &id.map_or(name.to_owned(), |id| short(*id));
    let Some(tip) = at.tip() else {
        // Before the first commit, nothing held.
        return Ok(FactsDocument::without_base(at, name, Vec::new()));
    };
    let base = match commit.and_then(|commit| fork(repo, commit, tip)) {
        Ok(base) => base,
        Err(error) if error.kind == ErrorKind::Unreachable => {
            let why = format!("could not find the merge base with {name}: {error}");
            return Ok(FactsDocument::without_base(at, name, vec![why]));
        }
        Err(error) => return Err(error.into()),
    };
    let search = Search { at, base: Some(base), store, now: context.now, is_all: false };
    let broken = facts(repo, &search, context.cache)?;
    let fixed = fixed_facts(repo, &search, context.cache)?;
    let base = FactsBase { name: name.to_owned(), commit: Some(base) };
    Ok(FactsDocument::since(at, base, broken, fixed))
}

fn fix(context: &Context, repo: &Repo, document: &FactsDocument) -> CommandResult {
    let edits: Vec<&Edit> = document.edits().collect();
    let style = context.style(Some(repo));
    let diff = match edits.as_slice() {
        [] => String::new(),
        edits => repo.unstaged_diff(&write(repo, edits, document.is_index)?)?,
    };
    context.say(&fixed_text(document, &diff, style))
}

/// Adds the questions of facts that are named, else of those that are wrong and not asked yet.
fn add(context: &Context, document: &FactsDocument) -> CommandResult {
    let is_wanted =
        |found: &&Found| document.is_named || found.state.is_wrong() && found.asked.is_none();
    let wanted: Vec<&Found> = document.facts.iter().filter(is_wanted).collect();
    if wanted.is_empty() {
        return context.say("No question was added: no wrong facts to add.\n");
    }
    edit(context, |store| {
        let mut added = Vec::new();
        for found in wanted {
            if let Some(id) = &found.asked {
                return Err(format!("fact {} is already question {id}", found.id));
            }
            let question = found.new_question(context.today());
            let Some(old) = document.asked.iter().find(|asked| asked.became(found)) else {
                store.add(&question)?;
                added.push(question.id.to_owned());
                continue;
            };
            let old_question: QuestionRef = old.question.parse()?;
            let NewQuestion { text, created, .. } = question;
            let new = NewVersion {
                text: Some(text),
                created,
                reason: Some(&old.says),
                keys: vec![("probe", found.question["probe"].clone())],
                is_trial: false,
            };
            let version = store.add_version(&old_question, &new)?;
            added.push(name(&old_question.id, version));
        }
        Ok(format!("added {}", added.join(", ")))
    })
}
