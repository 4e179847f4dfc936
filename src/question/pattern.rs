//! The regular expressions of probes.

use regex::bytes::Regex;

use super::{
    compiled::regex,
    probe::{Grep, TextOf, TextTake},
};

impl Grep {
    /// The pattern for lines; the error says why there is none.
    pub fn matcher(&self) -> Result<Regex, String> {
        let regex = match (&self.pattern, &self.text) {
            (Some(pattern), None) => regex(pattern)?,
            (None, Some(text)) if !text.is_empty() => regex(&regex::escape(text))?,
            (None, Some(_)) => return Err("`text` is empty".into()),
            _ => return Err("`grep` takes either `pattern` or `text`".into()),
        };
        match self.capture {
            Some(group) if group >= regex.captures_len() => {
                Err(format!("the pattern has no group {group}"))
            }
            _ => Ok(regex),
        }
    }
}

/// The part of a text file that is taken.
#[derive(Debug)]
pub enum TextPart<'t> {
    Lines([u32; 2]),
    Match(Regex),
    Section(&'t str),
}

impl TextOf {
    /// The part that is the answer; the error says why it is undefined.
    pub fn part(&self) -> Result<TextPart<'_>, String> {
        if self.take == TextTake::Every && self.pattern.is_none() {
            return Err("`take` needs a `pattern`".into());
        }
        match (self.lines, &self.pattern, &self.section) {
            (Some([from, to]), None, None) if from > 0 && from <= to => {
                Ok(TextPart::Lines([from, to]))
            }
            (Some(_), None, None) => Err("expected two lines in order, counted from 1".into()),
            (None, Some(pattern), None) => regex(pattern).map(TextPart::Match),
            (None, None, Some(section)) if !section.trim().is_empty() => {
                Ok(TextPart::Section(section.trim()))
            }
            _ => Err("`text` takes exactly one of `lines`, `pattern` and `section`".into()),
        }
    }
}
