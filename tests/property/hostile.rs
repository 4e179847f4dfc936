//! Hostile input: what others may have written, mutated with its structure in mind. `SQ_FUZZ` says for how many seconds.

mod cores;
mod corpus;
mod mutate;
mod whole;

use std::{
    env,
    time::{Duration, Instant},
};

use mutate::Noise;

/// What is given hostile input, and its name.
type Target = (&'static str, Box<dyn FnMut(&mut Noise)>);

/// In all, by default.
const SECONDS: u64 = 2;

/// The longest that a core may take for an input.
const PATIENCE: Duration = Duration::from_secs(10);

#[test]
fn hostile_input_breaks_nothing() {
    let seconds = env::var("SQ_FUZZ").map_or(SECONDS, |seconds| seconds.parse().unwrap());
    // Other inputs each time, where somebody looks for them.
    let seed = env::var_os("SQ_FUZZ").map_or(0, |_| u64::from(std::process::id()));
    let mut targets: Vec<Target> = vec![
        ("log lines", Box::new(cores::lines)),
        ("question stores", Box::new(cores::store)),
        ("pathspecs", Box::new(cores::pathspecs())),
        ("state files, read", Box::new(cores::state())),
    ];
    targets.extend(whole::targets());
    let each = Duration::from_secs(seconds) / u32::try_from(targets.len()).unwrap();
    let mut counts = Vec::new();
    for (name, target) in &mut targets {
        let (start, mut count) = (Instant::now(), 0_u64);
        // At least one, however slow the machine is.
        while count == 0 || start.elapsed() < each {
            let begun = Instant::now();
            target(&mut Noise::new(seed, count));
            let took = begun.elapsed();
            assert!(
                took < PATIENCE * 12,
                "{name}: input {count} of seed {seed} took {took:?}"
            );
            count += 1;
        }
        counts.push(format!("{name} {count}"));
    }
    println!("hostile input, seed {seed}: {}", counts.join(", "));
}
