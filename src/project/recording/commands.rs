//! Answers that commands give: of questions that are due or were answered, where this user approved the command.

use serde_json::Value;

use super::{super::asked, Error, Matched, Measure, Probed, Project, Recording};
use crate::{
    entry::unstable,
    evidence::{Commands, Ran, change_text},
    git::{self, ErrorKind},
    question::{Probe, Question, QuestionSet, RunOf},
};

impl<'s> Recording<'s> {
    /// Fills in what commands answer, and notes why others don't. `announce` hears of each question whose command is
    /// about to run. Says whether any ran.
    ///
    /// # Errors
    /// Where what is due can't be told, or this program was asked to end.
    pub fn run_commands(
        &mut self,
        project: &Project,
        set: &'s QuestionSet,
        announce: &dyn Fn(&Question, &RunOf),
    ) -> Result<bool, Error> {
        let commands = Commands::new(&project.repo);
        let mut ran_any = false;
        for (question, run) in self.wanted(project, set)? {
            announce(question, run);
            let last = self.before.recorded_by_others(question).cloned();
            let ran = run_at_head(project, &commands, question, run);
            let again = match (&ran, &last) {
                (Ok(ran), Some(last)) if ran.found.recorded() != *last => {
                    Some(run_at_head(project, &commands, question, run))
                }
                _ => None,
            };
            match ran.and_then(|ran| Ok((ran, again.transpose()?))) {
                Ok((ran, again)) => {
                    ran_any = true;
                    self.fill_in(question, &ran, again.as_ref(), last.as_ref());
                }
                Err(error) if error.kind == ErrorKind::Interrupted => return Err(error.into()),
                Err(error) => self.failed.push(format!("{}: {error}", question.name())),
            }
        }
        Ok(ran_any)
    }

    /// The questions whose commands are to run: those that were answered, and those that are due and have no answer of
    /// this session at HEAD.
    fn wanted(
        &self,
        project: &Project,
        set: &'s QuestionSet,
    ) -> Result<Vec<(&'s Question, &'s RunOf)>, Error> {
        let questions = set.questions.iter().filter(|one| one.status.is_asked());
        let mut wanted: Vec<(&Question, &RunOf)> = questions
            .filter_map(|question| match &question.probe {
                Some(Probe::Run(run)) => Some((question, run)),
                _ => None,
            })
            .collect();
        if wanted.is_empty() {
            return Ok(wanted);
        }
        let survey = project.snapshot(&Measure::default())?.survey;
        let due = asked(project, set, &survey, project.repo.now())?;
        wanted.retain(|(question, _)| {
            let mut due = due.iter().filter(|one| one.is_due);
            let is_due =
                due.any(|one| (&one.q_id, one.q_version) == (&question.id, question.version));
            let is_due = is_due && !self.before.is_answered_at(question, project.tip);
            is_due || self.place(question).is_some()
        });
        Ok(wanted)
    }

    fn place(&self, question: &Question) -> Option<usize> {
        let mut answers = self.answers.iter();
        answers.position(|answer| std::ptr::eq(answer.question, question))
    }

    /// Puts what a command gave in place of what the session said.
    fn fill_in(
        &mut self,
        question: &'s Question,
        ran: &Ran,
        again: Option<&Ran>,
        last: Option<&Value>,
    ) {
        let given = self.place(question).map(|place| self.answers.remove(place));
        let claim = given.as_ref().map(|given| given.delta);
        let given = given.and_then(|given| given.note);
        let other = again.filter(|again| !again.found.is_same(&ran.found));
        let (answer, delta, note) = match other {
            Some(other) => {
                let results = change_text(Some(&ran.found), &other.found);
                (unstable(), false, Some(format!("unstable: {results}")))
            }
            None => {
                let derivation = ran.since(last);
                let note = given.or_else(|| derivation.note());
                (derivation.answer(), derivation.is_delta(), note)
            }
        };
        self.answers.push(Matched {
            question,
            delta,
            note,
            probed: Some(Probed {
                answer,
                claim: claim.filter(|&claim| claim != delta),
                run: Some(again.unwrap_or(ran).recorded()),
            }),
            cites: Vec::new(),
        });
    }
}

/// Runs a command where the answer is that of HEAD.
fn run_at_head(
    project: &Project,
    commands: &Commands,
    question: &Question,
    run: &RunOf,
) -> git::Result<Ran> {
    let refused = |why| Err(git::Error::new(ErrorKind::Unsupported, why));
    if project.repo.is_dirty()? {
        return refused(
            "its command was not run, since there are uncommitted changes: commit or stash them first",
        );
    }
    let ran = commands.here(project.tip, question, run)?;
    if project.repo.head()?.commit != Some(project.tip) {
        return refused("HEAD moved while its command ran");
    }
    Ok(ran)
}
