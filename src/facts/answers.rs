//! Answers that were derived from objects, in this run and in earlier ones.

use std::{
    collections::{BTreeMap, HashMap},
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::git::{self, Oid};

/// The answer to a question about an object; it may be empty.
pub type Answer = Option<String>;

/// Bytes of questions and answers up to which they are kept; with more, the next run begins anew.
const MOST: usize = 64 << 20;

/// An object never changes, and neither does what it answers.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Answers(Mutex<Known>);

/// The numbers of questions, each with the answer.
type Sheet = BTreeMap<u32, Answer>;

/// The versions of a file mostly answer alike, so that equal sheets are kept once.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Known {
    questions: HashMap<String, u32>,
    sheets: Vec<Sheet>,
    objects: HashMap<Oid, u32>,
    #[serde(skip)]
    new: HashMap<Oid, Sheet>,
}

impl Answers {
    /// The number of a question, by which it is asked.
    pub fn question(&self, text: String) -> u32 {
        let questions = &mut self.lock().questions;
        let next = u32::try_from(questions.len()).unwrap_or(u32::MAX);
        *questions.entry(text).or_insert(next)
    }

    /// The answers of an object to some questions. `find` is asked for those that are not known; if it can't read the
    /// object, nothing is answered, and nothing kept.
    pub fn of(
        &self,
        object: Oid,
        questions: &[u32],
        find: impl FnOnce() -> Option<Vec<Answer>>,
    ) -> Vec<Answer> {
        let known = self.lock().known(object, questions);
        known.unwrap_or_else(|| match find() {
            Some(answers) => {
                let new = questions.iter().copied().zip(answers.iter().cloned());
                self.lock().new.entry(object).or_default().extend(new);
                answers
            }
            None => vec![None; questions.len()],
        })
    }

    /// The answer of an object to one question.
    pub fn to(
        &self,
        object: Oid,
        question: String,
        find: impl FnOnce() -> Option<Answer>,
    ) -> Answer {
        let find = || Some(vec![find()?]);
        self.of(object, &[self.question(question)], find).pop().flatten()
    }

    /// The same, for any value.
    pub fn value<T: Serialize + DeserializeOwned>(
        &self,
        object: Oid,
        question: String,
        find: impl FnOnce() -> git::Result<T>,
    ) -> git::Result<T> {
        let question = self.question(question);
        let known = self.lock().known(object, &[question]).and_then(|mut known| known.pop()?);
        if let Some(value) = known.and_then(|known| serde_json::from_str(&known).ok()) {
            return Ok(value);
        }
        let value = find()?;
        let answer = serde_json::to_string(&value).ok();
        self.lock().new.entry(object).or_default().insert(question, answer);
        Ok(value)
    }

    /// Makes all answers ready to be kept. Returns false if none is new.
    pub fn settle(&self) -> bool {
        self.lock().settle()
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn known(&self, object: Oid, questions: &[u32]) -> Option<Vec<Answer>> {
        let new = self.new.get(&object);
        let old = self.objects.get(&object).map(|&number| &self.sheets[number as usize]);
        let known = |question| new?.get(question);
        let answer = |question| known(question).or_else(|| old?.get(question)).cloned();
        questions.iter().map(answer).collect()
    }

    fn settle(&mut self) -> bool {
        let new = mem::take(&mut self.new);
        let is_new = !new.is_empty();
        let mut numbers: HashMap<Sheet, u32> = self.sheets.iter().cloned().zip(0..).collect();
        for (object, more) in new {
            let old = self.objects.get(&object).map(|&number| &self.sheets[number as usize]);
            let sheet: Sheet = old
                .into_iter()
                .flatten()
                .map(|(key, value)| (*key, value.clone()))
                .chain(more)
                .collect();
            let next = u32::try_from(self.sheets.len()).unwrap_or(u32::MAX);
            let number = *numbers.entry(sheet).or_insert_with_key(|sheet| {
                self.sheets.push(sheet.clone());
                next
            });
            self.objects.insert(object, number);
        }
        let answers = self.sheets.iter().flat_map(BTreeMap::values).flatten();
        let texts = answers.chain(self.questions.keys()).map(String::len);
        if texts.sum::<usize>() + self.objects.len() * size_of::<Oid>() > MOST {
            *self = Self::default();
        }
        is_new
    }
}
