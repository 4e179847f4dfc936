use std::{fs, path::Path};

use super::{Context, Failure};
use crate::{
    entry::{ImportedFile, Ts, import_file, sha256_hex},
    report::{count, escape},
};

/// Number of faulty lines that an error lists.
pub const NAMED: usize = 20;

pub fn read_original(
    file: &Path,
    context: &Context,
    skip_bad: bool,
) -> Result<(Vec<u8>, ImportedFile), Failure> {
    let path = escape(&file.display().to_string());
    let bytes = fs::read(file).map_err(|error| {
        Failure::refused(
            format!("could not read {path}: {error}"),
            "give the path of an original rederive_log.jsonl",
        )
    })?;
    let lines = import_file(&bytes, &sha256_hex(&bytes), &Ts::from(context.now));
    if lines.bad.is_empty() || skip_bad {
        Ok((bytes, lines))
    } else {
        Err(refuse(&path, &lines.bad))
    }
}

fn refuse(path: &str, bad: &[String]) -> Failure {
    let mut reasons: Vec<String> = bad
        .iter()
        .take(NAMED)
        .map(|why| format!("{path}: {why}"))
        .collect();
    if bad.len() > NAMED {
        reasons.push(format!(
            "{path}: and {} more",
            count(bad.len() - NAMED, "invalid line")
        ));
    }
    Failure::Refused {
        reasons,
        help: Some("fix these lines; `git sq import --skip-bad` leaves them out".into()),
    }
}
