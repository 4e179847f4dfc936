//! A new entry: the given answers, the answers of probes, and the citations of notes.

pub(super) mod before;
mod commands;
mod given;
mod word;

use serde_json::{Value, json};

pub use self::given::{Given, GivenCite, Matched};
use self::{
    before::{Before, Last},
    given::{State, match_questions},
    word::{compared, cut_off, doubts, is_absent, settle, uncommitted_corrections},
};
use super::{Asked, Error, Measure, Project, Since};
use crate::{
    entry::{Answer, Cited, Rederive, Text, fit},
    evidence::{Cites, Judge, NotPinned, Prober, exposed_by, probe_digest},
    git::Oid,
    question::{Probe, Question, QuestionSet, is_same_answer},
    timeline::Watch,
};

pub(super) fn read_at(
    project: &Project,
    question: &Question,
    answer: &Value,
    at: Oid,
) -> Result<Value, String> {
    given::read(question, answer, &|question| is_absent(project, question, at))
}

/// Bytes of `q` and `repeats` in a line at most: no line is refused as too long because of them.
const READERS: usize = 8 << 10;

pub struct Recording<'s> {
    pub answers: Vec<Matched<'s>>,
    pub before: Before,
    /// Probes that could not run, and citations in notes that could not be pinned.
    pub failed: Vec<String>,
    pub mistakes: Vec<String>,
    /// Missing parts and doubts of rules; `--sure` records the entry all the same.
    pub unsaid: Vec<String>,
    pub doubts: Vec<String>,
    /// True if `--sure` overrode something of these.
    pub is_forced: bool,
    /// True if commands ran, which takes time.
    pub has_run: bool,
    /// The names of the questions that the session still has to answer.
    pub left: Vec<String>,
}

impl<'s> Recording<'s> {
    /// `session` is the one that the entry continues.
    pub fn prepare(
        project: &Project,
        set: &'s QuestionSet,
        given: Vec<Given>,
        session: Option<String>,
    ) -> Result<Self, Error> {
        let mut mistakes = Vec::new();
        let is_absent = |question: &Question| is_absent(project, question, project.tip);
        let answers = match_questions(given, set, &is_absent, &mut mistakes);
        let asked = answers.iter().map(|answer| answer.question);
        let asked: Vec<&Question> = asked.chain(with_probe(set)).collect();
        let snapshot = project.snapshot(&Measure::default())?;
        let before = Before::of(project, &snapshot, &asked, session)?;
        let mut recording = Self {
            answers,
            before,
            failed: Vec::new(),
            mistakes,
            unsaid: Vec::new(),
            doubts: Vec::new(),
            is_forced: false,
            has_run: false,
            left: Vec::new(),
        };
        recording.derive(project, set);
        recording.cite(project);
        let new = recording.answers.iter().map(|answer| answer.question.name().to_string());
        let new: Vec<String> = new.collect();
        let asked = project.asked(set, &snapshot, recording.before.session.as_deref(), &new)?;
        let asked = asked.iter().filter(|asked| asked.needs_answer()).map(Asked::name);
        recording.left = asked.filter(|name| !new.contains(name)).collect();
        let Self { answers, before, .. } = &mut recording;
        let mut judge = Judge::new(&project.repo, project.tip, &set.settings.cite);
        let (needed, doubted) = settle(project, before, &mut judge, answers);
        recording.mistakes.extend(needed);
        recording.mistakes.extend(recording.lacks(|question| question.command().is_none()));
        recording.unsaid = doubted;
        if set.has_dependencies() {
            let results = recording.rederive(project).results;
            let (before, answers) = (&recording.before, &recording.answers);
            recording.doubts = doubts(project, before, &mut judge, answers, &results);
        }
        recording.doubts.extend(uncommitted_corrections(project, &recording.answers));
        recording.doubts.extend(cut_off(project, &recording.before, &recording.answers));
        Ok(recording)
    }

    fn lacks(&self, is_meant: impl Fn(&Question) -> bool) -> Vec<String> {
        let mut lacks = Vec::new();
        let given = |answer: &&Matched| {
            let is_given = answer.said.is_some() || answer.answer.is_some();
            is_given && answer.state != State::Unsettled && is_meant(answer.question)
        };
        for answer in self.answers.iter().filter(given) {
            let name = answer.question.name();
            let first = self.before.is_first(answer.question);
            match (answer.delta, first, &answer.note) {
                (true, true, _) => lacks.push(format!(
                    "{name} has no earlier answer to differ from: write '{name}=the answer'"
                )),
                (true, false, None) => {
                    lacks.push(format!(
                        "the delta of {name} needs a note: use --delta '{name}=what changed'"
                    ));
                }
                (false, true, None) => {
                    lacks.push(format!("{name} has no earlier answer: write '{name}=the answer'"));
                }
                (true, false, Some(_)) if answer.hides_the_expected() => lacks.push(format!(
                    "{name} expects an answer beside what changed: add '{name}=the answer'"
                )),
                _ => {}
            }
        }
        lacks
    }

    /// Refuses the session's word on the answer before, `same` or how it differs, where a later recording has another one.
    pub fn overtaken(&self, project: &Project, later: &Self) -> Vec<String> {
        let is_overtaken = |answer: &&Matched| {
            let [then, now] = [self, later].map(|one| compared(project, &one.before, answer));
            let Some(now) = now.filter(|now| then.is_none_or(|then| then.id != now.id)) else {
                return false;
            };
            // A first answer repeats only itself.
            let own = || answer.answer.clone().or_else(|| answer.note.clone().map(Value::from));
            let both = then.map_or_else(own, Last::words).zip(now.words());
            let shape = answer.question.shape.as_ref();
            both.is_none_or(|(then, now)| !is_same_answer(shape, &then, &now))
        };
        let said = self.answers.iter().filter(|one| one.said.is_some() || one.wrong);
        let overtaken = said.filter(|one| !one.probed).filter(is_overtaken).map(|answer| {
            let name = answer.question.name();
            format!("others recorded another answer to {name} meanwhile (see `git sq show {name}`)")
        });
        overtaken.collect()
    }

    pub fn rederive(&self, project: &Project) -> Rederive<'static> {
        let mut left = READERS;
        let mut fits = |length: usize| {
            let fits = length <= left;
            left -= if fits { length } else { 0 };
            fits
        };
        let results = self.answers.iter().map(|answer| Answer {
            q_id: answer.question.id.clone().into(),
            q: self.words_of(project, answer).filter(|text| fits(text.len())),
            last_rederived_ts: None,
            delta: answer.delta,
            note: answer.note.clone().map(Into::into),
            q_version: (answer.question.version != 1).then_some(answer.question.version),
            claim: answer.claim(),
            answer: answer.answer.clone(),
            repeats: answer.repeats.clone().filter(|value| fits(value.to_string().len())),
            evidence: evidence(answer),
            corrects: answer.corrects.clone().map(Into::into),
        });
        let mut results: Vec<Answer> = results.collect();
        fit(results.iter_mut().filter_map(|result| result.answer.as_mut()));
        Rederive { results, sure: self.is_forced }
    }

    /// The words of a question to which no answer is known but the one that this replaces.
    fn words_of(&self, project: &Project, answer: &Matched) -> Option<Text<'static>> {
        let (before, question) = (&self.before, answer.question);
        let is_first = before.newest(question).is_none()
            || answer.answer.is_some() && before.last(project, question).is_none();
        is_first.then(|| question.text.clone().into())
    }

    /// The session that has recorded the answers of probes at the tip, if nothing else was given.
    pub fn is_recorded_by(&self, project: &Project, set: &QuestionSet) -> Option<&str> {
        let is_nothing = self.answers.is_empty() && self.failed.is_empty();
        let session = self.before.session.as_deref().filter(|_| is_nothing)?;
        let mut probed = with_probe(set);
        probed.any(|question| self.before.is_probed_at(question, project.tip)).then_some(session)
    }

    /// Changes since the entry before.
    pub fn moved(&self, project: &Project) -> Option<Since> {
        let (sid, anchor) = self.before.last.as_ref()?;
        project.moved_since(sid, *anchor).ok()
    }

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
            let commits = repo.count_between(tip, other).ok().filter(|&count| count > 0)?;
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
            let what = is_bound.then(|| exposed_by(&project.repo, &changes, &watch))?.ok()??;
            Some(format!("{what}, which {} depends on", answer.question.name()))
        })
    }

    fn place(&self, question: &Question) -> Option<usize> {
        self.answers.iter().position(|answer| std::ptr::eq(answer.question, question))
    }

    /// Fills in the answers of probes, even over the session's own.
    fn derive(&mut self, project: &Project, set: &'s QuestionSet) {
        let prober = Prober::new(&project.repo, project.tip);
        let is_built_in = |one: &&Question| one.probe.as_ref().is_some_and(Probe::is_built_in);
        for question in with_probe(set).filter(is_built_in) {
            let given = self.place(question);
            if given.is_none() && self.before.is_probed_at(question, project.tip) {
                continue;
            }
            let last = self.before.last(project, question).map(|last| last.commit);
            let derivation = match prober.compare(question, last) {
                Some(Ok(derivation)) => derivation,
                Some(Err(error)) => {
                    let name = question.name();
                    let failed = format!("the probe of {name} failed: {error}");
                    self.failed.push(failed);
                    continue;
                }
                None => continue,
            };
            let given = given.map(|place| self.answers.remove(place));
            let given = given.unwrap_or_else(|| Matched::to(question));
            if given.answer.is_some() || !given.given_cites.is_empty() {
                let name = question.name();
                self.mistakes.push(format!(
                    "the probe of {name} answers it: leave out its answer and its citations"
                ));
            }
            self.answers.push(Matched {
                delta: derivation.is_delta(),
                note: commands::note(&derivation, given.note),
                answer: Some(derivation.answer()),
                probed: true,
                given_cites: Vec::new(),
                ..given
            });
        }
    }

    /// Pins citations to HEAD. A text that looks like a citation but names no file is left alone.
    fn cite(&mut self, project: &Project) {
        let here = Cites::new(&project.repo, project.tip, |id| project.has_entry(id));
        for answer in self.answers.iter_mut().filter(|answer| !answer.probed) {
            for GivenCite { at, quote } in std::mem::take(&mut answer.given_cites) {
                let pinned = match Cited::parse(at.trim()) {
                    Some(lines) => here.pin(lines, quote).map_err(|why| why.to_string()),
                    None => Err("expected `path:line` or `path:from-to`".into()),
                };
                match pinned {
                    Ok(citation) => answer.cites.push(citation),
                    Err(why) => {
                        answer.state = State::Miscited;
                        self.mistakes.push(format!("{at} can't be cited: {why}"));
                    }
                }
            }
            let answered = answer.answer.as_ref().and_then(Value::as_str);
            for cited in answer.note.as_deref().into_iter().chain(answered).flat_map(Cited::find_in)
            {
                let text = cited.to_string();
                match here.pin(cited, None) {
                    Ok(citation) if !answer.cites.iter().any(|one| one.to_string() == text) => {
                        answer.cites.push(citation);
                    }
                    Ok(_) | Err(NotPinned::NoFile | NotPinned::NoEntry) => {}
                    Err(why) => self.failed.push(format!("{text} can't be cited: {why}")),
                }
            }
        }
    }
}

fn with_probe(set: &QuestionSet) -> impl Iterator<Item = &Question> {
    set.questions.iter().filter(|one| one.status.is_asked()).filter(|one| one.probe.is_some())
}

fn evidence(answer: &Matched) -> Option<Value> {
    let probe = answer.question.probe.as_ref().filter(|_| answer.probed);
    match probe {
        Some(probe) if answer.run.is_some() => {
            Some(json!({ "probe": probe_digest(probe), "run": answer.run }))
        }
        Some(probe) => Some(json!({ "probe": probe_digest(probe) })),
        None if answer.cites.is_empty() => None,
        None => Some(json!({ "cites": answer.cites })),
    }
}
