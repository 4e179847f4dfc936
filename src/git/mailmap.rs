use gix::actor::SignatureRef;

use super::Repo;
use crate::entry::{Person, sha256_hex};

#[derive(Debug, Clone, Default)]
pub struct Mailmap(gix::mailmap::Snapshot);

impl Mailmap {
    pub fn resolve(&self, person: &Person) -> Person {
        let found = self.0.resolve(SignatureRef {
            name: person.name.as_str().into(),
            email: person.email.as_str().into(),
            time: "",
        });
        Person { name: found.name.to_string(), email: found.email.to_string() }
    }

    /// Equal for mailmaps that give the same names.
    pub fn digest(&self) -> String {
        let mut text = Vec::new();
        for entry in self.0.iter() {
            let (old, new) = (
                [Some(entry.old_email()), entry.old_name()],
                [entry.new_email(), entry.new_name()],
            );
            for field in old.into_iter().chain(new) {
                text.extend_from_slice(field.map_or(&[][..], |field| field));
                text.push(b'\n');
            }
        }
        sha256_hex(&text)
    }
}

impl Repo {
    /// Reads `.mailmap`, `mailmap.file` and `mailmap.blob`; an unreadable one is ignored, as git does.
    pub fn mailmap(&self) -> Mailmap {
        Mailmap(self.inner.open_mailmap())
    }
}
