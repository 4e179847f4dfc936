use super::Recording;
use crate::{evidence::exposed_by, git::Oid, project::Project, timeline::Watch};

impl Recording<'_> {
    /// Compares HEAD with its branch's upstream, and with the default branch if that contains it.
    pub fn behind(&self, project: &Project) -> Vec<String> {
        let (repo, tip) = (&project.repo, project.tip);
        let branch = project.head.branch.as_deref();
        let upstream = branch.and_then(|branch| repo.upstream(branch).ok()?);
        let default = repo.default_branch(branch).ok().flatten();
        let default = default.filter(|(_, other)| repo.is_ancestor(tip, *other));
        let mut ahead: Vec<(String, Oid)> = upstream.into_iter().chain(default).collect();
        ahead.dedup_by_key(|(_, other)| *other);
        let warnings = ahead.into_iter().filter_map(|(name, other)| {
            let commits = repo
                .count_between(tip, other)
                .ok()
                .filter(|&count| count > 0)?;
            let plural = if commits == 1 { "" } else { "s" };
            let changed = self.changed_there(project, other);
            let changed = changed.map(|changed| format!(", where {changed}"));
            Some(format!(
                "HEAD is {commits} commit{plural} behind {name}{}",
                changed.unwrap_or_default()
            ))
        });
        warnings.collect()
    }

    fn changed_there(&self, project: &Project, other: Oid) -> Option<String> {
        let base = project.repo.merge_base(project.tip, other).ok()??;
        let changes = project.repo.changes(base, other).ok()?;
        self.answers.iter().find_map(|answer| {
            let watch = Watch::of(answer.question);
            let is_bound = !watch.pathspecs.is_empty();
            let what = is_bound.then(|| exposed_by(&project.repo, &changes, &watch));
            let what = what?.ok()??;
            Some(format!(
                "{what}, which {} depends on",
                answer.question.name()
            ))
        })
    }
}
