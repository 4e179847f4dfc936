use std::path::PathBuf;

use clap::Args;
use serde_json::Value;

use super::{
    CommandResult, Context, Failure, Outcome, complete,
    context::text,
    facts::since,
    gate::{self, GateFormat, check, show},
    writing::write_moves,
};
use crate::{
    ci::{self, Base, System},
    facts::{At, Found},
    file,
    git::{self, Oid, Repo, Talk},
    metrics::Standing,
    project::{
        Carry, Measure, Project, Ready, ToCarry, Wanted, asked_places, carry, find_base, no_base,
        no_commit, questions_since, store_of_base, store_of_head,
    },
    store::sync,
    timeline::Unknown,
    view::{Check, Ci, FactsDocument, Gated, Style, Verification, review_markdown},
};

const NO_BASE: &str = "no base branch known: pass --base origin/main";

/// Fetch the log, check it, and verify a sample: the gate for CI
///
/// For a checkout that is thrown away. Fetches the log and the history that a shallow clone lacks, takes questions and
/// limits from the target branch, checks, and verifies the answers of this branch and a sample of the earlier ones. On
/// the default branch it first carries the entries of what was pushed, and publishes them where it may. Warns of facts
/// that the branch broke; without a question store, it does nothing else. Knows GitHub, GitLab, Forgejo, Gitea,
/// Jenkins and Buildkite. Exits with 1 if there is an error or the log contradicts the repository, and with 3 if there
/// is none but something could not be determined.
#[derive(Args)]
pub struct CiArgs {
    /// Take questions and limits from this commit, whatever the environment says
    #[arg(long, value_name = "REV", add = complete::revisions())]
    base: Option<String>,
    /// Verify N of the earlier answers
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    sample: u32,
    /// Output format; defaults to that of the GitHub or GitLab that runs this, else text
    #[arg(long, value_name = "FORMAT")]
    format: Option<GateFormat>,
}

impl CiArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let mut run = surroundings();
        if let Some(base) = &self.base {
            run = ci::Run { base: Some(Base::Commit(base.clone())), is_branch: false, ..run };
        }
        let repo = context.open()?.or_known_as("git sq ci", "ci@git-sq.invalid")?;
        if store_of_head(&repo)?.is_none() {
            let found = run.base.as_ref().map(|base| find_base(&repo, base));
            let had_store = matches!(&found, Some(Ok((_, commit))) if !matches!(store_of_base(&repo, *commit), Ok(None)));
            if !had_store {
                let name = run.base.as_ref().map_or("its base", Base::name);
                return self.facts_alone(context, &repo, &run, (name, found));
            }
        }
        let mut ready = Ready::make(&repo, &run)?;
        if run.base.is_none() && run.system.is_some() && !run.is_default_branch {
            ready.unknown.push(NO_BASE.into());
        }
        let (carry, unpublished) = match run.system {
            None if !run.is_default_branch => (None, None),
            _ => carried(context, &repo, &ready, run.is_default_branch)?,
        };
        let mut project = context.project(None)?.with_log_history()?;
        // Elsewhere, a repository without a remote has all of its log.
        let is_empty = project.tips.commits().next().is_none();
        if is_empty && run.system.is_some() && repo.remotes().is_empty() {
            project.without_log = Some(Unknown::NoRemote);
        }
        // What a push to the default branch asks and closes counts, as it does for whoever checks it next.
        let is_proposal = !run.is_default_branch || self.base.is_some();
        let mut judged_by = "this commit".to_owned();
        if let Some((name, commit)) = ready.base.as_ref().filter(|_| is_proposal) {
            let default = match run.system {
                Some(_) => ready.default,
                None => project.default_beside(*commit)?,
            };
            project = project.with_base(*commit, default, run.is_branch)?;
            if project.is_judged_by_base() {
                let but =
                    if run.is_branch { ", but for what it asks since HEAD left it" } else { "" };
                judged_by = format!("{name}{but}");
            }
        }
        let check = check(context, &project, &Measure::default())?;
        let nonce = run.nonce.unwrap_or_else(|| context.now.to_string());
        let base = ready.base.as_ref().map(|(_, commit)| *commit);
        let seed = format!("{} {nonce}", project.tip);
        let wanted = Wanted {
            base,
            sample: Some((self.sample as usize, seed.clone())),
            no_commands: true,
            ..Wanted::default()
        };
        let verified = project.verify(&wanted, &|_| (), &|_, _| ())?;
        let mut verify = Verification::from(verified.unwrap_or_default());
        verify.store.clone_from(&check.store);
        let (mut facts, asked) = match &ready.base {
            Some((name, commit)) => {
                let (facts, asked) = broken(context, &project, &check, (name, *commit))?;
                (Some(facts), asked)
            }
            None => (None, Vec::new()),
        };
        if let Some(facts) = &mut facts {
            ready.unknown.append(&mut facts.unknown);
        }
        let report = Ci {
            system: run.system,
            base: ready.base.map(|(name, _)| name),
            judged_by,
            carry,
            unpublished,
            check,
            verify,
            facts: facts.filter(|facts| !facts.is_quiet()),
            asked,
            seed,
            unknown: ready.unknown,
            ok: false,
        };
        let mut report = report.judged();
        match base {
            Some(base) if self.format == Some(GateFormat::Markdown) => {
                let review = project.review(base, &report.check.questions)?;
                let (patch, facts) = (report.patch(), report.facts.take());
                context.print(&review_markdown(&review, &report, facts.as_ref(), &patch));
            }
            _ => self.print(context, &repo, run.system, &report),
        }
        Ok(outcome(&report))
    }

    /// Shows what broke where there are no questions, and had been none at the base. Nothing is written.
    fn facts_alone(
        &self,
        context: &Context,
        repo: &Repo,
        run: &ci::Run,
        (name, base): (&str, Option<git::Result<(String, Oid)>>),
    ) -> CommandResult {
        let at = At::Commit(repo.head()?.commit.ok_or_else(no_commit)?);
        let document = match base {
            Some(Ok((name, commit))) => since(context, repo, (at, None), (&name, Ok(commit)))?,
            Some(Err(error)) => FactsDocument::without_base(at, name, vec![no_base(&error)]),
            None if run.is_default_branch => FactsDocument::without_base(at, name, Vec::new()),
            None => FactsDocument::without_base(at, name, vec![NO_BASE.into()]),
        };
        self.print(context, repo, run.system, &document);
        Ok(Outcome::of(false, &document.unknown))
    }

    /// Output for programs goes to standard output, and then output for people to standard error.
    fn print(&self, context: &Context, repo: &Repo, system: Option<System>, report: &impl Gated) {
        let format = self.format.unwrap_or(match system {
            Some(System::Github) => GateFormat::Github,
            Some(System::Gitlab) => GateFormat::Gitlab,
            _ => GateFormat::Text,
        });
        show(context, repo, report, format);
        if format.is_document() {
            context.note(&report.text(Style::default()));
        }
    }
}

/// The facts that a proposal broke and fixed, without the asked ones, which the check judges; and the places of those.
fn broken(
    context: &Context,
    project: &Project,
    check: &Check,
    (name, base): (&str, Oid),
) -> Result<(FactsDocument, Vec<Found>), Failure> {
    let (repo, tip) = (&project.repo, project.tip);
    let store = store_of_head(repo)?.map(|store| store.set);
    let mut found = since(context, repo, (At::Commit(tip), store.as_ref()), (name, Ok(base)))?;
    let base = found.base.as_ref().and_then(|base| base.commit);
    let set = base
        .map(|base| questions_since(repo, store, (base, At::Commit(tip))))
        .transpose()?
        .flatten();
    let asked = match base.zip(set) {
        Some((base, set)) => {
            let failing = check.questions.that_are(Standing::Fails);
            let failing = failing.map(|at_tip| &*at_tip.question);
            asked_places(repo, &set, (At::Commit(tip), Some(base)), failing)?
        }
        None => Vec::new(),
    };
    found.facts.retain(|fact| fact.asked.is_none() && !asked.iter().any(|asked| fact.is_in(asked)));
    Ok((found, asked))
}

fn outcome(report: &Ci) -> Outcome {
    if gate::outcome(&report.check) == Outcome::Findings || report.verify.fails > 0 {
        Outcome::Findings
    } else if report.ok {
        Outcome::Clean
    } else {
        Outcome::Unknown
    }
}

/// Carries the entries of what was pushed; gives the reason if they could not be published. Those of a proposal, which was
/// perhaps rebased or squashed by a queue, are carried in this clone only.
fn carried(
    context: &Context,
    repo: &Repo,
    ready: &Ready,
    is_default_branch: bool,
) -> Result<(Option<Carry>, Option<String>), Failure> {
    let (Some((_, base)), Some(remote)) = (&ready.base, &ready.log) else {
        return Ok((None, None));
    };
    let merged = format!("{base}..HEAD");
    let wanted = ToCarry { merged: Some(&merged), remote: Some(remote), ..ToCarry::default() };
    let mut carry = carry(repo, &wanted, |tip, moves| {
        write_moves(context, repo, None, tip, moves, "git sq ci")
    })?;
    if !is_default_branch {
        // What is not found is judged as if nobody had answered.
        carry.orphaned.clear();
        carry.unknown.clear();
        return Ok((Some(carry), None));
    }
    let talk = Talk { timeout: None, may_ask: false };
    let published = if carry.carried.is_empty() { None } else { sync(repo, remote, talk).err() };
    Ok((Some(carry), published.map(|error| error.to_string())))
}

fn surroundings() -> ci::Run {
    let event = text("GITHUB_EVENT_PATH").map(PathBuf::from).and_then(|path| {
        let (folder, name) = (path.parent()?, path.file_name()?);
        // The runner's own file describes the whole push or pull request, so it may be long.
        let bytes = file::read(folder, name.as_ref(), 32 * file::MOST).ok()?;
        serde_json::from_slice(&bytes).ok()
    });
    ci::run(text, &event.unwrap_or(Value::Null))
}
