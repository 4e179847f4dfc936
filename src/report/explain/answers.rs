//! The meaning of the rules about answers: they hold an answer against the repository and against the answer before it.

use crate::metrics::Rule;

/// What no rule about answers can see.
const BLIND: &str = "It cannot judge what a changed line means, or catch a session that rarely lies, a wrong first answer that is never outdated, or readers who share a mistake.";

/// How a finding about one answer is closed.
const CLOSE: &str = "Answer it again with the lines it rests on. A single finding fails nothing; a person who has dealt with it closes it by `git sq check --accept`.";

pub fn texts(rule: Rule) -> [&'static str; 4] {
    match rule {
        Rule::Flagged => [
            "More than `flagged.max` of the last 20 looks that could have been flagged are: looks at which an answer was outdated, or a delta or a correction was reported. A look is what one session recorded at one commit; it counts once.",
            "Answers that rest on nothing may be made up.",
            "Honest answers move the window on. A person who has dealt with it closes it by `git sq check --accept`.",
            BLIND,
        ],
        Rule::LeftOut => [
            "A session answered other questions in its last look and left out one that was outdated there.",
            "An outdated answer is believed until somebody looks.",
            "Answer it in the next session; a record of corrections alone leaves nothing out.",
            "It cannot tell whether the question was looked at and not recorded.",
        ],
        Rule::NoEvidence => [
            "What a question depends on changed, or the session reports a delta or a correction, and the answer was not handed in, or cites nothing, or cites what is not there, not watched, not at lines that matter (`lines`), or wider than `cite.max_lines`.",
            "Nobody can tell an answer that rests on nothing from one that nobody derived. Where nothing matches `lines`, an empty answer needs no citation.",
            CLOSE,
            BLIND,
        ],
        Rule::NotShown => [
            "The answer is not what its evidence shows: a text, or an item of a list, stands nowhere in the lines it cites; its probe finds something else; or the answer equals the last one and the session reports a delta, or the other way round.",
            "The answer was not read there.",
            CLOSE,
            "Answers to questions without a shape: they are in words of one's own.",
        ],
        Rule::NothingChanged => [
            "A session reports a delta, and nothing that the answer rests on changed since the last answer that counts: every line it cites stood there before.",
            "An invented delta hides that nobody looks.",
            "If the last answer was wrong, record a correction: `git sq record --wrong 'q3=what is true' --cite q3=path:3-5`.",
            "An invention that cites a real change.",
        ],
        Rule::NeverDiffers => [
            "Ten answers to a question in a row whose files had changed report no change; twenty without a look of another session are an error.",
            "Either nobody looks any more, or the question watches more than it depends on.",
            "Have another session look (`git sq brief` asks for it), narrow `watch` or `lines`, or retire the question.",
            "It cannot tell an answer that is always the same from one that is always copied.",
        ],
        Rule::LeftBehind => [
            "A session answered on the default branch at a commit that no branch contains any more, and the shared log has the entry.",
            "A rewrite that is pushed by force would take flagged answers out of the gate. A fresh clone lacks the commit, so the look counts as flagged.",
            "`git sq carry` copies the entry to the commit that took its place. A person who has looked at the rewrite closes it by `git sq check --accept`.",
            "It cannot tell why the branch was rewritten, or see looks that were recorded on other branches.",
        ],
        Rule::SecondLook => [
            "Other sessions derived the answer again at its commit without seeing it, and `second.confirm` readers more agree with the first who found another one. Readers from the clone of either party count half, and never flag the look of another clone.",
            "An answer that nobody can repeat was not derived. The gate fails on the second one (`second.gate`).",
            "A person who has looked at both answers closes it by `git sq check --accept`.",
            "It cannot catch readers who share a bias, or who read the log first.",
        ],
        Rule::Disputed => [
            "A session recorded that the last answer was wrong, though nothing changed, and neither other sessions nor a person settled which is right.",
            "One of the two answers is false, and work may rest on it.",
            "Other sessions are asked to look; a person settles it by `git sq triage ENTRY QUESTION --agree --because '...'`.",
            "It cannot tell which of the two is right.",
        ],
        Rule::Outdated => [
            "What a question depends on changed in commits that the commit of its last answer that counts does not contain. More than `staleness.max` sessions that came later and gave no answer that counts are an error.",
            "The recorded answer may be false by now, and is believed all the same.",
            "One record at the tip mends it.",
            "It cannot tell whether the change bears on the answer.",
        ],
        Rule::Never => [
            "No answer to an active question counts: nobody answered it, or every answer is flagged.",
            "Nobody knows the answer.",
            "One record at the tip mends it.",
            "",
        ],
        _ => [
            "More commits of the first-parent line than `unasked.max` changed something watched since the last answer of anybody; without the setting, more than 30 are a warning.",
            "The ritual has stopped, although work goes on.",
            "Record the answers at the tip.",
            "Commits before the question store appeared.",
        ],
    }
}
