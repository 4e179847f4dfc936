//! How far a session's life reaches, against a reading of the rule minute by minute.

use git_sq::session::Silence;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

fn at(minute: i64) -> Timestamp {
    Timestamp::from_second(1_767_225_600 + minute * 60).unwrap()
}

/// The last minute of life: from the last sign of its own, go on minute by minute as long as some commit was heard of
/// within the grace time.
fn slow_end(now: i64, grace: i64, own: &[i64], commits: &[i64]) -> Option<i64> {
    let counts = |minute: &&i64| **minute <= now + grace;
    let Some(begin) = own.iter().filter(counts).max() else {
        return commits.iter().filter(counts).max().copied();
    };
    let mut last = *begin;
    let mut minute = *begin;
    while minute <= last + grace && minute <= now + grace {
        if commits.contains(&minute) {
            last = minute;
        }
        minute += 1;
    }
    Some(last)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn life_reaches_as_far_as_its_signs(
        now in 0..80_i64, grace in 0..12_i64,
        own in prop::collection::vec(0..100_i64, 0..5), commits in prop::collection::vec(-50..100_i64, 0..12),
    ) {
        let silence = Silence { now: at(now), grace: SignedDuration::from_mins(grace) };
        let times = |minutes: &[i64]| minutes.iter().map(|&minute| at(minute)).collect::<Vec<_>>();
        let (own_times, commit_times) = (times(&own), times(&commits));
        let end = silence.end_of_life(&own_times, &commit_times);
        prop_assert_eq!(end, slow_end(now, grace, &own, &commits).map(at));

        let all = own_times.iter().chain(&commit_times).copied();
        let heard = |minute: &i64| (now - grace..=now + grace).contains(minute);
        let is_silent = !own.iter().chain(&commits).any(heard);
        prop_assert_eq!(silence.is_silent(all), is_silent);
        // What is alive lives at its end, unless only a commit after a longer silence keeps it.
        if !silence.is_silent(own_times.iter().copied()) {
            prop_assert!(!silence.is_silent(end));
        }
    }
}
