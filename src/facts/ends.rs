//! Since when what documents say is there has been gone.

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use jiff::Timestamp;

use super::{
    Since, State,
    claim::{Claim, Target, Topic},
    commands::{TOOLS, definitions, is_defined},
    history::since,
    past::{Past, There},
    tree::{Tree, Versions},
};
use crate::git::{FileChange, Line, Oid};

/// Bytes of documents that are kept.
const KEPT: usize = 16 << 20;

struct Ends<'t> {
    repo: Versions<'t>,
    now: Timestamp,
    texts: RefCell<HashMap<Oid, Rc<str>>>,
}

/// The state of each claim, in the same order; `None` if it never was right, and need not have been. `changes` are those of
/// `past::files`.
pub fn states(
    tree: &Tree,
    line: &Line,
    claims: &[Claim],
    changes: &[FileChange],
    now: Timestamp,
) -> Vec<Option<State>> {
    let ends = Ends { repo: tree.versions(), now, texts: RefCell::default() };
    let mut past = Past::new(tree, line, changes);
    let mut found: Vec<Option<Since>> = claims.iter().map(|claim| ends.end(&past, claim)).collect();
    let open: Vec<&Claim> = claims
        .iter()
        .zip(&found)
        .filter(|(_, end)| end.is_none())
        .map(|(claim, _)| claim)
        .collect();
    // What came before the end of a shallow clone is not known.
    if !open.is_empty() && !tree.is_shallow {
        past.extend(&open);
        for (claim, end) in claims.iter().zip(&mut found) {
            if end.is_none() {
                *end = ends.end(&past, claim);
            }
        }
    }
    let state = |(claim, end): (&Claim, _)| match end {
        Some(since) => Some(State::Missing { since: Some(since) }),
        None => claim.is_broken_anyway.then_some(State::Never),
    };
    claims.iter().zip(found).map(state).collect()
}

impl Ends<'_> {
    /// The change that made a claim wrong: what the document named until then was there until then. A URL of what was there
    /// before is wrong, too: no document makes up the paths of its own repository.
    fn end(&self, past: &Past, claim: &Claim) -> Option<Since> {
        let mut end = None;
        for moment in past.moments(claim).into_iter().rev() {
            if !self.is_there(&moment.there, claim) {
                end = Some((moment.change, moment.moved_from));
            } else if let Some((change, moved_from)) = &end
                && (claim.topic == Topic::Urls || self.names(moment.document, &claim.place.says))
            {
                let since = since(change, self.now);
                return Some(match moved_from {
                    Some(path) => Since { path: path.clone(), is_move: true, ..since },
                    None => since,
                });
            }
        }
        None
    }

    fn is_there(&self, there: &There, claim: &Claim) -> bool {
        match (there, &claim.target) {
            (There::Known(is_there), _) => *is_there,
            (There::In(manifests), Target::Defined { name, tool, .. }) => {
                manifests.iter().any(|&manifest| self.is_defined(*tool, manifest, name))
            }
            (There::In(_), _) => false,
        }
    }

    fn is_defined(&self, tool: usize, manifest: Oid, name: &str) -> bool {
        let tool = &TOOLS[tool];
        let question = format!("{}{name}", tool.word);
        let defined = self.repo.answers.to(manifest, question, || {
            let known = definitions(tool, &self.text(manifest)?).ok()?;
            Some(is_defined(&known, name).then(String::new))
        });
        defined.is_some()
    }

    /// True if a version of a document has the words, and not as a part of others.
    fn names(&self, document: Option<Oid>, says: &str) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || "_-".contains(c);
        let named = document.and_then(|document| {
            self.repo.answers.to(document, format!("names {says}"), || {
                let text = self.text(document)?;
                let is_named = text.match_indices(says).any(|(at, _)| {
                    !text[..at].ends_with(is_word) && !text[at + says.len()..].starts_with(is_word)
                });
                Some(is_named.then(String::new))
            })
        });
        named.is_some()
    }

    fn text(&self, blob: Oid) -> Option<Rc<str>> {
        let mut texts = self.texts.borrow_mut();
        if let Some(text) = texts.get(&blob) {
            return Some(text.clone());
        }
        if texts.values().map(|text| text.len()).sum::<usize>() > KEPT {
            texts.clear();
        }
        let text: Rc<str> = self.repo.text(blob)?.into();
        texts.insert(blob, text.clone());
        Some(text)
    }
}
