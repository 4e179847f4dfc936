//! Decides which rules flag an answer, from the repository and the counting answer before it.
//! The rules were measured by simulation over real histories; none flagged an honest session there.

pub(super) mod cited;
mod claim;
mod files;
mod since;

use std::{collections::HashMap, rc::Rc};

pub(super) use self::cited::Block;
use self::{
    cited::Cited,
    since::{is_handed_in, not_shown, same_value},
};
pub use self::{
    claim::{Claim, Moved, is_empty, says_nothing},
    files::has_line,
};
use super::{Exposure, Found, Prober};
use crate::{
    entry::{clip, one_line},
    finding::Rule,
    git::{Changes, Oid, Pathspecs, Repo, Result},
    question::{CiteSettings, Probe, Question, Shape, lines_pattern},
    timeline::short,
};

/// Bytes of files that are cached at most.
const REMEMBERED: usize = 32 << 20;

/// Characters of a pattern in a message.
const PATTERN: usize = 80;

/// Cached differences, and cached answers of probes, at most.
const PAIRS: usize = 256;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ruling {
    /// True if a dependency of the answer changed since the counting answer.
    pub is_exposed: bool,
    /// True if a rule could have flagged it: it was exposed, or claims a delta or a correction.
    pub is_claim: bool,
    /// True if it gives an answer, what it cites shows it, and no rule flags it.
    pub is_shown: bool,
    /// True if it is no answer: it was carried to other files, and cites nothing that stands there; or it differs from the
    /// one that counts, although nothing changed, and its author took a flagged one for that, or knew none.
    pub is_lost: bool,
    /// The rules that flag it, each with a reason.
    pub flags: Vec<(Rule, String)>,
}

impl Ruling {
    /// Where an answer was carried to other files, nobody need have those that it was given for: it is flagged if those who
    /// carried it saw that, and is no answer if nothing shows it here.
    pub fn carried(rule: Rule, is_marked: bool, is_shown: bool) -> Self {
        let is_shown = is_shown && !is_marked;
        let flag =
            is_marked.then(|| (rule, "flagged at the commit from which it was carried".into()));
        Self {
            is_exposed: false,
            is_claim: is_marked,
            is_shown,
            is_lost: !is_shown,
            flags: flag.into_iter().collect(),
        }
    }
}

pub struct Judge<'s> {
    repo: Repo,
    limits: &'s CiteSettings,
    prober: Prober,
    files: HashMap<Oid, Rc<Vec<String>>>,
    size: usize,
    changes: HashMap<(Oid, Oid), Rc<Changes>>,
    probed: HashMap<(Oid, String), Option<Found>>,
}

impl<'s> Judge<'s> {
    pub fn new(repo: &Repo, tip: Oid, limits: &'s CiteSettings) -> Self {
        Self {
            repo: repo.remembering_versions(),
            limits,
            prober: Prober::new(repo, tip),
            files: HashMap::new(),
            size: 0,
            changes: HashMap::new(),
            probed: HashMap::new(),
        }
    }

    /// Reads the answers of built-in probes.
    pub fn prober(&self) -> &Prober {
        &self.prober
    }

    /// Judges an answer. `before` are candidates for the counting answer: a rule fires only if it fires against every
    /// one of them. `skipped` are newer answers that don't count, from which the answer may also differ.
    /// # Errors
    /// Fails if an object is missing, or a pathspec is invalid.
    pub fn judge(
        &mut self,
        question: &Question,
        claim: &Claim,
        before: &[Claim],
        skipped: &[Claim],
        overlooked: Option<&Claim>,
    ) -> Result<Ruling> {
        let probe = question.probe.as_ref();
        // A session's answer to a command is only a claim, and counts for staleness alone.
        if question.command().is_some() {
            return Ok(Ruling::default());
        }
        if probe.is_some_and(Probe::is_built_in) {
            return Ok(self.hold_against_probe(question, claim, before));
        }
        if question.dependencies().is_empty() {
            return Ok(Ruling::default());
        }
        let is_handed_in = is_handed_in(question, claim);
        // What a bare `same` cites decides nothing.
        let cited = if is_handed_in || claim.delta || claim.is_correction {
            self.cited(question, claim)?
        } else {
            Ok(Cited(Vec::new()))
        };
        let shows = |cited: &Cited| not_shown(question, claim, cited).is_none();
        let is_shown = is_handed_in && cited.as_ref().is_ok_and(shows);
        if claim.is_marked || claim.moved == Moved::ToOtherFiles {
            let is_shown = is_shown && !claim.cites.is_empty();
            return Ok(Ruling::carried(Rule::NoEvidence, claim.is_marked, is_shown));
        }
        if claim.is_correction {
            let why = match cited {
                Ok(_) => self.came_later(claim)?,
                Err(why) => Some(why),
            };
            let why = why.map(|why| (Rule::NoEvidence, format!("a correction, and {why}")));
            return Ok(Ruling {
                is_claim: true,
                is_shown: why.is_none(),
                flags: why.into_iter().collect(),
                ..Ruling::default()
            });
        }
        let mut all: Option<Ruling> = None;
        let mut is_lost = !claim.delta;
        // What was carried to its own commit fires no rule alone.
        let is_alone = before.iter().all(|last| !last.is_before(claim));
        for last in before.iter().filter(|_| !is_alone) {
            is_lost = is_lost && self.is_contradicted(question, claim, last)?;
            let ruling = self.since(question, claim, &cited, last, skipped)?;
            if let Some(all) = &mut all {
                all.is_exposed &= ruling.is_exposed;
                all.is_claim &= ruling.is_claim;
                let is_shared = |(one, _): &(Rule, String)| {
                    let mut flags = ruling.flags.iter();
                    flags.any(|(other, _)| other == one)
                };
                all.flags.retain(is_shared);
            } else {
                all = Some(ruling);
            }
        }
        is_lost &= all.is_some();
        let mut all = all.unwrap_or_default();
        if let Some(last) = overlooked {
            is_lost = self.is_contradicted(question, claim, last)?;
        }
        // What it was compared with need not have come along.
        if claim.moved != Moved::No && is_shown && !claim.cites.is_empty() {
            all.flags.clear();
        }
        all.is_lost = is_lost && all.flags.is_empty();
        all.is_shown = is_shown && all.flags.is_empty() && !is_lost;
        Ok(all)
    }

    /// Returns true if another answer was given before, and nothing changed since. It may have, where that was carried to
    /// other files.
    fn is_contradicted(
        &mut self,
        question: &Question,
        claim: &Claim,
        last: &Claim,
    ) -> Result<bool> {
        let differs =
            last.moved != Moved::ToOtherFiles && same_value(question, claim, last) == Some(false);
        Ok(differs && self.exposed(question, last, claim.at)?.is_none())
    }

    /// A correction says that an answer was false when it was given: so what shows it stood there already.
    fn came_later(&mut self, claim: &Claim) -> Result<Option<String>> {
        let Some(at) = claim.corrected_at else {
            return Ok(None);
        };
        for cite in &claim.cites {
            if !self.stands_as((cite, claim), at, 0, Block::stands_in)? {
                let at = short(at);
                return Ok(Some(format!(
                    "{cite} did not stand at {at}, where the answer was given"
                )));
            }
        }
        Ok(None)
    }

    /// Judges a session that left out this question, although a watched file changed.
    pub fn left_out(&mut self, question: &Question, at: Oid, before: &[Claim]) -> Result<Ruling> {
        let mut why = None;
        if question.command().is_none() {
            for last in before {
                let Some(what) = self.watched_or_probed(question, last, at)? else {
                    return Ok(Ruling::default());
                };
                why.get_or_insert((Rule::LeftOut, what.since(short(last.at))));
            }
        }
        Ok(Ruling {
            is_exposed: why.is_some(),
            is_claim: why.is_some(),
            flags: why.into_iter().collect(),
            ..Ruling::default()
        })
    }

    /// The dependency of an answer that changed between the answer and `tip`.
    pub fn outdated(
        &mut self,
        question: &Question,
        last: &Claim,
        tip: Oid,
    ) -> Result<Option<Exposure>> {
        if question.probe.is_some() {
            return self.watched_or_probed(question, last, tip);
        }
        self.exposed(question, last, tip)
    }

    fn watched_or_probed(
        &mut self,
        question: &Question,
        last: &Claim,
        at: Oid,
    ) -> Result<Option<Exposure>> {
        match self.is_changed(question, last, at) {
            Some(is_changed) => Ok(is_changed.then_some(Exposure::Probe)),
            None => self.watched_change(question, last.at, at),
        }
    }

    /// Judges the answer to a question with a built-in probe, which a session can only repeat.
    fn hold_against_probe(
        &mut self,
        question: &Question,
        claim: &Claim,
        before: &[Claim],
    ) -> Ruling {
        if claim.has_no_history_for(question) {
            return Ruling::default();
        }
        let changed: Vec<bool> =
            before.iter().filter_map(|last| self.is_changed(question, last, claim.at)).collect();
        let is_true = changed.is_empty() || changed.contains(&claim.delta) || claim.is_correction;
        let doubt = if claim.delta {
            let why = "it reports a delta, and its probe finds no change";
            (Rule::NothingChanged, why.to_owned())
        } else {
            let why = "it reports no change, and its probe finds one";
            (Rule::NotShown, why.to_owned())
        };
        Ruling {
            is_exposed: !changed.is_empty() && !changed.contains(&false),
            is_claim: !is_true,
            is_shown: is_true,
            is_lost: false,
            flags: Some(doubt).filter(|_| !is_true).into_iter().collect(),
        }
    }

    fn is_changed(&mut self, question: &Question, last: &Claim, to: Oid) -> Option<bool> {
        if last.has_no_history_for(question) {
            return None;
        }
        Some(!self.found(question, last.at)?.is_same(&self.found(question, to)?))
    }

    fn found(&mut self, question: &Question, at: Oid) -> Option<Found> {
        let probe = question.probe.as_ref().filter(|one| one.is_built_in())?;
        let key = (at, question.name().to_string());
        if let Some(known) = self.probed.get(&key) {
            return known.clone();
        }
        if self.probed.len() > PAIRS {
            self.probed.clear();
        }
        let found = self.prober.run(at, probe).ok().map(|derived| derived.found);
        self.probed.insert(key, found.clone());
        found
    }

    /// The lines that an answer cites; the inner error is the reason why they are no evidence for it.
    fn cited(
        &mut self,
        question: &Question,
        claim: &Claim,
    ) -> Result<std::result::Result<Cited, String>> {
        let refuse = |why: String| Ok(Err(why));
        let mut blocks = Vec::new();
        let mut size = 0;
        for cite in &claim.cites {
            if size > REMEMBERED {
                break;
            }
            let Some(block) = self.block(cite, claim)? else {
                return refuse(format!("{cite} does not stand at {}", short(claim.at)));
            };
            size += block.size();
            blocks.push(block);
        }
        let cited = Cited(blocks);
        let pattern = question.lines.as_deref().and_then(|lines| lines_pattern(lines).ok());
        if cited.0.is_empty() {
            let may_be_empty = claim.is_empty() && !has_line(&self.repo, question, claim.at)?;
            return if may_be_empty {
                Ok(Ok(cited))
            } else {
                refuse("the answer cites nothing".into())
            };
        }
        let specs = question.dependencies();
        let mut watched = Pathspecs::parse(&specs)?;
        let is_off_watch = !cited.0.iter().any(|block| watched.match_path(block.path()))
            && self.repo.has_file_at(claim.at, &mut watched)?;
        if is_off_watch {
            return refuse(format!("{cited} is not in {}", specs.join(" ")));
        }
        if let (Some(pattern), Some(lines)) = (&pattern, &question.lines) {
            let is_off_target =
                !cited.matches(pattern) && has_line(&self.repo, question, claim.at)?;
            if is_off_target {
                let lines = clip(&one_line(lines), PATTERN);
                return refuse(format!("no line of {cited} matches `lines` ({lines})"));
            }
        }
        match cited.too_wide(question.shape.as_ref(), pattern.as_ref(), self.limits) {
            Some(why) => refuse(why),
            None => Ok(Ok(cited)),
        }
    }
}
