//! Rotation: of the questions that are not due, the number that a session answers so that none ever becomes stale.

/// The smallest number that is enough if every session answers that many, those with the least slack first. A slack is
/// the number of sessions that may still pass without an answer; `slacks` are sorted. `answered` is the number that the
/// session has answered already.
pub fn asked_of(slacks: &[usize], answered: usize) -> usize {
    let most = (answered + 1..).zip(slacks);
    let most = most.map(|(number, slack)| number.div_ceil(slack + 1)).max();
    most.unwrap_or_default().saturating_sub(answered)
}
