//! Reads a document's objects and values, and notes every place that is wrong.

use serde::de::DeserializeOwned;

use super::{
    Problem, StoreSchema,
    json::{self, Node, Value},
    keys::{QUESTION_V2, TOP_V2},
};

/// Reads values and notes every problem on the way.
pub(super) struct Reader<'t> {
    pub text: &'t str,
    pub problems: Vec<Problem>,
}

/// The members of one object, looked up by key.
pub(super) struct Fields<'n> {
    object: &'n Node,
    members: Vec<(&'n str, &'n Node)>,
}

impl<'n> Fields<'n> {
    pub fn get(&self, key: &str) -> Option<&'n Node> {
        self.members
            .iter()
            .find(|(name, _)| *name == key)
            .map(|(_, node)| *node)
    }
}

impl Reader<'_> {
    pub fn problem(&mut self, node: &Node, message: impl Into<String>) {
        self.problems.push(Problem::new(node.span.clone(), message));
    }

    /// The members of an object whose keys are all allowed and stand there once.
    pub fn object<'n>(
        &mut self,
        node: &'n Node,
        allowed: &[&str],
        schema: StoreSchema,
    ) -> Option<Fields<'n>> {
        let Value::Object(members) = &node.value else {
            self.problem(node, "this has to be an object");
            return None;
        };
        let mut fields = Fields {
            object: node,
            members: Vec::with_capacity(members.len()),
        };
        for member in members.iter().filter(|m| !m.key.starts_with("x-")) {
            let key = member.key.as_str();
            if fields.get(key).is_some() {
                self.problems.push(Problem::new(
                    member.key_span.clone(),
                    format!("`{key}` stands here twice"),
                ));
            } else if allowed.contains(&key) {
                fields.members.push((key, &member.node));
            } else {
                let known_in_v2 = schema == StoreSchema::V1
                    && (TOP_V2.contains(&key) || QUESTION_V2.contains(&key));
                let help = if known_in_v2 {
                    "standing_questions/v1 does not have it: set `_schema` to \"standing_questions/v2\""
                } else {
                    "a key of your own has to begin with x-"
                };
                self.problems.push(
                    Problem::new(member.key_span.clone(), format!("unknown key `{key}`"))
                        .help(help),
                );
            }
        }
        Some(fields)
    }

    pub fn required_node<'n>(&mut self, fields: &Fields<'n>, key: &str) -> Option<&'n Node> {
        let node = fields.get(key);
        if node.is_none() {
            let start = fields.object.span.start;
            self.problems.push(Problem::new(
                start..start + 1,
                format!("`{key}` is missing here"),
            ));
        }
        node
    }

    pub fn required<T: DeserializeOwned>(&mut self, fields: &Fields, key: &str) -> Option<T> {
        let node = self.required_node(fields, key)?;
        self.typed(node)
    }

    pub fn optional<T: DeserializeOwned>(&mut self, fields: &Fields, key: &str) -> Option<T> {
        fields.get(key).and_then(|node| self.typed(node))
    }

    pub fn typed<T: DeserializeOwned>(&mut self, node: &Node) -> Option<T> {
        match serde_json::from_str(&self.text[node.span.clone()]) {
            Ok(value) => Some(value),
            Err(error) => {
                let message = json::without_place(&error)
                    .replace("expected u8", "expected a whole number")
                    .replace("expected u32", "expected a whole number from 0 on")
                    .replace("expected f64", "expected a number");
                self.problem(node, message);
                None
            }
        }
    }
}
