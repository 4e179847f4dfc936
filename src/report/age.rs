use jiff::Timestamp;

use super::count;

/// `3 days ago`; a text that is not a time is returned as it is.
pub fn ago(ts: &str, now: Timestamp) -> String {
    let Ok(then) = ts.parse::<Timestamp>() else {
        return ts.to_owned();
    };
    let seconds = now.as_second() - then.as_second();
    let Ok(seconds) = usize::try_from(seconds) else {
        return "in the future".into();
    };
    match seconds {
        0..=59 => "just now".into(),
        _ => format!("{} ago", length(seconds)),
    }
}

/// A duration in its largest unit, rounded down.
pub fn length(seconds: usize) -> String {
    let (number, unit) = match seconds {
        0..=59 => (seconds, "second"),
        60..=3599 => (seconds / 60, "minute"),
        3600..=86_399 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    count(number, unit)
}
