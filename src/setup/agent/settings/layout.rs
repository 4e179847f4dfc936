//! Where the entries of a settings file are, and the text with one more, or one less.

use std::{iter, ops::Range};

use jsonc_parser::{
    CollectOptions, CommentCollectionStrategy, ParseOptions,
    ast::Value as Node,
    common::Ranged,
    parse_to_ast,
    tokens::{Token, TokenAndRange},
};
use serde_json::Value;

use super::{Entry, Misfit};

/// The white space of JSON.
const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// A text, its tokens (comments are some) and what they mean.
pub struct Layout<'t> {
    text: &'t str,
    root: Node<'t>,
    tokens: Vec<TokenAndRange<'t>>,
}

/// What a container holds.
struct Container {
    /// With both brackets.
    range: Range<usize>,
    /// Its elements or properties.
    children: Vec<Range<usize>>,
}

/// An entry that was found.
pub struct Leaf {
    pub at: (usize, usize),
    /// The containers around it from the outermost, each with the place of the child that leads to it.
    within: Vec<(Container, usize)>,
}

impl<'t> Layout<'t> {
    pub fn parse(text: &'t str) -> Result<Self, Misfit> {
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
        let collect = CollectOptions {
            comments: CommentCollectionStrategy::AsTokens,
            tokens: true,
        };
        let parsed = parse_to_ast(text, &collect, &strict)
            .map_err(|error| misfit(text, error.range().start, &error.kind().to_string()))?;
        match parsed.value {
            Some(root @ Node::Object(_)) => Ok(Self {
                text,
                root,
                tokens: parsed.tokens.unwrap_or_default(),
            }),
            other => {
                let start = other.map_or(0, |value| value.start());
                Err(misfit(text, start, "expected an object"))
            }
        }
    }

    /// The array that an entry belongs in, or what is there of the way to it: the containers, and the keys that are left.
    fn walk<'a>(&'a self, entry: &'a Entry) -> Result<(Vec<Step<'a, 't>>, &'a [&'a str]), Misfit> {
        let mut steps = vec![Step::new(&self.root, 0)];
        for (depth, key) in entry.path.iter().enumerate() {
            let wants_array = depth + 1 == entry.path.len();
            let Some(Node::Object(object)) = steps.last().map(|step| step.node) else {
                break;
            };
            let Some(place) = object
                .properties
                .iter()
                .rposition(|it| it.name.as_str() == *key)
            else {
                return Ok((steps, &entry.path[depth..]));
            };
            let node = &object.properties[place].value;
            match (node, wants_array) {
                (Node::Array(_), true) | (Node::Object(_), false) => {}
                (_, true) => return Err(self.misfit(node, &format!("{key:?} is not an array"))),
                (_, false) => return Err(self.misfit(node, &format!("{key:?} is not an object"))),
            }
            if let Some(step) = steps.last_mut() {
                step.place = place;
            }
            steps.push(Step::new(node, 0));
        }
        Ok((steps, &[]))
    }

    /// All that is ours where an entry belongs.
    pub fn find(&self, entry: &Entry) -> Result<Vec<Leaf>, Misfit> {
        let (steps, missing) = self.walk(entry)?;
        let mut found = Vec::new();
        if missing.is_empty() {
            search(entry, &steps, &mut found);
        }
        Ok(found)
    }

    pub fn value(&self, (start, end): (usize, usize)) -> Value {
        let text = &self.text[start..end];
        jsonc_parser::parse_to_serde_value(text, &ParseOptions::default()).unwrap_or_default()
    }

    pub fn insert(&self, entry: &Entry) -> Result<String, Misfit> {
        let (steps, missing) = self.walk(entry)?;
        let Some(container) = steps.last().map(Step::container) else {
            return Err(self.misfit(&self.root, "expected an object"));
        };
        let Some((key, rest)) = missing.split_first() else {
            return Ok(self.append(&container, None, &entry.value));
        };
        let value = nested(rest, &entry.value);
        Ok(self.append(&container, Some(key), &value))
    }

    /// Inserts a value, or a property, behind what the container holds.
    fn append(&self, container: &Container, key: Option<&str>, value: &Value) -> String {
        let indent = self.child_indent(container);
        let key = key.map_or_else(String::new, |key| format!("{}: ", Value::from(key)));
        let new = key + &pretty(value, &self.unit(), &indent, self.eol());
        let Some(last) = container.children.last() else {
            return self.spliced([(container.range.start + 1, format!(" {new}"))]);
        };
        let inside = last.end..container.range.end - 1;
        let has_comma = self.comma_in(&inside).is_some();
        let (before, after) = if has_comma { ("", ",") } else { (",", "") };
        let behind = self.end_before(inside.end);
        let new = format!("{}{indent}{new}{after}", self.eol());
        self.spliced([(last.end, before.to_owned()), (behind, new)])
    }

    pub fn replace(&self, leaf: &Leaf, value: &Value) -> String {
        let (start, end) = leaf.at;
        let indent = self.indent_at(start);
        let new = pretty(value, &self.unit(), indent, self.eol());
        format!("{}{new}{}", &self.text[..start], &self.text[end..])
    }

    /// The text without a leaf, and without the containers that were made for it; None if that is the whole text.
    pub fn without(&self, leaf: &Leaf) -> Option<String> {
        let mut levels = leaf.within.iter().rev();
        let mut level = levels.next()?;
        while self.was_made(&level.0) {
            level = match levels.next() {
                Some(outer) => outer,
                None if self.is_all(&level.0) => return None,
                None => break,
            };
        }
        let (container, place) = level;
        let child = &container.children[*place];
        let next = container.children.get(place + 1);
        let until = next.map_or(container.range.end - 1, |next| next.start);
        let start = self.end_before(child.start);
        let before = place.checked_sub(1).map(|place| &container.children[place]);
        let gap = before.map(|before| before.end..child.start);
        let comma = self.comma_in(&(child.end..until));
        let comma = comma.or_else(|| self.comma_in(&gap?));
        let cuts = comma.into_iter().chain(iter::once(start..child.end));
        let mut cuts: Vec<Range<usize>> = cuts.collect();
        cuts.sort_by_key(|cut| cut.start);
        let mut text = String::with_capacity(self.text.len());
        let mut from = 0;
        for cut in cuts {
            text += &self.text[from..cut.start];
            from = cut.end;
        }
        Some(text + &self.text[from..])
    }

    /// Whether a container has nothing but one child, on a line of its own.
    fn was_made(&self, container: &Container) -> bool {
        let [child] = container.children.as_slice() else {
            return false;
        };
        let before = &self.text[container.range.start + 1..child.start];
        let after = &self.text[child.end..container.range.end - 1];
        before.trim().is_empty() && before.contains('\n') && after.trim().is_empty()
    }

    /// Whether nothing is around a container.
    fn is_all(&self, container: &Container) -> bool {
        let Range { start, end } = container.range;
        start == 0 && self.text[end..].trim().is_empty()
    }

    fn comma_in(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let mut tokens = self.tokens.iter();
        let comma = tokens.find(|it| it.token == Token::Comma && range.contains(&it.start()))?;
        Some(comma.start()..comma.end())
    }

    /// The end of what stands before an offset, white space aside.
    fn end_before(&self, offset: usize) -> usize {
        self.text[..offset].trim_end_matches(BLANKS).len()
    }

    /// The text with more in it, at places in ascending order.
    fn spliced<const N: usize>(&self, parts: [(usize, String); N]) -> String {
        let mut text = self.text.to_owned();
        for (at, new) in parts.into_iter().rev() {
            text.insert_str(at, &new);
        }
        text
    }

    fn child_indent(&self, container: &Container) -> String {
        let start = container.range.start;
        let sibling = container.children.iter().find(|child| {
            let line = self.line_to(child.start);
            line.trim().is_empty() && line.len() < child.start - start
        });
        match sibling {
            Some(child) => self.indent_at(child.start).to_owned(),
            None => format!("{}{}", self.indent_at(start), self.unit()),
        }
    }

    /// The line that an offset is in, up to the offset.
    fn line_to(&self, offset: usize) -> &str {
        let before = &self.text[..offset];
        before.rfind('\n').map_or(before, |end| &before[end + 1..])
    }

    /// The white space at the beginning of the line that an offset is in.
    fn indent_at(&self, offset: usize) -> &str {
        let line = self.line_to(offset);
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// One step of indentation: that of the first property.
    fn unit(&self) -> String {
        let root = Step::new(&self.root, 0).container();
        let first = root
            .children
            .first()
            .map_or("", |child| self.line_to(child.start));
        let is_indent = !first.is_empty() && first.trim_matches([' ', '\t']).is_empty();
        let unit = if is_indent { first } else { "  " };
        unit.to_owned()
    }

    fn eol(&self) -> &'static str {
        if self.text.contains("\r\n") {
            "\r\n"
        } else {
            "\n"
        }
    }

    fn misfit(&self, node: &Node, why: &str) -> Misfit {
        misfit(self.text, node.start(), why)
    }
}

/// A container on the way to an entry, and which of its children leads on.
#[derive(Clone, Copy)]
struct Step<'a, 't> {
    node: &'a Node<'t>,
    place: usize,
}

impl<'a, 't> Step<'a, 't> {
    fn new(node: &'a Node<'t>, place: usize) -> Self {
        Self { node, place }
    }

    fn container(&self) -> Container {
        let range = |it: &dyn Ranged| it.start()..it.end();
        let children = match self.node {
            Node::Object(object) => object.properties.iter().map(|it| range(it)).collect(),
            Node::Array(array) => array.elements.iter().map(|it| range(it)).collect(),
            _ => Vec::new(),
        };
        Container {
            range: range(self.node),
            children,
        }
    }
}

/// Looks below the last step for what an entry owns.
fn search(entry: &Entry, steps: &[Step], found: &mut Vec<Leaf>) {
    let Some((last, outer)) = steps.split_last() else {
        return;
    };
    let nodes: Vec<&Node> = match last.node {
        Node::Array(array) => array.elements.iter().collect(),
        Node::Object(object) => object.properties.iter().map(|it| &it.value).collect(),
        _ => return,
    };
    for (place, node) in nodes.into_iter().enumerate() {
        let mut within = outer.to_vec();
        within.push(Step::new(last.node, place));
        if matches!(last.node, Node::Array(_)) && entry.owns(node) {
            let within = within.iter().map(|step| (step.container(), step.place));
            found.push(Leaf {
                at: (node.start(), node.end()),
                within: within.collect(),
            });
        } else {
            within.push(Step::new(node, 0));
            search(entry, &within, found);
        }
    }
}

/// An array with a value, in objects with these keys.
pub fn nested(keys: &[&str], value: &Value) -> Value {
    let array = Value::Array(vec![value.clone()]);
    keys.iter().rev().fold(array, |inner, key| {
        Value::Object(iter::once(((*key).to_owned(), inner)).collect())
    })
}

/// A value as text of several lines, of which all but the first are indented.
pub fn pretty(value: &Value, unit: &str, indent: &str, eol: &str) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    let lines = text.lines().map(|line| {
        let rest = line.trim_start_matches(' ');
        unit.repeat((line.len() - rest.len()) / 2) + rest
    });
    lines.collect::<Vec<_>>().join(&format!("{eol}{indent}"))
}

fn misfit(text: &str, offset: usize, why: &str) -> Misfit {
    let before = &text[..offset];
    let line = before.rfind('\n').map_or(before, |end| &before[end + 1..]);
    Misfit {
        line: before.matches('\n').count() + 1,
        column: line.chars().count() + 1,
        why: why.to_owned(),
    }
}
