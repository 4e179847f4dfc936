//! The facts that files show, with what earlier runs read of the history.

use serde::Serialize;
use serde_json::Value;

use super::{
    Error,
    base::follow,
    cache,
    questions::{FoundStore, dismissals, store_of_base},
    standing::expected,
};
use crate::{
    evidence::{Derived, Prober},
    facts::{At, Facts, Found, Kept, Place, Search, State, asked, find},
    git::{Oid, Repo},
    metrics::{AtTip, Standing},
    question::{Expect, Probe, Question, QuestionSet, Status},
};

const FILE: &str = "facts";

/// Finds facts; `keeps` if a cache may be read and written.
pub fn facts(repo: &Repo, search: &Search, keeps: bool) -> Result<Facts, Error> {
    let keeps = keeps && cache::is_for(repo)?;
    let mut kept: Kept = keeps.then(|| cache::load(repo, FILE)).flatten().unwrap_or_default();
    let mut found = find(repo, search, &mut kept)?;
    ask_of_paths(repo, search, &mut found.facts);
    // A branch does not break a fact and dismiss it in one go.
    let counting = search.base.unwrap_or(search.at.files());
    let closed = dismissals(search.at.repo(repo), Some(counting))?;
    for fact in &mut found.facts {
        fact.is_dismissed = closed.has_fact(&fact.as_closed());
        fact.is_likely |= fact.asked.is_some() && fact.state.is_wrong();
        fact.is_likely &= !fact.is_dismissed;
    }
    if keeps && kept.is_new {
        cache::save(repo, FILE, &kept);
    }
    Ok(found)
}

/// A question that lists the missing paths of a document asks of each of them, also when others were mended.
fn ask_of_paths(repo: &Repo, search: &Search, found: &mut [Found]) {
    let asked = search.store.iter().flat_map(|store| &store.questions);
    let asked = asked.filter(|question| question.status.is_asked());
    let asked = asked.filter_map(|question| match &question.probe {
        Some(Probe::Exist(exist)) => Some((question, exist)),
        _ => None,
    });
    let prober = Prober::new(search.at.repo(repo), search.at.files());
    for (question, exist) in asked {
        // One that expects nothing of them fails no gate.
        let derived = prober.derive(question).and_then(Result::ok);
        let is_failing = |it: &Derived| expected(question, &it.found) == Some(Standing::Fails);
        let Some(derived) = derived.filter(is_failing) else {
            continue;
        };
        let missing = derived.found.value().and_then(Value::as_array);
        let is_missing = |place: &Place| {
            exist.paths.contains(&place.file)
                && missing.is_some_and(|missing| missing.iter().any(|path| *path == place.says))
        };
        let is_path = |found: &Found| matches!(found.state, State::Missing { .. } | State::Never);
        let same = found.iter_mut().filter(|found| found.asked.is_none() && is_path(found));
        for found in same.filter(|found| found.places.iter().all(is_missing)) {
            found.asked = Some(question.id.clone());
            found.namesake = None;
        }
    }
}

/// The facts that did not hold at the base of a search, and hold now: the other way round they broke. None of the index.
pub fn fixed_facts(repo: &Repo, search: &Search, keeps: bool) -> Result<Vec<Found>, Error> {
    let (At::Commit(tip), Some(base)) = (search.at, search.base) else {
        return Ok(Vec::new());
    };
    let back = Search { at: At::Commit(base), base: Some(tip), ..*search };
    Ok(facts(repo, &back, keeps)?.facts)
}

/// A question whose answer follows from files, as it stands at a commit.
#[derive(Debug, Serialize)]
pub struct AskedFact {
    /// The question, with its version unless that is 1.
    pub question: String,
    pub q: String,
    pub standing: Standing,
    /// True if it fails the gate when it fails.
    pub blocks: bool,
    /// True if it is on trial: then it is no finding.
    pub trial: bool,
    /// The answer in words.
    pub says: String,
    /// The answer that must hold, in words, where it does not.
    pub expected: Option<String>,
    /// True if a place that it reads is gone.
    #[serde(skip)]
    pub is_gone: bool,
    /// The place where the repository states it now, if that is gone.
    pub moved: Option<MovedFact>,
}

/// The fact that a question asked before its place was gone.
#[derive(Debug, Serialize)]
pub struct MovedFact {
    /// The found fact of the same name.
    pub id: String,
    pub file: String,
    pub line: usize,
}

impl MovedFact {
    pub fn of(found: &Found) -> Option<Self> {
        let place = found.places.first()?;
        let (id, file) = (found.id.clone(), place.file.clone());
        Some(Self { id, file, line: *place.lines.first()? })
    }
}

impl AskedFact {
    /// Returns true if what was found is the fact that it asked before its place was gone.
    pub fn became(&self, found: &Found) -> bool {
        self.moved.as_ref().is_some_and(|moved| moved.id == found.id)
    }

    /// Returns true if it fails, and that is an error.
    pub fn fails(&self) -> bool {
        self.standing == Standing::Fails && self.blocks
    }
}

/// The questions with a built-in probe, those that fail first, and why some can't be told. The index has no history: what
/// reads it is asked of the commit before.
pub fn asked_facts(repo: &Repo, set: &QuestionSet, at: At) -> (Vec<AskedFact>, Vec<String>) {
    let in_files = Prober::new(repo, at.files());
    let in_history = at.tip().map(|tip| Prober::new(repo, tip));
    let (mut asked, mut unknown) = (Vec::new(), Vec::new());
    for question in set.questions.iter().filter(|question| question.status.is_asked()) {
        let name = question.name().to_string();
        let Some(probe) = &question.probe else { continue };
        let prober = if probe.reads_history() { in_history.as_ref() } else { Some(&in_files) };
        let Some((prober, derived)) = prober.and_then(|it| Some((it, it.derive(question)?))) else {
            continue;
        };
        match derived {
            Ok(derived) => {
                let standing = expected(question, &derived.found).unwrap_or(Standing::Fresh);
                let expect = question.expect.as_ref().filter(|expect| expect.must_hold());
                let expected = expect.map_or_else(|| AtTip::THERE.into(), Expect::words);
                asked.push(AskedFact {
                    question: name,
                    q: question.text.clone(),
                    standing,
                    blocks: question.blocks() && question.status == Status::Active,
                    trial: question.status == Status::Trial,
                    says: prober.found_text(probe, &derived),
                    expected: (standing == Standing::Fails).then_some(expected),
                    is_gone: derived.found.value().is_none(),
                    moved: None,
                });
            }
            Err(why) => unknown.push(format!("{name}: {why}")),
        }
    }
    asked.sort_by_key(|asked| asked.standing);
    (asked, unknown)
}

/// The places of the questions of these names that fail, the change that made them differ, and what would fix it.
pub fn asked_places<'n>(
    repo: &Repo,
    set: &QuestionSet,
    (at, base): (At, Option<Oid>),
    failing: impl IntoIterator<Item = &'n str>,
) -> Result<Vec<Found>, Error> {
    let mut found = Vec::new();
    for name in failing {
        let mut questions = set.questions.iter();
        if let Some(question) = questions.find(|one| one.name().to_string() == name) {
            found.extend(asked(repo, at, base, question, repo.now())?);
        }
    }
    Ok(found)
}

/// The questions that a proposal is asked: those of its base, which it can't drop, and those that it adds.
pub fn questions_since(
    repo: &Repo,
    proposed: Option<QuestionSet>,
    (base, at): (Oid, At),
) -> Result<Option<QuestionSet>, Error> {
    let Some(FoundStore { mut set, .. }) = store_of_base(repo, base)? else {
        return Ok(proposed);
    };
    if let Some(proposed) = &proposed {
        follow(repo, &mut set, proposed, at);
    }
    let new = proposed.into_iter().flat_map(|proposed| proposed.questions);
    let new: Vec<Question> = new.filter(|one| set.find(&one.id, one.version).is_none()).collect();
    set.questions.extend(new);
    Ok(Some(set))
}

/// Those of the questions with a built-in probe that fail, and did not at the base.
pub fn broken_asked_facts(
    repo: &Repo,
    set: &QuestionSet,
    at: At,
    base: Oid,
) -> (Vec<AskedFact>, Vec<String>) {
    let (mut asked, unknown) = asked_facts(repo, set, at);
    asked.retain(|asked| asked.standing == Standing::Fails);
    if !asked.is_empty() {
        let (before, _) = asked_facts(repo, set, At::Commit(base));
        // What reads a file that came with the branch failed nowhere before.
        let failed = |now: &AskedFact| {
            let mut before = before.iter().filter(|then| !then.is_gone || now.is_gone);
            before.any(|then| then.question == now.question && then.standing == Standing::Fails)
        };
        asked.retain(|now| !failed(now));
    }
    (asked, unknown)
}
