//! `git sq carry`: gives the entries of rewritten commits a new home.

use std::collections::HashSet;

use clap::Args;

use super::{
    CommandResult, Context, Failure, Format, Outcome,
    envelope::{envelope, line, new_id, session_name},
};
use crate::{
    entry::{Body, Carried, Envelope, Event, Line, NotALine},
    git::{History, Oid, Repo},
    project::{self, history_and_log},
    report::{CarriedRow, Carry, HomelessRow, Why, carry_text, count, entries, json},
    store::{Homeless, Log, LogTips, Lost, MERGES, Move, Search, append, search, unasked},
    timeline::{Unknown, short},
};

/// Give the entries of rewritten commits a new home: after a squash merge, a rebase merge, a lost branch
///
/// An entry is homeless when HEAD contains none of its commits. Its home is the one commit that has its tree, changes
/// what it changed, got a later entry of its branch, or results from merging it. The entries are copied there, and a
/// `carry` entry says from where and why; the originals stay. A merged branch that still exists keeps its entries until
/// it is deleted, or its COMMIT is named, or --pr is used. Exits 0 when everything that no branch has found a home, 1
/// when something did not, with --pr only when several commits match alike, 3 when something can't be known.
#[derive(Args)]
pub struct CarryArgs {
    /// Only the entries of these commits, also where a branch has them; they need not exist any more
    #[arg(value_name = "COMMIT")]
    commits: Vec<String>,
    /// Say what would be carried, and write nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Put what no rule finds a home for on this commit; with COMMIT, exactly the entries of those
    #[arg(long, value_name = "REV")]
    onto: Option<String>,
    /// Look for homes among the commits of a merged pull request only, in the history of MERGE; only for entries that were
    /// made on a branch, also where it still exists. A BASE of zeros is that of a branch that was just made: no pull
    /// request was merged into it
    #[arg(long, value_name = "BASE..MERGE", conflicts_with = "onto")]
    pr: Option<String>,
    /// The session; otherwise `SQ_SESSION`, then the current one, then one of its own
    #[arg(long, value_name = "SID")]
    sid: Option<String>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// What is looked at.
struct Ground {
    repo: Repo,
    tip: Oid,
    /// The commits among which homes are looked for, where that is not all of the tip's history.
    within: Option<Vec<Oid>>,
    tips: LogTips,
    history: History,
    log: Log,
}

impl CarryArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let repo = context.open()?;
        let range = self.pr.as_deref().map(|range| ends(&repo, range));
        let range = match range.transpose()? {
            Some((None, merge)) => {
                self.print(context, &repo, &self.just_made(merge));
                return Ok(Outcome::Clean);
            }
            Some((Some(base), merge)) => Some((base, merge)),
            None => None,
        };
        let ground = ground(repo, range)?;
        let repo = &ground.repo;
        let onto = self.onto.as_deref().map(|rev| repo.commit(rev));
        let onto = onto.transpose()?;
        let sid = session_name(self.sid.as_deref(), context, repo)?;
        let named = self.named(&ground.log)?;
        let on_branches = repo.on_branches(&ground.history)?;
        let lost = Lost::of(&ground.log, &ground.history, &on_branches);
        let lost = match self.pr {
            // What was made on the default branch is no pull request's.
            Some(_) => lost.of_branches(),
            None => lost,
        };
        let found = match onto {
            Some(_) if !named.is_empty() => Search::default(),
            _ => search(repo, &ground.history, &lost, ground.within.as_deref()),
        };
        let is_meant = |one: &&Homeless| named.is_empty() || named.contains(&one.anchor);
        let meant: Vec<&Homeless> = lost.homeless.iter().filter(is_meant).collect();
        let asked_for = self.pr.is_some() || !named.is_empty();
        let mut moves = Move::by_rule(&meant, &found, asked_for);
        if let Some(to) = onto {
            let all = !named.is_empty();
            let rest = Move::by_hand(&meant, &moves, &found, &ground.log, to, all);
            moves.extend(rest);
        }
        if !self.dry_run && !moves.is_empty() {
            repo.require_identity()?;
            let envelope = envelope(context, repo, &sid, ground.tip)?;
            let lines = lines(context, &envelope, &moves)?;
            append(repo, &lines, "Notes added by 'git sq carry'")?;
        }
        let carry = self.report(&ground, &meant, &moves, &found);
        self.print(context, repo, &carry);
        Ok(if !carry.homeless.is_empty() {
            Outcome::Findings
        } else if !carry.unknown.is_empty() {
            Outcome::Unknown
        } else {
            Outcome::Clean
        })
    }

    fn print(&self, context: &Context, repo: &Repo, carry: &Carry) {
        context.print(&match self.format {
            Format::Json => json("sq.carry/v1", carry),
            Format::Text => carry_text(carry, context.style(Some(repo))),
        });
    }

    /// The report for a branch that has nothing before it.
    fn just_made(&self, tip: Oid) -> Carry {
        let why = "the branch was just made: no pull request was merged into it";
        Carry {
            tip: tip.to_string(),
            dry_run: self.dry_run,
            carried: vec![],
            homeless: vec![],
            on_branches: 0,
            unmatched: 0,
            notes: vec![why.into()],
            unknown: vec![],
        }
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
        ground: &Ground,
        meant: &[&Homeless],
        moves: &[Move],
        found: &Search,
    ) -> Carry {
        let carried = Move::texts(moves);
        let mut on_branches = HashSet::new();
        let mut homeless = Vec::new();
        let mut unplaced = Vec::new();
        let mut unmatched = HashSet::new();
        let mut cut_short = false;
        for one in meant {
            let left = one.lines.iter().filter(|l| !carried.contains(l.text));
            let (orphans, others): (Vec<_>, Vec<_>) = left.partition(|line| line.orphaned);
            on_branches.extend(others.into_iter().map(|line| line.text));
            match orphans.len() {
                0 => {}
                number if found.unknown.contains(&one.anchor) => {
                    unplaced.push((one.anchor, number));
                }
                number => {
                    cut_short |= found.cut_short.contains(&one.anchor);
                    let row = homeless_row(&ground.repo, one.anchor, number, found);
                    if self.pr.is_some() && row.why != Why::Ambiguous {
                        // Other pull requests have entries, too.
                        unmatched.extend(orphans.into_iter().map(|line| line.text));
                    } else {
                        homeless.push(row);
                    }
                }
            }
        }
        let note = cut_short.then(|| {
            format!("merging was tried with the newest {MERGES} places only: older ones may match")
        });
        let rows = moves.iter().map(|one| CarriedRow {
            from: one.from.to_string(),
            to: one.to.to_string(),
            rule: one.rule,
            entries: one.ids(),
        });
        Carry {
            tip: ground.tip.to_string(),
            dry_run: self.dry_run,
            carried: rows.collect(),
            homeless,
            on_branches: on_branches.len(),
            unmatched: unmatched.len(),
            notes: note.into_iter().collect(),
            unknown: unknown(ground, &unplaced),
        }
    }
}

/// Reads what is looked at: HEAD's history, or that of the second of two commits, with homes between them.
fn ground(repo: Repo, range: Option<(Oid, Oid)>) -> Result<Ground, Failure> {
    let (tip, within) = match range {
        Some((base, merge)) => (merge, Some(repo.commits_between(base, merge)?)),
        None => (repo.head()?.commit.ok_or(project::Error::NoCommit)?, None),
    };
    let tips = LogTips::read(&repo)?;
    let (history, log) = history_and_log(&repo, tip, &tips)?;
    Ok(Ground {
        repo,
        tip,
        within,
        tips,
        history,
        log,
    })
}

/// The two commits of `BASE..MERGE`; no first one where a forge says by zeros that there was none.
fn ends(repo: &Repo, range: &str) -> Result<(Option<Oid>, Oid), Failure> {
    let ends = range.split_once("..");
    let Some((base, merge)) = ends
        .filter(|(base, merge)| !base.is_empty() && !merge.is_empty() && !merge.starts_with('.'))
    else {
        return Err(Failure::refused(
            format!("{range:?} is not a range of commits"),
            "name the commit before the merge and the one after it, as in --pr HEAD~1..HEAD",
        ));
    };
    let is_none = matches!(base.len(), 40 | 64) && base.bytes().all(|digit| digit == b'0');
    let base = (!is_none).then(|| repo.commit(base)).transpose()?;
    Ok((base, repo.commit(merge)?))
}

fn homeless_row(repo: &Repo, anchor: Oid, number: usize, found: &Search) -> HomelessRow {
    let candidates = found.matching.candidates(anchor);
    HomelessRow {
        anchor: anchor.to_string(),
        entries: number,
        why: if !candidates.is_empty() {
            Why::Ambiguous
        } else if repo.tree_of(anchor).is_err() {
            Why::Gone
        } else {
            Why::NoMatch
        },
        candidates: candidates.iter().map(ToString::to_string).collect(),
    }
}

/// What can't be known; `unplaced` are commits whose homes may be where nobody can look, and how many entries they have.
fn unknown(ground: &Ground, unplaced: &[(Oid, usize)]) -> Vec<String> {
    let mut unknown = Vec::new();
    if let Some((anchor, _)) = unplaced.first() {
        unknown.push(format!(
            "the home of {} on {}, {} among them: history is cut off, or objects are missing",
            entries(unplaced.iter().map(|(_, number)| number).sum()),
            count(unplaced.len(), "commit"),
            short(*anchor)
        ));
    }
    let missing = ground.log.missing.iter();
    unknown.extend(missing.map(|anchor| Unknown::MissingNote(*anchor).to_string()));
    for remote in unasked(&ground.repo, &ground.tips) {
        if remote.shares_log || ground.log.annotations.is_empty() {
            unknown.push(Unknown::NeverFetched(remote.name).to_string());
        }
    }
    unknown
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
    let envelope = Envelope {
        id: new_id(context),
        ..envelope.clone()
    };
    let body = Body::Carry(Carried {
        from: one.from.to_string().into(),
        to: one.to.to_string().into(),
        rule: one.rule,
        entries: ids.iter().map(|id| id.as_str().into()).collect(),
    });
    match Line::of(&Event::new(envelope.clone(), body.clone())) {
        Err(NotALine::TooLong(_)) if ids.len() > 1 => {
            let (first, rest) = ids.split_at(ids.len() / 2);
            let mut lines = carry_entries(context, &envelope, one, first)?;
            lines.extend(carry_entries(context, &envelope, one, rest)?);
            Ok(lines)
        }
        _ => Ok(vec![line(envelope, body, "shorten SQ_AGENT and its like")?]),
    }
}
