//! One tip of one repository with its question store and its log: what most commands look at.

use std::panic::resume_unwind;

use super::{
    Context, Failure,
    question_store::{FoundStore, find_store},
    stamps::stamps,
};
use crate::{
    git::{ErrorKind, HeadRef, History, Oid, Repo},
    metrics::{Quiet, SURVEY_VERSION, StoreNews, Survey, clock, survey, tension_conduct},
    report::{Since, escape},
    session::{EventLog, Ledger},
    store::{Cache, Log, LogTips, Unasked, unasked},
    timeline::{Timeline, Unknown, short},
};

/// What a command looks at.
pub struct View {
    pub repo: Repo,
    pub head: HeadRef,
    pub tip: Oid,
    pub tips: LogTips,
    pub store: FoundStore,
    /// Remotes that may have a log and were never asked.
    pub unasked: Vec<Unasked>,
}

/// What a command says that needs a commit where there is none.
pub fn no_commit() -> Failure {
    Failure::refused(
        "HEAD has no commit yet, and every entry belongs to one",
        "make a first commit; `git sq init` can come before it",
    )
}

/// Everything that a tip contains, and the whole log, read side by side.
///
/// # Errors
/// When one of them can't be read.
pub fn history_and_log(repo: &Repo, tip: Oid, tips: &LogTips) -> Result<(History, Log), Failure> {
    let walker = repo.handle();
    let (history, log) = std::thread::scope(|scope| {
        let walk = scope.spawn(move || walker.walk(tip));
        let log = Log::read(repo, tips);
        let history = walk.join().unwrap_or_else(|panic| resume_unwind(panic));
        (history, log)
    });
    Ok((history?, log?))
}

/// The entries that sessions are made of, from the cache where nothing was added since they were kept.
///
/// # Errors
/// When the log can't be read.
pub fn event_log(context: &Context, repo: &Repo, tips: &LogTips) -> Result<EventLog, Failure> {
    // They follow from the notes alone, of which nothing is cut off; but objects may be replaced.
    let may_keep = context.cache && !repo.has_replacements()?;
    let key = events_key(tips);
    let key: Vec<&str> = key.iter().map(String::as_str).collect();
    let kept = may_keep.then(|| Cache::of(repo).get(&key)).flatten();
    if let Some(events) = kept.and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
        return Ok(events);
    }
    let log = Log::read(repo, tips)?;
    let events = EventLog::of(&log);
    if may_keep && log.missing.is_empty() {
        keep_events(repo, tips, &events);
    }
    Ok(events)
}

/// Whether what is computed from history and the log may be kept: everything that it is computed from has a name.
///
/// # Errors
/// When the repository can't be read.
fn may_keep(context: &Context, repo: &Repo) -> Result<bool, Failure> {
    let is_plain = || -> Result<bool, Failure> {
        Ok(!repo.is_shallow()? && !repo.has_grafts() && !repo.has_replacements()?)
    };
    Ok(context.cache && is_plain()?)
}

fn events_key(tips: &LogTips) -> Vec<String> {
    let mut key = vec![super::TOOL.to_owned(), "events 3".to_owned()];
    key.extend(tips.commits().map(|commit| commit.to_string()));
    key
}

fn keep_events(repo: &Repo, tips: &LogTips, events: &EventLog) {
    let key = events_key(tips);
    let key: Vec<&str> = key.iter().map(String::as_str).collect();
    if let Ok(bytes) = serde_json::to_vec(events) {
        Cache::of(repo).put(&key, &bytes);
    }
}

impl View {
    /// Opens what `tip` names, HEAD where it names nothing.
    ///
    /// # Errors
    /// When there is no repository, no commit or no question store.
    pub fn open(context: &Context, tip: Option<&str>) -> Result<Self, Failure> {
        Self::of(context.open()?, tip)
    }

    /// As [`open`](Self::open), in a repository that is open.
    ///
    /// # Errors
    /// When there is no commit or no question store.
    pub fn of(repo: Repo, tip: Option<&str>) -> Result<Self, Failure> {
        let head = repo.head()?;
        let tip = match (tip, head.commit) {
            (Some(revision), _) => repo.commit(revision)?,
            (None, Some(commit)) => commit,
            (None, None) => return Err(no_commit()),
        };
        let store = find_store(&repo, tip)?;
        let tips = LogTips::read(&repo)?;
        let unasked = unasked(&repo, &tips);
        Ok(Self {
            repo,
            head,
            tip,
            tips,
            store,
            unasked,
        })
    }

    /// What is looked at, in words: `main at 15cd9173c8`.
    pub fn place(&self) -> String {
        let at_head = self.head.commit == Some(self.tip);
        match (&self.head.branch, at_head) {
            (Some(branch), true) => format!("{} at {}", escape(branch), short(self.tip)),
            _ => short(self.tip),
        }
    }

    /// Joins everything that the tip contains and hands it to `use_it`.
    ///
    /// # Errors
    /// When history or the log can't be read.
    pub fn with_timeline<T>(
        &self,
        original: bool,
        use_it: impl FnOnce(&Timeline) -> T,
    ) -> Result<T, Failure> {
        self.with_everything(original, |timeline, _, _| use_it(timeline))
    }

    fn with_everything<T>(
        &self,
        original: bool,
        use_it: impl FnOnce(&Timeline, &History, &Log) -> T,
    ) -> Result<T, Failure> {
        let (history, log) = history_and_log(&self.repo, self.tip, &self.tips)?;
        let timeline = Timeline::build(
            self.tip,
            &history,
            &log,
            self.store.set.clone(),
            original,
            &mut |from, to| self.repo.changes(from, to),
        );
        Ok(use_it(&timeline, &history, &log))
    }

    /// Measures everything anew, but for remotes that were never asked. `keep` gets the events of a log that is whole.
    fn survey_anew(
        &self,
        original: bool,
        keep: impl FnOnce(&EventLog),
    ) -> Result<(Survey, Quiet), Failure> {
        let settings = &self.store.set.settings;
        self.with_everything(original, |timeline, history, log| {
            let (mut survey, quiet) = survey(timeline);
            let events = EventLog::of(log);
            let unreadable = Some(events.unreadable()).filter(|&number| number > 0);
            let unreadable = unreadable.map(|number| Unknown::Events(number).to_string());
            survey.unknown.extend(unreadable);
            if log.missing.is_empty() {
                keep(&events);
            }
            let stamps = stamps(timeline, history, &events);
            let survey = Survey {
                imported: survey.imported + events.imported(),
                clock: clock(stamps, settings.clock_tolerance),
                tensions: tension_conduct(&Ledger::of(&events), settings.tension.per_session),
                ..survey
            };
            (survey, quiet)
        })
    }

    /// Measures everything anew.
    ///
    /// # Errors
    /// When history or the log can't be read.
    pub fn measure(&self, original: bool) -> Result<(Survey, Quiet), Failure> {
        let (mut survey, quiet) = self.survey_anew(original, |_| ())?;
        self.add_unasked(&mut survey);
        Ok((survey, quiet))
    }

    /// The survey, from the cache where nothing changed since it was kept.
    ///
    /// # Errors
    /// When history or the log can't be read.
    pub fn survey(&self, context: &Context) -> Result<Survey, Failure> {
        if !may_keep(context, &self.repo)? {
            return self.measure(false).map(|(survey, _)| survey);
        }
        let key = self.cache_key();
        let key: Vec<&str> = key.iter().map(String::as_str).collect();
        let cache = Cache::of(&self.repo);
        let kept = cache.get(&key);
        let kept = kept.and_then(|bytes| serde_json::from_slice::<Survey>(&bytes).ok());
        let mut survey = if let Some(survey) = kept {
            survey
        } else {
            // Who asks for the survey may ask for the events next, and the log need not be read for them again.
            let (survey, _) = self.survey_anew(false, |events| {
                keep_events(&self.repo, &self.tips, events);
            })?;
            // What is unknown today may be known tomorrow, without any of the keys changing.
            if survey.unknown.is_empty()
                && let Ok(bytes) = serde_json::to_vec(&survey)
            {
                cache.put(&key, &bytes);
            }
            survey
        };
        self.add_unasked(&mut survey);
        Ok(survey)
    }

    /// The entries that sessions are made of; see [`event_log`].
    ///
    /// # Errors
    /// When the log can't be read.
    pub fn event_log(&self, context: &Context) -> Result<EventLog, Failure> {
        event_log(context, &self.repo, &self.tips)
    }

    /// Everything that a survey is computed from.
    fn cache_key(&self) -> Vec<String> {
        let mut key = vec![
            super::TOOL.to_owned(),
            format!("survey {SURVEY_VERSION}"),
            self.tip.to_string(),
            self.store.blob.to_string(),
        ];
        key.extend(self.tips.commits().map(|commit| commit.to_string()));
        key
    }

    fn add_unasked(&self, survey: &mut Survey) {
        let bad = self.tips.unreadable.iter().cloned().map(Unknown::BadRef);
        survey
            .unknown
            .extend(bad.map(|unknown| unknown.to_string()));
        for remote in &self.unasked {
            if remote.shares_log || survey.sessions == 0 {
                let unknown = Unknown::NeverFetched(remote.name.clone());
                survey.unknown.push(unknown.to_string());
            }
        }
    }

    /// What moved since the last session; None where there is none.
    ///
    /// # Errors
    /// When history can't be read.
    pub fn since(&self, survey: &Survey) -> Result<Option<Since>, Failure> {
        let Some(last) = survey.latest.first() else {
            return Ok(None);
        };
        let Ok(anchor) = last.anchor.parse() else {
            return Ok(None);
        };
        self.since_commit(&last.sid, anchor).map(Some)
    }

    /// What moved since a commit that carries an entry.
    ///
    /// # Errors
    /// When history can't be read.
    pub fn since_commit(&self, sid: &str, anchor: Oid) -> Result<Since, Failure> {
        let files = match self.repo.changes(anchor, self.tip) {
            Ok(changes) => changes.paths().collect(),
            Err(error) if error.kind == ErrorKind::Missing => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        Ok(Since {
            sid: sid.to_owned(),
            commit: anchor.to_string(),
            commits: self.repo.count_between(anchor, self.tip)?,
            files,
        })
    }

    /// What has to be said about the question store before anything else.
    pub fn store_warning(&self) -> Option<String> {
        match self.store.news {
            StoreNews::Committed => None,
            StoreNews::NotCommitted => Some(format!(
                "{} is not committed yet: commit it, so that everybody is asked the same",
                self.store.path
            )),
            StoreNews::Differs => Some(format!(
                "{} differs from the committed one, which is the one that counts",
                self.store.path
            )),
        }
    }
}
