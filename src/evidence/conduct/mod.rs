//! Which rules name an answer: it is held against the repository and against the answer before it.
//!
//! The rules were measured by simulation over real histories; none named an honest session there.

mod cited;
mod files;
mod since;

use std::{collections::HashMap, rc::Rc};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::cited::{Block, Cite, Cited};
use super::Prober;
use crate::{
    entry::{Answer, Citation},
    git::{Changes, Oid, Pathspecs, Repo, Result},
    question::{CiteSettings, Question, Shape, lines_pattern},
    timeline::short,
};

/// The most bytes of files that are remembered while claims are judged.
const REMEMBERED: usize = 32 << 20;

/// A rule about answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Doubt {
    ClaimContradictsProbe,
    LeftOut,
    NoEvidence,
    CitationFails,
    OffWatch,
    OffTarget,
    TooWide,
    NotInQuote,
    AnswerVsDelta,
    DeltaWithoutChange,
    DeltaOutsideWatch,
    SameEvidence,
}

/// What a session said of one question.
#[derive(Debug, Clone)]
pub struct Claim {
    /// The commit at which it was said.
    pub commit: Oid,
    delta: bool,
    /// What the session said of the delta, where the tool found otherwise.
    said: Option<bool>,
    answer: Option<Value>,
    cites: Vec<Cite>,
    is_probed: bool,
    source: Source,
}

/// Where a claim comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// It was made on the commit that carries it.
    Here,
    /// It was copied there when history was rewritten: what it cites can't be looked up there.
    Copied,
    /// Another program made it, which knows of no citations.
    Imported,
}

/// What the rules make of a claim.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Judged {
    /// Whether anything that the answer rests on changed since the one before.
    pub is_exposed: bool,
    /// Whether nothing says what it rests on: then any change counts, and no rule applies.
    pub is_unbound: bool,
    /// The rules that name it, each with why.
    pub doubts: Vec<(Doubt, String)>,
}

impl Claim {
    /// What an entry on `commit` says.
    pub fn of(answer: &Answer, commit: Oid, source: Source) -> Self {
        Self {
            commit,
            delta: answer.delta,
            said: answer.claim,
            answer: answer.answer.clone(),
            cites: Cite::all(&answer.cites()),
            is_probed: answer.is_probed(),
            source,
        }
    }

    /// The last answer to a question, on `commit`.
    pub fn last(commit: Oid, answer: Option<Value>, cites: &[Citation]) -> Self {
        Self {
            commit,
            delta: false,
            said: None,
            answer,
            cites: Cite::all(cites),
            is_probed: false,
            source: Source::Here,
        }
    }

    /// Whether it says that there is nothing, or no more than that: then there may be nothing to cite.
    fn is_empty(&self) -> bool {
        match &self.answer {
            None | Some(Value::Null | Value::Bool(false)) => true,
            Some(Value::Number(number)) => number.as_f64() == Some(0.0),
            Some(Value::String(text)) => text.is_empty(),
            Some(Value::Array(items)) => items.is_empty(),
            Some(Value::Object(keys)) => keys.contains_key("gone"),
            Some(Value::Bool(true)) => false,
        }
    }
}

/// Judges claims about one repository.
pub struct Judge<'s> {
    repo: Repo,
    limits: &'s CiteSettings,
    prober: Prober,
    files: HashMap<Oid, Rc<Vec<String>>>,
    /// The bytes of these files.
    size: usize,
    changes: HashMap<(Oid, Oid), Rc<Changes>>,
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
        }
    }

    /// Judges a claim. `before` is what may have been the last answer to the same version of the question; a rule names
    /// the claim only if it does so whichever of these the session knew.
    ///
    /// # Errors
    /// Where an object is missing, or a pathspec is invalid.
    pub fn judge(
        &mut self,
        question: &Question,
        claim: &Claim,
        before: &[Claim],
    ) -> Result<Judged> {
        if claim.is_probed {
            let is_contradicted = claim.said.is_some_and(|said| said != claim.delta);
            let doubt = is_contradicted.then(|| contradiction(claim.said == Some(true)));
            return Ok(Judged {
                doubts: doubt.into_iter().collect(),
                ..Judged::default()
            });
        }
        let nearest = before.first();
        let is_unbound = question.dependencies().is_empty() && question.probe.is_none();
        let says_nothing = is_unbound || claim.source == Source::Imported;
        if says_nothing && claim.cites.is_empty() {
            let is_exposed = match nearest {
                Some(before) => !self.changes(before.commit, claim.commit)?.is_empty(),
                None => false,
            };
            return Ok(Judged {
                is_exposed,
                is_unbound: true,
                doubts: Vec::new(),
            });
        }
        if let Some(last) = nearest
            && let Some(is_changed) = self.is_changed(question, last.commit, claim.commit)
        {
            let is_true = claim.delta == is_changed
                || before[1..].iter().any(|other| {
                    self.is_changed(question, other.commit, claim.commit) == Some(claim.delta)
                });
            let doubt = (!is_true).then(|| contradiction(claim.delta));
            return Ok(Judged {
                is_exposed: is_changed,
                doubts: doubt.into_iter().collect(),
                ..Judged::default()
            });
        }
        let (cited, mut doubts) = self.look_at(question, claim)?;
        let (is_exposed, of_before) = match before {
            [] => self.since(question, claim, &cited, None)?,
            before => self.since_all(question, claim, &cited, before)?,
        };
        doubts.extend(of_before);
        Ok(Judged {
            is_exposed,
            is_unbound: false,
            doubts,
        })
    }

    /// Judges that a session answered other questions at a commit and left out this one, though `git sq brief` says that
    /// it is exposed: by what it watches.
    ///
    /// # Errors
    /// As [`Judge::judge`].
    pub fn left_out(&mut self, question: &Question, at: Oid, before: &[Claim]) -> Result<Judged> {
        let mut why = None;
        for last in before {
            let what = match self.is_changed(question, last.commit, at) {
                Some(is_changed) => is_changed.then(|| "what its probe gives changed".to_owned()),
                None => self.watched_change(question, last.commit, at)?,
            };
            let Some(what) = what else {
                return Ok(Judged::default());
            };
            why.get_or_insert((Doubt::LeftOut, since(&what, last.commit)));
        }
        Ok(Judged {
            is_exposed: why.is_some(),
            is_unbound: false,
            doubts: why.into_iter().collect(),
        })
    }

    /// Whether what the built-in probe of a question gives differs between two commits; None where that can't be told.
    fn is_changed(&self, question: &Question, from: Oid, to: Oid) -> Option<bool> {
        let probe = question.probe.as_ref().filter(|one| one.is_built_in())?;
        let found = |commit| Some(self.prober.run(commit, probe).ok()?.found);
        Some(!found(from)?.is_same(&found(to)?))
    }

    /// The rules that need no answer before; gives the lines that are cited and hold, too.
    fn look_at(
        &mut self,
        question: &Question,
        claim: &Claim,
    ) -> Result<(Cited, Vec<(Doubt, String)>)> {
        let (mut blocks, mut doubts) = (Vec::new(), Vec::new());
        let mut size = 0;
        for cite in &claim.cites {
            if size > REMEMBERED {
                break;
            }
            match self.block(cite, claim)? {
                Some(block) => {
                    size += block.size();
                    blocks.push(block);
                }
                None => doubts.push((
                    Doubt::CitationFails,
                    format!("{cite} does not hold at {}", short(claim.commit)),
                )),
            }
        }
        let cited = Cited(blocks);
        if cited.0.is_empty() {
            return Ok((cited, doubts));
        }
        let mut name = |doubt, why: Option<String>| doubts.extend(why.map(|why| (doubt, why)));
        let pattern = question.lines.as_deref();
        let pattern = pattern.and_then(|lines| lines_pattern(lines).ok());
        let specs = question.dependencies();
        let mut watched = Pathspecs::parse(&specs)?;
        let is_off_watch = !specs.is_empty()
            && !cited.0.iter().any(|block| watched.match_path(block.path()))
            && self.repo.has_file_at(claim.commit, &mut watched)?;
        name(
            Doubt::OffWatch,
            is_off_watch
                .then(|| format!("it watches {}, and {cited} is not there", specs.join(" "))),
        );
        if let Some(pattern) = &pattern {
            let is_off_target =
                !cited.matches(pattern) && self.has_line(question, claim.commit, pattern)?;
            name(
                Doubt::OffTarget,
                is_off_target.then(|| format!("no line of {cited} matches its `lines`")),
            );
        }
        name(
            Doubt::TooWide,
            cited.too_wide(question.shape.as_ref(), pattern.as_ref(), self.limits),
        );
        if let (Some(answer), Some(Shape::Text | Shape::List(_))) = (&claim.answer, &question.shape)
        {
            name(Doubt::NotInQuote, cited.lacks(answer));
        }
        Ok((cited, doubts))
    }
}

fn contradiction(said: bool) -> (Doubt, String) {
    let why = if said {
        "it said that the answer changed, and its probe found no change"
    } else {
        "it said that nothing changed, and its probe found a change"
    };
    (Doubt::ClaimContradictsProbe, why.into())
}

fn since(what: &str, commit: Oid) -> String {
    format!("{what} since {}", short(commit))
}
