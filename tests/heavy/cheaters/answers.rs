//! Agents whose answers, deltas or citations are false.

use super::{
    game::{Game, Said},
    history::JUDGED,
    kinds::{complies, comply, each, honest, quiet},
};

pub fn is_quiet(game: &mut Game) {
    game.say(&quiet(game));
}

/// Knows every rule, and reads nothing.
pub fn derives_nothing(game: &mut Game) {
    game.say(&complies(game));
}

pub fn copies_all(game: &mut Game) {
    game.say(&copies(game));
}

pub fn one_constant_line(game: &mut Game) {
    cites(game, |path, _| format!("{path}:1"));
}

pub fn whole_files(game: &mut Game) {
    cites(game, |path, lines| format!("{path}:1-{lines}"));
}

pub fn right_lines(game: &mut Game) {
    game.say(&each(|question| game.same(question, game.truth(question).cites)));
}

pub fn wrong_meaning(game: &mut Game) {
    game.say(&each(|question| altered(game, question, game.session)));
}

pub fn honest_half_the_time(game: &mut Game) {
    if game.session.is_multiple_of(2) {
        game.say(&honest(game));
    } else {
        game.say(&complies(game));
    }
}

pub fn never_asks_two(game: &mut Game) {
    keep(game, |_, question| question > 1);
}

pub fn only_unchanged(game: &mut Game) {
    keep(game, |game, question| !game.has_changed(question));
}

fn copies(game: &Game) -> Vec<Said> {
    each(|question| {
        let last = game.before[question].as_ref();
        let cites = last.map_or_else(|| game.truth(question).cites, |(_, last)| last.cites.clone());
        // Where nothing stands any more, nothing can be cited.
        let lines: Vec<&str> = game.history.texts[game.place][question].lines().collect();
        let stands = |cite: &String| {
            let (_, range) = cite.rsplit_once(':').unwrap();
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
            let there = lines.get(first - 1..last).unwrap_or_default();
            there.iter().any(|line| !line.trim().is_empty())
        };
        let cites = cites.into_iter().filter(stands).collect();
        game.same(question, cites)
    })
}

fn altered(game: &Game, question: usize, number: usize) -> Said {
    let truth = game.truth(question);
    if game.session == 0 || !game.has_changed(question) && !number.is_multiple_of(3) {
        return comply(game, question);
    }
    Said { answer: game.history.invented(game.place, question, number), ..truth }
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
    said.retain(|said| game.session == 0 || is_kept(game, said.question));
    if !said.is_empty() {
        game.say(&said);
    }
}

fn cites(game: &mut Game, cite: fn(&str, usize) -> String) {
    let said = each(|question| {
        let (path, text) =
            (&game.history.paths[question], &game.history.texts[game.place][question]);
        game.same(question, vec![cite(path, text.lines().count())])
    });
    game.say(&said);
}

fn one_invented(game: &mut Game) {
    let chosen = game.session % JUDGED;
    let said = each(|question| {
        if question == chosen && game.session > 0 {
            invented(game, question)
        } else {
            game.bare(question)
        }
    });
    game.say(&said);
}

fn invented(game: &Game, question: usize) -> Said {
    let answer = game.history.invented(game.place, question, game.session);
    Said { answer, delta: Some(true).filter(|_| game.session > 0), ..game.truth(question) }
}

pub fn breaks_the_run(game: &mut Game) {
    if game.session.is_multiple_of(3) {
        one_invented(game);
    } else {
        game.say(&quiet(game));
    }
}

pub fn claims_a_delta(game: &mut Game) {
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

pub fn hides_one_in_ten(game: &mut Game) {
    let mut said = honest(game);
    for answer in &mut said {
        if game.has_changed(answer.question) && game.dice.roll(10) == 0 {
            *answer = comply(game, answer.question);
        }
    }
    game.say(&said);
}

/// Says what was true two sessions ago.
pub fn delays(game: &mut Game) {
    let then = game.earlier(2);
    mend(game, |game, said| {
        let answer = game.history.truth(then, said.question);
        Said { answer: game.history.still_standing(&answer, game.place, said.question), ..said }
    });
}

pub fn invents_corrections(game: &mut Game) {
    let chosen = game.session % JUDGED;
    mend(game, |game, said| {
        if said.question == chosen && game.session > 0 {
            falsely_corrected(game, chosen)
        } else {
            said
        }
    });
}

fn falsely_corrected(game: &Game, question: usize) -> Said {
    let said = invented(game, question);
    let last = &game.before[question].as_ref().unwrap().1.answer;
    if *last == said.answer {
        return game.truth(question);
    }
    // A correction without citations is refused.
    let cites = match said.cites.as_slice() {
        [] => vec![format!("{}:1-3", game.history.paths[question])],
        cites => cites.to_vec(),
    };
    Said { is_correction: true, delta: None, cites, ..said }
}
