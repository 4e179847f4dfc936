use crate::entry::{Alert, State, StateField, clip, length, one_line};

/// Characters of `status` at most.
pub const STATUS: usize = 280;
/// Characters of `handover` at most.
pub const HANDOVER: usize = 500;
/// Characters of an item of a list at most.
pub const ITEM: usize = 140;
pub const ITEMS: usize = 5;

/// A state with each text on one line, and without empty items.
pub fn tidy(state: State) -> State {
    each(state, |text, _| one_line(text))
}

/// A tidy state cut to all limits, which another program may have exceeded.
pub fn clipped(state: State) -> State {
    let mut state = each(state, |text, most| clip(&one_line(text), most));
    let State { done, doing, blocked, next, .. } = &mut state;
    for list in [done, doing, blocked, next] {
        list.truncate(ITEMS);
    }
    let items = state.done.len();
    state.cites.retain(|cite| cite.item <= items);
    state
}

fn each(state: State, text: impl Fn(&str, usize) -> String) -> State {
    let list = |items: Vec<String>| -> Vec<String> {
        items.iter().map(|item| text(item, ITEM)).filter(|item| !item.is_empty()).collect()
    };
    State {
        status: text(&state.status, STATUS),
        handover: text(&state.handover, HANDOVER),
        done: list(state.done),
        doing: list(state.doing),
        blocked: list(state.blocked),
        next: list(state.next),
        cites: state.cites,
    }
}

pub fn over(state: &State) -> Vec<Alert> {
    #[rustfmt::skip]
    let alert = |field, item, length, limit| Alert { field, item, limit, length };
    let (status, handover) = (length(&state.status), length(&state.handover));
    let mut alerts = vec![
        alert(StateField::Status, None, status, STATUS),
        alert(StateField::Handover, None, handover, HANDOVER),
    ];
    for (field, items) in state.lists() {
        alerts.push(alert(field, None, items.len(), ITEMS));
        let items = (1..).zip(items);
        alerts.extend(items.map(|(number, item)| alert(field, Some(number), length(item), ITEM)));
    }
    alerts.retain(|alert| alert.length > alert.limit);
    alerts
}
