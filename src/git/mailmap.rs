//! The names that people go by now, as `.mailmap` says and git takes it.

use gix::actor::SignatureRef;

use super::Repo;
use crate::entry::Person;

/// What the mailmap says.
#[derive(Debug, Clone)]
pub struct Mailmap(gix::mailmap::Snapshot);

impl Mailmap {
    /// A person as the mailmap has them.
    pub fn resolve(&self, person: &Person) -> Person {
        let found = self.0.resolve(SignatureRef {
            name: person.name.as_str().into(),
            email: person.email.as_str().into(),
            time: "",
        });
        Person {
            name: found.name.to_string(),
            email: found.email.to_string(),
        }
    }
}

impl Repo {
    /// `.mailmap`, `mailmap.file` and `mailmap.blob`; what can't be read is passed over, as git does.
    pub fn mailmap(&self) -> Mailmap {
        Mailmap(self.inner.open_mailmap())
    }
}
