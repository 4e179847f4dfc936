use super::{Oid, Repo, Result, error::Doing};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefMove {
    /// `None` if the ref was created.
    pub from: Option<Oid>,
    /// `None` if it was deleted.
    pub to: Option<Oid>,
}

impl Repo {
    /// The moves of a ref, newest first; empty if git keeps no reflog for it, as in a bare repository.
    pub fn ref_moves(&self, name: &str) -> Result<Vec<RefMove>> {
        let reading = || format!("read the reflog of {name}");
        let mut buffer = Vec::new();
        let lines = self.inner.refs.reflog_iter(name, &mut buffer);
        let Some(lines) = lines.doing(reading())? else {
            return Ok(Vec::new());
        };
        let known = |id: gix::ObjectId| (!id.is_null()).then_some(Oid(id));
        let mut moves = Vec::new();
        for line in lines {
            // A crash may have truncated a line; the others are intact.
            let Ok(line) = line else { continue };
            moves.push(RefMove {
                from: known(line.previous_oid()),
                to: known(line.new_oid()),
            });
        }
        moves.reverse();
        Ok(moves)
    }

    /// Returns true if the repository has an object; does not ask the remote of a partial clone.
    pub fn has_object(&self, id: Oid) -> bool {
        self.inner.has_object(id.0)
    }
}
