//! Who the user is, as git would write it in a commit.

use gix::{
    actor::{Signature, SignatureRef},
    bstr::{BString, ByteSlice as _},
};

use super::{Error, ErrorKind, Repo, Result, error::Doing};
use crate::entry::Person;

impl Repo {
    /// The author and the committer, as far as git knows who that is.
    pub(super) fn signatures_of_user(&self) -> Result<[Option<Signature>; 2]> {
        Ok([signature(self.inner.author())?, signature(self.inner.committer())?])
    }

    /// Fails with [`ErrorKind::Identity`] unless git knows the author and the committer.
    pub fn require_identity(&self) -> Result<()> {
        for known in self.signatures_of_user()? {
            if known.is_none_or(|signature| signature.name.is_empty()) {
                let message = "git does not know who you are, and every note has an author";
                return Err(Error::new(ErrorKind::Identity, message).help([
                    "git config --global user.name \"Your Name\"",
                    "git config --global user.email you@example.com",
                ]));
            }
        }
        Ok(())
    }

    /// Uses this identity if git knows none.
    pub fn or_known_as(mut self, name: &str, email: &str) -> Result<Self> {
        if self.require_identity().is_err() {
            let mut config = self.inner.config_snapshot_mut();
            for (key, value) in [("user.name", name), ("user.email", email)] {
                config.set_raw_value(key, value).doing("set a name")?;
            }
            config.commit().doing("set a name")?;
            self.is_author_assumed = true;
        }
        Ok(self)
    }

    /// The committer as git would name it. gix's own `committer` also asks for the local time, and so reads the system's
    /// whole time zone folder.
    pub fn identity(&self) -> Option<Person> {
        let first = |keys: &[&str]| keys.iter().find_map(|key| self.config_string(key));
        let name = first(&["committer.name", "user.name", "gitoxide.committer.nameFallback"])?;
        let email = first(&[
            "committer.email",
            "user.email",
            "gitoxide.user.emailFallback",
            "gitoxide.committer.emailFallback",
        ])?;
        let plain = |text: String| plain(text.as_bytes()).to_string();
        Some(Person { name: plain(name), email: plain(email) })
    }
}

fn signature(found: Option<gix::Result<SignatureRef<'_>>>) -> Result<Option<Signature>> {
    let unread = "git's date for the author or committer can't be read";
    let unread = || Error::new(ErrorKind::Identity, unread);
    let Some(found) = found.transpose().map_err(|error| unread().because(error))? else {
        return Ok(None);
    };
    let found = found.to_owned().map_err(|error| unread().because(error))?;
    Ok(Some(Signature { name: plain(&found.name), email: plain(&found.email), ..found }))
}

/// A name or an address without what git strips (`ident.c`): a commit could not be read if it had these.
fn plain(text: &[u8]) -> BString {
    let ends = |c: char| c <= ' ' || r#",:;<>"\'"#.contains(c);
    let inside = text.trim_with(ends).iter().copied();
    inside.filter(|byte| !b"<>\n".contains(byte)).collect::<Vec<u8>>().into()
}
