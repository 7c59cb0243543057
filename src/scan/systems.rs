//! The system of a folder: the platform that the user chose for it, else the one its name means.
//!
//! What the user chose is kept in the setting `folder_platforms`, by the path of the folder. It holds for
//! every later import of that folder, so a watch folder finds the same games again.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::{
    game::batches::FolderChange,
    model::Draft,
    platforms::{self, Kind, Platform},
};

use super::extensions::{self, Extension};

/// The extension of programs for computers.
const PROGRAM: &str = "exe";
/// The setting with the choices.
const KEY: &str = "folder_platforms";

/// The platform of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct System {
    /// The platform.
    pub platform: &'static Platform,
    /// Whether the user chose it. It then holds for every file that can be a game, whatever its
    /// extension says.
    pub is_chosen: bool,
}

impl System {
    /// The platform of a file with an accepted extension in a folder of this system, if there is one.
    pub fn platform_of(found: Option<Self>, extension: &Extension) -> &'static str {
        match found {
            Some(Self { platform, is_chosen: true }) => platform.name,
            found => extensions::platform_of(extension, found.map(|system| system.platform)),
        }
    }

    /// Whether [`System::platform_of`] leaves no doubt.
    pub fn is_certain(found: Option<Self>, extension: &Extension) -> bool {
        found.is_some_and(|system| system.is_chosen)
            || extensions::is_certain(extension, found.map(|system| system.platform))
    }
}

/// Platforms by folder: absolute, without a slash at the end. An empty platform takes a choice back.
pub type FolderChoices = BTreeMap<String, String>;

/// The platforms that the user chose for folders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderSystems {
    chosen: BTreeMap<String, &'static Platform>,
}

impl FolderSystems {
    /// The choices of these settings.
    pub fn of(settings: &Map<String, Value>) -> Self {
        let stored = settings.get(KEY).and_then(Value::as_object).into_iter().flatten();
        let read = |(path, name): (&String, &Value)| {
            Some((path.clone(), platforms::by_name(name.as_str()?)?))
        };
        Self { chosen: stored.filter_map(read).collect() }
    }

    /// These choices after further ones.
    pub fn with(mut self, choices: &FolderChoices) -> Self {
        for (path, name) in choices {
            match platforms::by_name(name) {
                Some(platform) => {
                    self.chosen.insert(path.clone(), platform);
                }
                None => {
                    self.chosen.remove(path);
                }
            }
        }
        self
    }

    /// The name of the platform that was chosen for a folder; blank for none.
    fn chosen_for(&self, folder: &str) -> &'static str {
        self.chosen.get(folder).map_or("", |platform| platform.name)
    }

    /// The system that a folder itself has, given its path.
    pub fn own(&self, folder: &str) -> Option<System> {
        if let Some(platform) = self.chosen.get(folder) {
            return Some(System { platform, is_chosen: true });
        }
        let mut names = folder.rsplit('/');
        let platform = names.next().and_then(platforms::by_folder)?;
        let above = names.next().and_then(platforms::by_folder);
        let is_game = above.is_some_and(|above| is_game_of(above, platform));
        (!is_game).then_some(System { platform, is_chosen: false })
    }

    /// The system of an imported folder: its own, else the one that was chosen for the nearest folder
    /// above it.
    pub fn of_root(&self, root: &str) -> Option<System> {
        self.own(root).or_else(|| self.chosen_above(root))
    }

    /// The system of a file by the folders above it, of which `named` may name one.
    pub fn of_file(&self, path: &str, named: usize) -> Option<System> {
        let (folder, _) = path.rsplit_once('/')?;
        above(folder)
            .take(named)
            .find_map(|folder| self.own(folder))
            .or_else(|| self.chosen_above(folder))
    }

    fn chosen_above(&self, folder: &str) -> Option<System> {
        let platform = above(folder).find_map(|folder| self.chosen.get(folder))?;
        Some(System { platform, is_chosen: true })
    }

    /// The folder that decides the system of what lies in `folder`, which is `root` or below it: the
    /// nearest one with a system of its own, else the one directly below `root`.
    pub fn deciding<'a>(&self, root: &str, folder: &'a str) -> &'a str {
        let mut top = folder;
        for folder in above(folder) {
            if folder.len() <= root.len() {
                break;
            }
            if self.own(folder).is_some() {
                return folder;
            }
            top = folder;
        }
        if self.of_root(root).is_some() { &top[..root.len().min(top.len())] } else { top }
    }
}

/// Whether a folder that is named like an engine is that of one game, because the folder around it holds
/// programs: `dos/DOOM`.
fn is_game_of(above: &Platform, named: &Platform) -> bool {
    named.kind == Kind::Engine && !named.lists(PROGRAM) && above.lists(PROGRAM)
}

/// A folder and those above it, the nearest first.
fn above(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| {
        folder.rsplit_once('/').map(|(parent, _)| parent).filter(|parent| !parent.is_empty())
    })
}

/// Keeps choices for later imports; what changed.
pub fn remember(draft: &mut Draft, choices: &FolderChoices) -> Vec<FolderChange> {
    let known = FolderSystems::of(draft.state().settings());
    let after = known.clone().with(choices);
    let changes = choices.keys().filter_map(|path| {
        let (before, after) = (known.chosen_for(path), after.chosen_for(path));
        let (before, after) = (before.to_owned(), after.to_owned());
        (before != after).then(|| FolderChange { path: path.clone(), before, after })
    });
    let changes: Vec<FolderChange> = changes.collect();
    if !changes.is_empty() {
        let names: BTreeMap<&String, &str> =
            after.chosen.iter().map(|(path, platform)| (path, platform.name)).collect();
        draft.merge_section("settings", Map::from_iter([(KEY.to_owned(), json!(names))]), &[]);
    }
    changes
}

/// Takes choices back that are still as they were made.
pub fn take_back(draft: &mut Draft, changes: &[FolderChange]) {
    let known = FolderSystems::of(draft.state().settings());
    let is_same = |change: &&FolderChange| known.chosen_for(&change.path) == change.after;
    let before = changes.iter().filter(is_same);
    let choices = before.map(|change| (change.path.clone(), change.before.clone())).collect();
    remember(draft, &choices);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::State;

    fn systems(choices: &[(&str, &str)]) -> FolderSystems {
        let choices = choices.iter().map(|(path, name)| ((*path).to_owned(), (*name).to_owned()));
        FolderSystems::default().with(&choices.collect())
    }

    #[track_caller]
    fn check(found: Option<System>, expected: Option<(&str, bool)>) {
        assert_eq!(found.map(|system| (system.platform.name, system.is_chosen)), expected);
    }

    #[test]
    fn a_choice_goes_before_a_name() {
        let systems = systems(&[("/r/snes", "Sega Genesis"), ("/r/odd", "NES")]);
        check(systems.own("/r/snes"), Some(("Sega Genesis", true)));
        check(systems.own("/r/nes"), Some(("NES", false)));
        check(systems.own("/r/other"), None);
        check(systems.own("/r/Doom"), Some(("Doom", false)));
        check(systems.own("/r/dos/DOOM"), None);
        check(systems.own("/r/dos/ports"), Some(("Ports", false)));
        check(systems.own("/r/windows/snes"), Some(("SNES", false)));
        check(systems.of_file("/r/dos/DOOM/a.exe", 2), Some(("DOS", false)));
        check(systems.of_root("/r/odd/deep/er"), Some(("NES", true)));
        check(systems.of_root("/r/nes/deep"), None);
        check(systems.of_file("/r/odd/1/2/3/a.zip", 2), Some(("NES", true)));
        check(systems.of_file("/r/nes/1/a.zip", 2), Some(("NES", false)));
        check(systems.of_file("/r/nes/1/2/a.zip", 2), None);
        let chosen = systems.own("/r/snes");
        let zip = extensions::find(b"a.nes").expect("known");
        assert_eq!(System::platform_of(chosen, zip), "Sega Genesis");
        assert_eq!(System::platform_of(systems.own("/r/nes"), zip), "NES");
        assert!(System::is_certain(chosen, zip));
    }

    #[test]
    fn the_folder_that_decides_is_the_nearest_with_a_system_or_the_first() {
        let plain = FolderSystems::default();
        for (folder, expected) in [
            ("/r", "/r"),
            ("/r/a", "/r/a"),
            ("/r/a/b/c", "/r/a"),
            ("/r/a/nes/b", "/r/a/nes"),
            ("/r/nes/a/b", "/r/nes"),
        ] {
            assert_eq!(plain.deciding("/r", folder), expected, "{folder}");
        }
        assert_eq!(plain.deciding("/nes", "/nes/a/b"), "/nes");
        assert_eq!(systems(&[("/r/a/b", "NES")]).deciding("/r", "/r/a/b/c"), "/r/a/b");
        assert_eq!(systems(&[("/r", "NES")]).deciding("/r", "/r/a/b"), "/r");
    }

    #[test]
    fn choices_are_kept_and_taken_back() {
        let mut draft = Draft::new(State::default());
        let choose = |draft: &mut Draft, path: &str, name: &str| {
            drop(remember(draft, &FolderChoices::from([(path.to_owned(), name.to_owned())])));
            draft.state().settings().get(KEY).cloned()
        };
        assert_eq!(choose(&mut draft, "/r/a", ""), None, "nothing to undo");
        assert_eq!(choose(&mut draft, "/r/a", "NES"), Some(json!({"/r/a": "NES"})));
        assert_eq!(choose(&mut draft, "/r/b", "Wii"), Some(json!({"/r/a": "NES", "/r/b": "Wii"})));
        assert_eq!(choose(&mut draft, "/r/a", ""), Some(json!({"/r/b": "Wii"})));
        check(FolderSystems::of(draft.state().settings()).own("/r/b"), Some(("Wii", true)));
        let chosen = |choices: &[(&str, &str)]| -> FolderChoices {
            choices.iter().map(|(path, name)| ((*path).to_owned(), (*name).to_owned())).collect()
        };
        let changes =
            remember(&mut draft, &chosen(&[("/r/b", "NES"), ("/r/c", "PSP"), ("/r/d", "")]));
        let paths: Vec<&str> = changes.iter().map(|change| change.path.as_str()).collect();
        assert_eq!(paths, ["/r/b", "/r/c"]);
        remember(&mut draft, &chosen(&[("/r/c", "SNES")]));
        take_back(&mut draft, &changes);
        let left = draft.state().settings().get(KEY).cloned();
        assert_eq!(left, Some(json!({"/r/b": "Wii", "/r/c": "SNES"})), "a later choice stays");
    }
}
