//! `git sq`: parses, runs, exits.

fn main() -> std::process::ExitCode {
    git_sq::cli::main()
}
