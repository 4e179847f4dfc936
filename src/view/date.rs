//! Times of entries as git prints dates.

use clap::ValueEnum;
use jiff::{Timestamp, tz::TimeZone};

use super::words::ago;

/// Format of dates, named as in git. The time zone is always the local one, so git's `-local` is only another name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum DateMode {
    #[default]
    Default,
    #[value(alias = "default-local")]
    Local,
    #[value(aliases = ["iso8601", "iso-local", "iso8601-local"])]
    Iso,
    #[value(aliases = ["iso8601-strict", "iso-strict-local", "iso8601-strict-local"])]
    IsoStrict,
    #[value(aliases = ["rfc2822", "rfc-local", "rfc2822-local"])]
    Rfc,
    #[value(alias = "short-local")]
    Short,
    #[value(alias = "relative-local")]
    Relative,
    #[value(alias = "unix-local")]
    Unix,
}

#[derive(Debug, Clone)]
pub struct Dates {
    pub mode: DateMode,
    pub zone: TimeZone,
    pub now: Timestamp,
}

impl Dates {
    /// The date of a time in the log; a text that is not a time is returned as it is.
    pub fn text(&self, ts: &str) -> String {
        let Ok(time) = ts.parse::<Timestamp>() else {
            return ts.to_owned();
        };
        let format = match self.mode {
            DateMode::Default => "%a %b %-d %H:%M:%S %Y %z",
            DateMode::Local => "%a %b %-d %H:%M:%S %Y",
            DateMode::Iso => "%Y-%m-%d %H:%M:%S %z",
            DateMode::IsoStrict => "%Y-%m-%dT%H:%M:%S%:z",
            DateMode::Rfc => "%a, %-d %b %Y %H:%M:%S %z",
            DateMode::Short => "%Y-%m-%d",
            DateMode::Relative => return ago(ts, self.now),
            DateMode::Unix => return time.as_second().to_string(),
        };
        time.to_zoned(self.zone.clone()).strftime(format).to_string()
    }
}
