//! Which emulators are installed, and the commands they give.
//!
//! A native program is looked up each time: that is a handful of file lookups. What is on no search
//! path may be an AppImage of the user ([`probe::app_images`](crate::probe::app_images)). For sandboxed
//! packages the package tool is asked ([`probe::packages`](crate::probe::packages)).

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::{Map, Value};

use crate::{
    base::named::named,
    definitions::loader::Definitions,
    formats::command_line,
    model::emulators::{App, Catalog, Definition},
    probe::{
        app_images::{self, AppImages},
        packages::{Packages, TOOL},
    },
    process::search,
};

/// Programs that play a platform without being an emulator definition.
const RUNNERS: [(&str, &str); 2] = [("DOSBox", "dosbox"), ("Windows", "wine")];

/// Searches this machine for emulators.
pub struct Detector {
    home: PathBuf,
    config_home: PathBuf,
    definitions: Arc<Definitions>,
    packages: Packages,
    images: AppImages,
}

/// How an installed emulator is started.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Prefix {
    /// The absolute path of its program.
    Native(PathBuf),
    /// The absolute path of the package tool, which runs it.
    Package(PathBuf),
}

named! {
    /// How an emulator is installed.
    pub enum Mode {
        /// Its program is on the search path, or an AppImage.
        Native = "native",
        /// As a sandboxed package.
        Package = "flatpak",
    }
}

impl Detector {
    /// A detector for a user with these folders and definitions.
    pub fn new(home: &Path, config_home: &Path, definitions: Arc<Definitions>) -> Self {
        let (packages, images) = (Packages::new(home), AppImages::new(home));
        let config_home = config_home.to_owned();
        Self { home: home.to_owned(), config_home, definitions, packages, images }
    }

    /// Where programs keep their configuration.
    pub fn config_home(&self) -> &Path {
        &self.config_home
    }

    /// The emulator definitions that count now.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.definitions.current()
    }

    /// Forgets the answer of the package tool; after something was installed or removed.
    pub fn forget(&self) {
        self.packages.forget();
    }

    /// Forgets the answer of the package tool, but for the package that it has just installed.
    pub fn was_installed(&self, package: &str) {
        self.packages.was_installed(package);
    }

    /// From now on the package tool is not asked any more: the program is about to end.
    pub fn stop(&self) {
        self.packages.stop();
    }

    /// The command line of a definition with `{path}` in it; `None` when it is not installed. May
    /// ask the package tool, up to five seconds.
    pub fn command_of(&self, definition: &Definition) -> Option<String> {
        let prefix = self.prefix(&definition.app)?;
        Some(write_command(definition, &prefix, &self.home))
    }

    /// The stored commands that this program wrote for a platform and whose emulator is gone. What a
    /// person wrote is spelled otherwise, or is just what this program would have written. May ask the
    /// package tool.
    pub fn stranded(&self, profiles: &Map<String, Value>) -> BTreeMap<String, String> {
        let commands =
            profiles.iter().filter_map(|(name, command)| Some((name, command.as_str()?)));
        let stranded = commands.filter(|(platform, command)| self.is_stranded(platform, command));
        stranded.map(|(platform, command)| (platform.clone(), command.to_owned())).collect()
    }

    fn is_stranded(&self, platform: &str, command: &str) -> bool {
        let Some(program) = command_line::split(command).into_iter().next().map(PathBuf::from)
        else {
            return false;
        };
        let catalog = self.catalog();
        let of_platform = catalog.all().filter(|each| each.platform == platform);
        let mut writers =
            of_platform.filter_map(|each| writer(each, command, &program, &self.home, &catalog));
        writers.next().is_some_and(|(app, prefix)| match prefix {
            Prefix::Native(program) => !search::is_executable(&program),
            // The package tool is only asked where the program is here in another way: else every
            // start would ask it about every emulator, and learn nothing of use.
            Prefix::Package(tool) => {
                !search::is_executable(&tool)
                    || (self.has_program(&app) && self.packages.lacks(&tool, &app.package))
            }
        })
    }

    /// How an emulator is installed; `None` when it is not. May ask the package tool.
    pub fn mode_of(&self, app: &App) -> Option<Mode> {
        self.prefix(app).map(|prefix| match prefix {
            Prefix::Native(_) => Mode::Native,
            Prefix::Package(_) => Mode::Package,
        })
    }

    /// The arguments of a definition as this machine needs them: a sandboxed package loads cores of
    /// its own. May ask the package tool.
    pub fn arguments_of(&self, definition: &Definition) -> Vec<String> {
        let is_package = matches!(self.prefix(&definition.app), Some(Prefix::Package(_)));
        let arguments = definition.arguments.iter();
        arguments.map(|word| spell(definition, word, is_package, &self.home)).collect()
    }

    /// The core a definition loads, as this machine needs it; `None` without one. May ask the package
    /// tool.
    pub fn core_of(&self, definition: &Definition) -> Option<PathBuf> {
        let core = Some(&definition.core_path).filter(|core| !core.is_empty())?;
        let is_package = matches!(self.prefix(&definition.app), Some(Prefix::Package(_)));
        Some(spell(definition, core, is_package, &self.home).into())
    }

    /// The words that start an emulator without a game; `None` when it is not installed.
    pub fn program_of(&self, app: &App) -> Option<Vec<String>> {
        self.prefix(app).map(|prefix| prefix_words(app, &prefix))
    }

    /// For each wanted platform the command of the best installed emulator (`GET /api/profiles`).
    /// May ask the package tool for every emulator of those platforms.
    pub fn detected(&self, is_wanted: impl Fn(&str) -> bool) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        let catalog = self.catalog();
        for definition in catalog.definitions() {
            let platform = &definition.platform;
            if found.contains_key(platform) || !is_wanted(platform) {
                continue;
            }
            let ranked = catalog.ranked(platform);
            let command = ranked.into_iter().find_map(|each| self.command_of(each));
            found.extend(command.map(|command| (platform.clone(), command)));
        }
        for (platform, program) in RUNNERS {
            if is_wanted(platform) && search::on_path(program).is_some() {
                found.insert(platform.to_owned(), format!("{program} {{path}}"));
            }
        }
        found
    }

    fn prefix(&self, app: &App) -> Option<Prefix> {
        if let Some(program) = search::on_path(&app.executable) {
            return Some(Prefix::Native(program));
        }
        let package = || {
            let tool = search::on_path(TOOL).filter(|_| !app.package.is_empty())?;
            self.packages.has(&tool, &app.package).then_some(Prefix::Package(tool))
        };
        let other = || app.patterns.iter().find_map(|name| search::on_path(name));
        let image = || self.images.find(app, &self.catalog());
        package().or_else(|| other().or_else(image).map(Prefix::Native))
    }

    /// Whether an emulator is here as a program.
    fn has_program(&self, app: &App) -> bool {
        let names = std::iter::once(&app.executable).chain(&app.patterns);
        names.into_iter().any(|name| search::on_path(name).is_some())
            || self.images.find(app, &self.catalog()).is_some()
    }

    /// Whether a sandboxed package is installed. May ask the package tool, up to five seconds.
    pub fn is_package(&self, id: &str) -> bool {
        search::on_path(TOOL).is_some_and(|tool| self.packages.has_exactly(&tool, id))
    }

    /// The folders a sandboxed package may see, as the package tool lists them; `None` when it does not report them.
    /// Asks each time.
    pub fn visible_folders(&self, id: &str) -> Option<Vec<String>> {
        self.packages.visible_folders(id)
    }
}

/// The emulator whose command this is, word for word as this program writes it, and how it was
/// installed then.
fn writer(
    definition: &Definition,
    command: &str,
    program: &Path,
    home: &Path,
    catalog: &Catalog,
) -> Option<(Arc<App>, Prefix)> {
    let app = &definition.app;
    let name = program.file_name()?.to_str()?;
    let is_own = name == app.executable
        || app.patterns.iter().any(|known| known == name)
        || app_images::belongs(program, app, catalog);
    let native = || Prefix::Native(program.to_owned());
    let packaged = || Prefix::Package(program.to_owned());
    let prefix = match name {
        TOOL if !app.package.is_empty() => packaged(),
        _ if is_own && program.is_absolute() => native(),
        _ => return None,
    };
    (write_command(definition, &prefix, home) == command).then(|| (Arc::clone(app), prefix))
}

/// The words that start an emulator.
fn prefix_words(app: &App, prefix: &Prefix) -> Vec<String> {
    match prefix {
        Prefix::Native(program) => vec![program.to_string_lossy().into_owned()],
        Prefix::Package(tool) => {
            vec![tool.to_string_lossy().into_owned(), "run".to_owned(), app.package.clone()]
        }
    }
}

/// A word of a definition's arguments as its installation needs it.
fn spell(definition: &Definition, word: &str, is_package: bool, home: &Path) -> String {
    match word.strip_prefix("/usr/lib/libretro/") {
        // The package sees its own cores only.
        Some(core) if is_package => {
            let cores = format!(".var/app/{}/config/retroarch/cores", definition.app.package);
            home.join(cores).join(core).to_string_lossy().into_owned()
        }
        Some(_) | None => word.to_owned(),
    }
}

/// The command line of a definition behind its prefix, quoted for a later split.
fn write_command(definition: &Definition, prefix: &Prefix, home: &Path) -> String {
    let is_package = matches!(prefix, Prefix::Package(_));
    let mut words = prefix_words(&definition.app, prefix);
    let arguments = definition.arguments.iter();
    words.extend(arguments.map(|word| spell(definition, word, is_package, home)));
    // OK because a word with a NUL, the only one that cannot be quoted, is not a path and no argument.
    let quoted = words.iter().filter_map(|word| match word.as_str() {
        "{path}" => Some("{path}".to_owned()),
        word => shlex::try_quote(word).ok().map(std::borrow::Cow::into_owned),
    });
    quoted.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definitions::bundled;

    fn command(id: &str, prefix: &Prefix) -> String {
        let catalog = bundled::catalog();
        write_command(catalog.definition(id).expect(id), prefix, Path::new("/home/me"))
    }

    #[test]
    fn a_command_is_known_by_every_word() {
        let catalog = bundled::catalog();
        let home = Path::new("/home/me");
        let check = |id: &str, command: &str, expected: Option<Prefix>| {
            let definition = catalog.definition(id).expect(id);
            let program = command_line::split(command).remove(0);
            let found = writer(definition, command, Path::new(&program), home, &catalog);
            assert_eq!(found.map(|(_, prefix)| prefix), expected, "{command}");
        };
        for prefix in [
            Prefix::Native("/opt/my emu/dolphin-emu".into()),
            Prefix::Native("/home/me/Applications/Dolphin_Emulator-1.AppImage".into()),
            Prefix::Package("/usr/bin/flatpak".into()),
        ] {
            let written = command("dolphin-wii", &prefix);
            check("dolphin-wii", &written, Some(prefix));
            check("dolphin-wii", &format!("{written} --mine"), None);
            check("pcsx2-ps2", &written, None);
        }
        check("dolphin-wii", "dolphin-emu -b -e {path}", None);
        check("dolphin-wii", "/opt/other -b -e {path}", None);
    }

    #[test]
    fn commands_are_quoted_and_keep_the_token() {
        let native = Prefix::Native("/opt/my emu/dolphin".into());
        assert_eq!(command("dolphin-wii", &native), "'/opt/my emu/dolphin' -b -e {path}");
        let package = Prefix::Package("/usr/bin/flatpak".into());
        assert_eq!(
            command("retroarch-nes", &package),
            "/usr/bin/flatpak run org.libretro.RetroArch -L \
             /home/me/.var/app/org.libretro.RetroArch/config/retroarch/cores/fceumm_libretro.so {path}"
        );
        let native = Prefix::Native("/usr/bin/retroarch".into());
        assert_eq!(
            command("retroarch-nes", &native),
            "/usr/bin/retroarch -L /usr/lib/libretro/fceumm_libretro.so {path}"
        );
    }
}
