//! One fact: its state, its places, what changed, and what mends it.

use super::INDENT;
use crate::{
    facts::{Edit, Fix, Found, Place, Since, State},
    project::{AskedFact, MovedFact},
    quote,
    timeline::short,
    view::{Style, count, escape, joined},
};

/// Columns of a place's file and line, unless all are shorter.
const PLACE: usize = 36;

/// The state of the repository that was searched for facts.
#[derive(Clone, Copy)]
pub struct Read<'d> {
    pub is_index: bool,
    /// The base since which they broke.
    pub base: Option<&'d str>,
}

impl Read<'_> {
    /// The command that shows these facts.
    pub fn command(&self) -> String {
        let cached = if self.is_index { " --cached" } else { "" };
        let base = self.base.map(|base| format!(" --base {}", quote::word(base)));
        format!("git sq facts{cached}{}", base.unwrap_or_default())
    }
}

/// Its state, as in `differs for 12 days`.
pub fn state_text(found: &Found, read: Read, style: Style) -> String {
    let days = |what: &str, since: &Since| {
        let days = count(usize::try_from(since.days).unwrap_or(0), "day");
        let when =
            read.base.map_or(format!("for {days}"), |base| format!("since {}", escape(base)));
        style.error(&format!("{what} {when}"))
    };
    match &found.state {
        State::Differs { since, .. } => days("differs", since),
        State::Missing { since: Some(since) } => days("missing", since),
        State::Missing { since: None } => style.warning("missing, could not tell since when"),
        State::Never => style.warning("leads nowhere"),
        State::Holds { broke: 0 } => style.good("holds"),
        State::Holds { broke } => {
            let times = count(usize::try_from(*broke).unwrap_or(0), "time");
            style.good(&format!("holds, broke {times}"))
        }
    }
}

pub fn fact_text(found: &Found, read: Read, style: Style) -> String {
    let asked = found.asked.iter().map(|id| format!(" (asked as {})", escape(id)));
    let dismissed = if found.is_dismissed { " (dismissed)" } else { "" };
    let about = style.name(&escape(&found.about)) + &asked.collect::<String>() + dismissed;
    let state = state_text(found, read, style);
    format!("{}  {state}: {about}\n{}", found.id, details_text(found, read, style))
}

/// The places of a fact, the change that made it wrong, and what fixes it.
pub fn details_text(found: &Found, read: Read, style: Style) -> String {
    let mut text = String::new();
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
            Some("") => row("  in the worktree", "(no longer stated)"),
            Some(says) => row("  in the worktree", says),
            None => {}
        }
    }
    let lines =
        [found.state.since().map(|since| since_text(found, since, read)), remedy(found, read)];
    for line in lines.into_iter().flatten() {
        text += &format!("      {}\n", style.wrap(&escape(&line), INDENT, INDENT + 2));
    }
    text
}

pub fn since_text(found: &Found, since: &Since, read: Read) -> String {
    let path = &since.path;
    let did = match (&found.state, &*found.kind, &*found.places) {
        (State::Missing { .. }, "command", [place]) => {
            let name = place.says.rsplit(' ').next().unwrap_or_default();
            let what = found.one.trim_start_matches("a ");
            format!("removed the {what} {name} from {path}")
        }
        (State::Missing { .. }, "command", _) => format!("removed them from {path}"),
        (State::Missing { .. }, "place", _) => format!("changed {path}"),
        (State::Missing { .. }, _, [place, ..]) if since.is_move => {
            format!("moved {path} to {}", place.file)
        }
        (State::Missing { .. }, _, [place]) => {
            format!("removed {}", place.path.as_ref().unwrap_or(path))
        }
        (State::Missing { .. }, ..) => "removed them".into(),
        _ => format!("changed {path}"),
    };
    let did = if since.is_merge { format!("merged a branch that {did}") } else { did };
    let by = match read.base {
        _ if !since.is_committed() => format!("Not committed yet: {did}"),
        Some(_) => format!("This branch {did}"),
        None => format!("{} {} {} {did}", short(since.commit), since.date, since.author),
    };
    match &found.state {
        State::Differs { was, .. } => {
            let all = if found.places.len() > 2 { "all" } else { "both" };
            format!("{by}; before, {all} said {was}")
        }
        _ => by,
    }
}

/// The line that says how to fix a fact.
pub fn remedy(found: &Found, read: Read) -> Option<String> {
    if found.is_fixed_in_worktree {
        let not = if read.is_index { "staged" } else { "committed" };
        return Some(format!("Fixed in the worktree, not {not}."));
    }
    let Fix { edits, by_hand } = found.fix.as_ref().filter(|_| !found.is_dismissed)?;
    let Some(first) = edits.first() else {
        let end = |why: &str| if why.ends_with('?') { "" } else { "." };
        return by_hand.first().map(|why| format!("Fix it by hand: {why}{}", end(why)));
    };
    let more = match edits.len() {
        1 => String::new(),
        all => format!(" and {}", count(all - 1, "more line")),
    };
    let (command, id) = (read.command(), found.asked.as_ref().unwrap_or(&found.id));
    let Edit { value, file, line, .. } = first;
    Some(format!("Fix: write {value} in {file}:{line}{more} ({command} --fix {id})"))
}

/// Where the repository states a fact whose place is gone, and the command that asks it there.
pub fn moved_text(asked: &AskedFact, style: Style) -> Option<String> {
    let (MovedFact { file, line, .. }, name) = (asked.moved.as_ref()?, &asked.question);
    let text = format!("{file}:{line} states it now: git sq facts --add {name} asks it there");
    Some(format!("      {}\n", style.wrap(&escape(&text), INDENT, INDENT + 2)))
}

/// The question of a fact, and the command that shows its history.
pub fn more_text(found: &Found, read: Read, first: &str) -> String {
    let question = serde_json::to_string_pretty(&found.question).unwrap_or_default();
    let probe = escape(&quote::word(&found.question["probe"].to_string()));
    let mut text = format!("\nIts history:\n  git sq trace --probe {probe}\n");
    let id = &found.id;
    if let Some(asked) = found.asked.as_ref().filter(|_| found.state.is_wrong()) {
        text += &format!(
            "If this is intentional, change the `expect` of {asked} in the question store, or retire it.\n"
        );
    } else if found.state.is_wrong() && !found.is_dismissed {
        let is_gone = matches!(found.state, State::Missing { .. } | State::Never);
        let before = match read.base.or_else(|| read.is_index.then_some("HEAD")) {
            None => String::new(),
            // What is there yet can't be missing.
            Some("HEAD") if is_gone => ", once it is committed".into(),
            Some(base) if is_gone => format!(", once {} has it", escape(base)),
            Some("HEAD") => ", commit this first".into(),
            Some(base) => format!(", commit this on {} first", escape(base)),
        };
        text += &format!("If this is intentional{before}:\n  git sq facts --dismiss {id}\n");
    }
    if found.asked.is_none() {
        text += &format!("To keep track of it ({first}git sq facts --add {id}):\n{question}\n");
    }
    text
}

/// A fact in one sentence.
pub fn headline(found: &Found) -> String {
    let says = |place: &Place| {
        format!("{}:{} says {}", place.file, place.lines.first().unwrap_or(&1), place.says)
    };
    let places = joined(found.places.iter().map(says), "; ");
    let is_so = match &found.state {
        State::Never => ", never there",
        State::Missing { .. } => ", missing",
        State::Differs { .. } => " differs",
        State::Holds { .. } => " holds",
    };
    format!("{}{is_so}: {places}", found.about)
}
