//! Paths that differ between two commits, and pathspecs that match them.

use std::{collections::BTreeMap, ops::ControlFlow, path::Path};

use gix::{
    bstr::{BStr, BString},
    diff::tree::{Recorder, State as DiffState, Visit, recorder::Change, visit},
    objs::tree::EntryMode,
    prelude::FindExt as _,
};

use super::{
    Error, ErrorKind, Git, Oid, Repo, Result,
    error::{Doing, LOST, too_many},
    limited::Limited,
};

/// The files that differ between two commits, each with its blobs before and after if it is a regular file. A rename is
/// one path removed and one added. Submodules are not followed: another commit of one is no difference.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    paths: BTreeMap<BString, [Option<Oid>; 2]>,
}

impl Changes {
    pub fn len(&self) -> usize {
        self.paths.len()
    }

    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    pub fn matching(
        &self,
        specs: &mut Pathspecs,
    ) -> impl Iterator<Item = (String, [Option<Oid>; 2])> {
        self.paths
            .iter()
            .filter(|(path, _)| specs.matches(path.as_ref()))
            .map(|(path, blobs)| (path.to_string(), *blobs))
    }

    pub fn paths(&self) -> impl Iterator<Item = String> {
        self.paths.keys().map(ToString::to_string)
    }
}

#[derive(Debug, Clone)]
pub struct Pathspecs {
    search: gix_pathspec::Search,
}

impl Pathspecs {
    pub fn parse(specs: &[String]) -> Result<Self> {
        let patterns =
            specs.iter().map(|spec| Self::parse_one(spec)).collect::<Result<Vec<_>>>()?;
        let search = gix_pathspec::Search::from_specs(patterns, None, Path::new("/"))
            .doing(format!("use the pathspecs {}", specs.join(" ")))?;
        Ok(Self { search })
    }

    /// Each pathspec that includes files, together with all that exclude files.
    pub fn each(specs: &[String]) -> Result<Vec<(&str, Self)>> {
        let mut left_out = Vec::new();
        for spec in specs {
            if Self::parse_one(spec)?.is_excluded() {
                left_out.push(spec.clone());
            }
        }
        specs
            .iter()
            .filter(|spec| !left_out.contains(spec))
            .map(|spec| {
                let specs = [std::slice::from_ref(spec), &left_out].concat();
                Ok((spec.as_str(), Self::parse(&specs)?))
            })
            .collect()
    }

    fn parse_one(spec: &str) -> Result<gix_pathspec::Pattern> {
        let invalid = |why: String| {
            Error::refused(
                format!("{spec:?} is not a pathspec: {why}"),
                "see `git help glossary`, under pathspec",
            )
        };
        // gix takes a dot for a name.
        let text = match spec {
            "." | "./" => ":/",
            other => other.strip_prefix("./").unwrap_or(other),
        };
        let pattern = gix_pathspec::parse(text.as_bytes(), gix_pathspec::Defaults::default())
            .map_err(|error| invalid(error.to_string()))?;
        if pattern.attributes.is_empty() {
            Ok(pattern)
        } else {
            Err(invalid("git sq does not look at attributes".into()))
        }
    }

    pub fn match_path(&mut self, path: &str) -> bool {
        self.matches(path.into())
    }

    /// Returns true if they may match a path in this folder.
    pub(super) fn may_match_below(&self, folder: &BStr) -> bool {
        self.search.can_match_relative_path(folder, Some(true))
    }

    pub(super) fn matches(&mut self, path: &BStr) -> bool {
        self.search
            .pattern_matching_relative_path(path, Some(false), &mut |_, _, _, _| false)
            .is_some_and(|found| !found.is_excluded())
    }
}

impl Repo {
    pub fn changes(&self, from: Oid, to: Oid) -> Result<Changes> {
        let paths = self.tree_changes(from, to)?.into_iter().filter_map(|change| {
            let (path, sides) = match change {
                Change::Addition { path, entry_mode, oid, .. } => {
                    (path, [None, Some((entry_mode, oid))])
                }
                Change::Deletion { path, entry_mode, oid, .. } => {
                    (path, [Some((entry_mode, oid)), None])
                }
                Change::Modification {
                    path,
                    previous_entry_mode,
                    previous_oid,
                    entry_mode,
                    oid,
                } => (path, [Some((previous_entry_mode, previous_oid)), Some((entry_mode, oid))]),
            };
            let is_file =
                sides.iter().flatten().any(|(mode, _)| !mode.is_tree() && !mode.is_commit());
            let blob = |(mode, id): (EntryMode, gix::ObjectId)| mode.is_blob().then_some(Oid(id));
            is_file.then(|| (path, sides.map(|side| side.and_then(blob))))
        });
        Ok(Changes { paths: paths.collect() })
    }

    /// The files that git calls renamed or copied, and of which at least so many percent are the same: each path before
    /// and after.
    pub fn moves(&self, from: Oid, to: Oid, least: u8) -> Result<Vec<(String, String)>> {
        let commits = [from.to_string(), to.to_string()];
        Self::moves_of(
            self.git().words("diff-tree -r").args(["--no-ext-diff", "--no-textconv"]).args(commits),
            least,
        )
    }

    /// The same from HEAD to the index.
    pub fn staged_moves(&self, least: u8) -> Result<Vec<(String, String)>> {
        let diff = self.git().words("diff --cached --no-ext-diff --no-textconv --no-relative");
        Self::moves_of(diff, least)
    }

    fn moves_of(diff: Git, least: u8) -> Result<Vec<(String, String)>> {
        let least = format!("-C{least}%");
        let diff = diff.args([least]).words("-z --name-status --diff-filter=RC --");
        Ok(renames(&diff.run()?))
    }

    /// The name that a document had in an earlier commit, if it was renamed: only files with a part of its name are compared.
    pub fn name_before(&self, before: Oid, commit: Oid, path: &str) -> Result<Option<String>> {
        let [stem, end] = [Path::new(path).file_stem(), Path::new(path).extension()]
            .map(|part| part.unwrap_or_default().to_string_lossy());
        let printed = self
            .git()
            .args(["diff-tree", "-r", "-z", "-M", "--name-status", "--diff-filter=R"])
            .args([before.to_string(), commit.to_string(), "--".to_owned()])
            .args([format!(":(glob)**/*.{end}"), format!(":(glob)**/{stem}*")])
            .run()?;
        let mut renames = renames(&printed).into_iter();
        Ok(renames.find(|(_, after)| after == path).map(|(before, _)| before))
    }

    /// All differences between the trees of two commits, folders included; fails if they are more than are read.
    fn tree_changes(&self, from: Oid, to: Oid) -> Result<Vec<Change>> {
        let commits = [from, to];
        let (from, to) = (self.tree_of(from)?, self.tree_of(to)?);
        if from == to {
            return Ok(Vec::new());
        }
        let objects = &self.inner.objects;
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let lhs =
            objects.find_tree_iter(&from.0, &mut left).map_err(|_| self.unread("tree", from))?;
        let rhs = objects.find_tree_iter(&to.0, &mut right).map_err(|_| self.unread("tree", to))?;
        let trees = Limited::files(objects);
        let mut recorder = Bounded { recorder: Recorder::default(), trees: &trees };
        let compared = gix::diff::tree(lhs, rhs, DiffState::default(), &trees, &mut recorder);
        compared.map_err(|error| {
            if trees.is_spent() {
                let message = format!(
                    "{} and {} differ in more files and folders than git sq compares",
                    commits[0], commits[1]
                );
                return too_many(&message, commits[1]);
            }
            let what = "could not compare two trees: a part of them is missing";
            Error::new(ErrorKind::Missing, what).because(error).help(LOST)
        })?;
        Ok(recorder.recorder.records)
    }
}

/// The paths before and after, of a status with each.
fn renames(printed: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(printed);
    let fields: Vec<&str> = text.split('\0').collect();
    fields.chunks_exact(3).map(|change| (change[1].to_owned(), change[2].to_owned())).collect()
}

/// Records differences until they have been too many.
struct Bounded<'r> {
    recorder: Recorder,
    trees: &'r Limited<'r>,
}

impl Visit for Bounded<'_> {
    fn pop_front_tracked_path_and_set_current(&mut self) {
        self.recorder.pop_front_tracked_path_and_set_current();
    }

    fn push_back_tracked_path_component(&mut self, component: &BStr) {
        self.recorder.push_back_tracked_path_component(component);
    }

    fn push_path_component(&mut self, component: &BStr) {
        self.recorder.push_path_component(component);
    }

    fn pop_path_component(&mut self) {
        self.recorder.pop_path_component();
    }

    fn visit(&mut self, change: visit::Change) -> ControlFlow<()> {
        if self.trees.takes(self.recorder.path()) {
            self.recorder.visit(change)
        } else {
            ControlFlow::Break(())
        }
    }
}
