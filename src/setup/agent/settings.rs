//! Adds entries to the text of a settings file (JSON, with comments or without) and removes them; the rest keeps its comments and
//! formatting. A container that held only these entries is removed, too.

use jsonc_parser::{
    ParseOptions,
    cst::{CstArray, CstContainerNode, CstInputValue, CstNode, CstRootNode},
};
use serde_json::Value;

#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The keys that lead to the array.
    pub path: Vec<&'static str>,
    pub value: Value,
}

/// The common part of all planted commands, in any version.
const MARKS: [&str; 2] = ["git sq hook ", "git-sq hook "];

const EMPTY: &str = "{}\n";

/// Qwen Code 0.24 adds it to a file without one, behind all else.
const VERSION: &str = "\n  \"$version\": 4\n}";

/// The text with all entries of this version.
pub fn merge(text: &str, entries: &[Entry]) -> Result<String, String> {
    // Each into the result of the one before, so that an error has its place.
    for entry in entries {
        entry.array_or_create(&parse(text)?)?;
    }
    let root = parse(text)?;
    for entry in entries {
        let array = entry.array_or_create(&root)?;
        let found = entry.found(&array.clone().into());
        if found.iter().any(|leaf| leaf.to_serde_value().as_ref() == Some(entry.leaf())) {
            continue;
        }
        match (found.first().and_then(CstNode::as_object), entry.leaf()) {
            (Some(handler), Value::Object(own)) => {
                for (key, value) in own {
                    match handler.get(key) {
                        Some(property) => property.set_value(input(value)),
                        None => _ = handler.append(key, input(value)),
                    }
                }
            }
            _ => _ = array.append(input(&entry.value)),
        }
    }
    Ok(root.to_string())
}

/// The text without these entries of any version; `None` if nothing else is in it.
pub fn unmerge(text: &str, entries: &[Entry]) -> Result<Option<String>, String> {
    // Without an entry, the text need not even be valid.
    if !text.contains("git sq") && !text.contains("git-sq") {
        return Ok(Some(text.to_owned()));
    }
    let root = parse(text)?;
    for entry in entries {
        let array = entry
            .path
            .iter()
            .try_fold(root.value(), |node, key| Some(node?.as_object()?.get(key)?.value()));
        for leaf in array.flatten().map(|array| entry.found(&array)).unwrap_or_default() {
            with_what_held_only(leaf).remove();
        }
    }
    let rest = root.to_string();
    let is_version =
        text.trim_end().ends_with(VERSION) && rest.trim_end() == ["{", VERSION].concat();
    Ok(Some(rest).filter(|rest| rest != EMPTY && !is_version))
}

/// A file with nothing but these entries, and Qwen Code's version of it, where that would add one.
pub fn created(entries: &[Entry], has_version: bool) -> Result<String, String> {
    let text = merge(EMPTY, entries)?;
    Ok(match text.strip_suffix("\n}\n") {
        Some(rest) if has_version => [rest, ",", VERSION, "\n"].concat(),
        _ => text,
    })
}

impl Entry {
    /// The innermost part of the value, around which people may add their own.
    fn leaf(&self) -> &Value {
        match &self.value["hooks"][0] {
            Value::Null => &self.value,
            handler => handler,
        }
    }

    fn array_or_create(&self, root: &CstRootNode) -> Result<CstArray, String> {
        let mut object = root.object_value_or_set();
        let (last, keys) = self.path.split_last().unwrap_or((&"", &[]));
        let misfit = |value: Option<CstNode>, why: &str| {
            let start = value.map_or(0, |value| start(&value));
            misfit(&root.to_string(), start, why)
        };
        for key in keys {
            let value = object.get(key).and_then(|property| property.value());
            object = object
                .object_value_or_create(key)
                .ok_or_else(|| misfit(value, &format!("{key:?} is not an object")))?;
        }
        let value = object.get(last).and_then(|property| property.value());
        object
            .array_value_or_create(last)
            .ok_or_else(|| misfit(value, &format!("{last:?} is not an array")))
    }

    /// All entries in or below a container.
    fn found(&self, container: &CstNode) -> Vec<CstNode> {
        container
            .children_exclude_trivia_and_tokens()
            .into_iter()
            .flat_map(|child| match container.as_array() {
                Some(_) if self.owns(&child) => vec![child],
                _ => self.found(&child),
            })
            .collect()
    }

    fn owns(&self, node: &CstNode) -> bool {
        match (node.to_serde_value(), self.leaf()) {
            (Some(Value::String(text)), Value::String(own)) => text == *own,
            (Some(Value::Object(handler)), Value::Object(_)) => {
                ["command", "bash"].iter().any(|key| {
                    handler
                        .get(*key)
                        .and_then(Value::as_str)
                        .is_some_and(|it| MARKS.iter().any(|mark| it.contains(mark)))
                })
            }
            _ => false,
        }
    }
}

/// The outermost node that holds nothing but this one: an element of an array, or a property that leads to an array.
fn with_what_held_only(leaf: CstNode) -> CstNode {
    let mut whole = leaf.clone();
    let mut node = leaf;
    while let Some(parent) = node.parent() {
        let children = parent.children();
        let is_alone = parent.is_object_prop()
            || parent.children_exclude_trivia_and_tokens().len() == 1
                && !children.iter().any(CstNode::is_comment);
        if parent.is_root() || !is_alone {
            break;
        }
        node = parent.into();
        let holder = node.parent();
        let is_group = |it: &CstContainerNode| it.parent().is_some_and(|it| it.is_array());
        if holder.is_some_and(|it| it.is_array() || it.is_object() && !is_group(&it)) {
            whole = node.clone();
        }
    }
    whole
}

fn parse(text: &str) -> Result<CstRootNode, String> {
    if text.starts_with('\u{feff}') {
        return Err(misfit(text, 0, "begins with a byte order mark"));
    }
    let strict = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let root = CstRootNode::parse(text, &strict)
        .map_err(|error| misfit(text, error.range().start, &error.kind().to_string()))?;
    match root.value() {
        Some(value) if value.as_object().is_some() => Ok(root),
        value => {
            let start = value.map_or(0, |value| start(&value));
            Err(misfit(text, start, "expected an object"))
        }
    }
}

/// In bytes.
fn start(node: &CstNode) -> usize {
    let before = node.previous_siblings().map(|node| node.to_string().len());
    let outer = node.parent().map_or(0, |parent| start(&parent.into()));
    before.sum::<usize>() + outer
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(map) => CstInputValue::Object(
            map.iter().map(|(key, value)| (key.clone(), input(value))).collect(),
        ),
    }
}

/// Why a file can't take an entry, after the place.
fn misfit(text: &str, offset: usize, why: &str) -> String {
    let before = &text[..offset];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or(before).chars().count() + 1;
    format!("{line}:{column}: {why}")
}
