use clap::Args;
use serde_json::{Value, json};

use crate::{
    cli::{
        Context, Failure,
        given::{Given, GivenProbe},
        progress::Progress,
    },
    git::{Error, Repo},
    project::{FirstRun, Place},
    question::{Keys, QuestionSet},
    view::{asides, first_run_text},
};

/// What an answer is, and what it depends on.
#[derive(Args)]
pub struct DependsArgs {
    /// Pathspecs whose change can change the answer
    #[arg(long, value_name = "PATHSPEC", num_args = 1..)]
    pub watch: Vec<String>,
    /// A regular expression: which lines of these files matter
    #[arg(long, value_name = "REGEX")]
    pub lines: Option<String>,
    /// What an answer is: boolean, number, text, list, words such as `ready,blocked`, or JSON as in the store
    #[arg(long, value_name = "SHAPE")]
    shape: Option<String>,
    #[command(flatten)]
    given: GivenProbe,
}

impl DependsArgs {
    /// The probe that is given, and the keys of the store that the other options say.
    pub fn read(&self, context: &Context) -> Result<(Option<Given>, Keys), Failure> {
        let repo = context.open()?;
        let given = self.given.read(context, &repo, repo.head()?.commit, &[])?;
        let watch = self.watch.iter().map(|spec| from_root(context, &repo, spec));
        let watch = watch.collect::<Result<Vec<String>, Error>>()?;
        let watch = Some(watch).filter(|watch| !watch.is_empty());
        let keys = [
            ("watch", watch.map(|watch| json!(watch))),
            ("lines", self.lines.as_ref().map(|lines| json!(lines))),
            ("shape", self.shape.as_deref().map(shape)),
        ];
        let keys = keys.into_iter().filter_map(|(key, value)| Some((key, value?)));
        Ok((given, keys.collect()))
    }
}

/// A pathspec as the store has it, from the root; a plain one is given from the current folder.
fn from_root(context: &Context, repo: &Repo, spec: &str) -> Result<String, Error> {
    let here = Place::from(repo, &context.dir, ".", None)?.path;
    if here.is_empty() || spec.starts_with(':') {
        return Ok(spec.to_owned());
    }
    let path = Place::from(repo, &context.dir, spec, None)?.path;
    Ok(if path.is_empty() { ".".to_owned() } else { path })
}

pub fn json_or_text(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| json!(text))
}

fn shape(text: &str) -> Value {
    match json_or_text(text) {
        Value::String(words) if words.contains(',') => {
            let words: Vec<&str> = words.split(',').map(str::trim).collect();
            json!({ "enum": words })
        }
        other => other,
    }
}

/// Tries a new question at HEAD and at earlier commits; fails if it depends on nothing that is there.
pub fn tried(
    context: &Context,
    repo: &Repo,
    set: &QuestionSet,
    id: &str,
    version: u32,
) -> Result<String, Failure> {
    let Some(question) = set.find(id, version) else {
        return Ok(String::new());
    };
    if let Some(why) = question.why_hopeless() {
        return Err(Failure::refused(why, "nothing was changed; the answer could never be right"));
    }
    let Some(head) = repo.head()?.commit else {
        return Ok("HEAD has no commit yet: `git sq check` tries it once there is one.\n".into());
    };
    let mut run = FirstRun::of(repo, head, question)?;
    Progress::over("Testing", |tell| run.rehearse(repo, head, question, tell))?;
    let style = context.style(Some(repo));
    let idle = question.without_effect();
    Ok(first_run_text(run, question, style) + &asides(idle.as_slice(), &[], style))
}
