//! The limits of a state: what is too long is cut, what is too many is dropped, and each cut is told.

use crate::entry::{Alert, Excess, State, StateField, Unit, cut, one_line};

/// The most of `status`, in characters.
pub const STATUS: usize = 280;
/// The most of `handover`.
pub const HANDOVER: usize = 500;
/// The most of an item of a list.
pub const ITEM: usize = 140;
/// How many items a list has.
pub const ITEMS: usize = 5;
/// A state within all limits, as one line each and without empty items; and what was cut.
pub fn within(state: State) -> (State, Vec<Alert>) {
    let mut alerts = Vec::new();
    let mut text = |field, item, text: &str, limit| {
        let (text, excess) = cut(&one_line(text), limit);
        alerts.extend(excess.map(|excess| Alert {
            field,
            item,
            excess,
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
                excess: Excess {
                    limit: ITEMS,
                    length: items.len(),
                    unit: Unit::Items,
                },
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
