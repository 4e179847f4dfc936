//! Bytes of a question store into a set of questions, or into every place that is wrong.

use jiff::Timestamp;

use super::{
    Importance, Probe, Problem, Question, QuestionRef, QuestionSet, Settings, Shape, Status,
    StoreError, StoreSchema, Trigger,
    json::{self, Node, Value},
    keys::{QUESTION_V1, QUESTION_V2, TOP_V1, TOP_V2},
    reader::Reader,
    reference::is_valid_id,
    settings::duration,
};

/// Reads the store in `bytes`; `name` is where they came from, for the reader of an error.
///
/// # Errors
/// Every place that is wrong, marked in the text.
pub fn parse(name: &str, bytes: &[u8]) -> Result<QuestionSet, StoreError> {
    let text = match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let readable = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let end = readable.len();
            let problem = Problem::new(end..end, "from here on this is not UTF-8")
                .help("save the file as UTF-8");
            return Err(StoreError::new(name, &readable, vec![problem]));
        }
    };
    let mut reader = Reader {
        text,
        problems: Vec::new(),
    };
    let set = match json::parse(text) {
        Ok(root) => reader.store(&root),
        Err(problem) => {
            reader.problems.push(problem);
            None
        }
    };
    match set {
        Some(set) if reader.problems.is_empty() => Ok(set),
        _ => Err(StoreError::new(name, text, reader.problems)),
    }
}

impl Reader<'_> {
    fn store(&mut self, root: &Node) -> Option<QuestionSet> {
        let schema_node = match &root.value {
            Value::Object(members) => members.iter().find(|m| m.key == "_schema"),
            _ => None,
        };
        let schema = match schema_node.map(|m| self.text[m.node.span.clone()].trim_matches('"')) {
            Some("standing_questions/v1") => StoreSchema::V1,
            Some("standing_questions/v2") => StoreSchema::V2,
            _ => {
                let span = schema_node.map_or(root.span.start..root.span.start + 1, |m| {
                    m.node.span.clone()
                });
                self.problems.push(
                    Problem::new(span, "`_schema` has to say how the store is written").help(
                        "write \"_schema\": \"standing_questions/v2\" (or /v1) as the first key",
                    ),
                );
                return None;
            }
        };
        let (top, each) = match schema {
            StoreSchema::V1 => (TOP_V1, QUESTION_V1),
            StoreSchema::V2 => (TOP_V2, QUESTION_V2),
        };
        let fields = self.object(root, top, schema)?;
        self.optional::<String>(&fields, "_note");
        self.optional::<String>(&fields, "$schema");
        let settings = fields
            .get("settings")
            .map_or_else(Settings::default, |node| self.settings(node));
        let questions = self.required_node(&fields, "questions")?;
        let Value::Array(items) = &questions.value else {
            self.problem(questions, "this has to be an array of questions");
            return None;
        };
        if items.is_empty() {
            self.problems.push(
                Problem::new(questions.span.clone(), "the store asks nothing")
                    .help("add a question, or let `git sq init` plant a set"),
            );
        }
        let mut set = QuestionSet {
            schema,
            settings,
            questions: Vec::with_capacity(items.len()),
        };
        for item in items {
            if let Some(question) = self.question(item, each, schema) {
                self.check_unique(item, &set, &question);
                set.questions.push(question);
            }
        }
        Some(set)
    }

    fn check_unique(&mut self, item: &Node, set: &QuestionSet, new: &Question) {
        let span = item.span.start..item.span.start + 1;
        let name = new.name();
        if set.find(&new.id, new.version).is_some() {
            self.problems.push(
                Problem::new(span, format!("{name} stands in the store already")).help(
                    "an id is never used again: give a new wording the next `version`, and a new question a new id",
                ),
            );
        } else if new.status == Status::Active
            && let Some(other) = set.active().find(|q| q.id == new.id)
        {
            let other = other.name();
            self.problems.push(
                Problem::new(span, format!("{other} is active as well")).help(
                    "mark the older version \"deprecated\", or the newer one \"trial\" while both are asked",
                ),
            );
        }
    }

    fn question(&mut self, item: &Node, allowed: &[&str], schema: StoreSchema) -> Option<Question> {
        let before = self.problems.len();
        let fields = self.object(item, allowed, schema)?;
        let id: Option<String> = self.required(&fields, "id");
        if let (Some(id), Some(node)) = (&id, fields.get("id"))
            && !is_valid_id(id)
        {
            self.problems.push(
                Problem::new(node.span.clone(), "this can't be an id").help(
                    "an id begins with a small letter and goes on with small letters, digits, _ and -, as in q4",
                ),
            );
        }
        let text: Option<String> = self.required(&fields, "q");
        if let (Some(text), Some(node)) = (&text, fields.get("q"))
            && text.trim().is_empty()
        {
            self.problem(node, "the question is empty");
        }
        let importance: Option<u8> = self.required(&fields, "importance");
        if let (Some(importance), Some(node)) = (importance, fields.get("importance"))
            && !(1..=3).contains(&importance)
        {
            self.problems.push(
                Problem::new(node.span.clone(), "importance is 1, 2 or 3").help(
                    "3: re-derive it every session; 2: most sessions; 1: when relevant or stale",
                ),
            );
        }
        let status: Option<Status> = self.optional(&fields, "status");
        if let (StoreSchema::V1, Some(Status::Trial | Status::Deprecated), Some(node)) =
            (schema, status, fields.get("status"))
        {
            self.problem(node, "in standing_questions/v1 this is active or retired");
        }
        let version: Option<u32> = self.optional(&fields, "version");
        if let (Some(0), Some(node)) = (version, fields.get("version")) {
            self.problem(node, "versions count from 1");
        }
        let created: Option<String> = self.optional(&fields, "created");
        if let (Some(created), Some(node)) = (&created, fields.get("created"))
            && created.parse::<Timestamp>().is_err()
            && created.parse::<jiff::civil::Date>().is_err()
        {
            self.problem(node, "this is neither a date (2026-11-21) nor a time");
        }
        let shape: Option<Shape> = self.optional(&fields, "shape");
        if let (Some(Shape::Enum(words)), Some(node)) = (&shape, fields.get("shape"))
            && words.len() < 2
        {
            self.problem(node, "an enum needs two words or more to choose from");
        }
        let trigger: Option<Trigger> = self.optional(&fields, "trigger");
        if let (Some(Trigger::Every(span)), Some(node)) = (&trigger, fields.get("trigger"))
            && duration(span).is_none()
        {
            self.problem(node, "this is not a length of time, as in \"7d\"");
        }
        let watch: Vec<String> = self.optional(&fields, "watch").unwrap_or_default();
        if let (true, Some(node)) = (watch.iter().any(String::is_empty), fields.get("watch")) {
            self.problem(node, "a pathspec is empty");
        }
        let probe: Option<Probe> = self.optional(&fields, "probe");
        if let (Some(probe), Some(node)) = (&probe, fields.get("probe"))
            && let Some(message) = probe_problem(probe)
        {
            self.problem(node, message);
        }
        let question = Question {
            id: id?,
            version: version.unwrap_or(1),
            text: text?,
            importance: Importance(importance?),
            status: status.unwrap_or_default(),
            evidence_hint: self.optional(&fields, "evidence_hint"),
            reason: self.optional(&fields, "reason"),
            created,
            shape,
            watch,
            trigger: trigger.unwrap_or_default(),
            severity: self.optional(&fields, "severity").unwrap_or_default(),
            expect: self.optional(&fields, "expect"),
            probe,
            max_staleness: self.optional(&fields, "max_staleness"),
            require_evidence: self
                .optional(&fields, "require_evidence")
                .unwrap_or_default(),
        };
        (self.problems.len() == before).then_some(question)
    }
}

fn probe_problem(probe: &Probe) -> Option<&'static str> {
    match probe {
        Probe::Run(argv) if argv.first().is_none_or(|program| program.trim().is_empty()) => {
            Some("the command has no program")
        }
        Probe::Run(argv) if argv.iter().any(|word| word.contains('\0')) => {
            Some("an argument has a NUL character")
        }
        Probe::Grep { text, .. } if text.is_empty() => Some("there is no text to look for"),
        Probe::Grep { paths, .. } | Probe::Files(paths)
            if paths.is_empty() || paths.iter().any(String::is_empty) =>
        {
            Some("it has to name pathspecs")
        }
        _ => None,
    }
}

impl QuestionSet {
    /// The version that `name` means among those that are asked.
    ///
    /// # Errors
    /// Why an answer to it can't be recorded.
    pub fn asked(&self, name: &QuestionRef) -> Result<&Question, String> {
        let Some(question) = self.resolve(name) else {
            return Err(format!("there is no question {name} in the store"));
        };
        if question.status.is_asked() {
            Ok(question)
        } else {
            Err(format!("{name} is {}", question.status.as_str()))
        }
    }
}
