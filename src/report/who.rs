use crate::entry::Person;

pub fn who(when: &str, agent: Option<&str>, by: Option<&Person>) -> String {
    let by = by
        .map(|person| person.name.as_str())
        .filter(|name| !name.is_empty());
    let words = [Some(when), agent, by];
    words.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
