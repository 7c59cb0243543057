//! Emulator definitions: what each emulator plays and how it is started.
//!
//! A [`Catalog`] is one set of them at one moment, read by imports (which emulator to recommend for a
//! platform) and by launching (which command to detect for it). Where a set comes from is not known
//! here. Its order is the order in which recommendations are shown.

use crate::{base::named::named, platforms};

use std::{collections::HashMap, sync::Arc};

/// How one emulator plays the files of one platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Unique name, for example `dolphin-wii`.
    pub id: String,
    /// The emulator.
    pub app: Arc<App>,
    /// Its label: the emulator and, in brackets, the platform.
    pub label: String,
    /// The platform it plays.
    pub platform: String,
    /// The file name extensions it takes, lower-case, without dot.
    pub extensions: Vec<String>,
    /// The arguments behind the executable; `{path}` stands for the file.
    pub arguments: Vec<String>,
    /// Whether it is listed before the others.
    pub recommended: bool,
    /// Among the definitions of a platform the lowest is tried first.
    pub priority: u32,
    /// How it takes a state of a game along.
    pub state: StateBlock,
    /// The BIOS it needs, where one is named.
    pub bios: Option<Requirement>,
    /// The firmware it needs, where one is named.
    pub firmware: Option<Requirement>,
    /// The core it loads; empty without one.
    pub core_path: String,
    /// Who wrote it.
    pub origin: Origin,
}

/// One emulator, whatever the number of platforms it plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct App {
    /// Its id, that of its sandboxed package where it has one.
    pub id: String,
    /// Its display name.
    pub name: String,
    /// Its executable on the search path when it is installed natively; empty without one.
    pub executable: String,
    /// The id of its sandboxed package; empty without one.
    pub package: String,
    /// Other names its executable may have.
    pub patterns: Vec<String>,
}

/// A file or folder an emulator needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// Where it is; `~/` is the home folder.
    pub path: String,
    /// Its SHA-1 in lower-case hex; empty when any content will do.
    pub sha1: String,
}

/// How an emulator writes and reads a state of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateBlock {
    /// Its way.
    pub kind: StateKind,
    /// The arguments that resume from a state.
    pub template: Vec<String>,
    /// The arguments that have a state written at the end.
    pub capture: Vec<String>,
    /// The names of the files of a state.
    pub glob: Vec<String>,
}

named! {
    /// The ways to take a state along.
    #[derive(Default)]
    pub enum StateKind {
        /// None.
        #[default]
        None = "none",
        /// That of the multi-system emulator.
        Retroarch = "retroarch",
        /// Arguments of the emulator.
        AdapterCli = "adapter-cli",
        /// A configuration of its own.
        ConfigOverride = "config-override",
    }
}

named! {
    /// Who wrote a definition; the first of these that has one is believed.
    #[derive(PartialOrd, Ord)]
    pub enum Origin {
        /// The user at this machine.
        User = "user",
        /// The definition channel.
        Community = "community",
        /// It came with the program.
        Bundled = "bundled",
    }
}

/// One set of definitions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalog {
    definitions: Vec<Arc<Definition>>,
    extended: Vec<Arc<Definition>>,
}

impl Catalog {
    /// A set in this order; ids are unique. A definition that calls its emulator by the id takes the name that
    /// another definition has for it.
    pub fn new(mut definitions: Vec<Definition>) -> Self {
        let apps = definitions.iter().map(|each| &each.app);
        let names: HashMap<String, String> = apps
            .filter(|app| app.name != app.id)
            .rev()
            .map(|app| (app.id.clone(), app.name.clone()))
            .collect();
        for each in definitions.iter_mut().filter(|each| each.app.name == each.app.id) {
            if let Some(name) = names.get(&each.app.id) {
                each.app = Arc::new(App { name: name.clone(), ..App::clone(&each.app) });
            }
        }
        Self { definitions: definitions.into_iter().map(Arc::new).collect(), extended: Vec::new() }
    }

    /// Adds the extended pack, without definitions whose id is taken.
    #[must_use]
    pub fn extended_by(mut self, mut pack: Vec<Arc<Definition>>) -> Self {
        pack.retain(|each| self.definitions.iter().all(|one| one.id != each.id));
        self.extended = pack;
        self
    }

    /// The extended pack: further definitions, which play a platform but claim no files in a scan.
    pub fn extended(&self) -> &[Arc<Definition>] {
        &self.extended
    }

    /// Every definition but those of the extended pack.
    pub fn definitions(&self) -> &[Arc<Definition>] {
        &self.definitions
    }

    /// Every definition, those of the extended pack last.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Definition>> {
        self.definitions.iter().chain(&self.extended)
    }

    /// The definition with an id.
    pub fn definition(&self, id: &str) -> Option<&Arc<Definition>> {
        self.all().find(|definition| definition.id == id)
    }

    /// Every emulator once, without those of the extended pack.
    pub fn apps(&self) -> Vec<&Arc<App>> {
        each_once(self.definitions.iter())
    }

    /// Every emulator that only the extended pack has, once.
    pub fn extended_apps(&self) -> Vec<&Arc<App>> {
        let standard = self.apps();
        let mut apps = each_once(self.extended.iter());
        apps.retain(|app| standard.iter().all(|known| known.id != app.id));
        apps
    }

    /// The emulator with an id.
    pub fn app(&self, id: &str) -> Option<&Arc<App>> {
        self.find_app(|app| app.id == id)
    }

    /// The first emulator that is as asked for.
    pub fn find_app(&self, is_wanted: impl Fn(&App) -> bool) -> Option<&Arc<App>> {
        self.all().map(|definition| &definition.app).find(|app| is_wanted(app))
    }

    /// The emulators that are recommended for a platform, each once: those of the extended pack only
    /// where no other plays it.
    pub fn for_platform(&self, platform: &str) -> Vec<&Arc<App>> {
        let mut all: Vec<_> = self.of_platform(platform).collect();
        let is_extended =
            |each: &Arc<Definition>| self.extended.iter().any(|one| one.id == each.id);
        if all.iter().any(|each| !is_extended(each)) {
            all.retain(|each| !is_extended(each));
        }
        each_once(all.into_iter())
    }

    /// The definitions that play a platform: its own, and those of the platform it is like. A platform
    /// may have the name that another program has for it.
    pub fn of_platform(&self, platform: &str) -> impl Iterator<Item = &Arc<Definition>> {
        let names = match platforms::by_name(platform) {
            Some(known) => ["", known.like],
            None => platforms::by_listed_name(platform)
                .map_or(["", ""], |known| [known.name, known.like]),
        };
        let platform = platform.to_owned();
        self.all().filter(move |each| {
            let plays = |wanted: &str| !wanted.is_empty() && each.platform == wanted;
            plays(&platform) || names.into_iter().any(plays)
        })
    }

    /// The definitions of a platform in the order in which they are tried: recommended ones first,
    /// then by priority, then by id.
    pub fn ranked(&self, platform: &str) -> Vec<&Arc<Definition>> {
        let mut ranked: Vec<_> = self.of_platform(platform).collect();
        ranked.sort_by_key(|each| (!each.recommended, each.priority, each.id.as_str()));
        ranked
    }
}

fn each_once<'a>(definitions: impl Iterator<Item = &'a Arc<Definition>>) -> Vec<&'a Arc<App>> {
    let mut apps: Vec<&'a Arc<App>> = Vec::new();
    for definition in definitions {
        if apps.iter().all(|app| app.id != definition.app.id) {
            apps.push(&definition.app);
        }
    }
    apps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(id: &str, platform: &str, recommended: bool, priority: u32) -> Definition {
        let name = id.split('-').next().unwrap_or_default().to_owned();
        Definition {
            id: id.to_owned(),
            app: Arc::new(App {
                id: name.clone(),
                name: name.clone(),
                executable: name,
                package: String::new(),
                patterns: Vec::new(),
            }),
            label: id.to_owned(),
            platform: platform.to_owned(),
            extensions: vec!["x".to_owned()],
            arguments: vec!["{path}".to_owned()],
            recommended,
            priority,
            state: StateBlock::default(),
            bios: None,
            firmware: None,
            core_path: String::new(),
            origin: Origin::Bundled,
        }
    }

    #[test]
    fn a_definition_without_a_name_takes_that_of_its_emulator() {
        let nameless = |id: &str| {
            let mut definition = definition(id, "NES", true, 1);
            let named = App::clone(&definition.app);
            definition.app = Arc::new(App { id: "org.a".into(), name: "org.a".into(), ..named });
            definition
        };
        let mut named = nameless("b");
        named.app = Arc::new(App { name: "Emulator A".into(), ..App::clone(&named.app) });
        let catalog = Catalog::new(vec![nameless("a"), named, nameless("c")]);
        assert!(catalog.definitions().iter().all(|each| each.app.name == "Emulator A"));
        let catalog = Catalog::new(vec![nameless("a")]);
        assert_eq!(catalog.definitions()[0].app.name, "org.a");
    }

    #[test]
    fn emulators_are_listed_once_and_definitions_ranked() {
        let catalog = Catalog::new(vec![
            definition("b-one", "P", true, 20),
            definition("a-one", "P", false, 1),
            definition("b-two", "P", true, 10),
            definition("c-one", "P", true, 10),
            definition("c-two", "Q", true, 10),
            definition("d", "Arcade", true, 10),
        ]);
        let ids = |ranked: Vec<&Arc<Definition>>| {
            ranked.into_iter().map(|each| each.id.clone()).collect::<Vec<_>>()
        };
        assert_eq!(ids(catalog.ranked("P")), ["b-two", "c-one", "b-one", "a-one"]);
        let names =
            |apps: Vec<&Arc<App>>| apps.into_iter().map(|app| app.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(catalog.apps()), ["b", "a", "c", "d"]);
        assert_eq!(ids(catalog.ranked("MAME")), ["d"], "it is like an arcade");
        assert_eq!(ids(catalog.ranked("FBNeo - Arcade Games")), ["d"], "another name");
        assert_eq!(names(catalog.for_platform("Q")), ["c"]);
        assert!(catalog.for_platform("p").is_empty());
        assert_eq!(catalog.app("c").map(|app| app.name.as_str()), Some("c"));
        assert!(catalog.definition("c-three").is_none());
    }
}
