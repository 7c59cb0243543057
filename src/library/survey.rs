//! The facts on disk about a run of games, read folder by folder.
//!
//! Owns the questions behind `path_exists`, the `has_*` flags of media and the screenshots that can
//! be shown. It collects them all first, reads every folder once, and then answers from the listings.

use std::{borrow::Cow, sync::Arc, time::Instant};

use hashbrown::HashMap;

use crate::{
    game::slots::{self, MEDIA, Slots, slot},
    probe::{
        found_saves::{FoundSaves, SaveKeys},
        listing::Presence,
        probes::{Folder, Probes, Stamp, split},
    },
};

const PATH: usize = slot("path");
const SCREENSHOTS: usize = slot("screenshots");
const SAVES: usize = slot("save_paths");
/// The fields by which saves are searched, in the order of [`SaveKeys`].
const SAVE_KEYS: [usize; 4] = [slot("name"), PATH, slot("platform"), slot("store_a_app_id")];

/// The facts on disk about one game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct DiskFacts {
    /// Something stands at `path`.
    pub path_exists: bool,
    /// One of its save paths exists, or saves were found where its emulator or store keeps them.
    pub has_saves: bool,
    /// A file of achievements says that all were earned.
    pub is_mastered: bool,
    /// Media fields whose file exists and may be served, as bits in the order of [`MEDIA`].
    pub present: u32,
    /// Media fields whose path may not be shown: outside the roots or through a link.
    pub withheld: u32,
    /// One entry for every element of `screenshots`.
    pub screenshots: Vec<Shot>,
}

/// The facts on disk about one screenshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Shot {
    /// Its file exists and may be served.
    Present,
    /// Its path may be shown, but there is no file.
    #[default]
    Missing,
    /// Its path may not be shown.
    Withheld,
}

/// A folder an answer hangs on, with the generation it was answered from.
pub type Ground = (Arc<Folder>, u64);

/// The questions about a run of games.
#[derive(Default)]
pub struct Survey<'a> {
    folders: HashMap<Cow<'a, str>, usize>,
    questions: Vec<Question<'a>>,
    facts: Vec<DiskFacts>,
}

struct Question<'a> {
    game: usize,
    subject: Subject,
    folder: usize,
    name: Cow<'a, str>,
}

#[derive(Clone, Copy)]
enum Subject {
    Path,
    Save,
    Media(usize),
    Screenshot(usize),
}

impl<'a> Survey<'a> {
    /// Collects the questions about these games.
    pub fn of(run: &[Slots<'a>], probes: &Probes, saves: &FoundSaves) -> Self {
        let mut survey = Self::default();
        for slots in run {
            survey.add(slots, probes, saves);
        }
        survey
    }

    fn add(&mut self, slots: &Slots<'a>, probes: &Probes, saves: &FoundSaves) {
        let [name, path, platform, store_id] = SAVE_KEYS.map(|slot| slots.text(slot));
        let (name, path, platform, store_id) = (&name, &path, &platform, &store_id);
        let has_saves = saves.covers(SaveKeys { name, path, platform, store_id });
        let mut facts = DiskFacts { has_saves, ..DiskFacts::default() };
        let game = self.facts.len();
        if slots.is_set(PATH) {
            self.ask(game, Subject::Path, slots.text(PATH));
        }
        for raw in slots.items(SAVES) {
            self.ask(game, Subject::Save, slots::text_of(raw));
        }
        for (bit, slot) in MEDIA.iter().enumerate().filter(|(_, slot)| slots.is_set(**slot)) {
            let path = slots.text(*slot);
            if probes.roots().covers(&path) {
                self.ask(game, Subject::Media(bit), path);
            } else {
                facts.withheld |= 1 << bit;
            }
        }
        for (at, raw) in slots.items(SCREENSHOTS).into_iter().enumerate() {
            let path = slots::text_of(raw);
            let covered = probes.roots().covers(&path);
            facts.screenshots.push(if covered { Shot::Missing } else { Shot::Withheld });
            if covered {
                self.ask(game, Subject::Screenshot(at), path);
            }
        }
        self.facts.push(facts);
    }

    fn ask(&mut self, game: usize, subject: Subject, path: Cow<'a, str>) {
        let (folder, name): (Cow<'a, str>, Cow<'a, str>) = match path {
            Cow::Borrowed(path) => {
                let (folder, name) = split(path);
                (folder.into(), name.into())
            }
            Cow::Owned(path) => {
                let (folder, name) = split(&path);
                (folder.to_owned().into(), name.to_owned().into())
            }
        };
        if folder.starts_with('/') && !matches!(name.as_ref(), "" | "." | "..") {
            let next = self.folders.len();
            let folder = *self.folders.entry(folder).or_insert(next);
            self.questions.push(Question { game, subject, folder, name });
        }
    }

    /// Answers from listings no older than `since`, as far as they come before the deadline.
    pub fn answer(
        self,
        probes: &Probes,
        since: Stamp,
        deadline: Instant,
    ) -> (Vec<DiskFacts>, Vec<Ground>) {
        let mut paths = vec![""; self.folders.len()];
        for (path, at) in &self.folders {
            paths[*at] = path;
        }
        let folders = probes.folders(&paths);
        probes.ensure(&folders, since, deadline);
        // The generation is read before the listing: a change in between is noticed later.
        let grounds: Vec<Ground> =
            folders.into_iter().map(|folder| (Arc::clone(&folder), folder.generation())).collect();
        let views: Vec<_> = grounds.iter().map(|(folder, _)| folder.view()).collect();
        let mut facts = self.facts;
        for question in &self.questions {
            let view = &views[question.folder];
            let found = view.look(&question.name);
            let facts = &mut facts[question.game];
            let forbidden = found == Presence::Link || view.is_linked();
            match question.subject {
                Subject::Path => facts.path_exists = found != Presence::Nothing,
                Subject::Save => facts.has_saves |= found != Presence::Nothing,
                Subject::Media(bit) if forbidden => facts.withheld |= 1 << bit,
                Subject::Media(bit) if found == Presence::File => facts.present |= 1 << bit,
                Subject::Media(_) => {}
                Subject::Screenshot(at) => {
                    facts.screenshots[at] = match found {
                        _ if forbidden => Shot::Withheld,
                        Presence::File => Shot::Present,
                        _ => Shot::Missing,
                    }
                }
            }
        }
        (facts, grounds)
    }
}
