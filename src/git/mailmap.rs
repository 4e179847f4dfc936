//! The current names of people, by git's mailmap.

use gix::actor::SignatureRef;

use super::Repo;
use crate::entry::Person;

#[derive(Debug, Clone)]
pub struct Mailmap(gix::mailmap::Snapshot);

impl Mailmap {
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
    /// Reads `.mailmap`, `mailmap.file` and `mailmap.blob`; an unreadable one is ignored, as git does.
    pub fn mailmap(&self) -> Mailmap {
        Mailmap(self.inner.open_mailmap())
    }
}
