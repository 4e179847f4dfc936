//! Hostile input: what others may have written, mutated with its structure in mind. `SQ_FUZZ` says for how many seconds,
//! or `SQ_ROUNDS` how many rounds of each kind that is planted in a repository.

mod cores;
mod corpus;
mod mutate;
mod planted;
mod victim;
mod whole;

use std::{
    env,
    rc::Rc,
    time::{Duration, Instant},
};

use mutate::Noise;
use victim::{FIGURES, Victim};

/// What is given hostile input, and its name.
type Target = (&'static str, Box<dyn FnMut(&mut Noise)>);

/// In all, by default.
const SECONDS: u64 = 2;

/// The longest that a core, or one run of the program, may take.
const PATIENCE: Duration = Duration::from_secs(10);

#[test]
fn hostile_input_breaks_nothing() {
    let number = |name| env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let (seconds, rounds) = (number("SQ_FUZZ"), number("SQ_ROUNDS"));
    // Other inputs each time, where somebody looks for them.
    let seed = seconds.or(rounds).map_or(0, |_| u64::from(std::process::id()));
    let mut targets: Vec<Target> = vec![
        ("log lines", Box::new(cores::lines)),
        ("question stores", Box::new(cores::store)),
        ("pathspecs", Box::new(cores::pathspecs())),
        ("state files, read", Box::new(cores::state())),
    ];
    let victim = Rc::new(Victim::new());
    targets.extend(planted::targets(&victim));
    targets.extend(whole::targets(&victim));
    let each =
        Duration::from_secs(seconds.unwrap_or(SECONDS)) / u32::try_from(targets.len()).unwrap();
    for (name, target) in &mut targets {
        let (start, mut count) = (Instant::now(), 0_u64);
        let rounds = rounds.filter(|_| name.starts_with("planted"));
        // At least one, however slow the machine is.
        while rounds.map_or(count == 0 || start.elapsed() < each, |rounds| count < rounds) {
            target(&mut Noise::new(seed, count));
            count += 1;
        }
        println!("{name}: {count} rounds in {:?}", start.elapsed());
    }
    let (codes, longest) = &*FIGURES.lock().unwrap();
    println!("seed {seed}: the program ended with {codes:?} (code: times), in {longest:?} at most");
}
