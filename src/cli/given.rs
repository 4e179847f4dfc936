//! A probe that is given on the command line.

use clap::Args;

use super::{Context, Failure};
use crate::{
    evidence::{Prober, as_versions},
    git::Repo,
    project::Place,
    question::{Probe, Question, QuestionRef, QuestionSet, TextOf, ValueOf},
    quote,
    view::joined,
};

#[derive(Args)]
pub struct GivenProbe {
    /// A probe in JSON, as in the store
    #[arg(long, value_name = "JSON", value_parser = Probe::read)]
    probe: Option<Probe>,
    /// Places that say the same: `FILE:/POINTER` in JSON, TOML or YAML, or `FILE:PATTERN`, whose first group counts.
    /// Two versions are compared as far as both go: 1.70 agrees with 1.70.2
    #[arg(long, value_name = "PLACE", num_args = 2.., conflicts_with = "probe")]
    agree: Vec<String>,
}

impl GivenProbe {
    /// The options as they would be typed again.
    pub fn words(&self) -> String {
        let places = self.agree.iter().map(|place| quote::word(place));
        match &self.probe {
            Some(probe) => {
                let json = serde_json::to_string(probe).unwrap_or_default();
                format!("--probe {}", quote::word(&json))
            }
            None => format!("--agree {}", joined(places, " ")),
        }
    }

    /// Fails if a file of `--agree` is outside the repository, or a pattern is none.
    pub fn read(&self, context: &Context, repo: &Repo) -> Result<Option<Probe>, Failure> {
        if self.agree.is_empty() {
            return Ok(self.probe.clone());
        }
        let places = self
            .agree
            .iter()
            .map(|place| part(context, repo, place))
            .collect::<Result<Vec<_>, _>>()?;
        let probe = Probe::Agree(places.clone());
        if let Some(why) = probe.mistake() {
            return Err(Failure::refused(why, PLACE));
        }
        Ok(Some(match repo.head()?.commit {
            Some(head) => as_versions(&Prober::new(repo, head), head, places)?,
            None => probe,
        }))
    }
}

const PLACE: &str = "a place is FILE:/POINTER or FILE:PATTERN, as in Cargo.toml:/package/version or 'README.md:version (\\S+)'";

pub fn require_built_in(probe: &Probe) -> Result<(), Failure> {
    if probe.is_built_in() {
        return Ok(());
    }
    Err(Failure::refused(
        "a command runs only where somebody approved it",
        "add it as a question with `git sq question add`, then run `git sq question approve`",
    ))
}

fn part(context: &Context, repo: &Repo, place: &str) -> Result<Probe, Failure> {
    let (file, what) = place
        .split_once(':')
        .filter(|(file, what)| !file.is_empty() && !what.is_empty())
        .ok_or_else(|| Failure::refused(format!("{place:?} is not a place in a file"), PLACE))?;
    let file = Place::from(repo, &context.dir, file, None)?.path;
    Ok(if what.starts_with('/') {
        Probe::Value(ValueOf { file, pointer: what.to_owned(), kind: None, precision: None })
    } else {
        Probe::Text(TextOf {
            file,
            lines: None,
            pattern: Some(what.to_owned()),
            section: None,
            kind: None,
            precision: None,
        })
    })
}

/// The named questions, else all that are asked and have a probe; without `commands`, only built-in probes.
pub fn probed<'s>(
    set: &'s QuestionSet,
    names: &[String],
    commands: bool,
) -> Result<Vec<(&'s Question, &'s Probe)>, Failure> {
    let with_probe = |question: &'s Question| {
        let probe = question.probe.as_ref()?;
        (commands || probe.is_built_in()).then_some((question, probe))
    };
    let probed = |name: &String| {
        let reference: QuestionRef =
            name.parse().map_err(|reason: String| Failure::refused(reason, LIST))?;
        let question = set.named(&reference).map_err(|why| Failure::refused(why, LIST))?;
        with_probe(question).ok_or_else(|| {
            let kind = if commands { "" } else { "built-in " };
            let what = format!("{reference} has no {kind}probe");
            Failure::refused(what, "docs/questions.md lists the kinds of probes")
        })
    };
    let wanted = names.iter().map(probed).collect::<Result<Vec<_>, _>>()?;
    if !wanted.is_empty() {
        return Ok(wanted);
    }
    Ok(set
        .questions
        .iter()
        .filter(|question| question.status.is_asked())
        .filter_map(with_probe)
        .collect())
}

const LIST: &str = "`git sq question list` lists the questions";
