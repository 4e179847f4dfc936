use super::{Output, Style, Table, escape, few};
use crate::{
    entry::word,
    setup::agent::{AgentStatus, HarnessStatus, Part, Plan},
};

pub fn plan_text(plan: &Plan, style: Style) -> String {
    let mut table = Table::new();
    let mut told = Vec::new();
    for (harness, ..) in &plan.parts {
        if told.contains(&harness) {
            continue;
        }
        told.push(harness);
        let mut name = harness.name();
        for kinds in [&[Part::Hooks, Part::Allow][..], &[Part::Skill], &[Part::Instructions]] {
            let own = plan
                .parts
                .iter()
                .filter(|(owner, part, _)| owner == harness && kinds.contains(part));
            let (mut parts, mut files) = (Vec::new(), Vec::new());
            for (_, part, path) in own {
                let part = word(part);
                parts.extend((!parts.contains(&part)).then_some(part));
                files.extend((!files.contains(&path)).then_some(path));
            }
            let files = few(files.iter().map(|path| escape(&path.to_string_lossy())), 2);
            if !parts.is_empty() {
                table.row([style.name(name), parts.join(", ")], files);
            }
            name = if parts.is_empty() { name } else { "" };
        }
    }
    table.text(style)
}

impl Output for AgentStatus {
    const SCHEMA: &'static str = "sq.agent/v1";

    fn text(&self, style: Style) -> String {
        let width = self.agents.iter().map(|agent| agent.name.name().len()).max().unwrap_or(0);
        self.agents.iter().map(|agent| harness(agent, width, style)).collect()
    }
}

fn harness(agent: &HarnessStatus, width: usize, style: Style) -> String {
    let state = match (agent.planted.is_empty(), agent.found) {
        (false, _) if agent.allowed => "installed, may run git sq without asking",
        (false, _) => "installed",
        (true, true) => "found, not installed",
        (true, false) => "not found",
    };
    let name = format!("{:width$}", agent.name.name());
    let mut out = format!("{} {state}\n", style.name(&name));
    let mut table = Table::new().indented(2);
    for file in &agent.planted {
        let part = word(&file.part);
        let differs = if file.current { "" } else { "  (differs)" };
        let (scope, path) = (word(&file.scope), escape(&file.path.to_string_lossy()));
        table.row([scope, part], path + differs);
    }
    out += &table.text(style);
    for warning in &agent.warnings {
        out += &format!("  {} {}\n", style.warning("warning:"), escape(warning));
    }
    out
}
