//! The paths that a document names: in spans of code, in links, in imports, and in URLs of the repository itself.

use std::{ops::Range, path::Path};

use regex::bytes::Captures;
use serde::{Deserialize, Serialize};

use super::{
    document::{Document, Line, spans},
    tree::{first, folder, pattern},
};
use crate::git;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Form {
    Code,
    /// A file name alone, in a span of code.
    Bare,
    Link,
    /// A line of a document for agents, whose file the agent reads, too.
    Import,
    Url,
}

impl Form {
    pub fn is_link(self) -> bool {
        matches!(self, Self::Link | Self::Import)
    }

    /// True if the words beside it say how it is meant.
    pub fn is_words(self) -> bool {
        matches!(self, Self::Code | Self::Bare)
    }
}

/// Where a document names a path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Spot {
    pub line: usize,
    pub column: usize,
    pub form: Form,
}

#[derive(Serialize, Deserialize)]
pub struct Name {
    pub form: Form,
    /// As it is written.
    pub says: String,
    /// With percent signs decoded, and without an anchor.
    pub path: String,
    pub column: usize,
}

/// Nothing but a path, with a line perhaps.
const PATH: &str = r#"^["'(,]*(?:\./)?([\w.][\w.+@-]*(?:/[\w.+@-]+)*)(?:/|[:#?].*)?["'),;.]*$"#;

/// A name with an ending, or one that begins with a dot and is no ending.
const BARE: &str = r#"(?-u)^["'(,]*(?:\./)?(\.?[A-Za-z_][\w-]*(?:\.[\w-]+)*\.[A-Za-z]\w{0,9}|\.[A-Za-z][\w-]{4,})(?:[:#]\S*)?["'),;.]*$"#;

/// Links and definitions of <https://spec.commonmark.org>: the target in the second group of each may have spaces. Then those
/// of HTML.
const LINK: &str = r#"(?-u)\]\(\s*(?:((?:[^()<>\s\\]|\([^()<>\s\\]*\))+)|<([^<>\n\\]+)>)|^\s{0,3}\[[^\]^\n][^\]\n]*\]:\s*(?:([^<>\s]+)|<([^<>\n]+)>)|\b(?:href|src)=["']([^"'\s]+)["']"#;
/// A target of reStructuredText: of a reference, or one that is named below.
const REST: &str = r"(?-u)`[^`<]*<([^>`\s]+[^>`\s_])>`__?|^\s*\.\. _[^:\n]+:\s+(\S*[^\s_])\s*$";
const IN_URL: &str = r#"([^\s()\[\]<>"'`#?|\\{}$*]+)"#;
const IMPORT: &str =
    r"(?-u)(?:^|\s)@((?:\./)?[\w.-]+(?:/[\w.-]+)*\.(?:md|mdx|mdc|txt))(?:\s|[),;.]|$)";

/// Characters of a link's text.
const FAR: usize = 1000;

/// Placeholders for a target that the reader puts in.
const SAMPLE: &str = r"(?i)[<>{}$*|\\\[\]]|\.\.\.|(^|/)(url|link|todo|example|path)([./-]|$)|^(your|my|some)[-_/ ]|placeholder";

/// Pages of a hosted repository that look like relative paths, as in `../../issues`.
const HOSTED: &str = r"^(\.\./)+(issues|pulls?|wiki|releases|actions|discussions|compare|commits?|graphs|projects|security|labels|milestones|tags|branches|blob|tree|raw|network|stargazers|settings|edit|new|fork|archive)(/|\?|#|$)";

/// The names on a line, in the order in which they stand there. `url` matches URLs of the repository up to the path.
pub fn names(document: &Document, line: &Line, url: &str) -> git::Result<Vec<Name>> {
    let mut names = Vec::new();
    if line.is_printed {
        return Ok(names);
    }
    let text = line.text;
    if text.contains("://") {
        let found = pattern(&format!("{url}{IN_URL}"))?;
        names.extend(found.captures_iter(text.as_bytes()).filter_map(|found| {
            let path = found.get(1)?;
            let says = text[path.range()].trim_end_matches(['.', ',', ';', ':', '/', '*', '_']);
            name(Form::Url, says, path.start())
        }));
    }
    if line.is_code {
        return Ok(names);
    }
    let mut code = Vec::new();
    for (span, column) in spans(text) {
        let span = column..column + span.len();
        // What a link shows is judged by where it points.
        if !text[span.end..].starts_with("`](") {
            names.extend(in_span(text, span.clone(), document));
        }
        code.push(span);
    }
    let outside = |at: usize| !code.iter().any(|span| span.contains(&at));
    let links = ["](", "]:", "href=", "src="].iter().any(|mark| text.contains(mark));
    let links = links.then(|| pattern(LINK)).transpose()?;
    for found in links.iter().flat_map(|links| links.captures_iter(text.as_bytes())) {
        let Some(target) = target(text, &found) else { continue };
        let says = &text[target.clone()];
        if outside(target.start) && is_relative(says)? {
            names.extend(name(Form::Link, says, target.start));
        }
    }
    let is_rest = Path::new(&document.file).extension().is_some_and(|end| end == "rst");
    if is_rest && text.contains('_') {
        for found in pattern(REST)?.captures_iter(text.as_bytes()) {
            let Some(target) = found.get(1).or(found.get(2)) else { continue };
            let says = &text[target.range()];
            if says.contains('.') && is_relative(says)? {
                names.extend(name(Form::Link, says, target.start()));
            }
        }
    }
    if document.is_for_agents && text.contains('@') {
        for found in pattern(IMPORT)?.captures_iter(text.as_bytes()) {
            if let Some(path) = found.get(1).filter(|path| outside(path.start())) {
                names.extend(name(Form::Import, &text[path.range()], path.start()));
            }
        }
    }
    names.sort_by_key(|name| name.column);
    Ok(names)
}

fn in_span(text: &str, span: Range<usize>, document: &Document) -> Vec<Name> {
    // What users or members of a workspace put into dot folders of their own.
    let file = &document.file;
    let is_root = matches!(folder(file), "" | ".github") || file.starts_with(".cursor/");
    let is_for_users = !is_root || file.to_ascii_lowercase().starts_with("readme");
    let (mut names, mut at) = (Vec::new(), span.start);
    let is_alone = !text[span.clone()].contains(char::is_whitespace);
    // A request in words is no command.
    if !is_alone && text[span.clone()].starts_with(char::is_uppercase) {
        return names;
    }
    for word in text[span].split_inclusive(char::is_whitespace) {
        let start = at;
        at += word.len();
        let word = word.trim_end();
        if word.contains("://") {
            continue;
        }
        if let Some(path) = first(PATH, word).filter(|path| word[path.clone()].contains('/')) {
            let says = &word[path.clone()];
            if !(says.starts_with("../") || is_for_users && says.starts_with('.')) {
                names.extend(name(Form::Code, says, start + path.start));
            }
        } else if let Some(path) = first(BARE, word).filter(|_| is_alone) {
            names.extend(name(Form::Bare, &word[path.clone()], start + path.start));
        }
    }
    names
}

/// Where a link leads, if that is all there, and nothing escapes its brackets.
fn target(text: &str, found: &Captures) -> Option<Range<usize>> {
    let at = |group| found.get(group).map(|found| found.range());
    let is_end = |after: &str| {
        let title = after.trim_start();
        (title.is_empty() || title.starts_with([')', '"', '\'', '(']))
            && (after.starts_with(')') || after.len() > title.len() || title.is_empty())
    };
    let plain = at(1).or(at(3));
    let is_whole = plain.as_ref().is_none_or(|plain| is_end(&text[plain.end..]));
    let is_inline = at(1).or(at(2)).is_some();
    let is_link = !is_inline || !is_escaped(&text[..found.get(0)?.start()]);
    plain.or(at(2)).or(at(4)).or(at(5)).filter(|_| is_whole && is_link)
}

/// True if a backslash stands before a bracket of a link; the text ends before the closing one.
fn is_escaped(text: &str) -> bool {
    let mut open = 0;
    let opening = text.char_indices().rev().take(FAR).find(|(_, c)| {
        open += i32::from(*c == '[') - i32::from(*c == ']');
        open > 0
    });
    text.ends_with('\\') || opening.is_some_and(|(at, _)| text[..at].ends_with('\\'))
}

fn is_relative(target: &str) -> git::Result<bool> {
    let scheme = target.find(':').is_some_and(|colon| !target[..colon].contains(['/', '.', '#']));
    // Words, for which the reader puts in a target.
    let is_words = target.contains(' ') && !target.contains('.');
    let is_none =
        scheme || is_words || target.starts_with("//") || target.starts_with(['#', '?', '@']);
    Ok(!is_none
        && !pattern(SAMPLE)?.is_match(target.as_bytes())
        && !pattern(HOSTED)?.is_match(target.as_bytes()))
}

fn name(form: Form, says: &str, column: usize) -> Option<Name> {
    let whole = says.split(['#', '?']).next()?;
    let path = decoded(whole);
    let says = whole.strip_prefix("./").unwrap_or(whole);
    let column = column + whole.len() - says.len();
    (!path.is_empty() && !says.is_empty()).then(|| Name {
        form,
        says: says.to_owned(),
        path,
        column,
    })
}

/// A path of a URL as text.
pub fn decoded(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [byte, after @ ..] = rest {
        let code = after.get(..2).filter(|_| *byte == b'%');
        let code = code.and_then(|code| str::from_utf8(code).ok());
        let code = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(code.unwrap_or(*byte));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}
