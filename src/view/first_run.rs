use super::{Output as _, ProbeAnswer, QuestionTest, Style, escape};
use crate::{project::FirstRun, question::Question, quote};

/// Shows the answers of a new question at HEAD and at earlier commits.
pub fn first_run_text(run: FirstRun, question: &Question, style: Style) -> String {
    let mut text = String::new();
    if let Some(derived) = run.derived {
        text += &ProbeAnswer::new(Some(question), derived).text(question.id.len(), style);
    }
    if let Some(expect) = run.unmet {
        text += &format!("This fails today: it is expected {}.\n", expect.words());
    }
    for spec in run.unmatched {
        text += &format!("{} matches no file in HEAD yet.\n", escape(spec));
    }
    if run.needs_approval {
        let id = quote::word(&question.id);
        text += &format!("Its command runs once you approve it: git sq question approve {id}\n");
    }
    if let Some(rehearsal) = run.rehearsal.filter(|rehearsal| rehearsal.commits > 0) {
        text += &QuestionTest::new(question, rehearsal).text(style);
    }
    text
}
