use std::{collections::HashSet, fmt};

use regex::bytes::Regex;
use serde_json::Value;

use crate::{
    entry::{Citation, CitedLines, begins},
    git::places,
    question::{self, CiteSettings, Shape},
};

const SHOWN: usize = 3;

pub fn cited_lines(cites: &[Citation]) -> Vec<CitedLines> {
    let lines = cites.iter().filter_map(|cite| match cite {
        Citation::Lines(lines) => Some(lines.clone()),
        Citation::Entry { .. } => None,
    });
    lines.collect()
}

#[derive(Debug)]
pub struct Block {
    cite: CitedLines,
    lines: Vec<String>,
}

impl Block {
    /// Cited lines of a file with up to `around` more before and after; `None` if the file is too short.
    pub fn of(cite: &CitedLines, file: &[String], around: u32) -> Option<Self> {
        let [from, to] = cite.lines.map(|line| line as usize);
        let around = around as usize;
        if from == 0 || from > to || to > file.len() {
            return None;
        }
        let lines = &file[(from - 1).saturating_sub(around)..(to + around).min(file.len())];
        Some(Self { cite: cite.clone(), lines: lines.to_vec() })
    }

    /// The same lines, wherever in a file they are.
    pub fn found(cite: &CitedLines, file: &[String], around: u32) -> Option<Self> {
        let [from, to] = cite.lines.map(|line| line as usize);
        let length = (to + 1).checked_sub(from).filter(|length| *length > 0)?;
        let is_it = |window: &[String]| {
            Some(CitedLines::sum_of(window.iter().map(String::as_str))) == cite.sum
        };
        let start = file.windows(length).position(is_it).filter(|_| cite.sum.is_some())?;
        let line = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        let lines = [line(start + 1), line(start + length)];
        Self::of(&CitedLines { lines, ..cite.clone() }, file, around)
    }

    pub fn path(&self) -> &str {
        &self.cite.path
    }

    pub fn size(&self) -> usize {
        self.lines.iter().map(String::len).sum()
    }

    pub fn stands_in(&self, file: &[String]) -> bool {
        !places(&self.lines, file).is_empty()
    }

    /// The same, whatever the white space behind the indentation, which may have a meaning.
    pub fn stands_spaced_in(&self, file: &[String]) -> bool {
        let words = |lines: &[String]| -> Vec<String> {
            let words = lines.iter().map(|line| {
                let indent = line.len() - line.trim_start().len();
                line[..indent].to_owned() + &line.split_whitespace().collect::<String>()
            });
            words.collect()
        };
        self.stands_in(file) || !places(&words(&self.lines), &words(file)).is_empty()
    }

    pub fn has_quote(&self, cite: &CitedLines) -> bool {
        let quote = cite.quote.as_deref();
        quote.is_none_or(|quote| plain(&self.lines.join(" ")).contains(&plain(quote)))
    }

    pub fn new_line(&self, file: &[String]) -> Option<String> {
        let known: HashSet<&str> = file.iter().map(|line| line.trim()).collect();
        let (number, _) = (self.cite.lines[0]..).zip(&self.lines).find(|(_, line)| {
            let line = line.trim();
            !line.is_empty() && !known.contains(line)
        })?;
        Some(format!("{}:{number}", self.cite.path))
    }

    /// Returns true if a line within `edge` lines of the first or the last one matches.
    fn is_on_target(&self, pattern: &Regex, edge: usize) -> bool {
        let matches = |line: &String| pattern.is_match(line.as_bytes());
        let (head, tail) = (self.lines.iter(), self.lines.iter().rev());
        head.take(edge + 1).any(matches) && tail.take(edge + 1).any(matches)
    }
}

#[derive(Debug)]
pub struct Cited(pub Vec<Block>);

impl Cited {
    pub fn matches(&self, pattern: &Regex) -> bool {
        let mut lines = self.0.iter().flat_map(|block| &block.lines);
        lines.any(|line| pattern.is_match(line.as_bytes()))
    }

    /// A number or a list may cite many lines if these begin and end near matching ones.
    pub fn too_wide(
        &self,
        shape: Option<&Shape>,
        pattern: Option<&Regex>,
        limits: &CiteSettings,
    ) -> Option<String> {
        let most = limits.max_lines as usize;
        if !matches!(shape, Some(Shape::List(_) | Shape::Number(_))) {
            let lines = self.0.iter().flat_map(|Block { cite, .. }| {
                let [from, to] = cite.lines;
                (from..=to).map(|line| (cite.path.as_str(), line))
            });
            let all = lines.collect::<HashSet<_>>().len();
            return (all > most)
                .then(|| format!("{self} has {all} lines (cite.max_lines is {most})"));
        }
        let pattern = pattern?;
        let edge = limits.edge as usize;
        let mut wide = self.0.iter().filter(|block| block.lines.len() > most);
        let block = wide.find(|block| !block.is_on_target(pattern, edge))?;
        Some(format!(
            "{} has {} lines, and none that matches its `lines` within {edge} of an end",
            block.cite,
            block.lines.len()
        ))
    }

    /// The answer, or the first item of it, that is neither in the lines nor in their paths.
    pub fn lacks(&self, answer: &Value) -> Option<String> {
        let lines = self.0.iter().flat_map(|block| &block.lines);
        let paths = self.0.iter().map(|block| &block.cite.path);
        let text: Vec<&str> = lines.chain(paths).map(String::as_str).collect();
        let text = plain(&text.join(" "));
        let items = match begins(answer).unwrap_or(answer) {
            Value::Array(items) => items.as_slice(),
            one => std::slice::from_ref(one),
        };
        let mut items = items.iter().filter_map(Value::as_str);
        let absent = items.find(|item| !text.contains(&plain(item)))?;
        Some(format!("{absent:?} is not in {self}"))
    }
}

impl fmt::Display for Cited {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let cites = self.0.iter().map(|block| block.cite.to_string());
        let shown: Vec<String> = cites.take(SHOWN).collect();
        f.write_str(&shown.join(", "))?;
        match self.0.len() - shown.len() {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

fn plain(text: &str) -> String {
    question::plain(text).to_lowercase()
}
