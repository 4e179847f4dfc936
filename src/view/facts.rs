mod gate;
mod text;

use serde::Serialize;

pub(super) use self::gate::place_of;
use self::text::{Read, details_text, fact_text, more_text, moved_text, state_text};
use super::{Output, Style, asides, count, escape};
use crate::{
    facts::{At, Compared, Edit, Facts, Found, State},
    git::Oid,
    metrics::Standing,
    project::{AskedFact, MovedFact},
    timeline::short,
};

/// The facts that were asked for.
#[derive(Debug, Default, Serialize)]
pub struct FactsDocument {
    /// The commit that was read; null before the first one.
    pub commit: Option<Oid>,
    /// True if the index was read, as the commit after it.
    pub is_index: bool,
    /// The commit since which facts broke, and nothing else is shown.
    pub base: Option<FactsBase>,
    pub compared: Compared,
    /// The questions with a built-in probe, those that fail first.
    pub asked: Vec<AskedFact>,
    pub facts: Vec<Found>,
    /// The facts that did not hold at the base, and hold now.
    pub fixed: Vec<FixedFact>,
    /// The number of those that broke since the base and are left out: of changelogs, and minimums that differ in the patch.
    pub passing: usize,
    pub unknown: Vec<String>,
    /// The number of less certain facts that `--all` would show, too.
    pub hidden: usize,
    /// The number of facts that hold, never broke, and are not shown.
    pub steady: usize,
    /// True if they were named by id: then their questions are shown.
    #[serde(skip)]
    pub is_named: bool,
    /// True if history is cut off, so that what never broke is unknown.
    #[serde(skip)]
    pub is_cut: bool,
    /// The command without which no fact can be added.
    #[serde(skip)]
    pub before_add: &'static str,
    /// True if the command fails where a fact is wrong.
    #[serde(skip)]
    pub is_gate: bool,
}

/// The base of a proposal.
#[derive(Debug, Serialize)]
pub struct FactsBase {
    pub name: String,
    /// The merge base; null if it could not be had.
    pub commit: Option<Oid>,
}

/// A fact that was wrong.
#[derive(Debug, Serialize)]
pub struct FixedFact {
    pub id: String,
    pub about: String,
    pub files: Vec<String>,
}

/// Wrong facts that are named where there are no questions yet.
const GLANCED: usize = 5;

/// The commands with which to begin.
const BEGIN: [(&str, &str); 3] = [
    ("git sq facts", "show all facts, since when they are wrong, and what fixes them"),
    ("git sq init", "ask questions, which each session answers anew"),
    ("git sq demo", "see a false answer being caught, in a repository of its own"),
];

/// The column of a fact's state, below which its places stand.
pub(super) const INDENT: usize = 6;

impl FactsDocument {
    pub fn new(at: At, found: Facts) -> Self {
        let Facts { facts, passing, compared, unknown } = found;
        Self {
            commit: at.tip(),
            is_index: at.is_index(),
            compared,
            facts,
            passing,
            unknown,
            ..Self::default()
        }
    }

    /// The facts that broke since a base, and those that did not hold there and hold now.
    pub fn since(at: At, base: FactsBase, mut broken: Facts, fixed: Vec<Found>) -> Self {
        broken.facts.retain(|found| found.is_likely);
        let fixed = fixed.into_iter().map(|Found { id, about, places, .. }| {
            let mut files: Vec<String> = places.into_iter().map(|place| place.file).collect();
            files.dedup();
            FixedFact { id, about, files }
        });
        Self { base: Some(base), fixed: fixed.collect(), ..Self::new(at, broken) }
    }

    /// The document for a base that could not be had.
    pub fn without_base(at: At, name: &str, unknown: Vec<String>) -> Self {
        let base = FactsBase { name: name.to_owned(), commit: None };
        Self::since(at, base, Facts { unknown, ..Facts::default() }, Vec::new())
    }

    /// True if nothing broke and nothing was fixed.
    pub fn is_quiet(&self) -> bool {
        self.number_wrong() + self.fixed.len() == 0
    }

    fn read(&self) -> Read<'_> {
        Read { is_index: self.is_index, base: self.base.as_ref().map(|base| &*base.name) }
    }

    /// Adds the facts that are asked, the places of those that fail, and why some can't be told. What was found of the same
    /// places is the same fact.
    pub fn ask(&mut self, asked: Vec<AskedFact>, places: Vec<Found>, unknown: Vec<String>) {
        self.asked = asked;
        self.unknown.extend(unknown);
        for asked in self.asked.iter_mut().filter(|asked| asked.is_gone) {
            let mut found = self.facts.iter();
            let found = found.find(|found| found.namesake.as_ref() == Some(&asked.question));
            asked.moved = found.and_then(MovedFact::of);
        }
        for fact in places {
            if !self.facts.iter().any(|found| found.asked == fact.asked) {
                self.facts.retain(|found| found.asked.is_some() || !found.is_in(&fact));
                self.facts.push(fact);
            }
        }
    }

    /// Keeps the facts with these ids, else those that are likely, or all. Fails with an id that there is not.
    pub fn keep<'i>(&mut self, ids: &'i [String], all: bool) -> Result<(), &'i str> {
        let is_asked = |found: &Found, id: &String| {
            let mut asked = self.asked.iter();
            found.asked.as_ref() == Some(id)
                || asked.any(|asked| asked.question == *id && asked.became(found))
        };
        // A question comes before a found fact of the same letters.
        let (questions, others): (Vec<_>, Vec<_>) = ids.iter().partition(|id| {
            self.asked.iter().any(|one| one.question == **id)
                || self.facts.iter().any(|found| is_asked(found, id))
        });
        let is_known = |id: &&String| {
            questions.contains(id) || self.facts.iter().any(|found| found.id == **id)
        };
        if let Some(id) = ids.iter().find(|id| !is_known(id)) {
            return Err(id);
        }
        self.is_named = !ids.is_empty();
        let is_kept = |found: &Found| match ids {
            [] => all || found.is_likely,
            _ => others.contains(&&found.id) || questions.iter().any(|id| is_asked(found, id)),
        };
        if !self.is_named {
            let is_hidden = |found: &&Found| !is_kept(found) && !self.is_in_asked(found);
            let hidden = self.facts.iter().filter(is_hidden);
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
        self.failing().count() + self.found_wrong().count()
    }

    /// Those that are wrong, without those of questions that fail.
    fn found_wrong(&self) -> impl Iterator<Item = &Found> {
        self.wrong().filter(|found| !self.is_in_asked(found))
    }

    /// The number of those that fail and are no error, in words.
    fn tolerated(&self) -> Option<String> {
        let some = |is_trial: bool, why: &str| {
            let fails = |asked: &&AskedFact| asked.standing == Standing::Fails && !asked.blocks;
            let some = self.asked.iter().filter(fails).filter(|asked| asked.trial == is_trial);
            match some.count() {
                0 => None,
                1 => Some(format!("1 fact fails ({why})")),
                more => Some(format!("{more} facts fail ({why})")),
            }
        };
        let both = [some(false, "informational"), some(true, "on trial")];
        let both: Vec<String> = both.into_iter().flatten().collect();
        (!both.is_empty()).then(|| both.join(", "))
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
            let details = found.map(|found| details_text(found, self.read(), style));
            let state = found.map(|found| state_text(found, self.read(), style));
            let says = state.unwrap_or_else(|| {
                let expected = asked.expected.as_ref();
                let expected = expected.map(|expected| format!(", expected {expected}"));
                let says = escape(&(asked.says.clone() + &expected.unwrap_or_default()));
                style.fit(&says, width + 11)
            });
            let details = details.or_else(|| moved_text(asked, style)).unwrap_or_default();
            format!("  {}  {word}  {says}\n{details}", style.name(&name))
        });
        rows.collect()
    }

    /// Those that are wrong; what a question asks is judged by the question.
    pub fn wrong(&self) -> impl Iterator<Item = &Found> {
        self.facts.iter().filter(|found| {
            let mut asked = self.asked.iter().filter(|asked| Self::is_of(found, asked));
            found.state.is_wrong()
                && !found.is_dismissed
                && asked.all(|asked| asked.standing == Standing::Fails)
        })
    }

    /// The lines that would mend them.
    pub fn edits(&self) -> impl Iterator<Item = &Edit> {
        self.wrong().filter_map(|found| found.fix.as_ref()).flat_map(|fix| &fix.edits)
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

    pub(super) fn headline(&self) -> String {
        match &self.base {
            Some(base) => self.headline_since(base),
            None => self.headline_of_all(),
        }
    }

    fn headline_since(&self, base: &FactsBase) -> String {
        let now = if self.is_index { "the index" } else { "HEAD" };
        let FactsBase { name, commit } = base;
        let Some(commit) = commit else {
            return format!("Compared {now} with nothing: no fact is known to have broken.");
        };
        let broke = match (self.number_wrong(), self.tolerated()) {
            (0, Some(fails)) => fails,
            (0, None) if self.unknown.is_empty() => "no fact broke".into(),
            (0, None) => "no fact is known to have broken".into(),
            (broke, _) => format!("{} broke", count(broke, "fact")),
        };
        let fixed = match self.fixed.len() {
            0 => String::new(),
            fixed => format!(", {fixed} fixed"),
        };
        format!("Compared {now} with {} ({}): {broke}{fixed}.", escape(name), short(*commit))
    }

    fn headline_of_all(&self) -> String {
        let Compared { sources, documents } = self.compared;
        let (others, documents) = (count(sources, "other file"), count(documents, "document"));
        let doubtful = self.found_wrong().filter(|found| !found.is_likely).count();
        let verdict = match (self.number_wrong() - doubtful, doubtful) {
            (0, 0) => match self.tolerated() {
                Some(fails) => fails,
                None if self.unknown.is_empty() => "no contradictions".into(),
                None => "nothing is known to be wrong".into(),
            },
            (0, doubtful) => format!("{} may be wrong", count(doubtful, "fact")),
            (1, 0) => "1 fact is wrong".into(),
            (wrong, 0) => format!("{wrong} facts are wrong"),
            (wrong, doubtful) => format!("{wrong} wrong, {doubtful} perhaps"),
        };
        format!("Compared {documents} with {others} {}: {verdict}.", self.source())
    }

    /// The first lines, for who has no questions yet.
    pub fn glance(&self, style: Style) -> String {
        let first_line = |found| {
            let text = fact_text(found, self.read(), style);
            format!("{}\n", text.lines().next().unwrap_or_default())
        };
        let facts: String = self.wrong().take(GLANCED).map(first_line).collect();
        let head = style.wrap(&self.headline(), 0, 0);
        let blank = if facts.is_empty() { "" } else { "\n" };
        let unknown = asides(&[], &self.unknown, style);
        let begin = BEGIN.map(|(command, does)| format!("  {command:<12}  {does}\n")).concat();
        format!("{head}\n{blank}{facts}{unknown}\nNo question is asked here yet.\n{begin}")
    }

    fn next_steps(&self) -> String {
        let (mut text, all) = (String::new(), self.read().command());
        let mut step = |option: &str, does: &str| {
            let (command, width) = (format!("{all} {option}"), all.len() + 10);
            text += &format!("  {command:<width$}  {does}\n");
        };
        let is_fixable = |found: &Found| {
            let is_clean = found.places.iter().all(|place| place.worktree.is_none());
            is_clean && found.fix.as_ref().is_some_and(|fix| !fix.edits.is_empty())
        };
        if self.wrong().any(is_fixable) {
            step("--fix", "write the right values, and show the diff");
        }
        let is_whole = self.base.is_none();
        if is_whole && !self.facts.is_empty() {
            step("ID", "one fact, its history, and a question for it");
        }
        if is_whole && self.hidden > 0 {
            step("--all", &format!("{} more, less certain or dismissed", self.hidden));
        }
        if is_whole && self.wrong().next().is_none() {
            text +=
                "This looks only for versions, paths and commands. To compare two other places:\n";
            text += "  git sq trace README.md:PATTERN package.json:/version\n";
        }
        text
    }
}

impl Output for FactsDocument {
    const SCHEMA: &'static str = "sq.facts/v1";

    fn text(&self, style: Style) -> String {
        if self.is_named {
            let facts = self.facts.iter().filter(|found| !self.is_in_asked(found)).map(|found| {
                let is_moved = self.asked.iter().any(|asked| asked.became(found));
                let more = (!is_moved).then(|| more_text(found, self.read(), self.before_add));
                fact_text(found, self.read(), style) + &more.unwrap_or_default()
            });
            let unknown = asides(&[], &self.unknown, style);
            return self.asked_text(style) + &facts.collect::<String>() + &unknown;
        }
        let mut text = style.wrap(&self.headline(), 0, 0) + "\n";
        if self.passing > 0 {
            let left_out = count(self.passing, "difference");
            text +=
                &format!("Left out: {left_out} in a patch version or a changelog (git sq facts)\n");
        }
        let others: Vec<&Found> =
            self.facts.iter().filter(|found| !self.is_in_asked(found)).collect();
        if !self.asked.is_empty() {
            text += &format!("\nAsked\n{}", self.asked_text(style));
            text += if others.is_empty() { "" } else { "\nFound, not asked\n" };
        }
        for (place, found) in others.into_iter().enumerate() {
            let line = if place == 0 && !self.asked.is_empty() { "" } else { "\n" };
            text += &format!("{line}{}", fact_text(found, self.read(), style));
        }
        let fixed_line = |FixedFact { about, files, .. }: &FixedFact| {
            let line = format!("fixed  {} ({})", escape(about), escape(&files.join(", ")));
            format!("{}\n", style.wrap(&line, 0, 7))
        };
        let fixed: String = self.fixed.iter().map(fixed_line).collect();
        if !fixed.is_empty() {
            text += &format!("\n{fixed}");
        }
        if self.steady > 0 {
            let more = if self.facts.is_empty() { "" } else { "more " };
            let hold = if self.steady == 1 { "fact holds" } else { "facts hold" };
            let ever = if self.is_cut { "" } else { ", and never broke" };
            text += &format!("\n{} {more}{hold}{ever}: git sq facts --all\n", self.steady);
        }
        let steps = self.next_steps();
        if !steps.is_empty() {
            text += &format!("\n{steps}");
        }
        text + &asides(&[], &self.unknown, style)
    }
}
