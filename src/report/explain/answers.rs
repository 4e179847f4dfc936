//! What the rules about answers mean: they hold an answer against the repository and against the answer before it.

use crate::metrics::Rule;

/// What no rule about answers can see, and most have in common.
const BLIND: &str = "How changed lines bear on a judgement; somebody who rarely lies; a first answer that was wrong and is never exposed; readers who share a mistake.";

/// How a finding about one answer is closed.
const CLOSE: &str = "Derive the answer again and record it with what it rests on. A single finding fails nothing; when a run of such sessions is settled, a person closes it with `git sq check --accept`.";

/// How a finding is closed that may be the question's fault.
const CLOSE_QUESTION: &str = "Look at the question first: correct its `watch` or its `lines`. From its third session on, the rule names the sessions.";

pub fn texts(rule: Rule) -> [&'static str; 4] {
    match rule {
        Rule::LeftOut => [
            "A session answered something and left out a question of importance 3, or one that was exposed: what it watches, or what its last answer cites, had changed.",
            "Importance 3 means every session, and an exposed answer is out of date until somebody looks.",
            "Answer it before the session ends. Of earlier sessions, the last 20 are named.",
            "Whether the question was looked at and not recorded.",
        ],
        Rule::ClaimContradictsProbe => [
            "A session said that an answer changed and its probe found no change, or the other way round.",
            "What the probe found is recorded as the delta. Who says otherwise did not look, or means something else by the question.",
            "Nothing has to be done about one of them. Where it goes on, reword the question, or make the probe read what is meant.",
            "Lines written by hand that name a probe: `git sq verify` runs it again.",
        ],
        Rule::NoEvidence => [
            "A question was exposed, or its answer is a delta, and the answer cites no line.",
            "An answer that rests on nothing can't be told from one that nobody derived. Where no watched line matches the `lines` of the question, an empty answer needs none.",
            CLOSE,
            BLIND,
        ],
        Rule::CitationFails => [
            "A path, a range of lines or a quote that an answer cites is not there at its commit.",
            "Somebody cited what they did not read.",
            CLOSE,
            "Whether what is cited bears on the answer.",
        ],
        Rule::OffWatch => [
            "No line that an answer cites lies in what its question watches.",
            "What the answer rests on may change and nobody is told.",
            CLOSE_QUESTION,
            BLIND,
        ],
        Rule::OffTarget => [
            "Some watched lines match the `lines` of a question, and none of those that the answer cites does.",
            "Lines that always hold say nothing about the question.",
            CLOSE_QUESTION,
            BLIND,
        ],
        Rule::TooWide => [
            "An answer cites more lines than cite.max_lines. A number or a list may, if a line that matches the `lines` of the question is within cite.edge of each end.",
            "Who cites a whole file need not have read it.",
            "Cite the lines that decide.",
            BLIND,
        ],
        Rule::NotInQuote => [
            "A question has the shape `text` or `list`, and the answer, or an item of it, is neither in the cited lines nor in their paths.",
            "The answer was not read there. A question that is answered in words of one's own has no such shape.",
            CLOSE,
            BLIND,
        ],
        Rule::AnswerVsDelta => [
            "The answer is the same as the one before and the session said delta, or it is another one and the session said no delta.",
            "Who compares the two answers sees at once which it is.",
            CLOSE,
            "Answers that are not recorded as values: give the question a `shape`.",
        ],
        Rule::DeltaWithoutChange => [
            "An answer is a delta, nothing changed that its question watches or that the answer before cites, and every line that it cites stood there before.",
            "Invented differences break a run of quiet sessions.",
            CLOSE,
            "An invention that cites a real change, and one that is passed off as a correction of an earlier answer.",
        ],
        Rule::DeltaOutsideWatch => [
            "An answer is a delta, nothing changed that its question watches or that the answer before cites, and a line that it cites is new.",
            "Either the question does not watch all that it depends on, or the delta is invented.",
            CLOSE_QUESTION,
            BLIND,
        ],
        Rule::SameEvidence => [
            "An answer is a delta, and all that it and the answer before cite, with a line around it, stands at both commits.",
            "The same lines don't give two answers.",
            CLOSE,
            "Which of the two answers is wrong.",
        ],
        Rule::SecondLook => [
            "Sessions other than the one that answered derived the answer again at its commit, and `second.confirm` readers more agree with the first who found another one.",
            "An answer that nobody can repeat was not derived. The gate fails on the second one (`second.gate`).",
            "Look at the answer and at what the readers say; then a person closes it with `git sq check --accept`.",
            "Readers who share a bias, or who read the log first.",
        ],
        _ => [
            "Of the exposed answers to questions with `lines`, 25 in a row were no deltas, or 40 in a row were.",
            "In measured histories no honest agent did either.",
            "Derive two or three of them again and compare.",
            BLIND,
        ],
    }
}
