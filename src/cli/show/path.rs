use crate::{
    cli::{AgentFormat, CommandResult, Context, Failure, Outcome},
    entry::Cited,
    project::{Place, Project},
    timeline::Timeline,
    view::Why,
};

/// Fails if there is no such file, and no entry cites it.
pub fn show(
    context: &Context,
    project: &Project,
    timeline: &Timeline,
    name: &str,
    format: AgentFormat,
) -> CommandResult {
    let (path, lines) = match Cited::parse(name) {
        Some(Cited::Lines { path, lines }) => (path, Some(lines)),
        _ => (name.to_owned(), None),
    };
    let place = Place::from(&project.repo, &context.dir, &path, lines)?;
    let rests = project.why(timeline, &place, context.now)?;
    let is_cited = rests.iter().any(|rest| rest.cited.is_some());
    if !is_cited && !project.has(&place)? {
        let guess =
            project.questions_if_any().map_or_else(String::new, |store| store.set.guess(name));
        let has = |file: &str| project.has(&Place::from(&project.repo, &context.dir, file, None)?);
        let (reason, help) = match name.rsplit_once(':') {
            Some((file, lines)) if has(file)? => (
                format!("{file} has no line {lines} at HEAD"),
                "give a line that it has, as in FILE:3-5",
            ),
            _ => (
                format!(
                    "there is no question, entry, session or commit {name:?}, and HEAD has no such file{guess}"
                ),
                "`git sq question list` lists the questions, `git sq log --all` the entries",
            ),
        };
        return Err(Failure::refused(reason, help));
    }
    let why = Why {
        path: place.path,
        lines: place.lines,
        rests,
        unknown: timeline.unknown_texts(),
        now: context.now,
    };
    if format == AgentFormat::Markdown {
        context.print(&why.markdown());
    } else {
        context.show(&project.repo, &why, format.plain())?;
    }
    Ok(Outcome::of(false, &why.unknown))
}
