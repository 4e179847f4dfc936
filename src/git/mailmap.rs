//! The names that people go by now, as `.mailmap` says and git takes it.

use gix::actor::SignatureRef;

use super::Repo;

/// What the mailmap says; by default nothing.
#[derive(Debug, Clone, Default)]
pub struct Mailmap(gix::mailmap::Snapshot);

impl Mailmap {
    /// The name and the email that a person is shown with.
    pub fn resolve(&self, name: &str, email: &str) -> (String, String) {
        let found = self.0.resolve(SignatureRef {
            name: name.into(),
            email: email.into(),
            time: "",
        });
        (found.name.to_string(), found.email.to_string())
    }
}

impl Repo {
    /// `.mailmap`, `mailmap.file` and `mailmap.blob`; what can't be read is passed over, as git does.
    pub fn mailmap(&self) -> Mailmap {
        Mailmap(self.inner.open_mailmap())
    }
}
