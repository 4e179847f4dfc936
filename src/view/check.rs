use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Dates, Output, Style, Table, asides, count, entries, escape, few, joined, style::MARKS,
    words::who,
};
use crate::{
    entry::short_sid,
    finding::{Finding, Rule, Severity},
    metrics::{AtTip, FlaggedLooks, RECENT, Staleness, Standing, Standings, Verdict},
    question::Places,
    rules::Facts,
};

const SHOWN: usize = 5;

/// Result of `git sq check`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Check {
    /// The checked commit.
    pub tip: String,
    pub sessions: usize,
    pub latest_sid: Option<String>,
    pub staleness: Vec<Staleness>,
    /// The standing of each asked question.
    pub questions: Standings,
    pub looks: FlaggedLooks,
    pub quiet: QuietRows,
    /// Entries that were imported; their times were not stamped here.
    pub imported: usize,
    /// Lines of other kinds, which the metrics do not use.
    pub other_kinds: usize,
    /// Entries on commits that the tip does not contain; in a shallow clone, or that lie beyond its boundary.
    pub elsewhere: usize,
    pub findings: Vec<Finding<Rule>>,
    /// Unknown facts; any of them keeps the check from being clean.
    pub unknown: Vec<String>,
    /// No error and nothing unknown.
    pub ok: bool,
    /// The checked place, as in `main at 15cd9173c8`.
    #[serde(skip)]
    pub place: String,
    /// The path of the question store, and the places of its questions.
    #[serde(skip)]
    pub store: Option<(String, Places)>,
    #[serde(skip)]
    days: Dates,
    /// True if the alarm is about the quiet sessions of the figure; the gate may count other questions.
    #[serde(skip)]
    lists_quiet: bool,
    /// True in a shallow clone.
    #[serde(skip)]
    is_cut: bool,
}

/// The sessions that reported no change while HEAD moved.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct QuietRows {
    /// Verdicts on the last 20 sessions, oldest first; JSON only.
    pub verdicts: Vec<Verdict>,
    pub suspicious: usize,
    pub longest_run: usize,
    /// True if a run is longer than the limit and was not accepted.
    pub alarm: bool,
}

impl Check {
    pub fn new(place: String, store: Option<(String, Places)>, facts: Facts, days: Dates) -> Self {
        let findings = facts.findings();
        let mut survey = facts.survey;
        survey.keep_last(RECENT);
        let longest_run = survey.quiet.longest_run;
        let lists_quiet = survey.quiet.runs.iter().any(|run| run.length <= longest_run);
        let errors = || findings.iter().filter(|finding| finding.severity == Severity::Error);
        Self {
            tip: survey.tip,
            sessions: survey.sessions,
            latest_sid: survey.latest.into_iter().next().map(|last| last.sid),
            staleness: survey.staleness,
            questions: survey.standings,
            looks: survey.flagged_looks,
            quiet: QuietRows {
                verdicts: survey.quiet.verdicts,
                suspicious: survey.quiet.suspicious,
                longest_run,
                alarm: errors().any(|finding| finding.rule == Rule::QuietRun),
            },
            lists_quiet,
            is_cut: survey.is_cut,
            imported: survey.imported,
            other_kinds: survey.other_kinds,
            elsewhere: survey.elsewhere,
            ok: errors().next().is_none() && survey.unknown.is_empty(),
            findings,
            unknown: survey.unknown,
            place,
            store,
            days,
        }
    }
}

impl Output for Check {
    const SCHEMA: &'static str = "sq.check/v1";

    fn text(&self, style: Style) -> String {
        format!("{}\n{}\n", self.body(style), verdict(self, None, style))
    }
}

impl Check {
    /// The text before the verdict.
    pub(super) fn body(&self, style: Style) -> String {
        let questions = count(rows(self).len(), "question");
        let sessions = match self.staleness.len() {
            0 => String::new(),
            _ => format!("{} on ", count(self.sessions, "session")),
        };
        let head = format!("{sessions}{}, {questions} asked\n", escape(&self.place));
        let table = if rows(self).is_empty() { String::new() } else { table(self, style) };
        let found = findings(&self.findings, style) + &asides(&[], &self.unknown, style);
        let overview = head + &table + &figures(self, style);
        joined([overview, found].into_iter().filter(|block| !block.is_empty()), "\n")
    }
}

/// The verdict with another word in place of `clean`.
pub fn verdict(check: &Check, word: Option<Word>, style: Style) -> String {
    let (severity, words) =
        verdict_words(&check.findings, &check.questions, check.unknown.is_empty(), word);
    let words = escape(&words);
    match severity {
        Some(Severity::Error) => style.error(&words),
        Some(Severity::Warning) => style.warning(&words),
        None => style.good(&words),
    }
}

/// Questions that are named in the verdict, for each standing.
const NAMED: usize = 3;

/// What a check that is clean is called where more than the check was looked at, and why.
pub struct Word {
    pub severity: Severity,
    pub name: &'static str,
    pub why: String,
}

/// The verdict, which counts standings, and how bad it is; not escaped.
pub fn verdict_words(
    findings: &[Finding<Rule>],
    standings: &Standings,
    is_certain: bool,
    word: Option<Word>,
) -> (Option<Severity>, String) {
    let errors: Vec<&Finding<Rule>> =
        findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
    let tells = |finding: &Finding<Rule>, at_tip: &AtTip| {
        finding.about.as_ref() == Some(&at_tip.question) && finding.rule.is_of(at_tip.standing)
    };
    let is_error = |at_tip: &AtTip| errors.iter().any(|finding| tells(finding, at_tip));
    let named = Standing::ALL.into_iter().filter_map(|standing| {
        let names: Vec<&str> = standings
            .that_are(standing)
            .filter(|at_tip| is_error(at_tip))
            .map(|at_tip| at_tip.question.as_str())
            .collect();
        let number = names.len();
        (number > 0).then(|| format!("{} {}", few(names, NAMED), standing.of_many(number)))
    });
    let named = joined(named, ", ");
    let is_told = |finding| standings.judged().any(|at_tip| tells(finding, at_tip));
    let others = errors.iter().filter(|finding| !is_told(finding));
    let others: Vec<&str> = others.map(|finding| finding.rule.name()).collect();
    let mut rules = others.clone();
    rules.dedup();
    let rules = rules.join(", ");
    let others = match (others.len(), named.is_empty()) {
        (0, _) => String::new(),
        (others, true) => format!("{} ({rules})", count(others, "error")),
        (1, _) => format!("1 other error ({rules})"),
        (others, _) => format!("{others} other errors ({rules})"),
    };
    let counts = standings.counts().filter_map(|(standing, number)| {
        let told = standings.that_are(standing).filter(|at_tip| is_error(at_tip)).count();
        let word = standing.of_many(number - told);
        let is_lenient = if standing == Standing::Fails { " (warning)" } else { "" };
        (number > told).then(|| format!("{} {word}{is_lenient}", number - told))
    });
    let counts = joined(counts, ", ");
    let parts =
        |parts: &[&str]| joined(parts.iter().copied().filter(|part| !part.is_empty()), "; ");
    if !errors.is_empty() {
        let words = format!("not clean: {}", parts(&[&named, &others, &counts]));
        return (Some(Severity::Error), words);
    }
    if !is_certain {
        let words = parts(&["undetermined: the history or the log is incomplete", &counts]);
        return (Some(Severity::Warning), words);
    }
    if word.is_none() && standings.that_are(Standing::Fails).next().is_some() {
        return (Some(Severity::Warning), counts);
    }
    let severity = word.as_ref().map(|word| word.severity);
    let (word, why) = word.map_or_else(|| ("clean", String::new()), |word| (word.name, word.why));
    let mut words = word.to_owned();
    if !findings.is_empty() {
        words = format!("{words}, {}", count(findings.len(), "warning"));
    }
    let words = [words, parts(&[&why, &counts])].into_iter().filter(|part| !part.is_empty());
    (severity, joined(words, ": "))
}

fn findings(findings: &[Finding<Rule>], style: Style) -> String {
    findings
        .chunk_by(|one, next| (one.rule, &one.help) == (next.rule, &next.help))
        .map(|group| {
            let lines = group
                .iter()
                .take(SHOWN)
                .map(|finding| style.finding(finding.severity, &escape(&finding.message)));
            let more = group.len().saturating_sub(SHOWN);
            let more = (more > 0).then(|| format!("  {more} more like these (--format json)\n"));
            // Findings in a row with the same help print it once, after the last.
            let help = format!("{} [{}]", group[0].help, group[0].rule.name());
            let help = style.wrap(&help, 2, 2);
            let help = format!("  {}\n", style.dim(&help));
            lines.chain(more).chain([help]).collect::<String>()
        })
        .collect()
}

fn figures(check: &Check, style: Style) -> String {
    let looks = (check.looks.looks > 0).then(|| {
        let FlaggedLooks { open, looks, flagged } = check.looks;
        let open = if open > 0 { format!(", {open} not answered again") } else { String::new() };
        format!("flagged looks: {flagged} of the last {looks}{open}")
    });
    let quiet = (check.sessions > 1).then(|| {
        format!(
            "quiet sessions: {} of {} (longest run {})",
            check.quiet.suspicious, check.sessions, check.quiet.longest_run
        )
    });
    let figures: Vec<String> = looks.into_iter().chain(quiet).collect();
    let figures = (!figures.is_empty()).then(|| figures.join("; ") + "\n");
    let elsewhere = if check.is_cut {
        "on commits beyond the end of this shallow clone's history, or on other branches"
    } else {
        "on other branches, on commits that were not fetched, or on rewritten ones, from which `git sq carry` copies"
    };
    let others = [
        (check.imported, "imported, with times that cannot be verified"),
        (check.elsewhere, elsewhere),
    ];
    let others = others.iter().filter(|(number, _)| *number > 0).map(|(number, what)| {
        let are = if *number == 1 { "is" } else { "are" };
        style.dim(&format!("{} {are} {what}", entries(*number))) + "\n"
    });
    figures.into_iter().chain(suspicious(check, style)).chain(others).collect()
}

/// The recent quiet sessions, newest first, if they are an alarm.
fn suspicious(check: &Check, style: Style) -> Vec<String> {
    let Check { quiet, days, .. } = check;
    if !quiet.alarm || !check.lists_quiet {
        return Vec::new();
    }
    let recent = quiet.verdicts.iter().rev().filter(|verdict| verdict.suspicious);
    let lines = recent.take(SHOWN).map(|verdict| {
        let who = who(&days.text(&verdict.ts), verdict.agent.as_deref(), verdict.by.as_ref());
        let sid = style.name(&escape(short_sid(&verdict.sid)));
        let at = verdict.commit.get(..10).unwrap_or(&verdict.commit);
        let subject = verdict.subject.as_deref().unwrap_or_default();
        let line = format!("({who}) at {at} {subject}");
        let line = style.fit(&escape(line.trim_end()), 3 + short_sid(&verdict.sid).len());
        format!("  {sid} {line}\n")
    });
    let mut lines: Vec<String> = lines.collect();
    let more = quiet.suspicious.saturating_sub(lines.len());
    if more > 0 {
        lines.push(format!("  and {more} more\n"));
    }
    lines
}

/// A question in the table: its name, its standing, if it has one, and its row of sessions, if it has one.
type Row<'c> = (String, Option<Standing>, Option<&'c Staleness>);

/// By the original rules nothing stands anywhere, and each row is of sessions.
fn rows(check: &Check) -> Vec<Row<'_>> {
    let row = |name: &str| check.staleness.iter().find(|row| row.name() == name);
    if check.questions.0.is_empty() {
        return check.staleness.iter().map(|row| (row.name(), None, Some(row))).collect();
    }
    check
        .questions
        .judged()
        .map(|at_tip| (at_tip.question.clone(), Some(at_tip.standing), row(&at_tip.question)))
        .collect()
}

fn table(check: &Check, style: Style) -> String {
    let standing = if check.questions.0.is_empty() { "" } else { "standing" };
    // No session may owe an answer.
    let of_sessions = |head| if check.staleness.is_empty() { "" } else { head };
    let mut table = Table::new().indented(2).right(&[1]);
    let head = ["question", of_sessions("staleness"), standing, of_sessions("sessions")];
    table.row(head.map(str::to_owned), of_sessions("last answered"));
    for (name, standing, row) in rows(check) {
        let word =
            standing.map_or_else(String::new, |standing| style.standing(standing, standing.word()));
        let marks: String = row
            .map(|row| row.recent.iter().map(|&mark| style.mark(mark)).collect())
            .unwrap_or_default();
        let number = row.map_or_else(String::new, |row| match row.staleness.to_string() {
            number if row.flagged => style.error(&number),
            number => number,
        });
        let forms = row.map_or_else(|| vec![String::new()], |row| last_answered(check, row));
        table.row_of_forms([style.name(&escape(&name)), number, word, marks], forms);
    }
    let text = table.text(style);
    let (head, lines) = text.split_once('\n').unwrap_or((&text, ""));
    format!("{}\n{lines}{}", style.dim(head), legend(&check.staleness, style))
}

/// From the longest to the shortest form.
fn last_answered(check: &Check, row: &Staleness) -> Vec<String> {
    let forms = match (&row.last_sid, &row.last_rederived_ts) {
        (Some(sid), Some(ts)) => {
            let (sid, day) = (short_sid(sid), check.days.text(ts));
            let who = who(&day, row.last_agent.as_deref(), row.last_by.as_ref());
            vec![format!("{sid} ({who})"), format!("{sid} ({day})"), day]
        }
        _ if check.unknown.is_empty() => vec!["never".to_owned()],
        _ => vec!["unknown".to_owned()],
    };
    forms.iter().map(|form| escape(form)).collect()
}

fn legend(rows: &[Staleness], style: Style) -> String {
    let words = MARKS
        .iter()
        .filter(|(mark, ..)| rows.iter().any(|row| row.recent.contains(mark)))
        .map(|(mark, _, meaning)| format!("{} {meaning}", style.mark(*mark)));
    let words = joined(words, ", ");
    if words.is_empty() { words } else { format!("  {words}\n") }
}
