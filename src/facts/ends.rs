//! Since when what documents say is there has been gone.

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
    rc::Rc,
};

use jiff::Timestamp;

use super::{
    Since, State,
    claim::{Claim, Target, Topic},
    commands::{TOOLS, definitions, is_defined},
    history::since,
    past::{Past, There},
    tree::{Tree, Versions},
};
use crate::git::{self, FileChange, Oid};

/// Bytes of documents that are kept.
const KEPT: usize = 16 << 20;

/// The names that a manifest defines.
type Names = Rc<BTreeSet<String>>;

struct Ends {
    repo: Versions,
    now: Timestamp,
    texts: RefCell<HashMap<Oid, Rc<str>>>,
    defined: RefCell<HashMap<(usize, Oid), Names>>,
}

/// The state of each claim, in the same order; `None` if it never was right, and need not have been. `changes` are those of
/// `past::files`.
pub fn states(
    tree: &Tree,
    claims: &[Claim],
    changes: &[FileChange],
    now: Timestamp,
) -> git::Result<Vec<Option<State>>> {
    let repo = tree.versions();
    let ends = Ends { repo, now, texts: RefCell::default(), defined: RefCell::default() };
    let mut past = Past::new(tree, changes);
    let mut found = claims
        .iter()
        .map(|claim| ends.end(&past, claim))
        .collect::<git::Result<Vec<Option<Since>>>>()?;
    let open: Vec<&Claim> = claims
        .iter()
        .zip(&found)
        .filter(|(_, end)| end.is_none())
        .map(|(claim, _)| claim)
        .collect();
    // What came before the end of a shallow clone is not known.
    if !open.is_empty() && !tree.is_shallow {
        past.extend(&open)?;
        for (claim, end) in claims.iter().zip(&mut found) {
            if end.is_none() {
                *end = ends.end(&past, claim)?;
            }
        }
    }
    Ok(claims
        .iter()
        .zip(found)
        .map(|(claim, end)| match end {
            Some(since) => Some(State::Missing { since: Some(since) }),
            None => claim.is_broken_anyway.then_some(State::Never),
        })
        .collect())
}

impl Ends {
    /// The change that made a claim wrong: what the document named until then was there until then. A URL of what was there
    /// before is wrong, too: no document makes up the paths of its own repository.
    fn end(&self, past: &Past, claim: &Claim) -> git::Result<Option<Since>> {
        let mut end = None;
        for moment in past.moments(claim).into_iter().rev() {
            if !self.is_there(&moment.there, claim)? {
                end = Some(moment.change);
            } else if let Some(change) = end
                && (claim.topic == Topic::Urls || self.names(moment.document, &claim.place.says))
            {
                return Ok(Some(since(change, self.now)));
            }
        }
        Ok(None)
    }

    fn is_there(&self, there: &There, claim: &Claim) -> git::Result<bool> {
        match (there, &claim.target) {
            (There::Known(is_there), _) => Ok(*is_there),
            (There::In(manifests), Target::Defined { name, tool, .. }) => {
                for manifest in manifests {
                    if is_defined(&*self.definitions(*tool, *manifest)?, name) {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            (There::In(_), _) => Ok(false),
        }
    }

    fn definitions(&self, tool: usize, manifest: Oid) -> git::Result<Names> {
        let known = self.defined.borrow().get(&(tool, manifest)).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let defined = Rc::new(definitions(&TOOLS[tool], &self.repo.text(manifest))?);
        self.defined.borrow_mut().insert((tool, manifest), defined.clone());
        Ok(defined)
    }

    /// True if a version of a document has the words, and not as a part of others.
    fn names(&self, document: Option<Oid>, says: &str) -> bool {
        let Some(text) = document.map(|blob| self.text(blob)) else {
            return false;
        };
        let is_word = |c: char| c.is_alphanumeric() || "_-".contains(c);
        text.match_indices(says).any(|(at, _)| {
            !text[..at].ends_with(is_word) && !text[at + says.len()..].starts_with(is_word)
        })
    }

    fn text(&self, blob: Oid) -> Rc<str> {
        let mut texts = self.texts.borrow_mut();
        if let Some(text) = texts.get(&blob) {
            return text.clone();
        }
        if texts.values().map(|text| text.len()).sum::<usize>() > KEPT {
            texts.clear();
        }
        let text: Rc<str> = self.repo.text(blob).into();
        texts.insert(blob, text.clone());
        text
    }
}
