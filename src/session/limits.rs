//! The limits of a state: what is too long is cut, what is too many is dropped, and each cut is told.

use unicode_segmentation::UnicodeSegmentation;

use crate::entry::{Alert, CutUnit, State, StateField};

/// The most of `status`, in characters: extended grapheme clusters, what a reader takes for one.
pub const STATUS: usize = 280;
/// The most of `handover`.
pub const HANDOVER: usize = 500;
/// The most of an item of a list.
pub const ITEM: usize = 140;
/// How many items a list has.
pub const ITEMS: usize = 5;
/// Bytes for each character that is allowed: a family of four in emoji takes 25, and a character with accents piled up
/// on it as many as somebody likes.
pub const BYTES: usize = 32;

/// What stands for the rest of a text that was cut; it is within the limit.
const ELLIPSIS: &str = "…";

/// A text as one line: runs of blanks and controls are one space, and none at the ends.
pub fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// A text within a limit of characters, and of [`BYTES`] for each, and what was cut: the unit, the limit and the length.
pub fn fit(text: &str, limit: usize) -> (String, Option<(CutUnit, usize, usize)>) {
    let most = limit * BYTES;
    let length = text.graphemes(true).count();
    let cut = if length > limit {
        (CutUnit::Characters, limit, length)
    } else if text.len() > most {
        (CutUnit::Bytes, most, text.len())
    } else {
        return (text.to_owned(), None);
    };
    let mut end = 0;
    for cluster in text.graphemes(true).take(limit.saturating_sub(1)) {
        if end + cluster.len() + ELLIPSIS.len() > most {
            break;
        }
        end += cluster.len();
    }
    (text[..end].trim_end().to_owned() + ELLIPSIS, Some(cut))
}

/// A state within all limits, as one line each and without empty items; and what was cut.
pub fn within(state: State) -> (State, Vec<Alert>) {
    let mut alerts = Vec::new();
    let mut text = |field, item, text: &str, limit| {
        let (text, cut) = fit(&one_line(text), limit);
        alerts.extend(cut.map(|(unit, limit, length)| Alert {
            field,
            item,
            limit,
            length,
            unit,
        }));
        text
    };
    let status = text(StateField::Status, None, &state.status, STATUS);
    let handover = text(StateField::Handover, None, &state.handover, HANDOVER);
    let mut too_many = Vec::new();
    let mut list = |field, items: Vec<String>| -> Vec<String> {
        let items = items.iter().map(|item| one_line(item));
        let items: Vec<String> = items.filter(|item| !item.is_empty()).collect();
        if items.len() > ITEMS {
            too_many.push(Alert {
                field,
                item: None,
                limit: ITEMS,
                length: items.len(),
                unit: CutUnit::Items,
            });
        }
        (1..)
            .zip(items.iter().take(ITEMS))
            .map(|(number, item)| text(field, Some(number), item, ITEM))
            .collect()
    };
    let within = State {
        status,
        handover,
        done: list(StateField::Done, state.done),
        doing: list(StateField::Doing, state.doing),
        blocked: list(StateField::Blocked, state.blocked),
        next: list(StateField::Next, state.next),
        cites: state.cites,
    };
    alerts.extend(too_many);
    alerts.sort_by_key(|alert| alert.field as usize);
    (within, alerts)
}
