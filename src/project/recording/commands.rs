//! Answers that commands give: of questions that are due or were answered, where this user approved the command.

use super::{super::asked, Error, Matched, Measure, Project, Recording, with_probe};
use crate::{
    entry::unstable,
    evidence::{Commands, Derived, change_text},
    git::{self, ErrorKind},
    question::{Question, QuestionSet},
};

impl<'s> Recording<'s> {
    /// Fills in what commands answer, and notes why others don't.
    ///
    /// # Errors
    /// Where what is due can't be told, or this program was asked to end.
    pub(super) fn run_commands(
        &mut self,
        project: &Project,
        set: &'s QuestionSet,
        announce: &dyn Fn(&Question),
    ) -> Result<(), Error> {
        let commands = Commands {
            repo: &project.repo,
            announce,
        };
        for question in self.wanted(project, set)? {
            match self.run(project, &commands, question) {
                Ok(()) => self.has_run = true,
                Err(error) if error.kind == ErrorKind::Interrupted => return Err(error.into()),
                Err(error) => self.failed.push(format!("{}: {error}", question.name())),
            }
        }
        Ok(())
    }

    /// The questions whose commands are to run: those that were answered, and those that are due and have no answer of
    /// this session at HEAD.
    fn wanted(&self, project: &Project, set: &'s QuestionSet) -> Result<Vec<&'s Question>, Error> {
        let mut wanted: Vec<&Question> = with_probe(set)
            .filter(|question| question.command().is_some())
            .collect();
        if wanted.is_empty() {
            return Ok(wanted);
        }
        let survey = project.snapshot(&Measure::default())?.survey;
        let mut due = asked(project, set, &survey, project.repo.now())?;
        due.retain(|one| one.is_due);
        wanted.retain(|question| {
            let is_due = due
                .iter()
                .any(|one| one.name() == question.name().to_string());
            is_due && !self.before.is_answered_at(question, project.tip)
                || self.place(question).is_some()
        });
        Ok(wanted)
    }

    /// Puts what a command gives in place of what the session said. Where it is not what was recorded last, it is run
    /// once more.
    fn run(
        &mut self,
        project: &Project,
        commands: &Commands,
        question: &'s Question,
    ) -> git::Result<()> {
        let last = self.before.last_by_others(question);
        let is_shown = last.is_none_or(|last| last.mark.is_none());
        let last = last.and_then(|last| last.answer.clone());
        let ran = run_at_head(project, commands, question)?;
        let differs = last
            .as_ref()
            .is_some_and(|last| *last != ran.found.recorded());
        let again = differs
            .then(|| run_at_head(project, commands, question))
            .transpose()?;
        let other = again.filter(|again| !again.found.is_same(&ran.found));

        let given = self.place(question).map(|place| self.answers.remove(place));
        let mut answer = given.unwrap_or_else(|| Matched::to(question));
        if answer.answer.is_some() || !answer.given_cites.is_empty() {
            let name = question.name();
            self.failed.push(format!(
                "{name}: its command answers it, and your answer or citations are left out"
            ));
            answer.given_cites.clear();
        }
        answer.run.clone_from(&ran.run);
        answer.probed = true;
        if let Some(other) = other {
            let both = change_text(Some(&ran.found), &other.found);
            (answer.answer, answer.note) = (Some(unstable()), Some(format!("unstable: {both}")));
        } else {
            let mut derivation = ran.since(last.as_ref());
            answer.delta = derivation.is_delta();
            derivation.before.take_if(|_| answer.delta && !is_shown);
            answer.note = answer.note.or_else(|| derivation.note());
            answer.answer = Some(derivation.answer());
        }
        self.answers.push(answer);
        Ok(())
    }
}

/// Runs a command where the answer is that of HEAD.
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
