use super::{Facts, Found, session, warning};

pub fn check(facts: &Facts) -> Vec<Found> {
    let most = facts.settings.tension.per_session;
    let mut found = Vec::new();
    for conduct in &facts.survey.tensions {
        let session = session(&conduct.sid, conduct.by.as_ref());
        if conduct.opened > most as usize {
            let message = format!("{session} opened {} tensions (limit {most})", conduct.opened);
            let help = "check whether they are worth keeping: `git sq tension list --all`";
            found.push(warning(message, help).about(&conduct.sid));
        }
        if conduct.unfounded > 0 {
            let message = format!(
                "{session} opened and closed {} of its tensions without any citation",
                conduct.unfounded
            );
            let help = "cite where the answer is: --cite path:line";
            found.push(warning(message, help).about(&conduct.sid));
        }
    }
    found
}
