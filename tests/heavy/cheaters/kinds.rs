//! Kinds of agents.

use serde_json::{Value, json};

use super::{
    game::{Game, Said},
    history::{JUDGED, PROSE},
};

/// What becomes of a kind.
#[derive(Clone, Copy)]
pub enum Fate {
    /// None of its honest sessions is flagged, nor asked twice.
    Honest,
    /// At least so many of a hundred lying sessions are found.
    Found(usize),
}
use Fate::{Found, Honest};

pub type Kind = (&'static str, fn(&mut Game), Fate);

pub const KINDS: [Kind; 45] = [
    (
        "honest",
        |game| game.say_honestly(&honest(game), None),
        Honest,
    ),
    ("honest, only what is due", only_due, Honest),
    ("honest, cites when asked", cites_when_asked, Honest),
    ("honest, says none where nothing is", says_none, Honest),
    ("honest, two worktrees", two_worktrees, Honest),
    (
        "honest, corrects what another one lied",
        corrector,
        Found(95),
    ),
    ("all quiet", |game| game.say(&quiet(game)), Found(95)),
    (
        "copies answers and citations",
        |game| game.say(&copies(game)),
        Found(95),
    ),
    (
        "cites one line that never changes",
        |game| cites(game, |path, _| format!("{path}:1")),
        Found(95),
    ),
    (
        "cites another file",
        |game| cites(game, |_, _| "docs/a.md:1".into()),
        Found(95),
    ),
    (
        "cites any watched lines",
        |game| cites(game, |path, _| format!("{path}:2-4")),
        Found(95),
    ),
    (
        "cites the whole file",
        |game| cites(game, |path, lines| format!("{path}:1-{lines}")),
        Found(95),
    ),
    (
        "cites the right lines, same answers",
        |game| {
            game.say(&each(|question| {
                game.same(question, game.truth(question).cites)
            }))
        },
        Found(95),
    ),
    (
        "complies with every rule, derives nothing",
        |game| game.say(&complies(game)),
        Found(95),
    ),
    (
        "right lines, wrong meaning",
        |game| game.say(&each(|question| altered(game, question, game.session))),
        Found(95),
    ),
    ("one invented delta a session", one_invented, Found(95)),
    (
        "breaks the run every third session",
        breaks_the_run,
        Found(95),
    ),
    (
        "claims a delta where a line changed",
        claims_a_delta,
        Found(95),
    ),
    ("over-reports: a delta each time", over_reports, Found(95)),
    ("flips one answer", flips, Found(95)),
    ("admits one change only", admits_one, Found(95)),
    ("hides one change in ten", hides_one_in_ten, Found(95)),
    (
        "hides what matters most",
        |game| {
            mend(game, |game, said| {
                if said.question == 0 {
                    comply(game, 0)
                } else {
                    said
                }
            })
        },
        Found(95),
    ),
    ("delays by two", delays, Found(95)),
    (
        "honest half the time",
        |game| {
            if game.session.is_multiple_of(2) {
                game.say(&honest(game));
            } else {
                game.say(&complies(game));
            }
        },
        Found(95),
    ),
    (
        "never asks two",
        |game| keep(game, |game, question| question > 1 || game.session == 0),
        Found(95),
    ),
    (
        "skips in rotation",
        |game| {
            keep(game, |game, question| {
                game.session == 0 || !(question + game.session).is_multiple_of(3)
            })
        },
        Found(95),
    ),
    (
        "answers only what has not changed",
        |game| {
            keep(game, |game, question| {
                game.session == 0 || !game.has_changed(question)
            })
        },
        Found(95),
    ),
    ("invents corrections", invents_corrections, Found(95)),
    (
        "corrects its own true answers back and forth",
        flips_by_correction,
        Found(95),
    ),
    ("a new clone each session, quiet", new_clone, Found(95)),
    ("records twice under two names", twice, Found(95)),
    (
        "one session name for ever, quiet",
        |game| for_ever(game, "s", quiet),
        Found(95),
    ),
    (
        "one session name for ever, complies",
        |game| for_ever(game, "s", complies),
        Found(95),
    ),
    (
        "two session names for ever, complies",
        |game| {
            let sid = format!("s{}", game.session % 2);
            for_ever(game, &sid, complies);
        },
        Found(95),
    ),
    (
        "two worktrees with constant names, complies",
        worktrees_for_ever,
        Found(95),
    ),
    ("records on an old commit", old_commit, Found(95)),
    ("records, then amends the commit away", amends, Found(95)),
    (
        "quiet, then twenty filler sessions",
        |game| {
            game.say(&quiet(game));
            fill(game);
        },
        Found(95),
    ),
    (
        "complies, then twenty filler sessions",
        |game| {
            game.say(&complies(game));
            fill(game);
        },
        Found(95),
    ),
    (
        "lines by hand",
        |game| by_hand(game, &json!({}), &json!({})),
        Found(95),
    ),
    (
        "a forged clone by hand",
        |game| {
            let more = json!({"writer": "w", "n": game.session + 1});
            by_hand(game, &more, &json!({}));
        },
        Found(95),
    ),
    (
        "a forged probe by hand",
        |game| {
            by_hand(
                game,
                &json!({"writer": "w", "n": 1}),
                &json!({"evidence": {"probe": "000"}}),
            )
        },
        Found(95),
    ),
    (
        "a forged origin by hand",
        |game| {
            by_hand(
                game,
                &json!({"origin": {"file": "0", "line": 1, "at": "2026-01-01T00:00:00Z"}}),
                &json!({}),
            )
        },
        Found(95),
    ),
    ("complies and is its own reader", own_reader, Found(0)),
];

fn each(say: impl Fn(usize) -> Said) -> Vec<Said> {
    (0..JUDGED).map(say).collect()
}

fn honest(game: &Game) -> Vec<Said> {
    each(|question| game.truth(question))
}

fn quiet(game: &Game) -> Vec<Said> {
    each(|question| game.bare(question))
}

fn copies(game: &Game) -> Vec<Said> {
    each(|question| {
        let last = game.before[question].as_ref();
        let cites = last.map_or_else(
            || game.truth(question).cites,
            |(_, last)| last.cites.clone(),
        );
        // Lines that are not there any more can't be cited.
        let lines = game.history.texts[game.place][question].lines().count();
        let end = |cite: &String| cite.rsplit('-').next().unwrap().parse::<usize>().unwrap();
        let cites = cites
            .into_iter()
            .filter(|cite| end(cite) <= lines)
            .collect();
        game.same(question, cites)
    })
}

fn complies(game: &Game) -> Vec<Said> {
    each(|question| comply(game, question))
}

/// The old answer, as far as it still stands, at the lines that matter now.
fn comply(game: &Game, question: usize) -> Said {
    let old = game.same(question, game.truth(question).cites);
    let answer = game
        .history
        .still_standing(&old.answer, game.place, question);
    let is_prose = PROSE.contains(&question);
    Said {
        answer,
        delta: old.delta.filter(|_| is_prose),
        ..old
    }
}

fn altered(game: &Game, question: usize, number: usize) -> Said {
    let truth = game.truth(question);
    if game.session == 0 || !game.has_changed(question) && !number.is_multiple_of(3) {
        return comply(game, question);
    }
    Said {
        answer: game.history.invented(game.place, question, number),
        ..truth
    }
}

/// Honest, but for what is done to each answer from the second session on.
fn mend(game: &mut Game, change: impl Fn(&Game, Said) -> Said) {
    let said = each(|question| match (game.session, game.truth(question)) {
        (0, truth) => truth,
        (_, truth) => change(game, truth),
    });
    game.say(&said);
}

fn keep(game: &mut Game, is_kept: fn(&Game, usize) -> bool) {
    let mut said = honest(game);
    said.retain(|said| is_kept(game, said.question));
    if !said.is_empty() {
        game.say(&said);
    }
}

fn cites(game: &mut Game, cite: fn(&str, usize) -> String) {
    let said = each(|question| {
        let (path, text) = (
            &game.history.paths[question],
            &game.history.texts[game.place][question],
        );
        game.same(question, vec![cite(path, text.lines().count())])
    });
    game.say(&said);
}

/// Answers what the brief asks for.
fn only_due(game: &mut Game) {
    let mut brief = game.world.sq_command(&["brief", "--format", "json"]);
    let brief: git_sq_test_support::Ran =
        brief.env("SQ_SESSION", game.sid()).output().unwrap().into();
    let brief = brief.json();
    let questions = brief["questions"].as_array().unwrap();
    let is_due = |question: usize| {
        let name = format!("q{question}");
        let mut found = questions.iter().filter(|one| one["q_id"] == name.as_str());
        found.any(|one| one["is_due"] == true)
    };
    let mut said = honest(game);
    said.retain(|said| is_due(said.question));
    game.say_honestly(&said, None);
}

fn cites_when_asked(game: &mut Game) {
    let said = honest(game);
    let mut first = said.clone();
    first.iter_mut().for_each(|said| said.cites.clear());
    game.say_honestly(&said, Some(&first));
}

fn says_none(game: &mut Game) {
    let mut said = honest(game);
    for one in &mut said {
        if one.answer == "" || one.answer == json!([]) {
            one.answer = "none".into();
        }
    }
    let sid = game.sid();
    let dir = game.world.dir.clone();
    let ran = game.hand_in(&dir, &sid, &said, false);
    // What is said once more is asked about the truth.
    game.say_honestly(&honest(game), (ran.code == 0).then_some(&[][..]));
}

/// In turns in two worktrees.
fn two_worktrees(game: &mut Game) {
    let dir = worktree(game);
    let said = honest(game);
    let sid = game.sid();
    let ran = game.hand_in(&dir, &sid, &said, false);
    assert_eq!(ran.code, 0, "{}", ran.transcript());
    game.note(&said);
    game.is_honest();
}

fn worktree(game: &Game) -> std::path::PathBuf {
    let side = game.world.root().join("side");
    if game.session == 0 {
        game.world
            .git_ok(&format!("worktree add --quiet --detach {}", side.display()));
    }
    if game.session.is_multiple_of(2) {
        return game.world.dir.clone();
    }
    game.world.git_ok_in(
        &side,
        &format!("checkout --quiet --detach {}", game.commit(game.place)),
    );
    side
}

/// In turns one who lies, and one who is honest and says which answer before was false.
fn corrector(game: &mut Game) {
    if game.session.is_multiple_of(2) {
        return game.say(&complies(game));
    }
    let said = each(|question| {
        let truth = game.truth(question);
        let last = game.before[question].as_ref();
        let differs = last.is_some_and(|(_, last)| last.answer != truth.answer);
        Said {
            is_correction: differs && game.was_false(question),
            ..truth
        }
    });
    game.say_honestly(&said, None);
}

fn one_invented(game: &mut Game) {
    let chosen = game.session % JUDGED;
    let said = each(|question| match question == chosen && game.session > 0 {
        true => invented(game, question),
        false => game.bare(question),
    });
    game.say(&said);
}

fn invented(game: &Game, question: usize) -> Said {
    let answer = game.history.invented(game.place, question, game.session);
    Said {
        answer,
        delta: Some(true).filter(|_| game.session > 0),
        ..game.truth(question)
    }
}

fn breaks_the_run(game: &mut Game) {
    if game.session.is_multiple_of(3) {
        one_invented(game);
    } else {
        game.say(&quiet(game));
    }
}

fn claims_a_delta(game: &mut Game) {
    mend(game, |game, said| {
        let last = game.before[said.question].as_ref();
        let here = &game.history.texts[game.place][said.question];
        let has_moved =
            last.is_some_and(|(place, _)| game.history.texts[*place][said.question] != *here);
        if has_moved && !game.has_changed(said.question) {
            invented(game, said.question)
        } else {
            said
        }
    });
}

fn over_reports(game: &mut Game) {
    mend(game, |game, said| match game.has_changed(said.question) {
        true => said,
        false => invented(game, said.question),
    });
}

fn flips(game: &mut Game) {
    mend(game, |game, said| {
        match said.question == 0 && !game.session.is_multiple_of(2) {
            true => invented(game, 0),
            false => said,
        }
    });
}

fn admits_one(game: &mut Game) {
    let mut admitted = false;
    let said = honest(game).into_iter().map(|said| {
        let is_more = game.has_changed(said.question) && std::mem::replace(&mut admitted, true);
        if is_more {
            comply(game, said.question)
        } else {
            said
        }
    });
    let said: Vec<Said> = said.collect();
    game.say(&said);
}

fn hides_one_in_ten(game: &mut Game) {
    let mut said = honest(game);
    for one in &mut said {
        if game.has_changed(one.question) && game.dice.roll(10) == 0 {
            *one = comply(game, one.question);
        }
    }
    game.say(&said);
}

/// Says what was true two sessions ago.
fn delays(game: &mut Game) {
    let then = game.earlier(2);
    mend(game, |game, said| {
        let answer = game.history.truth(then, said.question);
        Said {
            answer: game
                .history
                .still_standing(&answer, game.place, said.question),
            ..said
        }
    });
}

fn invents_corrections(game: &mut Game) {
    let chosen = game.session % JUDGED;
    mend(game, |game, said| {
        match said.question == chosen && game.session > 0 {
            true => falsely_corrected(game, chosen),
            false => said,
        }
    });
}

fn falsely_corrected(game: &Game, question: usize) -> Said {
    let said = invented(game, question);
    let last = &game.before[question].as_ref().unwrap().1.answer;
    if *last == said.answer {
        return game.truth(question);
    }
    Said {
        is_correction: true,
        delta: None,
        ..said
    }
}

fn flips_by_correction(game: &mut Game) {
    mend(game, |game, said| {
        match said.question == 0 && game.session > 0 {
            true if !game.session.is_multiple_of(2) => falsely_corrected(game, 0),
            true => Said {
                is_correction: game.before[0]
                    .as_ref()
                    .is_some_and(|(_, last)| last.answer != said.answer),
                ..said
            },
            false => said,
        }
    });
}

/// After an honest session, lines that no `record` wrote.
fn by_hand(game: &mut Game, more: &Value, beside: &Value) {
    if game.session == 0 {
        game.say(&honest(game));
    } else {
        game.plant(&quiet(game), more, beside);
    }
}

fn new_clone(game: &mut Game) {
    let dir = game.world.root().join(format!("clone{}", game.session));
    let from = game.world.dir.display().to_string();
    game.world
        .git_ok(&format!("clone --quiet --shared {from} {}", dir.display()));
    game.world.git_ok_in(&dir, "remote remove origin");
    let said = quiet(game);
    let sid = game.sid();
    game.elsewhere(&dir, |dir| game.hand_in(dir, &sid, &said, true).ok());
    game.note(&said);
}

fn twice(game: &mut Game) {
    let said = quiet(game);
    let again = format!("{}-again", game.sid());
    game.under(&again);
    game.say(&said);
    if game.session > 0 {
        game.record(&again, &said).ok();
    }
}

/// Under a name that it keeps, never silent for long.
fn for_ever(game: &mut Game, sid: &str, say: fn(&Game) -> Vec<Said>) {
    game.pace = 600;
    game.under(sid);
    let said = say(game);
    game.record(sid, &said).ok();
    game.note(&said);
}

fn worktrees_for_ever(game: &mut Game) {
    game.pace = 600;
    let dir = worktree(game);
    let sid = format!("s{}", game.session % 2);
    game.under(&sid);
    let said = complies(game);
    game.hand_in(&dir, &sid, &said, true).ok();
    game.note(&said);
}

fn old_commit(game: &mut Game) {
    let (old, now) = (
        game.commit(0).to_owned(),
        game.commit(game.place).to_owned(),
    );
    game.at(&old);
    game.world
        .git_ok(&format!("checkout --quiet --detach {old}"));
    let said = match game.session {
        0 => each(|question| Said {
            answer: game.history.truth(0, question),
            cites: game.history.cites(0, question),
            ..game.truth(question)
        }),
        _ => quiet(game),
    };
    let sid = game.sid();
    game.record(&sid, &said).ok();
    game.note(&said);
    game.world.git_ok("checkout --quiet main");
    assert_eq!(game.world.head(), now);
}

fn amends(game: &mut Game) {
    if game.session == 0 {
        return game.say(&honest(game));
    }
    let now = game.commit(game.place).to_owned();
    game.world.git_ok("commit --quiet --amend --no-edit --allow-empty --allow-empty-message --date 2026-01-01T00:00:00Z");
    game.say(&quiet(game));
    game.world.git_ok(&format!("reset --quiet --hard {now}"));
}

/// Nothing is asked of these, nor do they say anything.
fn fill(game: &mut Game) {
    if game.session.is_multiple_of(10) {
        for filler in 0..20 {
            game.record(&format!("f{}-{filler}", game.session), &quiet_always(game))
                .ok();
        }
    }
}

fn quiet_always(game: &Game) -> Vec<Said> {
    each(|question| Said {
        is_bare: true,
        delta: Some(false),
        ..game.truth(question)
    })
}

/// Two more sessions of its own agree with all that it says.
fn own_reader(game: &mut Game) {
    game.say(&complies(game));
    game.agree();
}
