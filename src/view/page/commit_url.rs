use super::{Html, code, tag};

/// The page of a commit on the web.
pub struct CommitUrl(Option<String>);

impl CommitUrl {
    /// # Errors
    /// The reason why it is not a web address with `{commit}`.
    pub fn new(url: Option<&str>) -> Result<Self, &'static str> {
        let Some(url) = url else {
            return Ok(Self(None));
        };
        if !url.starts_with("https://") && !url.starts_with("http://") {
            Err("it does not begin with https:// or http://")
        } else if !url.contains("{commit}") {
            Err("it does not contain {commit}")
        } else {
            Ok(Self(Some(url.to_owned())))
        }
    }

    /// A commit by its id; text that is no id is never a link.
    pub(super) fn link(&self, commit: &str) -> Html {
        let shown = code(commit.get(..10).unwrap_or(commit));
        let is_id = commit.len() >= 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        match &self.0 {
            Some(url) if is_id => {
                let address = url.replace("{commit}", commit);
                tag("a").attr("href", address).with(shown)
            }
            _ => shown,
        }
    }
}
