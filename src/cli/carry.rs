//! `git sq carry`: gives the entries of rewritten commits a new home.

use std::collections::HashSet;

use clap::Args;
use ulid::Ulid;

use super::{
    CommandResult, Context, Failure, Format, Outcome,
    envelope::{envelope, session_name},
    view::{history_and_log, no_commit},
};
use crate::{
    entry::{CarryEntry, CarryRule, Envelope, Kind, Line, NotALine, entry_id},
    git::{Oid, Repo},
    report::{CarriedRow, Carry, HomelessRow, Why, carry_text, entries, json},
    store::{Homeless, Log, LogTips, Lost, LostLine, Search, append, search},
    timeline::short,
};

/// Give the entries of rewritten commits a new home: after a squash merge, a rebase merge, a lost branch
///
/// An entry is homeless when HEAD contains none of its commits. Its home is the one commit that has its tree, changes
/// what it changed, got a later entry of its branch, or results from merging it. The entries are copied there, and a
/// `carry` entry says from where and why; the originals stay. Exits 0 when everything that no branch has found a home,
/// 1 when something did not, 3 when something can't be known.
#[derive(Args)]
pub struct CarryArgs {
    /// Only the entries of these commits; they need not exist any more
    #[arg(value_name = "COMMIT")]
    commits: Vec<String>,
    /// Say what would be carried, and write nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Put what no rule finds a home for on this commit; with COMMIT, exactly the entries of those
    #[arg(long, value_name = "REV")]
    onto: Option<String>,
    /// Look for homes among the commits of a merged pull request only, in the history of MERGE
    #[arg(long, value_name = "BASE..MERGE", conflicts_with = "onto")]
    pr: Option<String>,
    /// The session; otherwise `SQ_SESSION`, otherwise a session of its own
    #[arg(long, value_name = "SID")]
    sid: Option<String>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// Lines that go from one commit to another.
struct Move<'l> {
    from: Oid,
    to: Oid,
    rule: CarryRule,
    lines: Vec<&'l LostLine<'l>>,
}

impl Move<'_> {
    fn ids(&self) -> Vec<String> {
        let lines = self.lines.iter();
        lines.map(|line| line.trace.id.clone()).collect()
    }
}

impl CarryArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let repo = context.open()?;
        let (tip, within) = self.scope(&repo)?;
        let onto = self.onto.as_deref().map(|rev| repo.commit(rev));
        let onto = onto.transpose()?;
        let sid = session_name(self.sid.as_deref(), context)?;
        let tips = LogTips::read(&repo)?;
        let (history, log) = history_and_log(&repo, tip, &tips)?;
        let named = self.named(&log)?;
        let lost = Lost::of(&log, &history, &repo.on_branches(tip)?);
        let found = match onto {
            Some(_) if !named.is_empty() => Search::default(),
            _ => search(&repo, &history, &lost, within.as_deref()),
        };
        let is_meant = |one: &&Homeless| named.is_empty() || named.contains(&one.anchor);
        let meant: Vec<&Homeless> = lost.homeless.iter().filter(is_meant).collect();
        let mut moves = by_rule(&meant, &found);
        if let Some(to) = onto {
            let all = !named.is_empty();
            moves.extend(by_hand(&meant, &moves, &found, &log, to, all));
        }
        if !self.dry_run && !moves.is_empty() {
            repo.require_identity()?;
            let envelope = envelope(context, &repo, Kind::Carry, &sid, tip)?;
            let lines = lines(context, &envelope, &moves)?;
            append(&repo, &lines, "Notes added by 'git sq carry'")?;
        }
        let carry = self.report(&repo, tip, &log, &meant, &moves, &found);
        context.print(&match self.format {
            Format::Json => json("sq.carry/v1", &carry),
            Format::Text => carry_text(&carry, context.style(Some(&repo))),
        });
        Ok(if !carry.homeless.is_empty() {
            Outcome::Findings
        } else if !carry.unknown.is_empty() {
            Outcome::Unknown
        } else {
            Outcome::Clean
        })
    }

    /// The tip, and the commits among which homes are looked for where that is not all of its history.
    fn scope(&self, repo: &Repo) -> Result<(Oid, Option<Vec<Oid>>), Failure> {
        let Some(range) = &self.pr else {
            let tip = repo.head()?.commit.ok_or_else(no_commit)?;
            return Ok((tip, None));
        };
        let ends = range.split_once("..").filter(|(base, merge)| {
            !base.is_empty() && !merge.is_empty() && !merge.starts_with('.')
        });
        let Some((base, merge)) = ends else {
            return Err(Failure::refused(
                format!("{range:?} is not a range of commits"),
                "name the commit before the merge and the one after it, as in --pr origin/main@{1}..origin/main",
            ));
        };
        let (base, merge) = (repo.commit(base)?, repo.commit(merge)?);
        Ok((merge, Some(repo.commits_between(base, merge)?)))
    }

    /// The commits that are named, out of those that have entries.
    fn named(&self, log: &Log) -> Result<HashSet<Oid>, Failure> {
        let mut named = HashSet::new();
        for name in &self.commits {
            let digits = name.to_ascii_lowercase();
            let refused = |why: &str| {
                Failure::refused(
                    format!("{name:?} {why}"),
                    "nothing was carried; name a commit that has an entry by 4 digits of its id or more, as in `git notes --ref=sq list`",
                )
            };
            if digits.len() < 4 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
                return Err(refused("is not the beginning of a commit's id"));
            }
            let anchors = log.annotations.iter().map(|one| one.anchor);
            let mut anchors = anchors.filter(|anchor| anchor.to_string().starts_with(&digits));
            match (anchors.next(), anchors.next()) {
                (Some(anchor), None) => named.insert(anchor),
                (None, _) => return Err(refused("is no commit that has an entry")),
                _ => return Err(refused("is more than one commit that has an entry")),
            };
        }
        Ok(named)
    }

    fn report(
        &self,
        repo: &Repo,
        tip: Oid,
        log: &Log,
        meant: &[&Homeless],
        moves: &[Move],
        found: &Search,
    ) -> Carry {
        let carried: HashSet<&[u8]> = texts(moves);
        let mut on_branches = HashSet::new();
        let mut homeless = Vec::new();
        let missing = log.missing.iter();
        let mut unknown: Vec<String> = missing
            .map(|anchor| format!("the note on {} is missing", short(*anchor)))
            .collect();
        for one in meant {
            let left = one.lines.iter().filter(|l| !carried.contains(l.text));
            let (orphans, others): (Vec<_>, Vec<_>) = left.partition(|line| line.orphaned);
            on_branches.extend(others.into_iter().map(|line| line.text));
            if orphans.is_empty() {
                continue;
            }
            if found.unknown.contains(&one.anchor) {
                unknown.push(format!(
                    "the home of {} on {}: history is cut off, or objects are missing",
                    entries(orphans.len()),
                    short(one.anchor)
                ));
                continue;
            }
            let candidates = found.matching.candidates(one.anchor);
            homeless.push(HomelessRow {
                anchor: one.anchor.to_string(),
                entries: orphans.len(),
                why: if !candidates.is_empty() {
                    Why::Ambiguous
                } else if repo.tree_of(one.anchor).is_err() {
                    Why::Gone
                } else {
                    Why::NoMatch
                },
                candidates: candidates.iter().map(ToString::to_string).collect(),
            });
        }
        let notes = found.cut_short.then(|| {
            "only the newest 200 commits were tried by merging; older ones may match as well".into()
        });
        Carry {
            tip: tip.to_string(),
            dry_run: self.dry_run,
            carried: moves
                .iter()
                .map(|one| CarriedRow {
                    from: one.from.to_string(),
                    to: one.to.to_string(),
                    rule: one.rule,
                    entries: one.ids(),
                })
                .collect(),
            homeless,
            on_branches: on_branches.len(),
            notes: notes.into_iter().collect(),
            unknown,
        }
    }
}

fn texts<'l>(moves: &[Move<'l>]) -> HashSet<&'l [u8]> {
    let lines = moves.iter().flat_map(|one| one.lines.iter());
    lines.map(|line| line.text).collect()
}

/// What found a home. A line that stands on several lost commits goes with the one that the strongest rule matched.
fn by_rule<'l>(meant: &[&'l Homeless<'l>], found: &Search) -> Vec<Move<'l>> {
    let homes = meant.iter().filter_map(|one| {
        let (to, rule) = found.matching.home(one.anchor)?;
        Some((rule, *one, to))
    });
    let mut homes: Vec<_> = homes.collect();
    homes.sort_by_key(|(rule, one, _)| (*rule, one.anchor));
    let mut carried = HashSet::new();
    let moves = homes.into_iter().map(|(rule, one, to)| {
        let lines = one.lines.iter().filter(|line| carried.insert(line.text));
        Move {
            from: one.anchor,
            to,
            rule,
            lines: lines.collect(),
        }
    });
    moves.filter(|one| !one.lines.is_empty()).collect()
}

/// What goes to `to` because somebody said so: all of it, or what no rule matched and no branch has.
fn by_hand<'l>(
    meant: &[&'l Homeless<'l>],
    moves: &[Move<'l>],
    found: &Search,
    log: &Log,
    to: Oid,
    all: bool,
) -> Vec<Move<'l>> {
    let there = log.annotations.iter().find(|one| one.anchor == to);
    let there = there.iter().flat_map(|one| one.text.split(|&b| b == b'\n'));
    let there: HashSet<&[u8]> = there.collect();
    let mut carried = texts(moves);
    let unmatched = |one: &&&Homeless| {
        let known = !found.unknown.contains(&one.anchor);
        all || (known && found.matching.candidates(one.anchor).is_empty())
    };
    let moves = meant.iter().filter(unmatched).map(|one| {
        let lines = one.lines.iter();
        let lines = lines.filter(|line| all || line.orphaned);
        let lines = lines.filter(|line| !there.contains(line.text) && carried.insert(line.text));
        Move {
            from: one.anchor,
            to,
            rule: CarryRule::Onto,
            lines: lines.collect(),
        }
    });
    moves.filter(|one| !one.lines.is_empty()).collect()
}

/// The copies, and the entries that say so.
fn lines(
    context: &Context,
    envelope: &Envelope,
    moves: &[Move],
) -> Result<Vec<(Oid, Line)>, Failure> {
    let mut lines = Vec::new();
    for one in moves {
        let copies = one.lines.iter().map(|line| (one.to, Line::raw(line.text)));
        lines.extend(copies);
        let said = carry_entries(context, envelope, one, &one.ids())?;
        lines.extend(said.into_iter().map(|line| (one.to, line)));
    }
    Ok(lines)
}

/// The entry that says what was carried; several where one would be too long.
fn carry_entries(
    context: &Context,
    envelope: &Envelope,
    one: &Move,
    ids: &[String],
) -> Result<Vec<Line>, Failure> {
    let entry = CarryEntry {
        envelope: Envelope {
            id: entry_id(context.now, Ulid::generate().random()),
            ..envelope.clone()
        },
        from: one.from.to_string(),
        to: one.to.to_string(),
        rule: one.rule,
        entries: ids.to_vec(),
    };
    match Line::of(&entry) {
        Ok(line) => Ok(vec![line]),
        Err(NotALine::TooLong(_)) if ids.len() > 1 => {
            let (first, rest) = ids.split_at(ids.len() / 2);
            let mut lines = carry_entries(context, envelope, one, first)?;
            lines.extend(carry_entries(context, envelope, one, rest)?);
            Ok(lines)
        }
        Err(NotALine::TooLong(length)) => Err(Failure::refused(
            format!("the carry entry would be {length} bytes long"),
            "nothing was carried; shorten SQ_AGENT and its like",
        )),
    }
}
