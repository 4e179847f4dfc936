//! Runs commands for questions that are due or were answered, if this user approved them.

use super::{Error, Matched, Measure, Project, Recording, with_probe};
use crate::{
    entry::{is_same_recorded, unstable, value_text},
    evidence::{Commands, Derivation, Derived, change_text},
    git::{self, ErrorKind},
    metrics::Standing,
    question::{Question, QuestionSet},
};

impl<'s> Recording<'s> {
    /// `announce` is called before a command runs; without it none runs.
    pub fn run_commands(
        &mut self,
        project: &Project,
        set: &'s QuestionSet,
        announce: Option<&dyn Fn(&Question)>,
    ) -> Result<(), Error> {
        if let Some(announce) = announce {
            let commands = project.commands(announce);
            for question in self.wanted(project, set)? {
                match self.run(project, &commands, question) {
                    Ok(()) => self.has_run = true,
                    Err(error) if error.kind == ErrorKind::Interrupted => return Err(error),
                    Err(error) => self.failed.push(format!("{}: {error}", question.name())),
                }
            }
        }
        let lacks = self.lacks(|question| question.command().is_some());
        self.mistakes.extend(lacks);
        Ok(())
    }

    /// Takes over what commands answered in an earlier recording of the same answers.
    #[must_use]
    pub fn with_runs(mut self, earlier: Self) -> Self {
        for answer in earlier.answers.into_iter().filter(|answer| answer.run.is_some()) {
            if let Some(place) = self.place(answer.question) {
                self.answers.remove(place);
            }
            self.answers.push(answer);
        }
        Self { failed: earlier.failed, has_run: earlier.has_run, ..self }
    }

    /// Questions that were answered, and due ones whose command this session did not run at HEAD; where nothing was answered,
    /// all whose command failed, perhaps for reasons outside the repository.
    fn wanted(&self, project: &Project, set: &'s QuestionSet) -> Result<Vec<&'s Question>, Error> {
        let mut wanted: Vec<&Question> =
            with_probe(set).filter(|question| question.command().is_some()).collect();
        if wanted.is_empty() {
            return Ok(wanted);
        }
        let snapshot = project.snapshot(&Measure::default())?;
        let mut due = project.asked(set, &snapshot, self.before.session.as_deref(), &[])?;
        due.retain(|one| one.is_due);
        let is_alone = self.answers.iter().all(|answer| answer.probed);
        wanted.retain(|question| {
            let name = question.name().to_string();
            let is_due = due.iter().any(|one| one.name() == name);
            let at_tip = snapshot.survey.standings.get(&name);
            let has_failed = at_tip.is_some_and(|at_tip| at_tip.standing == Standing::Fails);
            let may_run = project.runs_commands || is_alone;
            is_due && may_run && !self.before.is_probed_at(question, project.tip)
                || is_alone && has_failed
                || self.place(question).is_some()
        });
        Ok(wanted)
    }

    /// A command whose answer differs from the last recorded one runs twice.
    fn run(
        &mut self,
        project: &Project,
        commands: &Commands,
        question: &'s Question,
    ) -> git::Result<()> {
        let last = self.before.last_probed(question);
        let is_shown = last.is_none_or(|last| last.mark.is_none());
        let last = last.and_then(|last| last.answer.clone());
        let ran = run_at_head(project, commands, question)?;
        let now = ran.found.recorded();
        let differs = last.as_ref().is_some_and(|last| !is_same_recorded(last, &now));
        let again = differs.then(|| run_at_head(project, commands, question)).transpose()?;
        let other = again.filter(|again| !again.found.is_same(&ran.found));

        let given = self.place(question).map(|place| self.answers.remove(place));
        let mut answer = given.unwrap_or_else(|| Matched::to(question));
        if !answer.cites.is_empty() {
            let name = question.name();
            self.failed
                .push(format!("{name}: its command answers it, and your citations are left out"));
            answer.cites.clear();
        }
        let said = answer.answer.as_ref().map(value_text);
        let said = answer.note.take().or(said);
        (answer.wrong, answer.corrects, answer.delta) = (false, None, false);
        answer.run.clone_from(&ran.run);
        answer.probed = true;
        if let Some(other) = other {
            let both = change_text(Some(&ran.found), &other.found);
            (answer.answer, answer.note) = (Some(unstable()), Some(format!("unstable: {both}")));
        } else {
            let mut derivation = ran.since(last.as_ref());
            answer.delta = derivation.is_delta();
            derivation.before.take_if(|_| answer.delta && !is_shown);
            answer.note = note(&derivation, said);
            answer.answer = Some(derivation.answer());
        }
        self.answers.push(answer);
        Ok(())
    }
}

/// The news of a probe, with the session's own claim.
pub(super) fn note(derivation: &Derivation, said: Option<String>) -> Option<String> {
    let Some(said) = said else {
        return derivation.note();
    };
    let found = derivation.note();
    let found = found.unwrap_or_else(|| change_text(None, &derivation.now.found));
    Some(format!("{found} (claimed: {said})"))
}

/// Runs a command in a worktree that equals HEAD.
fn run_at_head(
    project: &Project,
    commands: &Commands,
    question: &Question,
) -> git::Result<Derived> {
    let refused = |why| Err(git::Error::new(ErrorKind::Unsupported, why));
    if project.repo.is_dirty()? {
        return refused(
            "its command was not run, since there are uncommitted changes: commit or stash them first",
        );
    }
    let ran = commands.here(project.tip, question)?;
    if project.repo.head()?.commit != Some(project.tip) {
        return refused("HEAD moved while its command ran");
    }
    Ok(ran)
}
