//! The name of a question: `q4`, or one version of it, `q4@2`.

use std::{fmt, str::FromStr};

/// A question's id, and a version where one was named.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct QuestionRef {
    pub id: String,
    pub version: Option<u32>,
}

/// The rule for ids, in words.
pub const ID_RULE: &str =
    "expected a lowercase letter, then up to 63 lowercase letters, digits, `_` or `-`";

/// Returns true if `id` is `^[a-z][a-z0-9_-]{0,63}$`.
pub fn is_valid_id(id: &str) -> bool {
    let mut bytes = id.bytes();
    id.len() <= 64
        && bytes.next().is_some_and(|b| b.is_ascii_lowercase())
        && bytes.all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-'))
}

/// The name of one version of a question: `q4`, or `q4@2` where the version is not 1.
pub fn name(id: &str, version: u32) -> String {
    match version {
        1 => id.to_owned(),
        _ => format!("{id}@{version}"),
    }
}

impl QuestionRef {
    /// Returns true if it names this version of this question.
    pub fn names(&self, id: &str, version: u32) -> bool {
        self.id == id && self.version.is_none_or(|named| named == version)
    }
}

impl FromStr for QuestionRef {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (id, version) = match text.split_once('@') {
            None => (text, None),
            Some((id, version)) => {
                let number = version
                    .parse()
                    .ok()
                    .filter(|&n| n > 0)
                    .ok_or_else(|| format!("invalid version number {version:?}"))?;
                (id, Some(number))
            }
        };
        if !is_valid_id(id) {
            return Err(format!(
                "invalid question name {text:?}: expected q4, or q4@2 for one version of it"
            ));
        }
        Ok(Self { id: id.to_owned(), version })
    }
}

impl fmt::Display for QuestionRef {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.id)?;
        self.version.map_or(Ok(()), |version| write!(f, "@{version}"))
    }
}
