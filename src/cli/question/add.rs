use clap::{Args, builder::RangedU64ValueParser};
use serde_json::{Value, json};

use super::edit::edit_if;
use crate::{
    cli::{CommandResult, Context, Failure, given::GivenProbe, progress::Progress},
    git::Repo,
    project::FirstRun,
    question::{NewQuestion, Probe, QuestionSet, StoreEdit},
    view::{asides, first_run_text},
};

/// Add a question to the store in the worktree
///
/// Shows what its probe finds, and how often it would have fired over the newest 200 commits that change what it
/// depends on. Refused to agents: people decide what is asked.
#[derive(Args)]
pub struct AddArgs {
    /// Its id: a word or two, as in `readme-version`
    id: String,
    /// The question; it names or implies where the truth lives
    question: String,
    /// How much it matters: 3 most, 1 least
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = RangedU64ValueParser::<u8>::new().range(1..=3))]
    importance: u8,
    /// Where to look first
    #[arg(long, value_name = "TEXT")]
    hint: Option<String>,
    /// Pathspecs whose change can change the answer
    #[arg(long, value_name = "PATHSPEC", num_args = 1..)]
    watch: Vec<String>,
    /// A regular expression: which lines of these files matter
    #[arg(long, value_name = "REGEX", requires = "watch")]
    lines: Option<String>,
    /// What an answer is: boolean, number, text, list, words such as `ready,blocked`, or JSON as in the store
    #[arg(long, value_name = "SHAPE")]
    shape: Option<String>,
    #[command(flatten)]
    given: GivenProbe,
    /// The answer that must hold, or what a change may be, such as `increase` or `{"at_most": 5}`; `true` with `--agree`
    #[arg(long, value_name = "ANSWER", value_parser = answer)]
    expect: Option<Value>,
    /// The gate fails if an expected answer does not hold, or while a change waits for a person: `blocking`
    #[arg(long, value_name = "SEVERITY")]
    severity: Option<String>,
}

impl AddArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let repo = context.open()?;
        let given = self.given.read(context, &repo, repo.head()?.commit, &[])?;
        let keys = self.keys(given.as_ref().map(|given| &given.probe));
        let watches_nothing = given.is_none() && self.watch.is_empty();
        let mut warnings = given.map(|given| given.warnings).unwrap_or_default();
        warnings.extend(watches_nothing.then(|| {
            "it watches nothing, so that no rule can tell an answer that does not fit: add --watch PATH".to_owned()
        }));
        let created = context.today();
        let new = NewQuestion { id: &self.id, text: &self.question, created, keys };
        edit_if(
            context,
            |store: &mut StoreEdit| {
                store.add(&new)?;
                Ok(format!("added {}", self.id))
            },
            |repo, set| {
                let tried = tried(context, repo, set, &self.id)?;
                Ok(tried + &asides(&warnings, &[], context.style(Some(repo))))
            },
        )
    }

    fn keys(&self, probe: Option<&Probe>) -> Vec<(&'static str, Value)> {
        let mut keys = vec![("importance", json!(self.importance))];
        let mut add = |key, value: Option<Value>| keys.extend(value.map(|value| (key, value)));
        add("evidence_hint", self.hint.as_ref().map(|hint| json!(hint)));
        let watch = Some(&self.watch).filter(|watch| !watch.is_empty());
        add("watch", watch.map(|watch| json!(watch)));
        add("lines", self.lines.as_ref().map(|lines| json!(lines)));
        add("shape", self.shape.as_deref().map(shape));
        add("severity", self.severity.as_ref().map(|word| json!(word)));
        // Nobody asks whether places agree to hear that they do not.
        let agrees = probe.filter(|probe| matches!(probe, Probe::Agree(_))).map(|_| json!(true));
        add("expect", self.expect.clone().or(agrees));
        add("probe", probe.map(|probe| json!(probe)));
        keys
    }
}

/// JSON, or a text; what begins as an object has to be one.
fn answer(text: &str) -> Result<Value, String> {
    if text.starts_with('{') {
        return serde_json::from_str(text).map_err(|error| error.to_string());
    }
    Ok(json_or_text(text))
}

fn json_or_text(text: &str) -> Value {
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
) -> Result<String, Failure> {
    let Some(question) = set.find(id, 1) else {
        return Ok(String::new());
    };
    if let Some(why) = question.why_hopeless() {
        return Err(Failure::refused(why, "nothing was changed; the answer could never be right"));
    }
    let Some(head) = repo.head()?.commit else {
        FirstRun::before_commits(repo, question)?;
        return Ok(String::new());
    };
    let mut run = FirstRun::of(repo, head, question)?;
    Progress::over("Testing", |tell| run.rehearse(repo, head, question, tell))?;
    Ok(first_run_text(run, question, context.style(Some(repo))))
}
