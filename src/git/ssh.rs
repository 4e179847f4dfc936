//! The user's ssh, told to ask nothing.

use std::path::Path;

use super::Repo;

/// What keeps OpenSSH from asking, and from trying for ever to connect.
const SILENT: &str = "-o BatchMode=yes -o ConnectTimeout=10";

impl Repo {
    /// The command to use for `GIT_SSH_COMMAND`; None where the user's is not known to be OpenSSH.
    pub(super) fn silent_ssh(&self) -> Option<String> {
        let of_env = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        if of_env("GIT_SSH_VARIANT")
            .or_else(|| self.config_string("ssh.variant"))
            .is_some_and(|variant| !["auto", "ssh"].contains(&variant.as_str()))
        {
            return None;
        }
        let command = of_env("GIT_SSH_COMMAND").or_else(|| self.config_string("core.sshCommand"));
        match (command, of_env("GIT_SSH")) {
            (Some(command), _) => silenced(&command),
            // A program's path, which may hold blanks.
            (None, Some(program)) => {
                let quoted = program.replace('\'', "'\\''");
                is_ssh(&program).then(|| format!("'{quoted}' {SILENT}"))
            }
            (None, None) => Some(format!("ssh {SILENT}")),
        }
    }
}

/// A command of a shell that runs OpenSSH, with the options that make it silent.
fn silenced(command: &str) -> Option<String> {
    let mut rest = command.trim_start();
    loop {
        let (word, after) = first_word(rest)?;
        if is_ssh(word) {
            return Some(format!("{command} {SILENT}"));
        }
        let is_setting = word.contains('=') && !word.starts_with('=');
        if !is_setting && Path::new(word).file_stem()? != "env" {
            return None;
        }
        rest = after.trim_start();
    }
}

/// The first word, without the quotes around it, and what follows.
fn first_word(text: &str) -> Option<(&str, &str)> {
    for quote in ['\'', '"'] {
        if let Some(inside) = text.strip_prefix(quote) {
            return inside.split_once(quote);
        }
    }
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

fn is_ssh(program: &str) -> bool {
    Path::new(program)
        .file_stem()
        .is_some_and(|name| name == "ssh")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openssh_is_told_to_ask_nothing_however_it_is_called() {
        for command in [
            "ssh",
            "ssh -i key",
            "/usr/bin/ssh -v",
            "'/usr/bin/ssh' -i k",
            "\"/Program Files/ssh.exe\" -i k",
            "A=1 ssh",
            "env A=1 B=2 ssh",
        ] {
            let silent = silenced(command).unwrap();
            assert_eq!(silent, format!("{command} {SILENT}"));
        }
        for command in ["", "plink -batch", "my-ssh", "sh -c ssh", "'unclosed"] {
            assert_eq!(silenced(command), None, "{command}");
        }
    }
}
