//! Adds entries to the text of a settings file (JSON, with comments or without) and removes them; the rest keeps its comments and
//! formatting. Commands that only this program writes are always removed; rules and empty containers only if this clone planted
//! them.

use jsonc_parser::{
    ParseOptions,
    cst::{CstArray, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode},
};
use serde_json::{Map, Value};

use crate::setup::Planted;

#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The keys that lead to the array.
    pub path: Vec<&'static str>,
    pub value: Value,
}

const EMPTY: &str = "{}\n";

/// Qwen Code 0.24 adds it to a file without one, behind all else.
const VERSION: &str = "\n  \"$version\": 4\n}";

const BYTE_ORDER_MARK: char = '\u{feff}';

/// The text with all entries of this version.
pub fn merge(text: &str, entries: &[Entry], planted: Option<&Planted>) -> Result<String, String> {
    // Each into the result of the one before, so that an error has its place.
    for entry in entries {
        entry.array_or_create(&parse(text)?)?;
    }
    let root = parse(text)?;
    let is_older = |text: &str| {
        planted.is_some_and(|it| it.texts.contains(text))
            && entries.iter().all(|entry| entry.text() != text)
    };
    for entry in entries {
        let array = entry.array_or_create(&root)?;
        let current = leaves(&array.clone().into(), &|text| text == entry.text());
        let older = leaves(&array.clone().into(), &is_older);
        let handler = || current.first().or(older.first())?.as_object();
        match (handler(), &entry.value["hooks"][0]) {
            (Some(handler), Value::Object(own)) => update(&handler, own),
            _ if !current.is_empty() => {}
            _ => _ = array.append(input(&entry.value)),
        }
    }
    Ok(laid_out_as(text, &root.to_string()))
}

fn update(handler: &CstObject, own: &Map<String, Value>) {
    for (key, value) in own {
        let found = handler.get(key);
        let now = found.as_ref().and_then(CstObjectProp::value);
        match found {
            Some(_) if now.and_then(|now| now.to_serde_value()).as_ref() == Some(value) => {}
            Some(property) => property.set_value(input(value)),
            None => _ = handler.append(key, input(value)),
        }
    }
}

/// The text without these entries; `None` if nothing else is in a file that was made for them.
pub fn unmerge(
    text: &str,
    entries: &[Entry],
    planted: Option<&Planted>,
) -> Result<Option<String>, String> {
    if !may_have_any(text) {
        return Ok(Some(text.to_owned()));
    }
    let root = parse(text)?;
    let before = planted.and_then(|it| parse(it.before.as_deref().unwrap_or(EMPTY)).ok());
    let is_made =
        |path: &[&str]| before.as_ref().is_some_and(|root| properties(root, path).is_empty());
    for entry in entries {
        let is_ours = |text: &str| match planted {
            Some(planted) => planted.texts.contains(text),
            None => entry.value.is_object() && text == entry.text(),
        };
        let found = entry.found(&root, &is_ours);
        if found.is_empty() {
            continue;
        }
        for leaf in found {
            group_of(&leaf).unwrap_or(leaf).remove();
        }
        for depth in (1..=entry.path.len()).rev() {
            let path = &entry.path[..depth];
            let held = properties(&root, path).into_iter().filter(|_| is_made(path));
            held.filter(holds_nothing).for_each(CstObjectProp::remove);
        }
    }
    let rest = laid_out_as(text, &root.to_string());
    let is_bare =
        ["{}", "{\"$version\":4}"].contains(&&*rest.split_whitespace().collect::<String>());
    Ok(Some(rest).filter(|_| !(is_bare && planted.is_some_and(|it| it.before.is_none()))))
}

/// A file with nothing but these entries, and Qwen Code's version of it, where that would add one.
pub fn created(entries: &[Entry], has_version: bool) -> Result<String, String> {
    let text = merge(EMPTY, entries, None)?;
    Ok(match text.strip_suffix("\n}\n") {
        Some(rest) if has_version => [rest, ",", VERSION, "\n"].concat(),
        _ => text,
    })
}

/// Returns true if the text has any of these entries, or what was planted in their place.
pub fn has_any(text: &str, entries: &[Entry], planted: Option<&Planted>) -> Result<bool, String> {
    let root = parse(if may_have_any(text) { text } else { EMPTY })?;
    let is_planted = |text: &str| planted.is_some_and(|it| it.texts.contains(text));
    Ok(entries.iter().any(|entry| {
        !entry.found(&root, &|text| text == entry.text() || is_planted(text)).is_empty()
    }))
}

/// The commands and rules of these entries that the text lacks.
pub fn lacking(text: &str, entries: &[Entry]) -> Result<Vec<String>, String> {
    let root = parse(if may_have_any(text) { text } else { EMPTY })?;
    Ok(entries
        .iter()
        .filter(|entry| entry.found(&root, &|text| text == entry.text()).is_empty())
        .map(|entry| entry.text().to_owned())
        .collect())
}

/// Returns false for texts without an entry, which need not even be valid.
fn may_have_any(text: &str) -> bool {
    text.contains("git sq") || text.contains("git-sq")
}

impl Entry {
    /// The command or rule, around which people may add their own.
    fn text(&self) -> &str {
        command(&self.value["hooks"][0]).or(self.value.as_str()).unwrap_or_default()
    }

    fn found(&self, root: &CstRootNode, is_ours: &dyn Fn(&str) -> bool) -> Vec<CstNode> {
        properties(root, &self.path)
            .iter()
            .filter_map(CstObjectProp::value)
            .flat_map(|array| leaves(&array, is_ours))
            .collect()
    }

    fn array_or_create(&self, root: &CstRootNode) -> Result<CstArray, String> {
        let mut object = root.object_value_or_set();
        let (last, keys) = self.path.split_last().unwrap_or((&"", &[]));
        let misfit = |value: Option<CstNode>, why: &str| {
            let start = value.map_or(0, |value| start(&value));
            misfit(&root.to_string(), start, why)
        };
        let value = |object: &CstObject, key: &str| {
            let mut named = named(object, key);
            let value = named.next().and_then(|property| property.value());
            match named.next() {
                Some(second) => Err(misfit(Some(second.into()), &format!("duplicate key {key:?}"))),
                None => Ok(value),
            }
        };
        for key in keys {
            let value = value(&object, key)?;
            object = object
                .object_value_or_create(key)
                .ok_or_else(|| misfit(value, &format!("{key:?} is not an object")))?;
        }
        let value = value(&object, last)?;
        object
            .array_value_or_create(last)
            .ok_or_else(|| misfit(value, &format!("{last:?} is not an array")))
    }
}

fn command(handler: &Value) -> Option<&str> {
    handler.get("command")?.as_str()
}

/// The elements of arrays in or below a container that are, or have as their command, such a text.
fn leaves(container: &CstNode, is_ours: &dyn Fn(&str) -> bool) -> Vec<CstNode> {
    let is_leaf = |node: &CstNode| {
        let value = node.to_serde_value().unwrap_or_default();
        container.as_array().is_some() && value.as_str().or(command(&value)).is_some_and(is_ours)
    };
    container
        .children_exclude_trivia_and_tokens()
        .into_iter()
        .flat_map(|child| if is_leaf(&child) { vec![child] } else { leaves(&child, is_ours) })
        .collect()
}

/// The element of an array that has the form of ours and holds nothing but this handler.
fn group_of(handler: &CstNode) -> Option<CstNode> {
    let array = handler.parent()?.as_array()?;
    let property = array.parent()?.as_object_prop()?;
    let group = property.parent()?.as_object()?;
    let is_alone = array.elements().len() == 1
        && group.properties().len() == 1
        && group.parent()?.is_array()
        && ![array.children(), property.children(), group.children()]
            .iter()
            .flatten()
            .any(CstNode::is_comment);
    is_alone.then(|| group.into())
}

fn holds_nothing(property: &CstObjectProp) -> bool {
    let value = property.value();
    let is_filler = |node: &CstNode| node.is_token() || node.is_whitespace() || node.is_newline();
    value.is_some_and(|value| {
        matches!(value, CstNode::Container(_)) && value.children().iter().all(is_filler)
    })
}

/// The properties at the end of a path: more than one if a key stands twice.
fn properties(root: &CstRootNode, path: &[&str]) -> Vec<CstObjectProp> {
    let (last, keys) = path.split_last().unwrap_or((&"", &[]));
    let outermost: Vec<CstObject> = root.object_value().into_iter().collect();
    keys.iter()
        .fold(outermost, |objects, key| {
            let held = objects.iter().flat_map(|object| named(object, key));
            held.filter_map(|property| property.object_value()).collect()
        })
        .iter()
        .flat_map(|object| named(object, last))
        .collect()
}

fn named(object: &CstObject, key: &str) -> impl Iterator<Item = CstObjectProp> {
    object.properties().into_iter().filter(move |it| it.decoded_name().as_deref() == Some(key))
}

/// The new text with the byte order mark of the old one, and on one line if that is.
fn laid_out_as(old: &str, new: &str) -> String {
    let mark = if old.starts_with(BYTE_ORDER_MARK) { "\u{feff}" } else { "" };
    let old = old.trim();
    if old.contains('\n') || old.trim_start_matches(BYTE_ORDER_MARK) == "{}" {
        return [mark, new].concat();
    }
    let (start, text) = new.split_at(new.len() - new.trim_start().len());
    let (text, end) = text.split_at(text.trim_end().len());
    text.lines().map(str::trim_start).fold([mark, start].concat(), |line, next| {
        let space = if line.ends_with(',') { " " } else { "" };
        [&line, space, next].concat()
    }) + end
}

fn parse(text: &str) -> Result<CstRootNode, String> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
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
