//! A probe that is given on the command line.

use clap::Args;

use serde_json::Value;

use super::{Context, Failure};
use crate::{
    entry::{clip, one_line, value_text},
    evidence::{Prober, as_versions},
    git::{Oid, Repo},
    project::Place,
    question::{Probe, Question, QuestionRef, QuestionSet, TextOf, TextTake, ValueOf},
    quote,
    view::{few, joined},
};

#[derive(Args)]
pub struct GivenProbe {
    /// A probe in JSON, as in the store
    #[arg(long, value_name = "JSON", value_parser = Probe::read)]
    probe: Option<Probe>,
    /// Places that say the same: `FILE:/POINTER` in JSON, TOML or YAML, or `FILE:PATTERN`, whose first group counts
    #[arg(long, value_name = "PLACE", num_args = 2.., conflicts_with = "probe")]
    agree: Vec<String>,
    /// Every match of a `FILE:PATTERN` has to agree, not only the first in its file
    #[arg(long, conflicts_with = "probe")]
    every: bool,
}

/// A probe that was read, and what is doubtful about it.
pub struct Given {
    pub probe: Probe,
    /// The options as they would be typed again.
    pub words: String,
    pub warnings: Vec<String>,
}

impl GivenProbe {
    /// Reads the options, and places that are `named` without `--agree`, as they are at a commit. Fails if a file is
    /// outside the repository, or a pattern is none.
    pub fn read(
        &self,
        context: &Context,
        repo: &Repo,
        commit: Option<Oid>,
        named: &[String],
    ) -> Result<Option<Given>, Failure> {
        let given: Vec<&String> = self.agree.iter().chain(named).collect();
        if let Some(probe) = &self.probe {
            let json = serde_json::to_string(probe).unwrap_or_default();
            let words = format!("--probe {}", quote::word(&json));
            return Ok(Some(Given { probe: probe.clone(), words, warnings: Vec::new() }));
        }
        if given.is_empty() {
            if self.every {
                return Err(Failure::refused(
                    "`--every` is about places, and none is given",
                    PLACE,
                ));
            }
            return Ok(None);
        }
        let places = given
            .iter()
            .map(|place| self.part(context, repo, place))
            .collect::<Result<Vec<_>, _>>()?;
        let mut probe = Probe::Agree(places.clone());
        if let Some(why) = probe.mistake() {
            return Err(Failure::refused(why, PLACE));
        }
        let mut warnings = Vec::new();
        if let Some(commit) = commit {
            let prober = Prober::new(repo, commit);
            let choices = prober.choices(commit, &probe)?;
            warnings
                .extend(given.iter().zip(&choices).filter_map(|(place, all)| choice(place, all)));
            probe = as_versions(&prober, commit, places)?;
        }
        let every = if self.every { " --every" } else { "" };
        let words = joined(given.iter().map(|place| quote::word(place)), " ");
        Ok(Some(Given { probe, words: format!("--agree {words}{every}"), warnings }))
    }

    fn part(&self, context: &Context, repo: &Repo, place: &str) -> Result<Probe, Failure> {
        let (file, what) = place
            .split_once(':')
            .filter(|(file, what)| !file.is_empty() && !what.is_empty())
            .ok_or_else(|| {
                Failure::refused(format!("{place:?} is not a place in a file"), PLACE)
            })?;
        if what.bytes().all(|byte| byte.is_ascii_digit()) {
            let why = format!("{place} names a line by its number, which does not last");
            return Err(Failure::refused(why, PLACE));
        }
        let file = Place::from(repo, &context.dir, file, None)?.path;
        Ok(if what.starts_with('/') {
            Probe::Value(ValueOf { file, pointer: what.to_owned(), ..ValueOf::default() })
        } else {
            Probe::Text(TextOf {
                file,
                pattern: Some(what.to_owned()),
                take: if self.every { TextTake::Every } else { TextTake::First },
                ..TextOf::default()
            })
        })
    }
}

/// Names the matches of a place of which only the first one counts.
fn choice(place: &str, all: &[Value]) -> Option<String> {
    let shown = few(all.iter().map(|value| clip(&one_line(&value_text(value)), MATCH)), MATCHES);
    (all.len() > 1).then(|| {
        let times = all.len();
        format!(
            "{place} matches {times} times ({shown}), and only the first counts: narrow the pattern, or use `--every`"
        )
    })
}

/// Matches of a place that are shown, and the characters of each.
const MATCHES: usize = 5;
const MATCH: usize = 40;

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

/// The named questions with their probes; without `commands`, only built-in ones.
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
            Failure::refused(what, LIST)
        })
    };
    names.iter().map(probed).collect()
}

pub const LIST: &str = "`git sq question list` lists the questions";
