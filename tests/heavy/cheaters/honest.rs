//! Agents that don't lie.

use git_sq_test_support::Ran;
use serde_json::json;

use super::{
    game::{Game, Said},
    kinds::{complies, each, honest, worktree},
};

pub fn careful(game: &mut Game) {
    let said = honest(game);
    is_honest(game, &said, &said);
}

/// Answers what the brief asks for.
pub fn only_due(game: &mut Game) {
    let mut brief = game.world.sq_command(&["brief", "--format", "json"]);
    let brief: Ran = brief.env("SQ_SESSION", game.sid()).output().unwrap().into();
    let brief = brief.json();
    let questions = brief["questions"].as_array().unwrap();
    let is_due = |question: usize| {
        let name = format!("q{question}");
        let mut found = questions.iter().filter(|question| question["q_id"] == name.as_str());
        found.any(|question| question["is_due"] == true)
    };
    let mut said = honest(game);
    said.retain(|said| is_due(said.question));
    is_honest(game, &said, &said);
}

pub fn cites_when_asked(game: &mut Game) {
    let said = honest(game);
    let mut first = said.clone();
    for answer in &mut first {
        answer.cites.clear();
    }
    if game.hand_in(&game.world.dir, &game.sid(), &first, false).code == 0 {
        is_honest(game, &[], &said);
    } else {
        is_honest(game, &said, &said);
    }
}

fn is_honest(game: &mut Game, handed_in: &[Said], answers: &[Said]) {
    let dir = game.world.dir.clone();
    game.say_honestly(&dir, handed_in, answers);
}

pub fn says_none(game: &mut Game) {
    let said = honest(game);
    let mut in_words = said.clone();
    for answer in &mut in_words {
        if answer.answer == "" || answer.answer == json!([]) {
            answer.answer = "none".into();
        }
    }
    is_honest(game, &in_words, &said);
}

pub fn two_worktrees(game: &mut Game) {
    let (dir, said) = (worktree(game), honest(game));
    game.say_honestly(&dir, &said, &said);
}

/// In turns one who lies, and one who is honest and says which answer before was false.
pub fn corrector(game: &mut Game) {
    if game.session.is_multiple_of(2) {
        return game.say(&complies(game));
    }
    let said = each(|question| {
        let truth = game.truth(question);
        let last = game.before[question].as_ref();
        let differs = last.is_some_and(|(_, last)| last.answer != truth.answer);
        let is_correction = differs && game.was_false(question) && stood(game, &truth);
        Said { is_correction, ..truth }
    });
    is_honest(game, &said, &said);
}

/// Whether what an answer rests on stood where the one before was given; else the truth came later.
fn stood(game: &Game, said: &Said) -> bool {
    let text = |place: usize| &game.history.texts[place][said.question];
    let Some((before, _)) = game.before[said.question] else {
        return false;
    };
    said.cites.iter().all(|cite| {
        let (_, lines) = cite.rsplit_once(':').unwrap();
        let (from, to) = lines.split_once('-').unwrap();
        let [from, to] = [from, to].map(|line| line.parse::<usize>().unwrap());
        let block: Vec<&str> =
            text(game.place).lines().skip(from - 1).take(to + 1 - from).collect();
        let lines: Vec<&str> = text(before).lines().collect();
        lines.windows(block.len()).any(|lines| lines == block)
    })
}
