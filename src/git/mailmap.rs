use gix::{actor::SignatureRef, mailmap::Snapshot};

use super::{Oid, Repo};
use crate::entry::{Person, sha256_hex};

#[derive(Debug, Clone, Default)]
pub struct Mailmap(Snapshot);

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
    /// The `.mailmap` of a commit; an unreadable one is ignored, as git does. Not those of the worktree and of the
    /// configuration: in each clone, the same people are one.
    pub fn mailmap(&self, commit: Oid) -> Mailmap {
        let file = self.file_at(commit, ".mailmap").ok().flatten();
        Mailmap(file.map(|(_, text)| Snapshot::from_bytes(&text)).unwrap_or_default())
    }
}
