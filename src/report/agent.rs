use std::path::Path;

use similar::TextDiff;

use super::{Output, Style, escape};
use crate::setup::agent::{AgentStatus, Change, HarnessStatus, Part};

pub fn change_text(change: &Change, style: Style) -> String {
    let name = |letter: &str, text: &Option<String>| match text {
        Some(_) if change.shown.is_absolute() => shown(&change.shown),
        Some(_) => format!("{letter}/{}", shown(&change.shown)),
        None => "/dev/null".to_owned(),
    };
    let [before, after] = [&change.before, &change.after];
    let texts = [before, after].map(|text| text.as_deref().unwrap_or_default());
    let diff = TextDiff::from_lines(texts[0], texts[1]);
    let mut diff = diff.unified_diff();
    diff.header(&name("a", before), &name("b", after));
    let lines = diff.to_string();
    let lines = lines.lines().map(|line| {
        let text = line.split('\t').map(escape).collect::<Vec<_>>().join("\t");
        let text = match line.as_bytes().first() {
            _ if line.starts_with("+++ ") || line.starts_with("--- ") => style.name(&text),
            Some(b'+') => style.good(&text),
            Some(b'-') => style.removed(&text),
            Some(b'@') => style.place(&text),
            _ => text,
        };
        text + "\n"
    });
    lines.collect()
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

impl Output for AgentStatus {
    const SCHEMA: &'static str = "sq.agent/v1";

    fn text(&self, style: Style) -> String {
        self.agents.iter().map(|one| harness(one, style)).collect()
    }
}

fn harness(one: &HarnessStatus, style: Style) -> String {
    let state = match (one.planted.is_empty(), one.found) {
        (false, _) if one.allowed => "installed, may run git sq without asking",
        (false, _) => "installed",
        (true, true) => "found, not installed",
        (true, false) => "not found",
    };
    let name = format!("{:<8}", one.name.name());
    let mut out = format!("{} {state}\n", style.name(&name));
    for file in &one.planted {
        let part = match file.part {
            Part::Hooks => "hooks",
            Part::Allow => "allow",
            Part::Skill => "skill",
            Part::Instructions => "instructions",
        };
        let differs = if file.current { "" } else { "  (differs)" };
        let (scope, path) = (file.scope.name(), escape(&shown(&file.path)));
        out += &format!("  {scope:<7}  {part:<12}  {path}{differs}\n");
    }
    for warning in &one.warnings {
        out += &format!("  {} {}\n", style.warning("warning:"), escape(warning));
    }
    out
}
