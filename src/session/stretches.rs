//! The stretches of a session that went on after it had ended, or was in two worktrees at once: what they sum up to.

use crate::entry::SessionEnd;

/// One end for all stretches, which are in the order in which they began; None where there is none.
///
/// It began when the first did, and was as long as any of them was going on. Where, what last and how is what the
/// stretch says that began last. What one of them does not know, the sum does not.
pub fn sum(stretches: &[&SessionEnd]) -> Option<SessionEnd> {
    let (first, last) = (stretches.first()?, stretches.last()?);
    let commits = |sum: usize, stretch: &&SessionEnd| Some(sum.saturating_add(stretch.commits?));
    let beats = stretches.iter().map(|stretch| stretch.beats);
    let peaks = stretches.iter().filter_map(|stretch| stretch.peak_context);
    Some(SessionEnd {
        started: first.started.clone(),
        seconds: seconds(stretches),
        commits: stretches.iter().try_fold(0, commits),
        beats: beats.fold(0, u64::saturating_add),
        peak_context: peaks.reduce(|one, two| if two.get() > one.get() { two } else { one }),
        ..(*last).clone()
    })
}

/// How long any of them was going on.
fn seconds(stretches: &[&SessionEnd]) -> Option<u32> {
    let mut length = 0;
    let mut counted_to = i128::MIN;
    for stretch in stretches {
        let from = i128::from(stretch.started.timestamp().as_millisecond());
        let to = from + i128::from(stretch.seconds?) * 1000;
        length += (to - from.max(counted_to)).max(0);
        counted_to = counted_to.max(to);
    }
    u32::try_from(length / 1000).ok()
}
