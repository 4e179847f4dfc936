//! What users see: the real program in real repositories.

/// Sees that a text has each of these parts; shows the text where it lacks one.
macro_rules! assert_has {
    ($text:expr, $($part:expr),+ $(,)?) => {
        match &$text {
            text => {
                let text: &str = text;
                $(match &$part {
                    part => {
                        let part: &str = part;
                        assert!(text.contains(part), "{part:?} is not in:\n{text}");
                    }
                })+
            }
        }
    };
}

#[cfg(unix)]
mod advice;
#[cfg(unix)]
mod agent;
mod agree;
mod answers;
mod base;
mod brief;
mod broken_store;
mod budget;
mod by;
mod byte_for_byte;
#[cfg(unix)]
mod canaries;
mod carry;
mod carry_homes;
mod carry_merges;
mod chain;
mod check;
mod ci;
mod ci_facts;
#[cfg(unix)]
mod ci_lines;
mod cites;
mod clocks;
mod closed;
#[cfg(unix)]
mod commands;
mod conduct;
#[cfg(unix)]
mod declined;
mod demo;
mod dismissed;
mod disputes;
mod dist;
mod docs;
mod doctor;
mod doctor_missing;
mod drift;
mod errors;
mod expect;
mod facts;
mod facts_asked;
mod facts_base;
mod facts_declared;
mod facts_fix;
mod facts_gate;
mod facts_kept;
mod facts_paths;
mod facts_reads;
mod facts_versions;
mod faults;
#[cfg(unix)]
mod first_format;
#[cfg(unix)]
mod fleet;
mod foreign_notes;
mod gate;
mod gate_formats;
mod gate_honest;
mod gate_log;
mod generated;
mod handed_in;
mod honest;
mod hook_agent;
mod hook_input;
mod hook_managers;
mod hook_paths;
mod hooks;
mod import;
mod index;
mod init;
mod installer;
mod interop;
mod kept;
mod lasting;
mod limits;
mod log;
mod log_home;
mod log_moves;
mod log_settings;
mod long_answers;
mod looks;
mod mistakes;
#[cfg(unix)]
mod named;
#[cfg(unix)]
mod odd_code;
#[cfg(unix)]
mod odd_commits;
#[cfg(unix)]
mod odd_limits;
mod openmetrics;
mod original;
mod people;
mod places;
mod planted;
mod private;
mod probe;
mod probe_record;
mod proofs;
mod proofs_honest;
mod proofs_limits;
#[cfg(unix)]
mod pruned;
mod push;
mod push_remotes;
mod push_settings;
mod question;
mod question_edit;
mod question_test;
mod reading;
mod readme;
mod record;
mod record_cites;
mod record_editor;
mod redact;
mod refusals;
mod remedies;
mod remembered;
mod remotes;
mod repeats;
mod report;
mod rewrites;
mod rotation;
#[cfg(unix)]
mod screen;
mod second;
mod secrets;
mod sessions;
#[cfg(unix)]
mod shared;
mod shells;
#[cfg(unix)]
mod signals;
mod situations;
mod standings;
mod states;
mod stats;
mod steps;
mod sync;
mod tension_rules;
mod tensions;
mod trace;
mod triggers;
mod unknowns;
mod verify;
mod watch;
mod why;
