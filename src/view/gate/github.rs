//! Annotations: GitHub's workflow commands, one per line.

use super::{Gate, Remark, RemarkKind};

pub fn text(gate: &Gate) -> String {
    let (errors, warnings): (Vec<_>, Vec<_>) =
        gate.remarks.iter().partition(|remark| remark.kind != RemarkKind::Warning);
    let commands: String = errors.into_iter().chain(warnings).map(command).collect();
    commands + &gate.verdict + "\n"
}

fn command(remark: &Remark) -> String {
    let command = match remark.kind {
        RemarkKind::Warning => "warning",
        RemarkKind::Error | RemarkKind::Unknown => "error",
    };
    let place = remark.place.as_ref().map_or_else(String::new, |(path, line)| {
        format!("file={},line={},", property(path), line.unwrap_or(1))
    });
    let (title, message) = (property(&remark.rule), data(&remark.whole()));
    format!("::{command} {place}title={title}::{message}\n")
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
