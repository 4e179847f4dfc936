//! Commits as they are stored: no boundary of a shallow clone, and nothing fetched for it.

use gix::{objs::Kind, prelude::FindExt as _};

use super::{Oid, Repo};

/// What leads from a commit to others, or from a tag to what it names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Link {
    pub parents: Vec<Oid>,
    /// The commit time, in seconds since 1970; a tag has the latest there is.
    pub time: i64,
}

/// Looks commits up.
pub struct Links {
    odb: gix::OdbHandle,
    graph: Option<gix::commitgraph::Graph>,
    buffer: Vec<u8>,
}

impl Repo {
    /// A reader of commits as they are stored.
    pub fn links(&self) -> Links {
        Links {
            odb: self.inner.objects.clone(),
            graph: self.inner.commit_graph_if_enabled().ok().flatten(),
            buffer: Vec::new(),
        }
    }
}

impl Links {
    /// None where the object is not here, or is neither a commit nor a tag.
    pub fn get(&mut self, id: Oid) -> Option<Link> {
        self.in_graph(id).or_else(|| self.in_objects(id))
    }

    fn in_graph(&self, id: Oid) -> Option<Link> {
        let graph = self.graph.as_ref()?;
        let commit = graph.commit_at(graph.lookup(id.0)?);
        let parents = commit.iter_parents().map(|parent| {
            let id = graph.id_at(parent.ok()?);
            Some(Oid(id.to_owned()))
        });
        Some(Link {
            parents: parents.collect::<Option<_>>()?,
            time: i64::try_from(commit.committer_timestamp()).ok()?,
        })
    }

    fn in_objects(&mut self, id: Oid) -> Option<Link> {
        let object = self.odb.find(&id.0, &mut self.buffer).ok()?;
        match object.kind {
            Kind::Commit => {
                let commit = object.try_into_commit_iter()?;
                let time = commit.committer().map_or(0, |by| by.seconds());
                let parents = commit.parent_ids().map(Oid);
                Some(Link {
                    parents: parents.collect(),
                    time,
                })
            }
            Kind::Tag => {
                let target = object.try_into_tag_iter()?.target_id().ok()?;
                Some(Link {
                    parents: vec![Oid(target)],
                    time: i64::MAX,
                })
            }
            Kind::Tree | Kind::Blob => None,
        }
    }
}
