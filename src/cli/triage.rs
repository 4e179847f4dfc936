use clap::Args;

use super::{
    CommandResult, Context, Failure, Outcome, PrintArgs,
    closing::close_all,
    complete,
    writing::{Writing, author, person_session},
};
use crate::{
    entry::{Body, CLOSING_NOTE_MAX, Envelope, VerdictWord, fitting},
    metrics::Drift,
    project::{Drifts, Found, GivenVerdict, Measure, Project},
    question::{Closed, ClosedKind, Question, QuestionRef, Severity},
    session::new_id,
    view::{DateMode, Triage},
};

/// List the changes that wait for review, or give a verdict on them
///
/// A drift is a change from an earlier answer. It is settled by a person's verdict, by what the question expects
/// (`expect`), or when the answer is again what it was. Open drifts of a question of severity `blocking` fail `git sq
/// check`. Names narrow the list down: `git sq triage q4 s12` is about q4 in session s12. A verdict applies to all
/// open drifts that match; if none is open, it replaces the earlier one. Only a person can give it, on a terminal.
#[derive(Args)]
pub struct TriageArgs {
    /// Questions (q4 or q4@2), sessions, entries' ids or commits
    #[arg(value_name = "NAME", add = complete::questions())]
    names: Vec<String>,
    /// List settled drifts, too, and those of questions that are no longer asked
    #[arg(short, long)]
    all: bool,
    #[command(flatten)]
    word: WordArgs,
    /// Why; one line of at most 500 characters
    #[arg(long, value_name = "TEXT", requires = "WordArgs")]
    because: Option<String>,
    /// Date format, as in `git log`; defaults to `log.date`
    #[arg(long, value_name = "MODE")]
    date: Option<DateMode>,
    #[command(flatten)]
    print: PrintArgs,
}

/// The verdicts.
#[derive(Args)]
#[group(multiple = false, requires_all = ["because", "names"])]
struct WordArgs {
    /// The answer was meant to change
    #[arg(long)]
    expected: bool,
    /// The change shows an error; it stays open until a session finds it fixed
    #[arg(long)]
    error: bool,
    /// The question is bad, and the change means nothing
    #[arg(long)]
    bad_question: bool,
    /// You derived the answer of a session yourself, and you agree; any answer, not only a drift
    #[arg(long)]
    agree: bool,
}

impl WordArgs {
    fn word(&self) -> Option<VerdictWord> {
        [
            (self.expected, VerdictWord::Expected),
            (self.error, VerdictWord::Error),
            (self.bad_question, VerdictWord::Question),
            (self.agree, VerdictWord::Agrees),
        ]
        .into_iter()
        .find(|(is_said, _)| *is_said)
        .map(|(_, word)| word)
    }
}

const USAGE: [&str; 2] = [
    "nothing was written; usage: git sq triage q4 --expected --because 'the parser was replaced'",
    "`git sq triage --all` lists the drifts",
];

impl TriageArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let project = context.project_noted(None)?;
        let find = |name: &String| {
            project.find(name)?.ok_or_else(|| {
                let what = format!("there is no question, session, entry or commit named {name}");
                Failure::refused(what, "`git sq triage` lists the drifts")
            })
        };
        let names = self.names.iter().map(find).collect::<Result<Vec<Found>, Failure>>()?;
        let drifts = project.drifts()?;
        let mut triage = Triage {
            facts: Vec::new(),
            drifts: Vec::new(),
            disputes: Vec::new(),
            given: Vec::new(),
            unknown: drifts.timeline.unknown_texts(),
            dates: context.dates(&project.repo, self.date),
        };
        if let Some(word) = self.word.word() {
            let mut right = Vec::new();
            if word == VerdictWord::Agrees && is_one(&names) {
                right = drifts.judged(&names, word, "");
            }
            let settles = project.settled_by(&right)?;
            if !settles.is_empty() {
                context.require_person("a verdict")?;
                return close_all(context, &settles, self.because.as_deref());
            }
            if word == VerdictWord::Expected {
                let questions = names.iter().filter_map(|name| match name {
                    Found::Question(question) => Some(question.clone()),
                    _ => None,
                });
                let facts = project.agreed_facts(&questions.collect::<Vec<_>>())?;
                if !facts.is_empty() {
                    context.require_person("a verdict")?;
                    if !names.iter().all(|name| is_fact(&project, name)) {
                        return Err(Failure::refused(
                            "only some of these are facts",
                            "nothing was written; give the verdicts on facts in a command of their own",
                        ));
                    }
                    return close_all(context, &facts, self.because.as_deref());
                }
            }
            triage.given = self.give(context, &project, &drifts, &names, word)?;
        } else {
            let is_listed =
                |drift: &&Drift| drift.is_open() && (drift.is_asked || !names.is_empty());
            triage.drifts = drifts
                .named(&names)
                .filter(|drift| self.all || is_listed(drift))
                .map(|drift| project.with_subject(drift))
                .collect();
            let is_named = |id: &str, version: u32| {
                let mut names = names.iter();
                names.any(|name| match name {
                    Found::Question(question) => question.names(id, version),
                    _ => false,
                })
            };
            triage.facts = project.waiting_facts()?;
            triage.facts.retain(|fact| {
                let question: Result<QuestionRef, _> = fact.question.parse();
                let is_named = |one: &QuestionRef| is_named(&one.id, one.version.unwrap_or(1));
                names.is_empty() || question.as_ref().is_ok_and(is_named)
            });
            let open = project.snapshot(&Measure::default())?.survey.second.open;
            triage.disputes = open
                .into_iter()
                .filter(|one| one.is_disputed() || self.all && one.ended)
                .filter(|dispute| names.is_empty() || is_named(&dispute.q_id, dispute.q_version))
                .collect();
        }
        context.show(&project.repo, &triage, self.print.format)?;
        if matches!(self.word.word(), Some(VerdictWord::Expected | VerdictWord::Question)) {
            let blocking = drifts.named(&names).filter(|drift| drift.is_open());
            let blocking = blocking.filter(|drift| drift.severity == Severity::Blocking);
            let closed = blocking.map(|drift| {
                let closed = Closed::answer(ClosedKind::Drift, &drift.name(), &drift.entry);
                (closed, drift.words())
            });
            let closed: Vec<(Closed, String)> = closed.collect();
            if !closed.is_empty() {
                return close_all(context, &closed, self.because.as_deref());
            }
        }
        Ok(Outcome::of(false, &triage.unknown))
    }

    fn give(
        &self,
        context: &Context,
        project: &Project,
        drifts: &Drifts,
        names: &[Found],
        word: VerdictWord,
    ) -> Result<Vec<GivenVerdict>, Failure> {
        context.require_person("a verdict")?;
        let mut reasons = Vec::new();
        let because = self.because.as_deref().unwrap_or_default();
        let note = fitting("reason", because, CLOSING_NOTE_MAX, &mut reasons);
        if word == VerdictWord::Agrees && !is_one(names) {
            reasons.push("--agree needs a session and a question".into());
        }
        let judged = drifts.judged(names, word, &note);
        let sid = person_session(context, &project.repo)?;
        if judged.is_empty() {
            let what = self.names.join(" ");
            let is_of_fact = names.iter().any(|name| is_fact(project, name));
            reasons.push(if is_of_fact && word != VerdictWord::Expected {
                format!("{what}: a fact takes --expected; else change back what it reads")
            } else {
                format!("no drift to review in {what}")
            });
        }
        if judged.iter().any(|given| given.sid == sid) {
            reasons.push(format!("session {sid} can't review its own answers"));
        }
        Failure::check(reasons, USAGE)?;
        let author = author(context)?;
        let mut writing = Writing::of(&project.repo, &author, sid)?;
        let (envelope, _) = writing.envelope_at_head(project)?;
        for given in &judged {
            let envelope = Envelope { id: new_id(context.now), ..envelope.clone() };
            let body = Body::Verdict(given.verdict.clone());
            writing.add(project.tip, envelope, body, "shorten the reason")?;
        }
        writing.append_and_publish("git sq triage")?;
        Ok(judged)
    }
}

/// Returns true if they name an answer: a session or an entry, and a question.
fn is_one(names: &[Found]) -> bool {
    let has = |is_it: fn(&Found) -> bool| names.iter().any(is_it);
    has(|name| matches!(name, Found::Session(_) | Found::Entry(_)))
        && has(|name| matches!(name, Found::Question(_)))
}

fn is_fact(project: &Project, name: &Found) -> bool {
    let asked = project.questions_if_any().and_then(|store| match name {
        Found::Question(question) => store.set.resolve(question),
        _ => None,
    });
    asked.is_some_and(Question::is_fact)
}
