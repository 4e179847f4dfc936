//! The form with the questions, filled in with the user's editor.

use std::{
    fs,
    io::{self, Write as _},
};

use tempfile::NamedTempFile;

use crate::{
    cli::Failure,
    project::{Asked, Measure, Project},
    store::state_dir,
    view::answer_form,
};

/// The filled-in form; dropping it deletes its file.
pub struct Filled {
    pub text: String,
    file: NamedTempFile,
}

impl Filled {
    pub fn keep(self, reason: Failure) -> Failure {
        match self.file.keep() {
            Ok((_, path)) => reason.hinting(&format!("your text is in {}", path.display())),
            Err(_) => reason,
        }
    }
}

/// `sid` is the session that the entry continues. `None` if nothing is due, or commands and facts alone.
pub fn fill_in(project: &Project, sid: Option<&str>) -> Result<Option<Filled>, Failure> {
    let snapshot = project.snapshot(&Measure::default())?;
    let set = &project.questions()?.set;
    let mut questions = project.asked(set, &snapshot, sid, &[])?;
    questions.retain(Asked::needs_answer);
    if questions.is_empty() {
        return Ok(None);
    }
    let form = answer_form(&project.place(), project.since(&snapshot.survey)?.as_ref(), &questions);
    let failed = |error: io::Error| {
        let what = format!("could not edit the answers: {error}");
        Failure::refused(what, "give them as options, see `git sq record -h`")
    };
    let file = write(project, &form).map_err(failed)?;
    project.repo.edit(file.path())?;
    // Editors that replace a file do not change the one that is open here.
    let bytes = fs::read(file.path()).map_err(failed)?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(Filled { text, file })),
        Err(error) => {
            let text = String::new();
            let reason = Failure::refused(format!("the answers are not UTF-8: {error}"), "");
            Err(Filled { text, file }.keep(reason))
        }
    }
}

fn write(project: &Project, form: &str) -> io::Result<NamedTempFile> {
    let folder = state_dir(&project.repo);
    fs::create_dir_all(&folder)?;
    let mut name = tempfile::Builder::new();
    let mut file = name.prefix("record-").suffix(".txt").tempfile_in(folder)?;
    file.write_all(form.as_bytes())?;
    Ok(file)
}
