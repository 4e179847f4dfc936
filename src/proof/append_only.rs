use super::{Fate, LogFacts, Proof, Proved};
use crate::timeline::short;

pub fn prove(facts: &LogFacts) -> Proved {
    let mut proved = Proof::AppendOnly.of("commits of the log");
    for log in &facts.logs {
        for commit in &log.commits {
            let id = short(commit.id);
            proved.add(match (commit.removed, commit.unread, commit.parents) {
                (0, 0, 0 | 1) => Fate::Holds,
                (0, 0, parents) => Fate::Fails(format!("{id} is a merge of {parents} parents")),
                (0, unread, _) => {
                    Fate::CantTell(format!("{id}: {unread} of its notes could not be read"))
                }
                (1, ..) => Fate::Fails(format!("{id} removed or changed a line")),
                (lines, ..) => Fate::Fails(format!("{id} removed or changed {lines} lines")),
            });
        }
        if log.is_cut {
            let why = format!("the history of {} is cut off", log.name);
            proved.add(Fate::CantTell(why));
        }
    }
    proved
}
