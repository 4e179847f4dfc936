use serde::Serialize;

use super::{Output, Style};
use crate::finding::Rule;

#[derive(Debug, Clone, Serialize)]
pub struct Explanation {
    pub rule: Rule,
    pub page: &'static str,
}

impl Explanation {
    pub fn of(rule: Rule) -> Self {
        Self { rule, page: rule.page() }
    }

    pub fn means(&self) -> &'static str {
        self.page.split("\n\n").nth(1).unwrap_or_default().trim()
    }
}

impl Output for Explanation {
    const SCHEMA: &'static str = "sq.check.explain/v1";

    fn text(&self, style: Style) -> String {
        let lines = Style { width: style.width.or(Some(80)), ..style };
        let paragraphs = self.page.trim().split("\n\n").skip(1).map(|paragraph| {
            let text = lines.wrap(paragraph, 0, 0);
            match text.strip_prefix("**").and_then(|text| text.split_once("**")) {
                Some((head, rest)) => format!("\n{}{rest}\n", style.name(head)),
                None => format!("\n{text}\n"),
            }
        });
        format!("{}\n{}", style.name(self.rule.name()), paragraphs.collect::<String>())
    }
}
