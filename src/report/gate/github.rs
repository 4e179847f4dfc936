//! Annotations: GitHub's workflow commands, a line each.

use super::{Gate, RemarkKind};

/// A command for each remark, errors first, and the verdict.
pub fn text(gate: &Gate) -> String {
    let (errors, warnings): (Vec<_>, Vec<_>) = gate
        .remarks
        .iter()
        .partition(|remark| remark.kind != RemarkKind::Warning);
    let lines = errors.into_iter().chain(warnings).map(|remark| {
        let command = match remark.kind {
            RemarkKind::Warning => "warning",
            RemarkKind::Error | RemarkKind::Unknown => "error",
        };
        let place = remark
            .place
            .as_ref()
            .map_or_else(String::new, |(path, line)| {
                format!("file={},line={},", property(path), line.unwrap_or(1))
            });
        let (title, message) = (property(&remark.rule), data(&remark.whole()));
        format!("::{command} {place}title={title}::{message}\n")
    });
    lines.collect::<String>() + &gate.verdict + "\n"
}

/// A text in which the runner finds no command, whatever names it has from the log.
pub fn without_commands(text: &str) -> String {
    let lines = text.split_inclusive('\n').map(|line| {
        let begins = line.trim_start().starts_with("::");
        let line = line.replace("##[", "# #[");
        if begins {
            line.replacen("::", ": :", 1)
        } else {
            line
        }
    });
    lines.collect()
}

/// A text as the message of a command.
fn data(text: &str) -> String {
    let text = text.replace('%', "%25");
    text.replace('\r', "%0D").replace('\n', "%0A")
}

/// A text as the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::gate::{Remark, tests::hostile};

    type Properties = Vec<(String, String)>;

    #[test]
    fn a_text_has_no_commands() {
        let text = "a :: b\n  ::error::s3\n::add-mask::x\n ##[group]::y\n";
        let expected = "a :: b\n  : :error::s3\n: :add-mask::x\n # #[group]::y\n";
        assert_eq!(without_commands(text), expected);
        assert!(
            without_commands(text)
                .lines()
                .all(|line| parse(line).is_none())
        );
    }

    /// The commands that the runner finds: `TryParseV2` in its `ActionCommand.cs`, with the parameters unescaped.
    fn parse(line: &str) -> Option<(String, Properties, String)> {
        let (head, data) = line.trim_start().strip_prefix("::")?.split_once("::")?;
        let (name, properties) = head.split_once(' ').unwrap_or((head, ""));
        let unescape = |text: &str| {
            let text = text.replace("%3A", ":").replace("%2C", ",");
            let text = text.replace("%0D", "\r").replace("%0A", "\n");
            text.replace("%25", "%")
        };
        let pairs = properties.split(',').filter_map(|pair| {
            let (key, value) = pair.split_once('=')?;
            Some((key.to_owned(), unescape(value)))
        });
        Some((name.to_owned(), pairs.collect(), unescape(data)))
    }

    #[test]
    fn no_text_makes_a_command_of_its_own() {
        for text in hostile() {
            let remark = Remark {
                rule: "a,b:c".into(),
                kind: RemarkKind::Error,
                message: text.clone(),
                help: "::stop-commands::x".into(),
                question: None,
                place: Some((text.clone(), Some(7))),
            };
            let gate = Gate {
                remarks: vec![remark],
                questions: Vec::new(),
                verdict: "not clean".into(),
            };
            let printed = super::text(&gate);
            let [line, last] = printed.lines().collect::<Vec<_>>()[..] else {
                panic!("{printed}");
            };
            assert_eq!(last, "not clean");
            let (name, properties, data) = parse(line).unwrap();
            let own = |key: &str, value: &str| (key.to_owned(), value.to_owned());
            let expected = [own("file", &text), own("line", "7"), own("title", "a,b:c")];
            assert_eq!((name.as_str(), properties), ("error", expected.to_vec()));
            assert_eq!(data, format!("{text}\n::stop-commands::x"));
        }
    }
}
