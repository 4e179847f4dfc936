//! The changes of a proposal to the questions that judge it, and to their watches.

use super::{
    Error, FoundStore, Measure, Project, StoreNews,
    changed_facts::ChangedFact,
    questions::{dismissals, store_at, store_of_base},
    standing::expected,
};
use crate::{
    evidence::{Derived, Prober, Sight},
    facts::At,
    git::{self, DEEPEN, Oid, Pathspecs, Repo},
    metrics::{Standing, Survey},
    question::{Closings, Probe, Question, QuestionSet, loosened, reworded},
    rules::{Facts, Proposed, ProposedDrift},
    timeline::short,
};

/// The part of its content that a moved file has to keep, in percent, as git has it.
const LIKELY: u8 = 50;

/// Takes from a proposal the newer versions of facts whose files are gone: the base can't have them before. In places that
/// stayed they have to find what the older ones do; what they find in the new place is held against the old value.
pub fn follow(repo: &Repo, asks: &mut QuestionSet, proposed: &QuestionSet, at: At) {
    let (files, tip) = (at.repo(repo), at.files());
    let is_gone = |part: &Probe| {
        part.file().is_some_and(|file| matches!(files.object_at(tip, file), Ok(None)))
    };
    let prober = Prober::new(files, tip);
    let is_kept = |now: &Probe, old: &Probe| {
        let found = || prober.run(tip, now).ok().zip(prober.run(tip, old).ok());
        let is_same = || found().is_some_and(|(now, old)| now.found.is_same(&old.found));
        now == old || now.place() == old.place() && is_same()
    };
    let is_moved = |now: &Probe, old: &Probe, stayed: &[&Probe]| {
        let is_new = stayed.iter().all(|stayed| stayed.place() != now.place());
        is_new && now.reading() == old.reading()
    };
    asks.follow(proposed, |old, now| match (&old.probe, &now.probe) {
        (Some(Probe::Agree(old)), Some(Probe::Agree(now))) => {
            let (gone, stayed): (Vec<&Probe>, Vec<&Probe>) =
                old.iter().partition(|part| is_gone(part));
            let mut rest: Vec<&Probe> = now.iter().collect();
            let are_kept = stayed.iter().all(|old| {
                let found = rest.iter().position(|now| is_kept(now, old));
                found.map(|place| rest.remove(place)).is_some()
            });
            let is_moved = |now: &Probe| gone.iter().any(|old| is_moved(now, old, &stayed));
            are_kept && rest.into_iter().any(is_moved)
        }
        (Some(Probe::Subset(old)), Some(Probe::Subset(now))) => {
            let stayed: Vec<&Probe> = old.iter().filter(|part| !is_gone(part)).collect();
            let is_next =
                |(old, now)| is_kept(now, old) || is_gone(old) && is_moved(now, old, &stayed);
            old.len() == now.len() && old.iter().zip(now).all(is_next) && stayed.len() < old.len()
        }
        (old, _) => old.as_ref().is_some_and(is_gone),
    });
}

/// Another commit, whose question store replaces the tip's.
pub struct Base {
    pub commit: Oid,
    pub tips: Option<FoundStore>,
    /// Where the tip left it; `None` if the history is cut off before.
    fork: Option<Oid>,
    /// The same of a branch that is only pushed: the base asks it no more than there.
    pub began: Option<Oid>,
    /// The default branch, because the author of a proposal chooses its base.
    default: Option<Oid>,
}

/// The questions of a base now, and those at the merge base with the proposal.
struct BaseAsks {
    now: QuestionSet,
    before: FoundStore,
    fork: Oid,
}

impl Project {
    /// Returns true if the questions and limits of a base count, because it has some.
    pub fn is_judged_by_base(&self) -> bool {
        self.base.is_some()
    }

    /// A proposal must not change its own rules. What its base asks since it left binds a branch that `is_pushed` only once it is
    /// proposed.
    pub fn with_base(
        mut self,
        commit: Oid,
        default: Option<Oid>,
        is_pushed: bool,
    ) -> Result<Self, Error> {
        if let Some(mut store) = store_of_base(&self.repo, commit)? {
            let fork = self.fork(commit)?;
            let began = fork.filter(|_| is_pushed);
            if let Some(began) = began {
                let asked = store_of_base(&self.repo, began)?.map(|store| store.set);
                store.set.ask_only(&asked.unwrap_or_default());
            }
            if let Some(tips) = &self.store {
                follow(&self.repo, &mut store.set, &tips.set, At::Commit(self.tip));
            }
            let tips = self.store.replace(store);
            self.base = Some(Base { commit, tips, fork, began, default });
        }
        Ok(self)
    }

    /// The tip of the default branch, unless the base is that branch with what this clone has not pushed yet.
    pub fn default_beside(&self, base: Oid) -> Result<Option<Oid>, Error> {
        let Some((name, tip)) = self.repo.default_branch(self.head.branch.as_deref())? else {
            return Ok(None);
        };
        let here = self.repo.ref_target(&format!("refs/heads/{name}"))?;
        let is_ahead = here == Some(base) && self.repo.is_ancestor(tip, base);
        Ok((!is_ahead).then_some(tip))
    }

    /// Where the tip left a branch; `None` if the history is cut off before.
    fn fork(&self, commit: Oid) -> git::Result<Option<Oid>> {
        let fork = self.repo.merge_base(commit, self.tip)?;
        // Histories that share nothing.
        Ok(fork.or((!self.repo.is_shallow()?).then_some(commit)))
    }

    /// Returns true if a fact that fails does not at the base, and the proposal did not change it, as far as that is known.
    pub(super) fn is_mended(&self, question: &Question, now: &Derived) -> bool {
        self.base.as_ref().zip(question.probe.as_ref()).is_some_and(|(base, probe)| {
            let prober = Prober::new(&self.repo, base.commit);
            let at = |commit| prober.run(commit, probe).ok();
            let is_same = |before: Derived| {
                let mut parts = before.parts.iter().zip(&now.parts);
                before.found.is_same(&now.found) && parts.all(|(one, two)| one.is_same(two))
            };
            let fails = |base: Derived| expected(question, &base.found) == Some(Standing::Fails);
            at(base.commit).is_some_and(|base| !fails(base))
                && base.fork.is_none_or(|fork| {
                    let counts_others = self.counts_others(question, (fork, base.commit));
                    at(fork).is_some_and(is_same) && !counts_others.unwrap_or(true)
                })
        })
    }

    /// Returns true if a fact is no one value, and the tip changed something that it depends on to what the base does not have:
    /// the same number may stand for others.
    fn counts_others(&self, question: &Question, (fork, base): (Oid, Oid)) -> git::Result<bool> {
        if question.probe.as_ref().is_some_and(Probe::is_one_value) {
            return Ok(false);
        }
        let changes = self.repo.changes(fork, self.tip)?;
        let mut specs = Pathspecs::parse(&question.dependencies())?;
        let mut own = changes.matching(&mut specs);
        Ok(own.any(|(path, [_, now])| self.repo.blob_at(base, &path).ok() != Some(now)))
    }

    /// Counts lines as missing, too, that the shared log's own history has. The cost is that of this history.
    pub fn with_log_history(mut self) -> Result<Self, Error> {
        self.seen = self.seen.with_history(&self.repo, &self.tips)?;
        Ok(self)
    }

    pub fn facts(&self, mut survey: Survey, measure: &Measure) -> Result<Facts, Error> {
        let QuestionSet { schema, settings, mut closed, .. } =
            self.questions_with_limits(measure)?;
        self.reopen_runs(&survey, &mut closed)?;
        for base in self.bases() {
            if self.fork(base)?.is_none() {
                let what = format!("cannot tell what changed since HEAD left {}", short(base));
                survey.unknown.push(format!("{what}: the history is cut off here; {DEEPEN}"));
            }
        }
        Ok(Facts {
            survey,
            schema,
            settings,
            closed,
            store: self.questions()?.differs(),
            is_default_branch: self.is_default_branch()?,
            proposed: self.proposed()?,
        })
    }

    fn is_default_branch(&self) -> Result<bool, Error> {
        let is_named = |(name, tip)| match &self.head.branch {
            Some(branch) => *branch == name,
            None => tip == self.tip,
        };
        Ok(self.default_of_head()?.is_some_and(is_named))
    }

    /// The base and, if it has another one, the default branch.
    fn bases(&self) -> impl Iterator<Item = Oid> {
        self.base.iter().flat_map(|base| {
            let default = base.default.filter(|default| *default != base.commit);
            [base.commit].into_iter().chain(default)
        })
    }

    /// The changes of the tip since it left its base and, if they differ, since it left the default branch. Without a base,
    /// only what one would fail.
    fn proposed(&self) -> Result<Proposed, Error> {
        let mut found = Proposed::default();
        let told = |fact: ChangedFact, is_asked, is_judged| {
            let ChangedFact { question, place, change, .. } = fact;
            ProposedDrift { question, place, change, is_asked, is_judged }
        };
        let Some(base) = &self.base else {
            let waiting = self.waiting_facts()?.into_iter();
            found.drifts = waiting.map(|fact| told(fact, true, false)).collect();
            return Ok(found);
        };
        let none = QuestionSet::default();
        let tips = base.tips.as_ref();
        let tips = tips.filter(|tips| tips.news != StoreNews::NotCommitted);
        let tips = tips.map_or(&none, |tips| &tips.set);
        for commit in self.bases() {
            let Some(mut asks) = self.asks(commit)? else {
                continue;
            };
            for (old, new) in reworded(&asks.before.set, tips) {
                let (old, name) = (old.name().to_string(), new.name().to_string());
                let is_known = found.reworded.iter().any(|(_, known, _)| *known == name);
                let is_asked = asks.now.active().any(|asked| asked.name() == new.name())
                    && asks.now.asks_otherwise(new) == Some(false);
                if !is_known && !is_asked {
                    found.reworded.push((old, name, new.text.clone()));
                }
            }
            follow(&self.repo, &mut asks.now, tips, At::Commit(self.tip));
            let path = self.repo.pathspec(&asks.before.path);
            let diff = format!("git diff {} -- {path}", short(asks.fork));
            for set in [&mut asks.now, &mut asks.before.set] {
                self.drop_unmatched(set, tips, asks.fork)?;
            }
            let own = loosened(&asks.before.set, tips);
            for loosening in loosened(&asks.now, tips) {
                let is_own = own.iter().any(|own| own.about == loosening.about);
                if is_own && found.loosened.iter().all(|(known, _)| *known != loosening) {
                    found.loosened.push((loosening, diff.clone()));
                }
            }
            self.add_blinded(&asks, tips, &mut found.blinded)?;
        }
        for (new, counts) in self.newly_closed()? {
            // A value of a fact that another one replaced waits for nothing.
            if counts {
                found.closed.push(new);
            } else if new.agreed().is_none() {
                found.late.push(new);
            }
        }
        for fact in self.proposed_facts()? {
            // The base may have the same line for a value of its own.
            let unlisted = fact.agreed.iter().find(|closed| !found.closed.contains(closed));
            found.closed.extend(unlisted.cloned());
            if fact.is_drift && fact.agreed.is_empty() {
                let id = fact.question.split('@').next();
                let is_asked = tips.questions.iter().any(|asked| Some(&*asked.id) == id);
                found.drifts.push(told(fact, is_asked, true));
            }
        }
        Ok(found)
    }

    /// The facts that the tip changed since it left its base.
    pub(super) fn proposed_facts(&self) -> Result<Vec<ChangedFact>, Error> {
        let Some((base, fork)) = self.base.as_ref().and_then(|base| Some((base, base.fork?)))
        else {
            return Ok(Vec::new());
        };
        let since = self.changed_facts(fork)?;
        if since.is_empty() {
            return Ok(since);
        }
        // What the base has as well came from there, or has landed. It says nothing of a version that it does not ask.
        let asks = store_of_base(&self.repo, base.commit)?.map(|store| store.set);
        let is_asked = |question: &&Question| {
            asks.as_ref().is_some_and(|set| set.find(&question.id, question.version).is_some())
        };
        let landed = self.facts_at(base.commit)?;
        let mut changed = Vec::new();
        for fact in since {
            let is_landed = landed.contains(&(fact.question.clone(), fact.value.clone()));
            let mut asked = self.questions()?.set.active().filter(is_asked);
            let asked = asked.find(|question| question.name().to_string() == fact.question);
            let is_own = |question| self.counts_others(question, (fork, base.commit));
            if asked.filter(|_| is_landed).map(is_own).transpose()?.unwrap_or(true) {
                changed.push(fact);
            }
        }
        // A merge with the base may give a value that nobody has seen: then that of the branch counts, unless the merge has
        // changes of its own.
        let (branch, fork) = match *self.repo.parents(self.tip)? {
            [first, branch]
                if self.base_contains(first)
                    && !self.base_contains(branch)
                    && self.repo.is_plain_merge(self.tip, [first, branch]) =>
            {
                (branch, self.repo.merge_base(first, branch)?.unwrap_or(first))
            }
            _ => (self.tip, fork),
        };
        let own = if branch == self.tip { Vec::new() } else { self.facts_at(branch)? };
        let closed = |commit: Oid| dismissals(&self.repo, Some(commit));
        let new = Closings(&closed(branch)?.0 - &closed(fork)?.0);
        for fact in &mut changed {
            let own = own.iter().find(|(name, _)| *name == fact.question).map(|(_, value)| value);
            let last = new.last_agreed(&fact.question).into_iter().filter(|closed| {
                let value = closed.agreed().map(|agreed| agreed.1);
                [Some(&fact.value), own].contains(&value.map(str::to_owned).as_ref())
            });
            fact.agreed = last.cloned().collect();
        }
        Ok(changed)
    }

    /// Drops the pathspecs that a proposal drops, too, and that match no file, neither where it began nor now.
    fn drop_unmatched(
        &self,
        set: &mut QuestionSet,
        tips: &QuestionSet,
        fork: Oid,
    ) -> Result<(), Error> {
        for question in &mut set.questions {
            let now = tips.find(&question.id, question.version);
            let is_dropped = |spec: &&String| now.is_some_and(|now| !now.watch.contains(spec));
            let dropped: Vec<String> = question.watch.iter().filter(is_dropped).cloned().collect();
            let [then, now] = [fork, self.tip].map(|at| self.repo.unmatched(at, &dropped));
            let (then, now) = (then?, now?);
            question.watch.retain(|spec| !(then.contains(&&**spec) && now.contains(&&**spec)));
        }
        Ok(())
    }

    /// `None` if the branch had no questions at the merge base, or that is unknown.
    fn asks(&self, commit: Oid) -> Result<Option<BaseAsks>, Error> {
        let Some(fork) = self.fork(commit)? else {
            return Ok(None);
        };
        let now = store_of_base(&self.repo, commit)?;
        // What can't be read there says nothing of what the branch changed: then all that the base asks now counts.
        let before = store_at(&self.repo, fork).or_else(|_| store_of_base(&self.repo, commit))?;
        Ok(now.zip(before).map(|(now, before)| BaseAsks { now: now.set, before, fork }))
    }

    /// Adds the questions that lost a part of their watch without a new version.
    fn add_blinded(
        &self,
        asks: &BaseAsks,
        tips: &QuestionSet,
        found: &mut Vec<(String, String, Oid)>,
    ) -> Result<(), Error> {
        let changes = self.repo.changes(asks.fork, self.tip)?;
        if changes.is_empty() {
            return Ok(());
        }
        let moves = self.repo.moves(asks.fork, self.tip, LIKELY)?;
        let sight = Sight {
            repo: &self.repo,
            from: asks.fork,
            to: self.tip,
            changes: &changes,
            moves: &moves,
        };
        let is_active = |set: &QuestionSet, question: &Question| {
            set.active().any(|now| now.name() == question.name())
        };
        for question in asks.before.set.active() {
            let name = question.name().to_string();
            if is_active(&asks.now, question)
                && is_active(tips, question)
                && found.iter().all(|(known, ..)| *known != name)
                && let Some(lost) = sight.lost(question)?
            {
                found.push((name, lost, asks.fork));
            }
        }
        Ok(())
    }
}
