//! `git sq schema`: JSON Schemas of everything that is stored or printed.

use clap::Args;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Value, json};

use super::{
    CommandResult, Context, Failure, Outcome, answers::RecordInput, log::LogDocument,
    show::ShowDocument,
};
use crate::{
    entry::RederiveEntry,
    question::StoreDocument,
    report::{Brief, Check, Document, Questions, Recorded, Status},
};

/// Print the JSON Schema of a format; without a name, list them
#[derive(Args)]
pub struct SchemaArgs {
    /// Which one
    name: Option<String>,
}

/// A schema: its name, what it describes, and how it is made.
pub type Schema = (&'static str, &'static str, fn() -> Value);

/// All schemas.
pub const SCHEMAS: [Schema; 11] = [
    ("questions", "the question store", || {
        stored::<StoreDocument>()
    }),
    ("rederive", "a rederive entry, one line of the log", || {
        stored::<RederiveEntry>()
    }),
    ("record-input", "what `git sq record --json` reads", || {
        stored::<RecordInput>()
    }),
    ("status", "`git sq --format json`", || {
        printed::<Status>("sq.status/v1")
    }),
    ("brief", "`git sq brief --format json`", || {
        printed::<Brief>("sq.brief/v1")
    }),
    ("record", "`git sq record --format json`", || {
        printed::<Recorded>("sq.record/v1")
    }),
    ("log", "`git sq log --format json`", || {
        printed::<LogDocument>("sq.log/v1")
    }),
    ("show", "`git sq show --format json`", || {
        printed::<ShowDocument>("sq.show/v1")
    }),
    ("check", "`git sq check --format json`", || {
        printed::<Check>("sq.check/v1")
    }),
    (
        "question-list",
        "`git sq question list --format json`",
        || printed::<Questions>("sq.question.list/v1"),
    ),
    (
        "question-lint",
        "`git sq question lint --format json`",
        || printed::<Questions>("sq.question.lint/v1"),
    ),
];

impl SchemaArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let Some(name) = &self.name else {
            for (name, what, _) in SCHEMAS {
                context.print(&format!(
                    "{name:<14} {what}
"
                ));
            }
            return Ok(Outcome::Clean);
        };
        let text = schema_text(name).ok_or_else(|| {
            Failure::refused(
                format!("there is no schema {name:?}"),
                "`git sq schema` lists them",
            )
        })?;
        context.print(&text);
        Ok(Outcome::Clean)
    }
}

/// A schema as it stands in `schemas/`.
pub fn schema_text(name: &str) -> Option<String> {
    let (name, _, make) = SCHEMAS.iter().find(|(known, ..)| *known == name)?;
    let mut schema = make();
    schema["$id"] = json!(format!("urn:git-sq:schema:{name}:v1"));
    let text = serde_json::to_string_pretty(&schema).ok()?;
    Some(text + "\n")
}

fn stored<T: JsonSchema>() -> Value {
    // Serializing describes what this program writes: a key that it may leave out is not required.
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value()
}

fn printed<T: JsonSchema>(id: &str) -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let generator = settings.into_generator();
    let mut schema = generator.into_root_schema_for::<Document<T>>().to_value();
    schema["title"] = json!(id);
    schema["properties"]["schema"] = json!({ "const": id });
    schema
}
