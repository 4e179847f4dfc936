use crate::{
    cli::{
        CommandResult, Context, Failure,
        answers::from_options,
        writing::{Speaker, Writing, named},
    },
    entry::Body,
    project::{Asked, Compared, Measure},
    store::Turn,
    view::SecondRecorded,
};

const USAGE: &str = "nothing was written; usage: git sq record --second ENTRY 'q4=the answer', where `git sq brief` names the entry";

/// The question, if the session has to answer it now that it is disputed.
fn left(context: &Context, sid: &str, name: &str) -> Result<Vec<String>, Failure> {
    let project = context.project(None)?;
    let snapshot = project.snapshot(&Measure::default())?;
    let asked = project.asked(&project.questions()?.set, &snapshot, Some(sid), &[])?;
    let left = asked.iter().filter(|asked| asked.needs_answer() && asked.name() == name);
    Ok(left.map(Asked::name).collect())
}

pub fn look(args: &super::RecordArgs, context: &Context, entry: &str) -> CommandResult {
    let project = context.project(None)?;
    let set = &project.questions()?.set;
    let mut reasons = Vec::new();
    let given = from_options(&args.options(), set, &mut reasons);
    let mut names: Vec<&str> = given.iter().map(|item| item.name.as_str()).collect();
    names.dedup();
    let answer = given.iter().find_map(|item| item.answer.as_ref());
    let (Some(answer), [name]) = (answer, names.as_slice()) else {
        reasons.push("a second look takes one answer to one question".into());
        return Err(Failure::refused_for(reasons, USAGE));
    };
    let agrees = given.iter().find_map(|item| item.delta).map(|delta| !delta);
    let note = given.iter().find_map(|item| item.note.clone());
    let cites: Vec<String> =
        given.iter().flat_map(|item| &item.cites).map(|cite| cite.at.clone()).collect();
    let whole = named(args.sid.as_deref(), &project)?;
    let speaker = Speaker::of(context, &project.repo, whole)?;
    let mut writing = Writing::begin(context, &project.repo, &speaker)?;
    let sid = writing.sid.clone();
    let turn = Turn::take(&project.repo)?;
    let now = project.reread(context.now)?;
    let compared = now.compare_second(set, &sid, entry, (name, answer, note), &cites, agrees)?;
    let (look, is_others) = match compared.map_err(|why| Failure::refused(why, USAGE))? {
        Compared::Look { look, is_others } => (look, is_others),
        Compared::Asks(both) => {
            return Err(Failure::refused(
                format!("is that the same answer?\n{both}"),
                format!(
                    "nothing was written yet, and your answer is final: repeat the command with --same {name}, or --delta '{name}=how it differs'"
                ),
            ));
        }
    };
    writing.turn = Some(turn);
    let (envelope, _) = writing.envelope_at_head(&project)?;
    let body = Body::Second(look.clone());
    writing.add(project.tip, envelope, body, "shorten the answer or the note")?;
    writing.append_and_publish("git sq record --second")?;
    let left = if look.agrees { Vec::new() } else { left(context, &sid, name)? };
    context.show(&project.repo, &SecondRecorded { sid, look, left, is_others }, args.print.format)
}
