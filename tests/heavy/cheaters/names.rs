//! Agents that deceive by names, clones, commits, lines by hand and readers of their own.

use serde_json::{Value, json};

use super::{
    game::{Game, Said},
    kinds::{complies, each, honest, quiet, worktree},
};

/// Of the fillers nothing is asked, nor do they say anything.
pub fn lie_then_fillers(game: &mut Game) {
    game.say(&complies(game));
    if game.session.is_multiple_of(10) {
        let nothing =
            each(|question| Said { is_bare: true, delta: Some(false), ..game.truth(question) });
        for filler in 0..20 {
            let sid = format!("f{}-{filler}", game.session);
            game.record(&sid, &nothing).ok();
        }
    }
}

pub fn forged_probe(game: &mut Game) {
    let more = json!({"writer": "w", "n": game.session + 1});
    by_hand(game, &more, &json!({"evidence": {"probe": "000"}}));
}

pub fn forged_origin(game: &mut Game) {
    let origin = json!({"file": "0", "line": 1, "at": "2026-01-01T00:00:00Z"});
    by_hand(game, &json!({"origin": origin}), &json!({}));
}

/// After an honest session, lines that no `record` wrote.
fn by_hand(game: &mut Game, more: &Value, beside: &Value) {
    if game.session == 0 {
        game.say(&honest(game));
    } else {
        game.plant(&quiet(game), more, beside);
    }
}

pub fn new_clone(game: &mut Game) {
    let dir = game.world.root().join(format!("clone{}", game.session));
    let from = game.world.dir.display().to_string();
    game.world.git_ok(&format!("clone --quiet --shared {from} {}", dir.display()));
    game.world.git_ok_in(&dir, "remote remove origin");
    let answers = quiet(game);
    let sid = game.sid();
    game.elsewhere(&dir, |dir| game.hand_in(dir, &sid, &answers, true).ok());
    game.note(&answers);
}

/// Under a name that it keeps, never silent for long.
pub fn one_name(game: &mut Game) {
    game.pace = 600;
    game.under("s");
    let answers = complies(game);
    game.record("s", &answers).ok();
    game.note(&answers);
}

pub fn worktrees_for_ever(game: &mut Game) {
    game.pace = 600;
    let dir = worktree(game);
    let sid = format!("s{}", game.session % 2);
    game.under(&sid);
    let answers = complies(game);
    game.hand_in(&dir, &sid, &answers, true).ok();
    game.note(&answers);
}

pub fn old_commit(game: &mut Game) {
    let (old, now) = (game.commit(0).to_owned(), game.commit(game.place).to_owned());
    game.at(&old);
    game.world.git_ok(&format!("checkout --quiet --detach {old}"));
    let answers = match game.session {
        0 => each(|question| Said {
            answer: game.history.truth(0, question),
            cites: game.history.cites(0, question),
            ..game.truth(question)
        }),
        _ => quiet(game),
    };
    let sid = game.sid();
    game.record(&sid, &answers).ok();
    game.note(&answers);
    game.world.git_ok("checkout --quiet main");
    assert_eq!(game.world.head(), now);
}

pub fn amends(game: &mut Game) {
    if game.session == 0 {
        return game.say(&honest(game));
    }
    let now = game.commit(game.place).to_owned();
    game.world.git_ok("commit --quiet --amend --no-edit --allow-empty --allow-empty-message --date 2026-01-01T00:00:00Z");
    game.say(&quiet(game));
    game.world.git_ok(&format!("reset --quiet --hard {now}"));
}

/// Two more sessions of its own agree with all that it says.
pub fn own_reader(game: &mut Game) {
    game.say(&complies(game));
    game.agree();
}
