//! Answers that commands give: of questions that are due or were answered, where this user approved the command.

use super::{super::asked, Error, Matched, Measure, Probed, Project, Recording, with_probe};
use crate::{
    entry::unstable,
    evidence::{Commands, Derived, change_text},
    git::{self, ErrorKind},
    question::{Question, QuestionSet},
};

impl<'s> Recording<'s> {
    /// Fills in what commands answer, and notes why others don't. Says whether any ran.
    ///
    /// # Errors
    /// Where what is due can't be told, or this program was asked to end.
    pub fn run_commands(
        &mut self,
        project: &Project,
        set: &'s QuestionSet,
        announce: &dyn Fn(&Question),
    ) -> Result<bool, Error> {
        let commands = Commands {
            repo: &project.repo,
            announce,
        };
        let mut ran_any = false;
        for question in self.wanted(project, set)? {
            match self.run(project, &commands, question) {
                Ok(()) => ran_any = true,
                Err(error) if error.kind == ErrorKind::Interrupted => return Err(error.into()),
                Err(error) => self.failed.push(format!("{}: {error}", question.name())),
            }
        }
        Ok(ran_any)
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

    fn place(&self, question: &Question) -> Option<usize> {
        let mut answers = self.answers.iter();
        answers.position(|answer| std::ptr::eq(answer.question, question))
    }

    /// Puts what a command gives in place of what the session said. Where it is not what was recorded last, it is run
    /// once more.
    fn run(
        &mut self,
        project: &Project,
        commands: &Commands,
        question: &'s Question,
    ) -> git::Result<()> {
        let last = self.before.recorded_by_others(question).cloned();
        let ran = run_at_head(project, commands, question)?;
        let differs = last
            .as_ref()
            .is_some_and(|last| *last != ran.found.recorded());
        let again = differs.then(|| run_at_head(project, commands, question));
        let other = again
            .transpose()?
            .filter(|again| !again.found.is_same(&ran.found));

        let given = self.place(question).map(|place| self.answers.remove(place));
        let claim = given.as_ref().map(|given| given.delta);
        let run = ran.run.clone();
        let derivation = ran.since(last.as_ref());
        let (answer, delta, note) = if let Some(other) = other {
            let both = change_text(Some(&derivation.now.found), &other.found);
            (unstable(), false, Some(format!("unstable: {both}")))
        } else {
            let note = given.and_then(|given| given.note);
            let note = note.or_else(|| derivation.note());
            (derivation.answer(), derivation.is_delta(), note)
        };
        self.answers.push(Matched {
            question,
            delta,
            note,
            probed: Some(Probed {
                answer,
                claim: claim.filter(|&claim| claim != delta),
                run,
            }),
            cites: Vec::new(),
        });
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
