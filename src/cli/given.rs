//! A probe that is given on the command line.

use clap::Args;

use super::{Context, Failure};
use crate::{
    git::Repo,
    project::Place,
    question::{Probe, TextOf, ValueOf},
};

#[derive(Args)]
pub struct GivenProbe {
    /// A built-in probe in JSON, as in the store
    #[arg(long, value_name = "JSON", value_parser = built_in)]
    probe: Option<Probe>,
    /// Places that say the same: `FILE:/POINTER` in JSON, TOML or YAML, or `FILE:PATTERN`, whose first group counts
    #[arg(long, value_name = "PLACE", num_args = 2..)]
    agree: Vec<String>,
}

impl GivenProbe {
    /// Fails if a file of `--agree` is outside the repository, or a pattern is none.
    pub fn read(&self, context: &Context, repo: &Repo) -> Result<Option<Probe>, Failure> {
        if self.agree.is_empty() {
            return Ok(self.probe.clone());
        }
        let parts = self.agree.iter().map(|place| part(context, repo, place));
        let probe = Probe::Agree(parts.collect::<Result<_, _>>()?);
        match probe.mistake() {
            Some(why) => Err(Failure::refused(why, PLACE)),
            None => Ok(Some(probe)),
        }
    }
}

const PLACE: &str = "a place is FILE:/POINTER or FILE:PATTERN, as in Cargo.toml:/package/version or 'README.md:version (\\S+)'";

/// Reads a built-in probe; the error says why it is none.
pub fn built_in(text: &str) -> Result<Probe, String> {
    let probe = Probe::read(text)?;
    if probe.is_built_in() {
        return Ok(probe);
    }
    Err("a command needs approval: add it to a question, then run `git sq question approve`".into())
}

fn part(context: &Context, repo: &Repo, place: &str) -> Result<Probe, Failure> {
    let (file, what) = place
        .split_once(':')
        .filter(|(file, what)| !file.is_empty() && !what.is_empty())
        .ok_or_else(|| Failure::refused(format!("{place:?} is not a place in a file"), PLACE))?;
    let file = Place::from(repo, &context.dir, file, None)?.path;
    Ok(if what.starts_with('/') {
        Probe::Value(ValueOf {
            file,
            pointer: what.to_owned(),
            kind: None,
            precision: None,
        })
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
