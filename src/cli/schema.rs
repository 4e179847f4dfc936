use clap::Args;
use clap_complete::engine::ArgValueCandidates;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::Serialize;
use serde_json::{Value, json};

use super::{CommandResult, Context, Failure, answers::RecordInput, complete::candidate};
use crate::{
    entry::{
        Alert, Carried, Envelope, Redacted, Rederive, SecondLook, SessionEnd, State, TensionClosed,
        TensionOpened, Verdict,
    },
    metrics::Stats,
    project::{Brief, Fleet, Status},
    question::{Closing, StoreDocument},
    session::StateInput,
    view::{
        Check, Document, ErrorDocument, LogDocument, Output, ShowDocument, Table, Verification,
    },
};

/// Print the JSON Schema of a format, or list all schemas
#[derive(Args)]
pub struct SchemaArgs {
    /// The name of the schema
    #[arg(add = schemas())]
    name: Option<String>,
}

pub type Schema = (&'static str, &'static str, fn() -> Value);

#[rustfmt::skip]
pub const SCHEMAS: &[Schema] = &[
    ("questions", "the question store", stored::<StoreDocument>),
    ("closing", "what a person closed, one line of the file beside the question store", stored::<Closing>),
    ("rederive", "a rederive entry, one line of the log", || entry::<Rederive>("rederive")),
    ("carry-entry", "a carry entry, one line of the log", || entry::<Carried>("carry")),
    ("state-entry", "a state entry, one line of the log", || entry::<State>("state")),
    ("alert", "an alert entry, one line of the log", || entry::<Alert>("alert")),
    ("session", "a session entry, one line of the log", || entry::<SessionEnd>("session")),
    ("tension-open", "an entry that opens a tension, one line of the log", || entry::<TensionOpened>("tension.open")),
    ("tension-close", "an entry that closes a tension, one line of the log", || entry::<TensionClosed>("tension.close")),
    ("verdict", "an entry with a verdict, one line of the log", || entry::<Verdict>("verdict")),
    ("redact-entry", "an entry that redacts another one, one line of the log", || entry::<Redacted>("redact")),
    ("state-input", "what `git sq state set --json` reads", read::<StateInput>),
    ("record-input", "what `git sq record --json` reads", read::<RecordInput>),
    ("status", "`git sq --format json`", printed::<Status>),
    ("brief", "`git sq brief --format json`", printed::<Brief>),
    ("log", "`git sq log --format json`", || document::<LogDocument>(LogDocument::SCHEMA)),
    ("show", "`git sq show --format json`", || document::<ShowDocument>(ShowDocument::SCHEMA)),
    ("check", "`git sq check --format json`", printed::<Check>),
    ("verify", "`git sq verify --format json`", printed::<Verification>),
    ("second", "a second look, one line of the log", || entry::<SecondLook>("second")),
    ("stats", "`git sq stats --format json`", printed::<Stats>),
    ("fleet", "`git sq fleet --format json`", printed::<Fleet>),
    ("error", "what a command with `--format json` prints to standard error when it fails", || document::<ErrorDocument>(ErrorDocument::SCHEMA)),
];

impl SchemaArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let Some(name) = &self.name else {
            let mut table = Table::labels();
            for (name, what, _) in SCHEMAS {
                table.row([(*name).to_owned()], *what);
            }
            return context.say(&table.text(context.style(None)));
        };
        let text = schema_text(name).ok_or_else(|| {
            Failure::refused(format!("unknown schema {name:?}"), "`git sq schema` lists them")
        })?;
        context.say(&text)
    }
}

pub fn schema_text(name: &str) -> Option<String> {
    let (name, _, make) = SCHEMAS.iter().find(|(known, ..)| *known == name)?;
    let mut schema = make();
    schema["$id"] = json!(format!("urn:git-sq:schema:{name}:v1"));
    let text = serde_json::to_string_pretty(&schema).ok()?;
    Some(text + "\n")
}

/// A stored format: optional keys are omitted, and never null.
fn stored<T: JsonSchema>() -> Value {
    let mut schema = read::<T>();
    drop_null(&mut schema);
    schema
}

fn entry<T: Serialize + JsonSchema>(kind: &str) -> Value {
    /// One line of the log.
    #[derive(Serialize, JsonSchema)]
    struct Entry<T> {
        #[serde(flatten)]
        envelope: Envelope<'static>,
        #[serde(flatten)]
        body: T,
    }
    let mut schema = schema::<Entry<T>>(SchemaSettings::draft2020_12().for_serialize());
    drop_null(&mut schema);
    schema["properties"]["kind"] = json!({ "const": kind });
    if let Some(types) = schema["$defs"].as_object_mut() {
        types.remove("Kind");
    }
    schema
}

fn read<T: JsonSchema>() -> Value {
    schema::<T>(SchemaSettings::draft2020_12().for_deserialize())
}

fn schema<T: JsonSchema>(settings: SchemaSettings) -> Value {
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

fn drop_null(schema: &mut Value) {
    let null = json!({ "type": "null" });
    match schema {
        Value::Array(items) => items.iter_mut().for_each(drop_null),
        Value::Object(members) => {
            if let Some(Value::Array(types)) = members.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    members.insert("type".into(), only);
                }
            }
            if let Some(Value::Array(choices)) = members.get_mut("anyOf") {
                choices.retain(|choice| *choice != null);
                if let [Value::Object(only)] = choices.as_slice() {
                    let only = only.clone();
                    members.remove("anyOf");
                    members.extend(only);
                }
            }
            members.values_mut().for_each(drop_null);
        }
        _ => {}
    }
}

fn printed<T: Output + JsonSchema>() -> Value {
    document::<T>(T::SCHEMA)
}

fn document<T: JsonSchema>(id: &str) -> Value {
    let mut schema = schema::<Document<T>>(SchemaSettings::draft2020_12().for_serialize());
    schema["title"] = json!(id);
    schema["properties"]["schema"] = json!({ "const": id });
    schema
}

fn schemas() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        SCHEMAS.iter().map(|(name, what, _)| candidate(*name, (*what).to_owned())).collect()
    })
}
