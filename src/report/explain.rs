//! What the rules of `check` mean.

mod answers;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Output, Style};
use crate::metrics::Rule;

/// One rule, for somebody who has just met it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Explanation {
    pub rule: Rule,
    /// What was measured.
    pub means: &'static str,
    /// Why it matters.
    pub matters: &'static str,
    /// How it is closed.
    pub close: &'static str,
    /// What it can't see.
    pub blind: &'static str,
}

impl Explanation {
    /// The explanation of a rule.
    pub fn of(rule: Rule) -> Self {
        let [means, matters, close, blind] = texts(rule);
        Self {
            rule,
            means,
            matters,
            close,
            blind,
        }
    }
}

impl Output for Explanation {
    const SCHEMA: &'static str = "sq.check.explain/v1";

    fn text(&self, style: Style) -> String {
        let parts = [
            ("What it means", self.means),
            ("Why it matters", self.matters),
            ("How to close it", self.close),
            ("What it can't see", self.blind),
        ];
        let lines = Style {
            width: style.width.or(Some(80)),
            ..style
        };
        let parts = parts.map(|(title, text)| {
            let text = lines.wrap(text, 2, 2);
            format!("\n{}\n  {text}\n", style.dim(title))
        });
        format!("{}\n{}", style.name(&self.rule.name()), parts.concat())
    }
}

fn texts(rule: Rule) -> [&'static str; 4] {
    match rule {
        Rule::NoSessions => [
            "No session has recorded an answer in the history of this commit.",
            "Nothing can be measured, and nobody can tell whether the questions are asked.",
            "Record answers: `git sq brief`, then `git sq record`.",
            "Entries on commits that this one does not contain.",
        ],
        Rule::Stale => [
            "More sessions than the limit were asked the question and left it out.",
            "The last recorded answer is old, and is believed all the same.",
            "Record an answer at the tip, or retire it with a reason.",
            "Whether the answer that was recorded last is true.",
        ],
        Rule::QuietRun => [
            "More sessions in a row than the limit reported no change although HEAD moved, of the questions that say nothing of what they depend on.",
            "Answers that never change may be made up.",
            "Derive two or three answers by hand. When that is settled, a person sets `settings.quiet.accepted_through` in the question store.",
            "A session that invents a delta: give the questions `watch` and `lines`, or a probe.",
        ],
        Rule::Unanswered => [
            "A session committed something, and ended or fell silent without one answer although a question was due.",
            "What it did rests on answers that somebody else derived earlier.",
            "Nothing has to be done about one of them; the next session answers.",
            "Sessions that never ran `git sq` at all.",
        ],
        Rule::UnansweredRun => [
            "More sessions in a row than the limit committed something and ended without one answer. What is answered after its end does not answer for a session.",
            "The ritual has stopped, although work goes on.",
            "Answer the questions. When that is settled, a person sets `settings.quiet.accepted_through` in the question store.",
            "Sessions that never ran `git sq` at all.",
        ],
        Rule::Drift => [
            "The answer to a question of severity `blocking` changed, its `expect` does not cover that, and nobody said that this is all right.",
            "Somebody wants to know of this change before work is built on it.",
            "A person looks at it and says what it is: `git sq triage`; after `--error` it stays open. Or the answer becomes what it was, or what it must be.",
            "Changes that no session reported, where no probe derives the answer.",
        ],
        Rule::Loosened => [
            "The question store of the checked commit differs from that of the base, or of the default branch, in a way that is not known to be stricter: a limit was raised, a question is gone, matters less, or looks elsewhere. Only what changed since the commit left that branch counts.",
            "Those who are measured must not choose the measure.",
            "A person agrees by landing it on the base; otherwise take it back.",
            "A question that is worded more weakly in a new version: read it.",
        ],
        Rule::VersionChangedInPlace => [
            "A version of a question asks something else than it did when it was answered.",
            "Recorded answers are read as answers to the new text.",
            "Put the old text back, deprecate that version, and add a new one.",
            "Without --base, changes that were made more than 20 sessions ago.",
        ],
        Rule::WatchesNothing => [
            "No file matches a pathspec of a question.",
            "What matches nothing never changes: silence about the question is never noticed.",
            "Correct the pathspecs.",
            "Pathspecs that match other files than they were meant for.",
        ],
        Rule::Clock => [
            "Entries are dated earlier than the commit that they were made on, or later than now.",
            "Entries are put in order by their time.",
            "Set the clock of that machine right. Entries that were written stay.",
            "Clocks that are off by less than clock.tolerance.",
        ],
        Rule::TensionFlood => [
            "A session opened more tensions than tension.per_session.",
            "A list that nobody can read is not read.",
            "Close those that are not worth keeping.",
            "Whether the tensions are worth anything.",
        ],
        Rule::TensionUnfounded => [
            "A session opened and closed tensions and cited nothing.",
            "Questions that are made up and settled at once look like diligence.",
            "Cite where the answer is: --cite path:line.",
            "Whether a citation bears on the answer.",
        ],
        Rule::ImportedLate => [
            "Imported entries are dated after the first entry that was recorded here.",
            "The times of imported entries can't be verified, and such entries can break a run.",
            "Check where they came from: `git sq log --format json`.",
            "Imported entries with times before that.",
        ],
        Rule::Flagged
        | Rule::LeftOut
        | Rule::NoEvidence
        | Rule::NotShown
        | Rule::NothingChanged
        | Rule::NeverDiffers
        | Rule::LeftBehind
        | Rule::SecondLook
        | Rule::Disputed
        | Rule::Outdated
        | Rule::Never
        | Rule::Unasked => answers::texts(rule),
        Rule::BrokenChain | Rule::LinesRemoved | Rule::ForeignText => of_log(rule),
        Rule::Failing | Rule::NotRun => of_expectations(rule),
        Rule::ManyQuestions | Rule::StoreNotCommitted | Rule::StoreDiffers | Rule::Blinded => {
            of_store(rule)
        }
    }
}

/// Rules that are about lines of the log rather than about sessions.
fn of_log(rule: Rule) -> [&'static str; 4] {
    match rule {
        Rule::BrokenChain => [
            "Two entries have the same number of one writer, or an entry does not name the one before that is there.",
            "Another clone wrote under that name: somebody else, or a backup or an image that went on from an older state.",
            "Ask whoever is named, by `git sq log --all`. Nothing is lost: each entry counts, for a session of nobody where it is not the writer's. The warning stays.",
            "Entries that go on from the last one of a writer; of two that go on from one entry, which is the writer's: the one that more entries follow is taken for it.",
        ],
        Rule::LinesRemoved => [
            "Entries that this clone wrote, or saw on a remote, are not in the log any more.",
            "The log only ever grows: what is gone was taken out, by hand or by another program.",
            "`git sq sync` and `git sq doctor --fix` put back what this clone knows of.",
            "Entries that were neither written nor seen here. A clone that never shared the log knows only its own.",
        ],
        _ => [
            "A note of the log has text that does not begin with `{`.",
            "It counts for nothing, but somebody may think that it was recorded.",
            "Nothing has to be done. Notes of your own belong in another ref: leave out `--ref=sq`.",
            "What the text says: `git notes --ref=sq show <commit>` prints it.",
        ],
    }
}

/// Rules that are about the question store rather than about what was recorded.
fn of_store(rule: Rule) -> [&'static str; 4] {
    match rule {
        Rule::ManyQuestions => [
            "More questions are active than people keep alive.",
            "The long tail goes stale and hides the rest; 28 were too many.",
            "Retire what no longer earns its keep.",
            "Which of the questions that is.",
        ],
        Rule::StoreNotCommitted => [
            "The commit has no question store, so the worktree's was used.",
            "Others are measured by other questions, or by none.",
            "Commit the question store.",
            "Whether what will be committed is the same.",
        ],
        Rule::Blinded => [
            "A pathspec of the question matched files where the commit left its base and matches none now, or its `lines` matched there and match nothing now, or git calls a file that it watched renamed or copied to where it does not look, and most of the lines that mattered are gone from the old place.",
            "Nothing changes where a question looks in vain, so nobody has to answer it again, and any answer stands.",
            "Move it back; or a person gives the question a new version that looks where it is now, or says that it is gone: `git sq question reword`, on the base.",
            "Lines that moved while others still match, files of which git does not see that they moved (rewritten by half, or too many), and what was moved before it left the base.",
        ],
        _ => [
            "The question store in the worktree is not the committed one, which was used.",
            "What you see in the file is not what was measured.",
            "Commit or revert the change.",
            "What differs: `git diff` shows it.",
        ],
    }
}

/// Rules about what `expect` says of an answer.
fn of_expectations(rule: Rule) -> [&'static str; 4] {
    match rule {
        Rule::Failing => [
            "The answer is not what `expect` of the question says: at the tip for a built-in probe, whoever answered what; else in the newest run of its command, or in the newest recorded answer.",
            "An answer that was wrong from the first day never changes, and no change would show it.",
            "Mend it; no verdict closes it. Where no built-in probe reads the answer, record the new one at the tip. Where the expectation is wrong, a person rewords the question.",
            "Whether a session's answer is true, where no probe derives it.",
        ],
        _ => [
            "`expect` says what the answer must be, and nothing shows it at the tip: the command was never run, what it depends on changed since it ran, or its answer can't be read.",
            "A session's word does not stand in for a run.",
            "Run `git sq record` where the command is approved, or let CI run it.",
            "Runs that were never recorded.",
        ],
    }
}
