//! HTML in which all text is escaped: only names that stand in this program are markup.

use std::fmt::Display;

use crate::view::escape;

/// A piece of a page: text, or elements that were closed.
#[derive(Debug, Default)]
pub struct Html(String);

impl Html {
    /// The style of a page, which is not escaped.
    pub(super) fn style(style: &'static str) -> Self {
        Self(format!("<style>{style}</style>"))
    }

    pub fn into_string(self) -> String {
        self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<&str> for Html {
    fn from(text: &str) -> Self {
        let mut safe = String::with_capacity(text.len());
        for c in escape(text).chars() {
            match c {
                '&' => safe.push_str("&amp;"),
                '<' => safe.push_str("&lt;"),
                '>' => safe.push_str("&gt;"),
                '"' => safe.push_str("&quot;"),
                '\'' => safe.push_str("&#39;"),
                _ => safe.push(c),
            }
        }
        Self(safe)
    }
}

impl From<String> for Html {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl<const N: usize> From<[Html; N]> for Html {
    fn from(parts: [Html; N]) -> Self {
        parts.into_iter().collect()
    }
}

impl FromIterator<Html> for Html {
    fn from_iter<T: IntoIterator<Item = Html>>(parts: T) -> Self {
        Self(parts.into_iter().map(|part| part.0).collect())
    }
}

/// An element that is not closed yet.
pub struct Tag {
    name: &'static str,
    open: String,
}

pub fn tag(name: &'static str) -> Tag {
    Tag { name, open: format!("<{name}") }
}

impl Tag {
    #[must_use]
    pub fn class(self, name: &'static str) -> Self {
        self.attr("class", name)
    }

    /// No text of the log or the repository but in `title`: it could address, name or style something.
    #[must_use]
    pub fn attr(mut self, name: &'static str, value: impl Display) -> Self {
        let value = Html::from(value.to_string());
        self.open += &format!(" {name}=\"{}\"", value.0);
        self
    }

    /// A tooltip.
    #[must_use]
    pub fn title(self, text: &str) -> Self {
        self.attr("title", text)
    }

    pub fn with(self, inner: impl Into<Html>) -> Html {
        let Self { name, open } = self;
        Html(format!("{open}>{}</{name}>", inner.into().0))
    }

    /// An element that has no content, such as `meta`.
    pub fn alone(self) -> Html {
        Html(self.open + ">")
    }
}

/// Text of the log or the repository, whose direction does not affect what stands around it.
pub fn quoted(text: &str) -> Html {
    tag("bdi").with(text)
}

/// The same with its lines.
pub fn block(text: &str) -> Html {
    let lines = text.lines().map(|line| Html(quoted(line).0 + "\n"));
    tag("pre").with(lines.collect::<Html>())
}

pub fn code(text: &str) -> Html {
    tag("code").with(text)
}
