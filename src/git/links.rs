//! Commits as they are stored: across the boundary of a shallow clone, and without fetching.

use gix::{objs::Kind, prelude::FindExt as _};

use super::{
    Oid, Repo,
    commit::{seconds, signature},
};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Link {
    pub parents: Vec<Oid>,
    /// In seconds since 1970; `i64::MAX` for a tag.
    pub time: i64,
}

pub struct Links {
    odb: gix::OdbHandle,
    graph: Option<gix::commitgraph::Graph>,
    buffer: Vec<u8>,
}

impl Repo {
    pub fn links(&self) -> Links {
        Links {
            odb: self.inner.objects.clone(),
            graph: self.inner.commit_graph_if_enabled().ok().flatten(),
            buffer: Vec::new(),
        }
    }
}

impl Links {
    /// `None` if the object is missing, or neither a commit nor a tag.
    pub fn get(&mut self, id: Oid) -> Option<Link> {
        self.in_graph(id).or_else(|| self.in_objects(id))
    }

    fn in_graph(&self, id: Oid) -> Option<Link> {
        let graph = self.graph.as_ref()?;
        let commit = graph.commit_at(graph.lookup(id.0)?);
        let parents =
            commit.iter_parents().map(|parent| Some(Oid(graph.id_at(parent.ok()?).to_owned())));
        Some(Link {
            parents: parents.collect::<Option<_>>()?,
            time: i64::try_from(commit.committer_timestamp()).ok()?,
        })
    }

    fn in_objects(&mut self, id: Oid) -> Option<Link> {
        let object = self.odb.find(&id.0, &mut self.buffer).ok()?;
        match object.kind {
            Kind::Commit => {
                let time = seconds(signature(object.data, "committer"));
                let mut tokens = object.try_into_commit_iter()?;
                tokens.tree_id().ok()?;
                Some(Link { parents: tokens.parent_ids().map(Oid).collect(), time })
            }
            Kind::Tag => {
                let target = object.try_into_tag_iter()?.target_id().ok()?;
                Some(Link { parents: vec![Oid(target)], time: i64::MAX })
            }
            Kind::Tree | Kind::Blob => None,
        }
    }
}
