//! Closings by people, as they count at the tip.

use super::{Error, GivenVerdict, Measure, Project, questions::dismissals};
use crate::{
    entry::Verdict,
    git::Oid,
    metrics::{Outcome, Survey},
    proof::misdated,
    question::{self, Closed, ClosedKind, Closings, QuestionSet, name},
    store::{Events, Row},
};

impl Project {
    /// The base's closings and, of those that the proposal adds, the ones that close what only the proposal contains.
    pub(super) fn closed(&self) -> Result<Closings, Error> {
        let store = self.store.as_ref();
        let mut closed = store.map(|store| store.set.closed.clone()).unwrap_or_default();
        for (new, counts) in self.newly_closed()? {
            if counts {
                closed.0.insert(new);
            }
        }
        Ok(closed)
    }

    /// A proposal closes no run that began before it.
    pub(super) fn reopen_runs(&self, survey: &Survey, closed: &mut Closings) -> Result<(), Error> {
        let new = self.newly_closed()?;
        let new = new.iter().filter(|(new, _)| new.kind == ClosedKind::Run);
        for (new, _) in new {
            let runs = survey.quiet.runs.iter().chain(&survey.quiet.current);
            let mut runs = runs.chain(&survey.unanswered.runs).filter(|run| run.entry == new.id);
            let log = self.log(None)?;
            let is_old = |sid: &String| {
                let mut rows = log.rows().iter().filter(|row| log.sid(row) == sid);
                rows.any(|row| self.base_contains(log.anchor(row.anchor)))
            };
            if runs.any(|run| run.sids.iter().any(is_old)) {
                closed.0.remove(new);
            }
        }
        Ok(())
    }

    pub(super) fn base_contains(&self, commit: Oid) -> bool {
        let base = self.base.as_ref();
        base.is_some_and(|base| self.repo.is_ancestor(commit, base.commit))
    }

    /// Everything that waits for a person, each in words, without what is closed.
    pub fn closable(&self) -> Result<Vec<(Closed, String)>, Error> {
        let measure = Measure::default();
        let closed = self.closed()?;
        let survey = self.snapshot(&measure)?.survey;
        let of = |questions: &str, sid: &str| format!("{questions} of session {sid}");
        let look = |entry: &str, what: String| (Closed::new(ClosedKind::Look, entry), what);
        let listed = survey.flagged.iter().map(|one| {
            let closing = one.closing();
            let same = survey.flagged.iter().filter(|other| other.closing() == closing);
            let mut names: Vec<&str> = same.map(|other| &*other.question).collect();
            names.sort_unstable();
            names.dedup();
            (closing, of(&names.join(", "), &one.sid))
        });
        let open = survey.open_entries.iter().map(|one| (one.clone(), "an older look".into()));
        let left = survey.left_behind.iter();
        let left = left.map(|(entry, sid)| look(entry, format!("left behind, of session {sid}")));
        let wrong = survey.second.wrong.iter().filter(|one| !one.closed);
        let wrong = wrong.map(|one| (one.closing(), of(&one.name(), &one.sid)));
        let facts = self.log_facts(None, None)?;
        let runs = survey.quiet.runs.iter().chain(&survey.quiet.current);
        let runs = runs.map(|run| (run, "that report no change"));
        let unanswered = survey.unanswered.runs.iter().map(|run| (run, "without an answer"));
        let runs = runs.chain(unanswered).map(|(run, what)| {
            (Closed::new(ClosedKind::Run, &run.entry), format!("{} sessions {what}", run.length))
        });
        let alike = survey.never_differs.iter().map(|one| {
            let what = format!("{} answers without a change", one.answers);
            (Closed::new(ClosedKind::NeverDiffers, &one.question), what)
        });
        let unread = self.events()?.unread();
        let unread = unread.into_iter().map(|unread| {
            let what = format!("{} unreadable lines", unread.lines);
            (Closed::new(ClosedKind::Unknown, unread.digest), what)
        });
        let purged = survey.removed.purged.iter().map(|one| {
            let what = format!("no longer in the log: {}", one.mark);
            (Closed::new(ClosedKind::Purged, &one.line), what)
        });
        let mut seen = closed.0;
        let all = purged.chain(listed).chain(open).chain(left).chain(wrong);
        let all = all.chain(runs).chain(alike).chain(unread);
        let mut all: Vec<_> = all.filter(|(one, _)| seen.insert(one.clone())).collect();
        for (one, why) in misdated(&facts).into_iter().map(|(entry, why)| look(entry, why)) {
            match all.iter_mut().find(|(known, _)| *known == one) {
                Some((_, what)) => *what = format!("{what}; {why}"),
                None if seen.contains(&one) => {}
                None => all.push((one, why)),
            }
        }
        Ok(all)
    }

    /// The closings of a person who says that these answers are right: one for each dispute that one of them is a side of,
    /// unless a person closed it for the other side.
    pub fn settled_by(&self, right: &[GivenVerdict]) -> Result<Vec<(Closed, String)>, Error> {
        let mut settled = Vec::new();
        if right.is_empty() {
            return Ok(settled);
        }
        let open = self.snapshot(&Measure::default())?.survey.second.open;
        let known = dismissals(&self.repo, None)?;
        for GivenVerdict { sid, verdict } in right {
            let question = name(&verdict.q_id, verdict.q_version);
            let closing = |entry: &str| Closed::answer(ClosedKind::Dispute, &question, entry);
            let corrections = self.corrections(verdict)?.into_iter();
            let sides: Vec<String> =
                corrections.filter(|sides| sides.contains(&verdict.entry)).flatten().collect();
            let is_right = |side: &String| known.0.contains(&closing(side));
            let other = sides.iter().find(|side| **side != verdict.entry && is_right(side));
            if let Some(other) = other {
                let file = question::closings_path(&self.questions()?.path);
                let what = if is_right(&verdict.entry) {
                    format!("people found both sides right, entries {} and {other}", verdict.entry)
                } else {
                    format!("that dispute is settled, and the answer of entry {other} is right")
                };
                return Err(Error::refused(
                    format!("{question}: {what}"),
                    format!(
                        "nothing was changed; whoever closed it by mistake removes its line from {file} and commits that first"
                    ),
                ));
            }
            let is_read = open.iter().filter(|one| one.outcome == Outcome::Disputed).any(|one| {
                let about = (&one.entry, &one.q_id, one.q_version);
                about == (&verdict.entry, &verdict.q_id, verdict.q_version)
            });
            let closed = closing(&verdict.entry);
            let is_new = settled.iter().all(|(known, _)| *known != closed);
            if is_new && (is_read || !sides.is_empty()) {
                settled.push((closed, format!("the answer of session {sid} is right")));
            }
        }
        Ok(settled)
    }

    /// The entries of each correction of an answer to the question of a verdict, and of the corrected answer.
    fn corrections(&self, verdict: &Verdict) -> Result<Vec<[String; 2]>, Error> {
        let events = self.events()?;
        let number = events.question_number(&verdict.q_id, verdict.q_version);
        let corrections = events.rows().iter().filter_map(|row| {
            let (_, answer) = events.answer_to(row, number?)?;
            Some([events.id(row), events.corrects(answer)?].map(str::to_owned))
        });
        Ok(corrections.collect())
    }

    /// The closings of the proposal, each with true if it counts.
    pub(super) fn newly_closed(&self) -> Result<Vec<(Closed, bool)>, Error> {
        let Some(tips) = self.base.as_ref().and_then(|base| base.tips.as_ref()) else {
            return Ok(Vec::new());
        };
        let none = QuestionSet::default();
        let bases = self.store.as_ref().map_or(&none, |store| &store.set);
        let new: Vec<&Closed> = tips.set.closed.0.difference(&bases.closed.0).collect();
        if new.is_empty() {
            return Ok(Vec::new());
        }
        let facts = if new.iter().any(|new| new.kind == ClosedKind::Drift) {
            self.proposed_facts()?
        } else {
            Vec::new()
        };
        let log = self.log(None)?;
        let counts = |closed: &Closed| {
            if facts.iter().any(|fact| fact.agreed.contains(closed)) {
                return true;
            }
            if closed.kind == ClosedKind::Fact {
                return false;
            }
            if closed.kind == ClosedKind::NeverDiffers {
                let mut asked = bases.questions.iter();
                return !asked.any(|asked| name(&asked.id, asked.version) == closed.id);
            }
            let rows = log.rows().iter().filter(|row| is_of(log, row, closed));
            let mut anchors: Vec<Oid> = rows.map(|row| log.anchor(row.anchor)).collect();
            anchors.dedup();
            !anchors.is_empty() && !anchors.iter().any(|anchor| self.base_contains(*anchor))
        };
        Ok(new.into_iter().map(|closed| (closed.clone(), counts(closed))).collect())
    }
}

/// Returns true if a line is, or is among, what is closed.
fn is_of(log: &Events, row: &Row, closed: &Closed) -> bool {
    match closed.kind {
        ClosedKind::Unknown => row.is_unread(),
        _ => closed.entry() == Some(&*log.reference(row)),
    }
}
