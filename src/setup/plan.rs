//! A plan on its way to its commit: the outcome of every candidate, packed.
//!
//! The plan of a large preview holds more text than the library it becomes. Neighbouring candidates
//! resemble each other, so a page of them takes a tenth of that and is opened when its turn comes.

use std::{
    io::{Read as _, Write as _},
    iter::repeat,
};

use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};

use super::{candidate::Candidate, resolve::Act};

/// Steps that are packed together.
const PAGE: usize = 256;
/// How hard they are packed: a preview has hundreds of pages, each opened once.
const LEVEL: u32 = 1;

/// One candidate of a commit. Its JSON is read when its turn comes: many rows opened at once would
/// take several times the memory of the library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its outcome.
    pub act: Act,
    /// The candidate as it is kept, with what was decided.
    pub candidate: Box<str>,
}

impl Step {
    /// The outcome of a candidate.
    pub fn new(act: Act, candidate: &Candidate) -> Self {
        // OK because candidates are plain structs with text keys.
        let text = serde_json::to_string(candidate).unwrap_or_default();
        Self { act, candidate: text.into() }
    }

    /// Whether files must be written before the row that it becomes can point to them.
    fn may_need_files(&self) -> bool {
        matches!(self.act, Act::Import { .. } | Act::Merge { .. })
            && (self.candidate.contains("\"playlists\"") || self.candidate.contains("\"cover\""))
    }
}

/// The steps of a commit in their order.
#[derive(Default)]
pub struct Plan {
    pages: Vec<Page>,
    /// The page that is being filled: a line for each candidate.
    acts: Vec<Act>,
    text: Vec<u8>,
    may_need_files: bool,
}

struct Page {
    acts: Vec<Act>,
    packed: Box<[u8]>,
    may_need_files: bool,
}

impl Plan {
    /// Adds a step at the end.
    pub fn push(&mut self, step: Step) {
        self.may_need_files |= step.may_need_files();
        self.acts.push(step.act);
        // No JSON text holds a bare line break.
        self.text.extend_from_slice(step.candidate.as_bytes());
        self.text.push(b'\n');
        if self.acts.len() == PAGE {
            self.close_page();
        }
    }

    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.pages.len() * PAGE + self.acts.len()
    }

    /// Puts others in the place of the steps whose files must be written first.
    ///
    /// # Errors
    /// Those of `place`.
    pub fn with_files<E>(
        mut self,
        mut place: impl FnMut(Step) -> Result<Step, E>,
    ) -> Result<Self, E> {
        self.close_page();
        for page in self.pages.iter_mut().filter(|page| page.may_need_files) {
            let mut placed = Self::default();
            for step in page.steps() {
                placed.push(if step.may_need_files() { place(step)? } else { step });
            }
            placed.close_page();
            if let Some(placed) = placed.pages.pop() {
                *page = placed;
            }
        }
        Ok(self)
    }

    fn close_page(&mut self) {
        if self.acts.is_empty() {
            return;
        }
        let mut deflater = DeflateEncoder::new(Vec::new(), Compression::new(LEVEL));
        // OK because writing to memory does not fail, and a page without its text is reported as damaged.
        let packed = deflater.write_all(&self.text).and_then(|()| deflater.finish());
        self.pages.push(Page {
            acts: std::mem::take(&mut self.acts),
            packed: packed.unwrap_or_default().into(),
            may_need_files: std::mem::take(&mut self.may_need_files),
        });
        self.text.clear();
    }
}

impl Page {
    /// Its steps; one whose candidate is gone has a blank one, which cannot be read.
    fn steps(&self) -> Vec<Step> {
        let mut text = String::new();
        // OK because what cannot be unpacked is missing below.
        drop(DeflateDecoder::new(&*self.packed).read_to_string(&mut text));
        let lines = text.lines().chain(repeat(""));
        let steps = self.acts.iter().zip(lines);
        steps.map(|(act, line)| Step { act: act.clone(), candidate: line.into() }).collect()
    }
}

impl IntoIterator for Plan {
    type Item = Step;
    type IntoIter = Box<dyn Iterator<Item = Step>>;

    fn into_iter(mut self) -> Self::IntoIter {
        self.close_page();
        Box::new(self.pages.into_iter().flat_map(|page| page.steps()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn candidate(number: usize, has_cover: bool) -> Candidate {
        let mut record =
            json!({"name": format!("Game\n\"{number}\" \u{2028}"), "path": format!("/r/{number}")});
        if has_cover {
            record["cover"] = "/c.png".into();
        }
        let record = serde_json::from_value(record).expect("an object");
        Candidate { id: format!("{number:024}"), record, ..Candidate::default() }
    }

    fn steps(count: usize) -> Vec<Step> {
        let act = |number| match number % 3 {
            0 => Act::Import { is_decided: false },
            1 => Act::Merge { target: format!("game-{number}") },
            _ => Act::Skip,
        };
        let step = |number| Step::new(act(number), &candidate(number, number % 300 < 5));
        (0..count).map(step).collect()
    }

    fn plan(steps: &[Step]) -> Plan {
        let mut plan = Plan::default();
        for step in steps {
            plan.push(step.clone());
        }
        plan
    }

    #[test]
    fn steps_come_out_as_they_went_in() {
        for count in [0, 1, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE] {
            let (steps, plan) = (steps(count), plan(&steps(count)));
            assert_eq!(plan.len(), count);
            assert_eq!(plan.into_iter().collect::<Vec<_>>(), steps);
        }
    }

    #[test]
    fn a_plan_is_small_beside_its_text() {
        let steps = steps(4 * PAGE);
        let text: usize = steps.iter().map(|step| step.candidate.len()).sum();
        let packed: usize = plan(&steps).pages.iter().map(|page| page.packed.len()).sum();
        assert!(packed * 5 < text, "{packed} of {text}");
    }

    #[test]
    fn only_steps_that_need_files_are_placed() {
        let steps = steps(700);
        let mut placed = Vec::new();
        let done = plan(&steps).with_files(|step| {
            placed.push(step.candidate.to_string());
            Ok::<_, ()>(Step { candidate: "{}".into(), ..step })
        });
        let wanted: Vec<&Step> = steps.iter().filter(|step| step.may_need_files()).collect();
        assert_eq!(placed.len(), 12, "four of five, three times");
        assert!(wanted.iter().zip(&placed).all(|(step, placed)| *step.candidate == **placed));
        let expected = steps.iter().map(|step| {
            let candidate =
                if step.may_need_files() { "{}".into() } else { step.candidate.clone() };
            Step { act: step.act.clone(), candidate }
        });
        assert!(done.expect("placed").into_iter().eq(expected));
        assert_eq!(plan(&steps).with_files(|_| Err::<Step, _>(7)).err(), Some(7));
    }
}
