use super::{Output, Style, Table, asides, count, entries};
use crate::{entry::word, project::Carry, timeline::short};

impl Output for Carry {
    const SCHEMA: &'static str = "sq.carry/v1";

    fn text(&self, style: Style) -> String {
        let mut table = Table::new();
        for row in &self.carried {
            let (from, to) = (style.commit(&short(row.from)), style.commit(&short(row.to)));
            let mut what = entries(row.lines.len());
            for (marks, how) in [(&row.flagged, "flagged"), (&row.outdated, "outdated there")] {
                if !marks.is_empty() {
                    what += &format!(", {} {how}", count(marks.len(), "answer"));
                }
            }
            table.row([format!("{from} -> {to}"), word(&row.rule)], what);
        }
        let mut out = table.text(style);
        for row in &self.orphaned {
            let candidates: Vec<String> = row.candidates.iter().map(|id| short(*id)).collect();
            let why = match (candidates.is_empty(), row.missing) {
                (false, _) => format!("ambiguous: {}", candidates.join(", ")),
                (true, true) => "no match, and the commit is not in this clone".into(),
                (true, false) => "no match".into(),
            };
            out += &format!(
                "{} {}: {}, {why}\n",
                style.error("orphaned:"),
                style.commit(&short(row.commit)),
                entries(row.entries),
            );
        }
        if !self.orphaned.is_empty() {
            let fetch = if self.orphaned.iter().any(|row| row.missing) {
                "what is not in this clone may be on a branch that it does not fetch; if it is gone, "
            } else {
                ""
            };
            let help = format!(
                "{fetch}`git sq carry --onto REV COMMIT` puts the entries of COMMIT on REV"
            );
            out += &format!("  {}\n", style.dim(&help));
        }
        out += &asides(&[], &self.unknown, style);
        for (number, why) in [
            (self.on_branches, "on other branches"),
            (self.unmatched, "of other pull requests, or without a match"),
        ] {
            if number > 0 {
                let line = format!("not carried: {} {why}", entries(number));
                out += &format!("{}\n", style.dim(&line));
            }
        }
        if self.on_branches > 0 && self.carried.is_empty() {
            let help = "`git sq carry COMMIT...` copies those on commits that a squash or a rebase replaced";
            out += &format!("  {}\n", style.dim(help));
        }
        let carried = self.carried.iter().map(|row| row.lines.len()).sum();
        out + &match (carried, self.dry_run) {
            (0, _) => "Nothing to carry.\n".to_owned(),
            (_, true) => format!("Would carry {}.\n", entries(carried)),
            (_, false) => format!("Carried {}.\n", entries(carried)),
        }
    }
}
