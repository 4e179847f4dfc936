//! The surroundings of a run: the clock, the environment and the terminal, read here and nowhere else.

use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    env,
    io::{self, IsTerminal, Write},
    path::PathBuf,
    time::SystemTime,
};

use clap::ValueEnum as _;
use jiff::{Timestamp, tz::TimeZone};

use super::{ColourWhen, CommandResult, Failure, Format, GlobalArgs, Outcome};
use crate::{
    ci,
    entry::Agent,
    git::{self, Pager, Repo},
    harness::{Call, Harness, shown},
    project::{FoundStore, Project},
    question::Question,
    session::{Named, by_variable, known_by_hook, why_no_name},
    store::lost_entries,
    view::{
        DateMode, Dates, Output, Style, asides, command_text, escape, json, lost_text,
        without_commands,
    },
};

pub struct Context {
    pub dir: PathBuf,
    pub now: Timestamp,
    pub session: Option<String>,
    /// The command as its messages name it: `git sq question reword`.
    pub command: String,
    /// The sessions that harnesses name in variables, which may be inherited.
    inherited: Vec<(&'static str, String)>,
    /// True if the output is read by a CI system that obeys lines of it.
    obeys_lines: bool,
    pub cache: bool,
    agent: Agent,
    colour: Option<ColourWhen>,
    unprinted: RefCell<Option<io::Error>>,
    /// Number of entries that were missing from the local ref when the repository was first opened.
    pub lost: Cell<Option<usize>>,
}

impl Context {
    pub fn read(global: &GlobalArgs, command: &str) -> io::Result<Self> {
        let session = text("SQ_SESSION");
        let inherited: Vec<_> = Harness::value_variants()
            .iter()
            .filter_map(|harness| Some((harness.name(), text(harness.facts().session?)?)))
            .collect();
        let first = inherited.first().filter(|_| session.is_none());
        let agent = Agent {
            name: text("SQ_AGENT"),
            model: text("SQ_MODEL"),
            harness: text("SQ_HARNESS").or_else(|| Some(first?.0.to_owned())),
        };
        Ok(Self {
            dir: env::current_dir().map_err(|error| {
                io::Error::other(format!("could not get the current directory: {error}"))
            })?,
            now: now()?,
            session,
            command: command.to_owned(),
            inherited,
            obeys_lines: ci::obeys_lines(text),
            cache: !global.no_cache,
            agent,
            colour: global.color,
            unprinted: RefCell::new(None),
            lost: Cell::new(None),
        })
    }

    /// `None` if the environment names no agent; an invalid name is refused.
    pub fn agent(&self) -> Result<Option<Agent>, Failure> {
        let agent = &self.agent;
        for (variable, name) in
            [("SQ_AGENT", &agent.name), ("SQ_MODEL", &agent.model), ("SQ_HARNESS", &agent.harness)]
        {
            if let Some(why) = name.as_deref().and_then(why_no_name) {
                return Err(Failure::refused(
                    format!("{variable} {why}"),
                    "unset it, or set it to a name of 1 to 128 characters; spaces are allowed",
                ));
            }
        }
        Ok(Some(agent.clone()).filter(|agent| *agent != Agent::default()))
    }

    /// The session that an option names, else the environment's.
    pub fn named<'a>(&'a self, repo: &Repo, option: Option<&'a str>) -> Result<Named<'a>, Failure> {
        let environment = match &self.session {
            Some(session) => Some(session.as_str()),
            None => by_variable(repo, &self.inherited, &programs(), self.now)?,
        };
        Ok(Named { option, environment })
    }

    pub fn for_hook_call(&self, call: &Call) -> Result<Self, Failure> {
        let mut context = self.refreshed()?;
        context.dir.extend(&call.cwd);
        context.session = Some(call.session.clone());
        let model = call.model.clone().filter(|model| why_no_name(model).is_none());
        context.agent.model = context.agent.model.or(model);
        let harness = call.harness.map(|harness| harness.name().to_owned());
        context.agent.harness = text("SQ_HARNESS").or(harness);
        Ok(context)
    }

    /// The surroundings after a wait, with the present time.
    pub fn refreshed(&self) -> Result<Self, Failure> {
        let global = GlobalArgs { color: self.colour, no_cache: !self.cache };
        Self::read(&global, &self.command).map_err(|error| Failure::refused(error.to_string(), ""))
    }

    pub fn is_interactive(&self) -> bool {
        io::stdin().is_terminal() && io::stdout().is_terminal()
    }

    /// The answer to a question on the terminal; `None` if it could not be read.
    pub fn ask(&self, question: &str) -> Option<String> {
        self.print(question);
        let mut answer = String::new();
        io::stdin().read_line(&mut answer).ok()?;
        Some(answer.trim().to_owned())
    }

    pub fn open(&self) -> git::Result<Repo> {
        let repo = known_by_hook(Repo::open(&self.dir)?.dated(self.now))?;
        repo.share_new_files();
        if self.lost.get().is_none() {
            // An error is that of the command, which reads these refs, too.
            self.lost.set(Some(lost_entries(&repo).unwrap_or_default()));
        }
        Ok(repo)
    }

    pub fn project(&self, tip: Option<&str>) -> Result<Project, Failure> {
        let mut project = Project::open(self.open()?, tip, self.cache)?;
        let is_person = self.is_person();
        project.runs_commands = is_person || project.repo.user_flag("sq", "agentCommands");
        Ok(project)
    }

    /// The same, for a command whose output does not say which questions are used: it says so if HEAD's are not.
    pub fn project_noted(&self, tip: Option<&str>) -> Result<Project, Failure> {
        let project = self.project(tip)?;
        let warning = project.questions_if_any().and_then(FoundStore::warning);
        let style = self.style(Some(&project.repo));
        self.note(&asides(warning.as_slice(), &[], style));
        Ok(project)
    }

    /// Colours as git would use them here: `--color`, `color.sq`, `color.ui`, then the terminal.
    pub fn style(&self, repo: Option<&Repo>) -> Style {
        let configured = || {
            let repo = repo?;
            ["color.sq", "color.ui"].into_iter().find_map(|key| repo.config_string(key))
        };
        let when = self.colour.unwrap_or_else(|| {
            match configured().map(|value| value.to_ascii_lowercase()).as_deref() {
                Some("always") => ColourWhen::Always,
                Some("never" | "false" | "no" | "off" | "0") => ColourWhen::Never,
                _ => ColourWhen::Auto,
            }
        });
        let colour = match when {
            ColourWhen::Always => true,
            ColourWhen::Never => false,
            ColourWhen::Auto => {
                let dumb = env::var_os("TERM").is_none_or(|term| term == "dumb");
                let plain = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                is_read_by_a_person() && !dumb && !plain
            }
        };
        Style {
            colour,
            unicode: is_unicode(),
            width: terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| width.0.into()),
        }
    }

    /// Dates as git would print them here: the option, then `log.date`; unsupported modes count as unset.
    pub fn dates(&self, repo: &Repo, mode: Option<DateMode>) -> Dates {
        let configured = || DateMode::from_str(&repo.config_string("log.date")?, false).ok();
        Dates {
            mode: mode.or_else(configured).unwrap_or_default(),
            zone: TimeZone::system(),
            now: self.now,
        }
    }

    /// Days in UTC, as the log has them; the system's zone would cost more than a repeated `check`.
    pub fn days(&self) -> Dates {
        Dates { mode: DateMode::Short, zone: TimeZone::UTC, now: self.now }
    }

    /// Prints to standard output; a closed pipe is not an error. Returns true if everything was written.
    pub fn print(&self, text: &str) -> bool {
        self.print_as_is(&self.for_reader(text))
    }

    /// Prints workflow commands for the runner of a CI without defusing them.
    pub fn print_as_is(&self, text: &str) -> bool {
        let mut out = io::stdout().lock();
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        let Err(error) = written else { return true };
        // `| head` closes the pipe once it has read enough.
        if error.kind() != io::ErrorKind::BrokenPipe {
            self.unprinted.replace(Some(error));
        }
        false
    }

    /// Prints the whole output of a command that found nothing wrong.
    pub fn say(&self, text: &str) -> CommandResult {
        self.print(text);
        Ok(Outcome::Clean)
    }

    /// Prints a result as JSON or text.
    pub fn show<'r, T: Output>(
        &self,
        repo: impl Into<Option<&'r Repo>>,
        output: &T,
        format: Format,
    ) -> CommandResult {
        self.say(&self.render(repo, output, format))
    }

    pub fn render<'r, T: Output>(
        &self,
        repo: impl Into<Option<&'r Repo>>,
        output: &T,
        format: Format,
    ) -> String {
        match format {
            Format::Json => json(T::SCHEMA, output),
            Format::Text => output.text(self.style(repo.into())),
        }
    }

    pub fn printed(&self) -> Result<(), Failure> {
        match self.unprinted.take() {
            None => Ok(()),
            Some(error) => Err(Failure::refused(
                format!("could not write the output: {error}"),
                "the output is incomplete",
            )),
        }
    }

    /// As in `2026-01-31`.
    pub fn today(&self) -> String {
        self.now.strftime("%Y-%m-%d").to_string()
    }

    pub fn note(&self, text: &str) {
        let _ = io::stderr().lock().write_all(self.for_reader(text).as_bytes());
    }

    /// Defuses the commands of the CI system that reads along, if there is one.
    fn for_reader<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.obeys_lines { without_commands(text).into() } else { text.into() }
    }

    pub fn announce(&self, question: &Question) {
        let name = escape(&question.name().to_string());
        let command = question.command().map(command_text);
        self.note(&format!("Running {name}: {}\n", command.unwrap_or_default()));
    }

    /// Lists on standard error what could not be determined, and gives the outcome that follows.
    pub fn note_unknown(&self, unknown: &[String]) -> Outcome {
        self.note(&asides(&[], unknown, Style::default()));
        Outcome::of(false, unknown)
    }

    /// Says once whether entries are missing from the local ref, or were and are not any more.
    pub fn note_lost(&self) {
        let Some(before) = self.lost.get().filter(|lost| *lost > 0) else {
            return;
        };
        let now = self.open().and_then(|repo| lost_entries(&repo)).unwrap_or(before);
        self.note(&asides(&[lost_text(before, now)], &[], Style::default()));
    }

    /// Prints text that may be long, through the user's pager as git would.
    pub fn page(
        &self,
        repo: &Repo,
        wanted: bool,
        texts: &mut dyn Iterator<Item = String>,
    ) -> Result<(), Failure> {
        let by_git = env::var_os("GIT_PAGER_IN_USE").is_some();
        if wanted
            && !by_git
            && io::stdout().is_terminal()
            && self.refuse_agents("").is_ok()
            && let Some(pager) = Pager::of(repo)
            && pager.show(texts)?
        {
            return Ok(());
        }
        for text in texts {
            if !self.print(&text) {
                break;
            }
        }
        Ok(())
    }
}

/// The programs that the environment shows.
pub(super) fn programs() -> Vec<&'static str> {
    shown(|name| text(name).is_some())
}

pub(super) fn text(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// Returns true if standard output leads to a person: a terminal, or the pager that git put before it.
fn is_read_by_a_person() -> bool {
    let paged = env::var("GIT_PAGER_IN_USE").is_ok_and(|value| value == "true" || value == "1");
    io::stdout().is_terminal() || paged
}

/// Returns true if the locale uses Unicode, as `setlocale` would find it.
fn is_unicode() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(env::var_os)
        .find(|value| !value.is_empty());
    match locale {
        Some(locale) => {
            let locale = locale.to_string_lossy().to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        }
        None => cfg!(windows),
    }
}

/// The current time; tests of debug builds can set another one.
fn now() -> io::Result<Timestamp> {
    #[cfg(debug_assertions)]
    if let Ok(time) = env::var("SQ_TEST_NOW") {
        return time.parse().map_err(|_| bad_clock());
    }
    // An entry can't hold every time.
    Timestamp::try_from(SystemTime::now()).map_err(|_| bad_clock())
}

fn bad_clock() -> io::Error {
    io::Error::other("the system clock is set to a time after the year 9999")
}
