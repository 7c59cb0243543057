//! The rules of the Launch Doctor: the plan of a launch to a verdict.
//!
//! They follow the order in which a launch would fail. Nothing is started.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::{Value, json};

use super::{
    finding::{Check, Resolved, Severity, Verdict},
    firmware::{self, Drift},
};
use crate::{
    base::text,
    config::data_dir::DataDir,
    formats::command_line,
    launch::{
        archives::cache::ArchiveCache,
        cores,
        invocation::{self, Choice},
        machine::{FirstDisc, Kind, Machine},
        plan::{Missing, Plan, PlanContext},
    },
    model::{
        Record,
        emulators::{Catalog, Definition},
        titles,
    },
    names::SIDECAR_EXTENSIONS,
    platforms::{self, Platform},
    probe::packages::TOOL,
};

/// The message for a missing BIOS.
const MISSING_BIOS: &str = "Required BIOS files are missing.";
/// Definitions that are offered for a game without one.
const CANDIDATES: usize = 5;

/// What games are examined with.
pub struct Scene<'a> {
    /// What the launch would be planned from.
    pub plans: PlanContext<'a>,
    /// Whether archives are opened and firmware is hashed.
    pub deep: bool,
}

/// Examines one game.
pub fn examine(record: &Record, scene: &Scene<'_>) -> Verdict {
    let path = Path::new(record.text("path").trim());
    if record.flag("manual_entry") {
        let text = "This shelf entry has no local launch path yet.".to_owned();
        let check = Check::new("SHELF_ENTRY", Severity::Info, text);
        return alone(reveal(check.person(&["set_path"]), path, record.text("name")));
    }
    let plan = &Plan::of(record, path, &scene.plans);
    if let Some(check) = check_path(record, plan) {
        return alone(check);
    }
    let examination = Examination { record, plan, scene };
    let mut checks = Vec::new();
    if scene.deep {
        examination.archive(&mut checks);
    }
    examination.platform(&mut checks);
    examination.selection(&mut checks);
    examination.template(&mut checks);
    examination.player(&mut checks);
    examination.firmware(&mut checks);
    let cwd = &plan.cwd;
    if scene.plans.machine.kind(cwd) != Kind::Folder {
        let check = Check::error("CWD_INVALID", "Working directory is invalid.");
        checks.push(reveal(check.person(&["set_path"]), cwd, "Working directory"));
    }
    examination.gaps(&mut checks);
    explain_rest(&mut checks);
    let definition = examination.definition();
    let definition = definition.as_ref();
    let resolved = Resolved {
        emulator_id: definition.map(|definition| definition.app.id.clone()),
        adapter_id: definition.map(|definition| definition.id.clone()),
        argv: plan.argv.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        cwd: Some(cwd.to_string_lossy().into_owned()),
        precedence: plan.chosen.precedence,
    };
    Verdict { resolved, checks }
}

fn alone(check: Check) -> Verdict {
    let resolved = Resolved { precedence: 5, ..Resolved::default() };
    let mut checks = vec![check];
    explain_rest(&mut checks);
    Verdict { resolved, checks }
}

/// Errors without a fix of their own are explained.
fn explain_rest(checks: &mut [Check]) {
    for check in checks {
        if check.severity == Severity::Error && check.fix.is_none() {
            *check = check.clone().fix("explain_token", "Explain", json!({"invalid_tokens": []}));
        }
    }
}

fn reveal(check: Check, path: &Path, name: &str) -> Check {
    let payload = json!({"path": path.to_string_lossy(), "name": name});
    check.fix("reveal_bios_path", "Show the place", payload)
}

fn check_path(record: &Record, plan: &Plan) -> Option<Check> {
    let (path, choice) = (&plan.path, &plan.chosen.choice);
    let person: &[&str] = &["set_path", "import_incomplete"];
    let check = match plan.kind {
        _ if plan.program == Err(Missing::Path) => {
            Check::error("PATH_MISSING", "Game path is missing.")
        }
        _ if plan.program == Err(Missing::Discs) => {
            Check::error("PATH_MISSING", "The playlist names no disc.")
        }
        _ if plan.program == Err(Missing::Disc) => {
            let text = "The first disc of the playlist does not exist.";
            let FirstDisc::Gone(disc) = &plan.first_disc else { return None };
            let check = Check::error("PATH_MISSING", text).person(person);
            return Some(reveal(check, disc, record.text("name")));
        }
        // A command of a storefront entry starts without a file.
        _ if !path.is_absolute() && !choice.needs_path() => return None,
        Kind::Nothing => Check::error("PATH_MISSING", "Game path does not exist."),
        Kind::File => return None,
        // What another program has installed is a folder, and its command starts it as one.
        Kind::Folder if titles::is_title(record) || matches!(choice, Choice::Own(_)) => {
            return None;
        }
        Kind::Folder | Kind::Other => Check::error("PATH_WRONG_TYPE", "Game path is not a file."),
    };
    Some(reveal(check.person(person), path, record.text("name")))
}

/// One game under examination.
struct Examination<'a> {
    record: &'a Record,
    plan: &'a Plan,
    scene: &'a Scene<'a>,
}

impl Examination<'_> {
    fn machine(&self) -> &dyn Machine {
        self.scene.plans.machine
    }

    fn catalog(&self) -> &Catalog {
        self.machine().catalog()
    }

    /// The extension of the game's file, in lower case. A playlist is played by what takes its discs.
    fn extension(&self) -> String {
        let of = |path: &Path| path.extension().map(|end| end.to_string_lossy().to_lowercase());
        let own = of(&self.plan.path).unwrap_or_default();
        let disc = || self.record.texts("discs").next().and_then(|disc| of(Path::new(disc)));
        if own == "m3u" { disc().unwrap_or(own) } else { own }
    }

    /// The words of the command that plays the game, as they are written.
    fn words(&self) -> Vec<String> {
        match &self.plan.chosen.choice {
            Choice::Own(command) | Choice::Player(command) => command_line::split(command),
            Choice::Shell | Choice::File => Vec::new(),
        }
    }

    /// The definition that plays the game: the one that decided, else the one whose program the
    /// command starts.
    fn definition(&self) -> Option<Arc<Definition>> {
        self.plan.chosen.definition.clone().or_else(|| {
            let words = self.words();
            let of_package =
                |id: &str| self.catalog().find_app(|app| !id.is_empty() && app.package == id);
            let app = package_of(&words).and_then(of_package).or_else(|| {
                let name = Path::new(words.first()?).file_name()?.to_str()?;
                self.catalog().find_app(|app| app.executable == name)
            })?;
            let platform = self.record.text("platform");
            let mut all = self.catalog().of_platform(platform);
            all.find(|each| each.app.id == app.id).cloned()
        })
    }

    /// The definition that ought to play the game although nothing does: the named one, else the
    /// best for its platform, one that takes the file first.
    fn wanted(&self) -> Option<Arc<Definition>> {
        let extension = self.extension();
        let named = invocation::named_definition(self.record, self.catalog());
        let best = || {
            let mut ranked = self.catalog().ranked(self.record.text("platform"));
            ranked.sort_by_key(|each| !each.extensions.contains(&extension));
            ranked.into_iter().next()
        };
        named.or_else(best).cloned()
    }

    fn archive(&self, checks: &mut Vec<Check>) {
        if !ArchiveCache::takes(&self.plan.path) {
            return;
        }
        let place = |check: Check| reveal(check.person(&["set_path"]), &self.plan.path, "Archive");
        let fault = || self.machine().archive_fault(&self.plan.path);
        let fault = || self.plan.member.as_ref().and_then(|_| fault());
        if self.extension() != "zip" {
            checks.extend(fault().map(|text| place(Check::error("ARCHIVE_INVALID", text))));
            return;
        }
        let Some(names) = self.machine().zip_names(&self.plan.path) else {
            checks.push(place(Check::error("ARCHIVE_INVALID", "Archive could not be read.")));
            return;
        };
        let is_game = |name: &String| {
            let name = name.to_lowercase();
            let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
            !SIDECAR_EXTENSIONS.contains(&ending)
        };
        if !names.iter().any(is_game) {
            let text = "Archive does not contain launchable files.";
            checks.push(place(Check::error("ARCHIVE_INVALID", text)));
        } else if let Some(text) = fault() {
            checks.push(place(Check::error("ARCHIVE_INVALID", text)));
        }
        let member = self.record.text("archive_member").trim();
        if !member.is_empty() && !names.iter().any(|name| name == member) {
            let text = "Archive member was not found.";
            checks.push(place(Check::error("ARCHIVE_MEMBER_INVALID", text)));
        }
    }

    fn platform(&self, checks: &mut Vec<Check>) {
        if self.record.text("platform").trim().is_empty() {
            let check = Check::warning("PLATFORM_UNKNOWN", "Platform is unknown.");
            let extension = self.extension();
            checks.push(
                check
                    .person(&["choose_adapter"])
                    .fix("pick_core", "Choose a platform", self.offer(&extension))
                    .about(extension),
            );
        }
    }

    /// An emulator that is chosen for the game and that no definition describes.
    fn selection(&self, checks: &mut Vec<Check>) {
        if self.plan.chosen.precedence == 1 {
            return;
        }
        let named = |key: &str| self.record.text(key).trim().to_owned();
        let adapters = [named("emulator_adapter_id"), named("emulator_def")];
        let adapter = adapters.into_iter().find(|id| !id.is_empty()).unwrap_or_default();
        let app = named("emulator_id");
        let person: &[&str] = &["choose_adapter", "keep_custom"];
        let offer = || self.offer(&self.extension());
        if !adapter.is_empty() && self.catalog().definition(&adapter).is_none() {
            let text = "Selected adapter is not in the registry.";
            let check = Check::error("ADAPTER_UNKNOWN", text).person(person).about(adapter);
            checks.push(check.fix("pick_core", "Choose an emulator", offer()));
        }
        if !app.is_empty() && self.catalog().app(&app).is_none() {
            let text = "Selected emulator is not in the registry.";
            let check = Check::error("EMULATOR_UNKNOWN", text).person(person).about(app);
            checks.push(check.fix("pick_core", "Choose an emulator", offer()));
        }
    }

    fn template(&self, checks: &mut Vec<Check>) {
        let command = match (&self.plan.chosen.choice, &self.plan.chosen.definition) {
            (Choice::Own(command), _) | (Choice::Player(command), None) => command,
            (Choice::Player(_), Some(_)) | (Choice::Shell | Choice::File, _) => return,
        };
        let unknown = unknown_tokens(command);
        let text = if !unknown.is_empty() {
            "Launch template contains unknown tokens."
        } else if shlex::split(command).is_none() {
            "Launch template is invalid."
        } else {
            return;
        };
        let payload = json!({"invalid_tokens": unknown, "template": command});
        let check =
            Check::error("TEMPLATE_INVALID", text).person(&["choose_adapter", "keep_custom"]);
        let subject = unknown.join(" ");
        checks.push(check.fix("explain_token", "Explain", payload).about(subject));
    }

    /// Whether what plays the game is there, may see it, and has its core.
    fn player(&self, checks: &mut Vec<Check>) {
        let missing = self.plan.program.as_ref().err();
        let words = self.words();
        let package = package_of(&words);
        match (missing, package) {
            (_, Some(app_id)) if !self.machine().is_package(app_id) => {
                checks.push(not_installed("FLATPAK_NOT_INSTALLED", app_id, ""));
            }
            (Some(Missing::Player), _) => self.file(checks),
            (Some(Missing::Program), _) if self.plan.chosen.choice != Choice::Shell => {
                self.program(checks);
            }
            (None | Some(Missing::Core), Some(app_id)) => self.package(app_id, checks),
            (None | Some(Missing::Core), None) => {}
            (Some(_), _) => checks.push(unbuildable()),
        }
        self.core(checks);
    }

    /// A file that does not start by itself.
    fn file(&self, checks: &mut Vec<Check>) {
        let extension = self.extension();
        let all = self.catalog().definitions().iter();
        let takers: Vec<_> = all.filter(|each| each.extensions.contains(&extension)).collect();
        let platform = self.record.text("platform");
        let named = invocation::named_definition(self.record, self.catalog()).is_some();
        let is_candidate = takers.iter().any(|each| each.platform == platform);
        let is_shared = takers.iter().any(|each| each.platform != takers[0].platform);
        if is_shared && !named && !is_candidate {
            let text =
                format!("Platform is ambiguous for '.{extension}' \u{2014} choose a platform.");
            let check = Check::error("AMBIGUOUS_PLATFORM", text).person(&["choose_adapter"]);
            let payload = self.offer(&extension);
            checks.push(check.fix("pick_core", "Choose a platform", payload).about(extension));
        } else if let Some(wanted) = self.wanted() {
            let app = &wanted.app;
            checks.push(not_installed("NATIVE_EXE_MISSING", &app.id, &app.executable));
        } else if takers.is_empty() {
            checks.push(unbuildable());
        } else {
            let text = "No emulator is configured for this platform/extension.";
            let check = Check::error("EMULATOR_REQUIRED", text);
            let check = check.person(&["choose_adapter", "install_flatpak"]);
            let payload = self.offer(&extension);
            checks.push(check.fix("pick_core", "Choose an emulator", payload).about(extension));
        }
    }

    /// A program that is not there.
    fn program(&self, checks: &mut Vec<Check>) {
        let program = self.plan.argv.first().map_or(Path::new(""), Path::new);
        let file = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy();
        let known = self.catalog().find_app(|app| app.executable == file);
        checks.push(match known {
            Some(app) => not_installed("NATIVE_EXE_MISSING", &app.id, &app.executable),
            None => Check::error("NATIVE_EXE_MISSING", "Emulator is not installed.")
                .person(&["install_native", "choose_adapter"])
                .about(file),
        });
    }

    /// A sandboxed emulator, which must see the game.
    fn package(&self, app_id: &str, checks: &mut Vec<Check>) {
        let cache = || DataDir::at(self.scene.plans.data_dir.to_owned()).archive_cache();
        let extracted = self.plan.member.as_ref().map(|_| cache());
        let folder = extracted.as_deref().or(self.plan.path.parent()).unwrap_or(&self.plan.path);
        let visible = self.machine().visible_folders(app_id);
        // Its own folder below the home is always its to see.
        let own = self.machine().home().join(".var/app").join(app_id);
        let seen = folder.starts_with(own)
            || visible.is_none_or(|all| sees(&all, folder, self.machine().home()));
        if !self.plan.path.is_absolute() || seen {
            return;
        }
        let spelled = folder.to_string_lossy();
        let command = [TOOL, "override", "--user", &format!("--filesystem={spelled}:ro"), app_id];
        let command = shlex::try_join(command).unwrap_or_default();
        let payload = json!({"app_id": app_id, "path": spelled, "command": command});
        let text = "Flatpak emulator cannot access the game path.";
        checks.push(
            Check::error("FLATPAK_FS_DENIED", text)
                .person(&["grant_flatpak_path"])
                .fix("flatpak_grant", "Allow access to the folder", payload)
                .about(app_id),
        );
    }

    fn core(&self, checks: &mut Vec<Check>) {
        let Some(path) = cores::of_command(&self.plan.argv) else { return };
        if self.machine().kind(path) == Kind::File {
            return;
        }
        let core = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let adapter = self.definition().map(|definition| definition.id.clone());
        let payload = json!({"adapter_id": adapter, "core": core});
        checks.push(
            Check::error("RETROARCH_CORE_MISSING", "RetroArch core is missing.")
                .person(&["choose_adapter"])
                .fix("pick_core", "Choose a core", payload)
                .about(core),
        );
    }

    fn firmware(&self, checks: &mut Vec<Check>) {
        let Some(definition) = self.definition().or_else(|| self.wanted()) else { return };
        let platform = platforms::by_any_name(self.record.text("platform"));
        match platform.filter(|_| !definition.core_path.is_empty()) {
            Some(platform) => self.system_files(platform, checks),
            None => self.own_firmware(&definition, checks),
        }
    }

    /// What an emulator that runs alone needs.
    fn own_firmware(&self, definition: &Definition, checks: &mut Vec<Check>) {
        let Some(need) = firmware::need(&definition.app, self.record.text("platform")) else {
            return;
        };
        let machine = self.machine();
        let show = |check: Check| {
            let check = check.person(&["set_path"]).about(definition.app.id.clone());
            reveal(check, &need.paths(machine.home())[0], need.label)
        };
        if !firmware::is_met(need, machine) {
            let (code, text) = if need.is_firmware() {
                ("FIRMWARE_MISSING", "Required firmware files are missing.")
            } else {
                ("MISSING_BIOS", MISSING_BIOS)
            };
            checks.push(show(Check::warning(code, text)));
        } else if self.scene.deep
            && let Some(drift) = firmware::drift(need, definition, machine)
        {
            checks.push(show(differs(&drift)));
        }
    }

    /// What the multi-system emulator needs for a platform, whichever of its cores plays it.
    fn system_files(&self, platform: &Platform, checks: &mut Vec<Check>) {
        let machine = self.machine();
        let folders = machine.system_folders();
        let Some(folder) = folders.first() else { return };
        let files = firmware::system_files(platform, &folders, machine, self.scene.deep);
        let show = |check: Check, files: &str| {
            let place = folder.join(files);
            reveal(check.person(&["set_path"]).about(files), &place, files)
        };
        for file in files.missing {
            checks.push(show(Check::warning("MISSING_BIOS", MISSING_BIOS), file));
        }
        for (file, drift) in files.wrong {
            checks.push(show(differs(&drift), file));
        }
        for file in files.optional {
            let text = format!("Optional firmware is missing: {file}.");
            checks.push(Check::new("FIRMWARE_OPTIONAL", Severity::Info, text).about(file));
        }
    }

    fn gaps(&self, checks: &mut Vec<Check>) {
        let has = |list: &str| !self.record.list(list).is_empty();
        let gaps = [
            (has("save_paths"), "SAVE_GAP", "No save paths configured."),
            (
                has("screenshots") || !self.record.text("cover").is_empty(),
                "MEDIA_GAP",
                "No cover art or screenshots configured.",
            ),
            (has("documents"), "DOCUMENT_GAP", "No documents configured."),
        ];
        let missing = gaps.into_iter().filter(|(has, ..)| !has);
        checks.extend(missing.map(|(_, code, text)| Check::warning(code, text)));
    }

    /// What can be chosen instead: definitions that take the file, then those of the platform.
    fn offer(&self, extension: &str) -> Value {
        let platform = self.record.text("platform");
        let is_taker =
            |each: &&Arc<Definition>| each.extensions.iter().any(|known| known == extension);
        let mut all: Vec<_> = self.catalog().definitions().iter().filter(is_taker).collect();
        for other in self.catalog().of_platform(platform) {
            if all.iter().all(|each| each.id != other.id) {
                all.push(other);
            }
        }
        let mut platforms: Vec<&str> = all.iter().map(|each| each.platform.as_str()).collect();
        platforms.dedup();
        let candidates: Vec<&str> =
            all.iter().take(CANDIDATES).map(|each| each.id.as_str()).collect();
        json!({"candidates": candidates, "platforms": platforms, "extension": extension})
    }
}

/// A BIOS that is not the one that is meant.
fn differs(drift: &Drift) -> Check {
    let short = |sum: &str| text::cut(sum, 12).to_owned();
    let (expected, found) = (short(&drift.expected), short(&drift.found));
    let text = format!("BIOS hash mismatch: expected {expected}..., got {found}...");
    Check::warning("BIOS_SHA1_DRIFT", text)
}

fn unbuildable() -> Check {
    Check::error("ARGV_INVALID", "Launch command could not be built.").person(&["choose_adapter"])
}

fn not_installed(code: &'static str, app_id: &str, native: &str) -> Check {
    let payload = json!({"app_id": app_id, "native_exe": native});
    Check::error(code, "Emulator is not installed.")
        .person(&["install_flatpak", "install_native", "choose_adapter"])
        .fix("flatpak_install", "Install the emulator", payload)
        .about(app_id)
}

/// The package a command runs: `flatpak run [options] <app>`.
fn package_of(words: &[String]) -> Option<&str> {
    let [program, run, rest @ ..] = words else { return None };
    let is_tool = Path::new(program).file_name().is_some_and(|name| name == TOOL);
    let app = rest.iter().find(|word| !word.starts_with('-'))?;
    (is_tool && run == "run").then_some(app)
}

/// Tokens in braces that mean nothing, each once. A brace behind `$` belongs to a shell.
fn unknown_tokens(command: &str) -> Vec<String> {
    let mut unknown: Vec<String> = Vec::new();
    for (at, _) in command.match_indices('{') {
        let inner = &command[at + 1..];
        let Some(end) = inner.find(['{', '}']).filter(|end| inner[*end..].starts_with('}')) else {
            continue;
        };
        let token = &inner[..end];
        let is_word = token.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let is_known = command_line::TOKENS.contains(&token);
        let is_shell = command[..at].ends_with('$');
        if is_word && !token.is_empty() && !is_known && !is_shell {
            let spelled = format!("{{{token}}}");
            if !unknown.contains(&spelled) {
                unknown.push(spelled);
            }
        }
    }
    unknown
}

/// Whether a package that may see these places sees a folder. `host` is everything, `home` all of
/// the home folder; `!` takes a place away again.
pub(super) fn sees(visible: &[String], folder: &Path, home: &Path) -> bool {
    let place = |spelled: &str| -> Option<PathBuf> {
        let spelled =
            spelled.strip_suffix(":ro").or(spelled.strip_suffix(":rw")).unwrap_or(spelled);
        let spelled = spelled.strip_suffix(":create").unwrap_or(spelled);
        match spelled {
            "host" => Some(PathBuf::from("/")),
            "home" | "~" => Some(home.to_owned()),
            _ => match spelled.strip_prefix("~/") {
                Some(below) => Some(home.join(below)),
                None => spelled.starts_with('/').then(|| PathBuf::from(spelled)),
            },
        }
    };
    let covers = |spelled: &str| place(spelled).is_some_and(|place| folder.starts_with(place));
    let denied = visible.iter().filter_map(|each| each.strip_prefix('!')).any(covers);
    !denied && visible.iter().filter(|each| !each.starts_with('!')).any(|each| covers(each))
}
