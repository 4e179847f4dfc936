//! Text of a line: borrowed if the line has it unescaped, else owned.

use std::{borrow::Cow, fmt, ops::Deref};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

// A bare `Cow` would copy each string in an `Option` or a list.
#[derive(
    Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
#[schemars(inline)]
pub struct Text<'l>(#[serde(borrow)] Cow<'l, str>);

impl Text<'_> {
    pub fn into_owned(self) -> String {
        self.0.into_owned()
    }
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<String> for Text<'_> {
    fn from(text: String) -> Self {
        Self(Cow::Owned(text))
    }
}

impl<'l> From<&'l str> for Text<'l> {
    fn from(text: &'l str) -> Self {
        Self(Cow::Borrowed(text))
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self)
    }
}
