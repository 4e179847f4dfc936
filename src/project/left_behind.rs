//! Looks of the default branch that a rewrite left behind: no branch contains their commits any more.

use std::collections::{HashMap, HashSet};

use super::{Error, Project};
use crate::{
    entry::Event,
    git::Oid,
    question::ClosedKind,
    store::{Row, last_writer, share::noted},
    timeline::{Timeline, Unknown},
};

impl Project {
    /// The default branch and its newest commit; `None` if something else than HEAD is judged.
    pub(super) fn default_of_head(&self) -> Result<Option<(String, Oid)>, Error> {
        let is_head = self.base.is_none() && self.head.commit == Some(self.tip);
        if !is_head {
            return Ok(None);
        }
        self.repo.default_branch(self.head.branch.as_deref())
    }

    /// Published looks from the default branch whose commits a rewrite left behind, one of each session at each commit. A
    /// fresh clone lacks these commits, so that nobody can judge the looks until they are carried or closed. What was
    /// recorded after the newest commit of that branch is none of them: its own may come with the next fetch.
    ///
    /// `shared` are the logs of remotes, as fetched or published. The second value is true if the result follows from the
    /// tip, the default branch and the log alone, and not from another branch that may be deleted.
    pub(super) fn left_behind(
        &self,
        timeline: &Timeline,
        shared: &[Oid],
    ) -> Result<(Vec<Unknown>, bool), Error> {
        let mut found = Vec::new();
        if timeline.elsewhere.is_empty() || !timeline.is_judged || self.repo.is_shallow()? {
            return Ok((found, true));
        }
        let Some((default, newest)) = self.default_of_head()? else {
            return Ok((found, true));
        };
        let events = &timeline.events;
        let own = last_writer(&self.repo)?;
        let rows = timeline.elsewhere.iter().map(|&place| &events.rows()[place as usize]);
        let anchors = rows.clone().map(|row| events.anchor(row.anchor));
        let noted = noted(&self.repo, shared, anchors);
        let is_shared = |row: &Row| {
            Some(events.writer(row)) != own.as_deref() || noted.contains(&events.anchor(row.anchor))
        };
        let rows: Vec<&Row> = rows
            .filter(|row| events.worktree(row).is_some() && events.is_at_head(row))
            .filter(|row| is_shared(row))
            .collect();
        let newest = self.repo.commit_time(newest)?.as_millisecond();
        let (mut looks, mut on_branch) = (HashSet::new(), HashMap::new());
        for (row, line) in rows.iter().zip(events.raw_lines(&self.repo, &rows)) {
            let event = line.as_deref().and_then(|line| Event::parse(line).ok());
            let head = event.and_then(|event| event.envelope.head);
            let branch = head.and_then(|head| head.branch);
            let (anchor, entry) = (events.anchor(row.anchor), events.id(row));
            if row.millis <= newest
                && branch.is_some_and(|branch| *branch == *default)
                && !timeline.questions.closed.has(ClosedKind::Look, entry)
                && !looks.contains(&(row.session, row.anchor))
                && !*on_branch
                    .entry(row.anchor)
                    .or_insert_with(|| self.repo.is_on_a_public_branch(anchor))
            {
                looks.insert((row.session, row.anchor));
                found.push(Unknown::LeftBehind {
                    entry: entry.to_owned(),
                    sid: events.sid(row).to_owned(),
                    commit: anchor,
                    branch: default.clone(),
                });
            }
        }
        // A branch may come or go, which changes nothing that a snapshot is kept by.
        Ok((found, on_branch.is_empty()))
    }
}
