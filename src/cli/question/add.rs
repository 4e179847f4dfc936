use clap::{Args, builder::RangedU64ValueParser};
use serde_json::{Value, json};

use super::{
    depends::{DependsArgs, json_or_text, tried},
    edit::edit_if,
};
use crate::{
    cli::{CommandResult, Context, Failure},
    project::last_asked,
    question::{Keys, NewQuestion, Probe, StoreEdit},
    timeline::short,
    view::asides,
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
    #[command(flatten)]
    depends: DependsArgs,
    /// The answer that must hold, or what a change may be, such as `increase` or `{"at_most": 5}`; `true` with `--agree`
    #[arg(long, value_name = "ANSWER", value_parser = answer)]
    expect: Option<Value>,
    /// The gate fails if an expected answer does not hold, or while a change waits for a person: `blocking`
    #[arg(long, value_name = "SEVERITY")]
    severity: Option<String>,
}

impl AddArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let (given, depends) = self.depends.read(context)?;
        if self.depends.lines.is_some() && self.depends.watch.is_empty() {
            return Err(Failure::refused(
                "`--lines` is about the files of `--watch`, and none is given",
                "nothing was changed; `--watch PATH` names them",
            ));
        }
        let keys = self.keys(depends, given.as_ref().map(|given| &given.probe));
        let watches_nothing = given.is_none() && self.depends.watch.is_empty();
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
                if let Some(commit) = last_asked(repo, &self.id)?
                    && let Ok(events) = context.project(None).and_then(|found| Ok(found.events()?))
                    && events.questions().any(|(id, _)| id == self.id)
                {
                    return Err(Failure::refused(
                        format!("{} was asked at {}, and answered", self.id, short(commit)),
                        "nothing was changed; those answers would count for this question: choose another name",
                    ));
                }
                let tried = tried(context, repo, set, &self.id, 1)?;
                Ok(tried + &asides(&warnings, &[], context.style(Some(repo))))
            },
        )
    }

    fn keys(&self, depends: Keys, probe: Option<&Probe>) -> Keys {
        let mut keys = vec![("importance", json!(self.importance))];
        keys.extend(self.hint.as_ref().map(|hint| ("evidence_hint", json!(hint))));
        keys.extend(depends);
        let mut add = |key, value: Option<Value>| keys.extend(value.map(|value| (key, value)));
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
    let answer = json_or_text(text);
    // The number loses the end of a version such as 3.10.
    let written = answer.to_string();
    let is_changed = answer.is_number() && written != text;
    Ok(if is_changed { json!(text) } else { answer })
}
