//! The question store as a list.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Style, asides, escape};
use crate::question::{Status, StoreSchema};

/// A store to be shown.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Questions {
    /// Path from the root of the repository.
    pub path: String,
    pub format: StoreSchema,
    pub questions: Vec<QuestionRow>,
    pub warnings: Vec<String>,
}

/// One version of a question.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct QuestionRow {
    pub q_id: String,
    pub q_version: u32,
    pub q: String,
    pub importance: u8,
    pub status: Status,
    pub watch: Vec<String>,
}

/// The list for people.
pub fn questions_text(list: &Questions, style: Style) -> String {
    let lines = list.questions.iter().map(|row| {
        let name = match row.q_version {
            1 => row.q_id.clone(),
            version => format!("{}@{version}", row.q_id),
        };
        let status = match row.status {
            Status::Active => String::new(),
            other => format!(" [{}]", other.as_str()),
        };
        format!(
            "{} {} {}{}\n",
            style.name(&format!("{name:<6}")),
            style.dim(&row.importance.to_string()),
            escape(&row.q),
            style.dim(&status)
        )
    });
    lines.collect::<String>() + &asides(&list.warnings, &[], style)
}
