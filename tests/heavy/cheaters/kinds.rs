//! The kinds of agents, and what many of them say.

use std::path::PathBuf;

use super::{
    answers,
    game::{Game, Said},
    history::{JUDGED, PROSE},
    honest, names,
};

/// What it is called, and what it does in a session.
pub type Kind = (&'static str, fn(&mut Game));

/// So begin the names of those who don't lie.
pub const HONEST: &str = "honest, ";

pub const KINDS: [Kind; 30] = [
    ("honest, careful", honest::careful),
    ("honest, only what is due", honest::only_due),
    ("honest, cites when asked", honest::cites_when_asked),
    ("honest, says none where nothing is", honest::says_none),
    ("honest, two worktrees", honest::two_worktrees),
    ("one lies, the next one corrects it", honest::corrector),
    ("all quiet", answers::is_quiet),
    ("copies answers and citations", answers::copies_all),
    ("cites a line that never changes", answers::one_constant_line),
    ("cites whole files", answers::whole_files),
    ("cites the right lines, same answers", answers::right_lines),
    ("complies, derives nothing", answers::derives_nothing),
    ("right lines, wrong meaning", answers::wrong_meaning),
    ("breaks the run every third time", answers::breaks_the_run),
    ("claims a delta where a line changed", answers::claims_a_delta),
    ("hides one change in ten", answers::hides_one_in_ten),
    ("delays by two", answers::delays),
    ("honest half the time", answers::honest_half_the_time),
    ("never asks two", answers::never_asks_two),
    ("answers only what has not changed", answers::only_unchanged),
    ("invents corrections", answers::invents_corrections),
    ("a new clone each session, quiet", names::new_clone),
    ("one session name for ever", names::one_name),
    ("two worktrees, constant names", names::worktrees_for_ever),
    ("records on an old commit", names::old_commit),
    ("records, then amends it away", names::amends),
    ("twenty filler sessions after it", names::lie_then_fillers),
    ("a forged probe by hand", names::forged_probe),
    ("a forged origin by hand", names::forged_origin),
    ("complies and is its own reader", names::own_reader),
];

pub fn each(say: impl Fn(usize) -> Said) -> Vec<Said> {
    (0..JUDGED).map(say).collect()
}

pub fn honest(game: &Game) -> Vec<Said> {
    each(|question| game.truth(question))
}

pub fn quiet(game: &Game) -> Vec<Said> {
    each(|question| game.bare(question))
}

pub fn complies(game: &Game) -> Vec<Said> {
    each(|question| comply(game, question))
}

/// The old answer, as far as it still stands, at the lines that matter now.
pub fn comply(game: &Game, question: usize) -> Said {
    let old = game.same(question, game.truth(question).cites);
    let answer = game.history.still_standing(&old.answer, game.place, question);
    let is_prose = PROSE.contains(&question);
    Said { answer, delta: old.delta.filter(|_| is_prose), ..old }
}

pub fn worktree(game: &Game) -> PathBuf {
    let side = game.world.root().join("side");
    if game.session == 0 {
        game.world.git_ok(&format!("worktree add --quiet --detach {}", side.display()));
    }
    if game.session.is_multiple_of(2) {
        return game.world.dir.clone();
    }
    game.world.git_ok_in(&side, &format!("checkout --quiet --detach {}", game.commit(game.place)));
    side
}
