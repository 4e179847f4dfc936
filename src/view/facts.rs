use serde::Serialize;

use super::{
    Gated, Output, Style, asides, count, escape,
    gate::{Gate, Remark, RemarkKind},
    joined,
};
use crate::{
    facts::{At, Compared, Facts, Fix, Found, Place, Since, State},
    git::Oid,
    metrics::Standing,
    project::AskedFact,
    quote,
};

/// The facts that were asked for.
#[derive(Debug, Serialize)]
pub struct FactsDocument {
    /// The commit that was read; null before the first one.
    pub commit: Option<Oid>,
    /// True if the index was read, as the commit after it.
    pub is_index: bool,
    pub compared: Compared,
    /// The questions with a built-in probe, those that fail first; none of the index.
    pub asked: Vec<AskedFact>,
    pub facts: Vec<Found>,
    pub unknown: Vec<String>,
    /// The number of less certain facts that `--all` would show, too.
    pub hidden: usize,
    /// The number of facts that hold, never broke, and are not shown.
    pub steady: usize,
    /// True if they were named by id: then their questions are shown.
    #[serde(skip)]
    pub is_named: bool,
}

/// Columns of a place's file and line, unless all are shorter.
const PLACE: usize = 36;

/// The column of a fact's state, below which its places stand.
pub(super) const INDENT: usize = 6;

impl FactsDocument {
    pub fn new(at: At, found: Facts) -> Self {
        let (commit, is_index) = match at {
            At::Commit(commit) => (Some(commit), false),
            At::Index(commit) => (commit, true),
        };
        let Facts { facts, compared, unknown } = found;
        Self {
            commit,
            is_index,
            compared,
            asked: Vec::new(),
            facts,
            unknown,
            hidden: 0,
            steady: 0,
            is_named: false,
        }
    }

    /// Adds the facts that are asked, and why some can't be told.
    pub fn ask(&mut self, (asked, unknown): (Vec<AskedFact>, Vec<String>)) {
        self.asked = asked;
        self.unknown.extend(unknown);
    }

    /// Keeps the facts with these ids, else those that are likely, or all. Fails with an id that there is not.
    pub fn keep<'i>(&mut self, ids: &'i [String], all: bool) -> Result<(), &'i str> {
        let is_asked = |found: &Found, id: &String| found.asked.as_ref() == Some(id);
        let is_known = |id: &&String| {
            let is_it = |found: &Found| found.id == **id || is_asked(found, id);
            self.facts.iter().any(is_it) || self.asked.iter().any(|one| one.question == **id)
        };
        if let Some(id) = ids.iter().find(|id| !is_known(id)) {
            return Err(id);
        }
        self.is_named = !ids.is_empty();
        let is_kept = |found: &Found| match ids {
            [] => all || found.is_likely,
            ids => ids.iter().any(|id| found.id == *id || is_asked(found, id)),
        };
        if !self.is_named {
            let hidden = self.facts.iter().filter(|found| !is_kept(found));
            let (steady, hidden): (Vec<_>, Vec<_>) =
                hidden.partition(|found| matches!(found.state, State::Holds { broke: 0 }));
            (self.steady, self.hidden) = (steady.len(), hidden.len());
        }
        self.facts.retain(is_kept);
        self.asked.retain(|asked| ids.is_empty() || ids.contains(&asked.question));
        Ok(())
    }

    /// The number of wrong facts: of those that are asked, and of those found besides.
    pub fn number_wrong(&self) -> usize {
        let is_counted = |found: &&Found| !self.failing().any(|asked| Self::is_of(found, asked));
        self.failing().count() + self.wrong().filter(is_counted).count()
    }

    fn failing(&self) -> impl Iterator<Item = &AskedFact> {
        self.asked.iter().filter(|asked| asked.fails())
    }

    /// The facts that are asked, each with what was found of it if that is wrong.
    fn asked_text(&self, style: Style) -> String {
        let width = self.asked.iter().map(|asked| escape(&asked.question).chars().count()).max();
        let width = width.unwrap_or(0);
        let rows = self.asked.iter().map(|asked| {
            let name = format!("{:width$}", escape(&asked.question));
            let word = format!("{:5}", asked.standing.word());
            let word = match asked.standing {
                Standing::Fails => style.error(&word),
                _ => style.good(&word),
            };
            let found = self.wrong().find(|found| Self::is_of(found, asked));
            let details = found.map(|found| fact_text(found, self.is_index, style));
            let details = details.as_deref().and_then(|text| text.split_once('\n'));
            let expected = asked.expected.as_ref().filter(|_| details.is_none());
            let expected = expected.map(|expected| format!(", expected {expected}"));
            let says = escape(&(asked.says.clone() + &expected.unwrap_or_default()));
            let says = style.fit(&says, width + 11);
            let (_, details) = details.unwrap_or_default();
            format!("  {}  {word}  {says}\n{details}", style.name(&name))
        });
        rows.collect()
    }

    pub fn wrong(&self) -> impl Iterator<Item = &Found> {
        self.facts.iter().filter(|found| found.state.is_wrong())
    }

    fn is_of(found: &Found, asked: &AskedFact) -> bool {
        found.asked.as_ref() == Some(&asked.question)
    }

    fn is_in_asked(&self, found: &Found) -> bool {
        self.asked.iter().any(|asked| Self::is_of(found, asked))
    }

    fn source(&self) -> String {
        match (self.is_index, self.commit) {
            (true, _) => "in the index".into(),
            (false, commit) => {
                format!("at HEAD ({})", commit.map(short).unwrap_or_default())
            }
        }
    }

    fn headline(&self) -> String {
        let Compared { sources, documents } = self.compared;
        let manifests = match sources {
            1 => "1 manifest or workflow".into(),
            _ => format!("{sources} manifests and workflows"),
        };
        let documents = count(documents, "document");
        let verdict = match self.number_wrong() {
            0 if self.unknown.is_empty() => "nothing contradicts".into(),
            0 => "nothing is known to be wrong".into(),
            1 => "1 fact is wrong".into(),
            wrong => format!("{wrong} facts are wrong"),
        };
        format!("Compared {manifests} with {documents} {}: {verdict}.", self.source())
    }

    fn next_steps(&self) -> String {
        let mut text = String::new();
        let mut step = |command: &str, does: &str| text += &format!("  {command:<22}  {does}\n");
        let is_fixable = |found: &Found| {
            let is_clean = found.places.iter().all(|place| place.worktree.is_none());
            is_clean && found.fix.as_ref().is_some_and(|fix| !fix.edits.is_empty())
        };
        if !self.is_index && self.wrong().any(is_fixable) {
            step("git sq facts --fix", "write the right values, and show the diff");
        }
        if !self.facts.is_empty() {
            step("git sq facts ID", "one fact, its history, and a question for it");
        }
        if self.hidden > 0 {
            step("git sq facts --all", &format!("{} more, less certain", self.hidden));
        }
        if self.wrong().next().is_none() {
            text += "Name two places yourself, and see since when they differ:\n";
            text += "  git sq trace README.md:PATTERN package.json:/version\n";
        }
        text
    }
}

impl Output for FactsDocument {
    const SCHEMA: &'static str = "sq.facts/v1";

    fn text(&self, style: Style) -> String {
        if self.is_named {
            let facts = self
                .facts
                .iter()
                .filter(|found| !self.is_in_asked(found))
                .map(|found| fact_text(found, self.is_index, style) + &more_text(found));
            let facts = facts.collect::<String>();
            return self.asked_text(style) + &facts + &asides(&[], &self.unknown, style);
        }
        let mut text = style.wrap(&self.headline(), 0, 0) + "\n";
        let others: Vec<&Found> =
            self.facts.iter().filter(|found| !self.is_in_asked(found)).collect();
        if !self.asked.is_empty() {
            text += &format!("\nAsked\n{}", self.asked_text(style));
            text += if others.is_empty() { "" } else { "\nFound, not asked" };
            text += if others.is_empty() { "" } else { "\n" };
        }
        for (place, found) in others.into_iter().enumerate() {
            let line = if place == 0 && !self.asked.is_empty() { "" } else { "\n" };
            text += &format!("{line}{}", fact_text(found, self.is_index, style));
        }
        if self.steady > 0 {
            let (hold, facts) =
                if self.steady == 1 { ("holds", "fact") } else { ("hold", "facts") };
            let more = if self.facts.is_empty() { "" } else { " more" };
            text += &format!("\n{}{more} {facts} {hold}, and never broke.\n", self.steady);
        }
        let steps = self.next_steps();
        if !steps.is_empty() {
            text += &format!("\n{steps}");
        }
        text + &asides(&[], &self.unknown, style)
    }
}

fn fact_text(found: &Found, is_index: bool, style: Style) -> String {
    let days = |what: &str, since: &Since| {
        let days = count(usize::try_from(since.days).unwrap_or(0), "day");
        style.error(&format!("{what} for {days}"))
    };
    let state = match &found.state {
        State::Differs { since, .. } => days("differs", since),
        State::Missing { since: Some(since) } => days("missing", since),
        State::Missing { since: None } => style.warning("missing, could not tell since when"),
        State::Never => style.warning("never there"),
        State::Holds { broke: 0 } => style.good("holds"),
        State::Holds { broke } => {
            let times = count(usize::try_from(*broke).unwrap_or(0), "time");
            style.good(&format!("holds, broke {times}"))
        }
    };
    let asked = found.asked.iter().map(|id| format!(" (asked as {})", escape(id)));
    let about = style.name(&escape(&found.about)) + &asked.collect::<String>();
    let mut text = format!("{}  {state}: {about}\n", found.id);
    let at = |place: &Place| {
        let lines = joined(place.lines.iter().map(usize::to_string), ",");
        escape(&format!("{}:{lines}", place.file))
    };
    let width = found.places.iter().map(|place| at(place).chars().count()).max().unwrap_or(0);
    let width = width.min(PLACE);
    for place in &found.places {
        let mut row = |at: &str, says: &str| {
            let at = format!("{at:width$}");
            let says = style.fit(&escape(says), INDENT + 2 + at.chars().count());
            text += &format!("      {}  {says}\n", style.place(&at));
        };
        row(&at(place), &place.says);
        match place.worktree.as_deref() {
            Some("") => row("  in the worktree", "(not stated any more)"),
            Some(says) => row("  in the worktree", says),
            None => {}
        }
    }
    let lines =
        [found.state.since().map(|since| since_text(found, since)), remedy(found, is_index)];
    for line in lines.into_iter().flatten() {
        text += &format!("      {}\n", style.wrap(&escape(&line), INDENT, INDENT + 2));
    }
    text
}

fn since_text(found: &Found, since: &Since) -> String {
    let path = &since.path;
    let did = match (&found.state, since.is_merge) {
        (_, true) => format!("merged a change of {path}"),
        (State::Missing { .. }, _) if found.kind == "command" => match &*found.places {
            [place] => {
                let name = place.says.rsplit(' ').next().unwrap_or_default();
                let what = found.one.trim_start_matches("a ");
                format!("removed the {what} {name} from {path}")
            }
            _ => format!("removed them from {path}"),
        },
        (State::Missing { .. }, _) if found.places.len() > 1 => "removed them".into(),
        (State::Missing { .. }, _) => format!("removed {path}"),
        _ => format!("changed {path}"),
    };
    let by = if since.is_committed() {
        format!("{} {} {} {did}", short(since.commit), since.date, since.author)
    } else {
        format!("Not committed yet: {did}")
    };
    match &found.state {
        State::Differs { was, .. } => format!("{by}; before, both said {was}"),
        _ => by,
    }
}

/// The line that says how to fix a fact.
fn remedy(found: &Found, is_index: bool) -> Option<String> {
    if found.is_fixed_in_worktree {
        let not = if is_index { "staged" } else { "committed" };
        return Some(format!("Fixed in the worktree, not {not}."));
    }
    let Fix { edits, by_hand } = found.fix.as_ref()?;
    let Some(first) = edits.first() else {
        let end = |why: &str| if why.ends_with('?') { "" } else { "." };
        return by_hand.first().map(|why| format!("Fix it by hand: {why}{}", end(why)));
    };
    let more = match edits.len() {
        1 => String::new(),
        all => format!(" and {}", count(all - 1, "more line")),
    };
    let command =
        if is_index { String::new() } else { format!(" (git sq facts --fix {})", found.id) };
    Some(format!("Fix: write {} in {}:{}{more}{command}", first.value, first.file, first.line))
}

/// The question of a fact, and the command that shows its history.
fn more_text(found: &Found) -> String {
    let question = serde_json::to_string_pretty(&found.question).unwrap_or_default();
    let probe = escape(&quote::word(&found.question["probe"].to_string()));
    format!(
        "\nIts history:\n  git sq trace --probe {probe}\nTo keep asking it (git sq facts --add {}):\n{question}\n",
        found.id
    )
}

impl Gated for FactsDocument {
    const TITLE: &'static str = "Facts";

    fn gate(&self) -> Gate {
        let wrong = self.wrong().map(|found| {
            let place = found.places.iter().find(|place| place.is_left_behind);
            let place = place.or(found.places.last());
            let since = found.state.since().map(|since| since_text(found, since));
            let help = since.into_iter().chain(remedy(found, self.is_index));
            Remark {
                rule: format!("facts/{}", found.state.name()),
                kind: RemarkKind::Error,
                message: escape(&headline(found)),
                help: joined(help.map(|line| escape(&line)), "\n"),
                question: Some(found.id.clone()),
                place: place.map(|place| (place.file.clone(), place.lines.first().copied())),
            }
        });
        let is_found = |asked: &&AskedFact| {
            let mut wrong = self.wrong();
            wrong.any(|found| Self::is_of(found, asked))
        };
        let failing = self.failing().filter(|asked| !is_found(asked)).map(|asked| Remark {
            rule: "facts/fails".into(),
            kind: RemarkKind::Error,
            message: escape(&format!("{} fails: {}", asked.question, asked.says)),
            help: escape(
                &asked
                    .expected
                    .as_ref()
                    .map_or(String::new(), |expected| format!("expected {expected}")),
            ),
            question: Some(asked.question.clone()),
            place: None,
        });
        let unknown = self.unknown.iter().map(|why| Remark::unknown(None, why));
        Gate {
            remarks: wrong.chain(failing).chain(unknown).collect(),
            questions: self.facts.iter().map(|found| found.id.clone()).collect(),
            verdict: self.headline(),
        }
    }
}

/// A fact in one sentence.
fn headline(found: &Found) -> String {
    let says = |place: &Place| {
        format!("{}:{} says {}", place.file, place.lines.first().unwrap_or(&1), place.says)
    };
    let places = joined(found.places.iter().map(says), "; ");
    format!("{} {}: {places}", found.about, found.state.name())
}

fn short(commit: Oid) -> String {
    commit.to_string()[..10].to_owned()
}
