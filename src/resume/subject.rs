//! Which emulator plays a game, whether it supports states, and whether a kept one is stale.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use super::{error::ResumeError, folder::StoredState, states::States};
use crate::{
    base::schema::schema,
    launch::{
        cores,
        detection::Detector,
        invocation::{self, Choice},
        machine::Kind,
        plan::Plan,
    },
    model::{
        Game, Record,
        emulators::{Catalog, Definition, StateBlock, StateKind},
    },
};

/// The version of an emulator that is not there.
const UNINSTALLED: &str = "uninstalled";

/// An emulator that takes states of a game along.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adapter {
    /// The id of its definition.
    pub id: String,
    /// Its build: another one may not read the states of this one.
    pub version: String,
    /// How it writes and reads states.
    pub block: StateBlock,
    /// Whether it is there and starts the game.
    pub is_installed: bool,
}

/// How a game is played, as far as states are concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// What decided how the game is started.
    pub precedence: &'static str,
    /// The emulator; `None` when no state can be taken along.
    pub adapter: Option<Adapter>,
    /// `ok`, `missing-path` or `unsupported-adapter`.
    pub reason: &'static str,
}

impl Subject {
    /// The subject of a game with this plan. Asks the disk about the program and the core, and the
    /// detector about emulators of the platform.
    pub fn of(record: &Record, plan: &Plan, detector: &Detector, home: &Path) -> Self {
        let catalog = detector.catalog();
        let (mut precedence, mut definition) =
            (precedence_of(plan.chosen.precedence), plan.chosen.definition.clone());
        let mut is_installed = definition.is_some() && plan.program.is_ok();
        if precedence == PROFILE
            && let Some(written) = writer(plan, &catalog, detector)
        {
            // The profile is what this program stored when it detected the emulator.
            (precedence, definition, is_installed) =
                (REGISTRY, Some(written), plan.program.is_ok());
        } else if precedence == DIRECT
            && let Some(named) = invocation::named_definition(record, &catalog)
        {
            // It was chosen for the game and is not installed.
            (precedence, definition) = (GAME_ADAPTER, Some(Arc::clone(named)));
        }
        let is_there = plan.path.is_absolute() && plan.kind != Kind::Nothing;
        if record.flag("manual_entry") || !is_there {
            return Self { precedence, adapter: None, reason: "missing-path" };
        }
        match definition.filter(|each| takes_states(&each.state)) {
            Some(definition) => {
                let adapter = Adapter {
                    id: definition.id.clone(),
                    version: if is_installed {
                        version_of(&definition, plan, home)
                    } else {
                        UNINSTALLED.to_owned()
                    },
                    block: definition.state.clone(),
                    is_installed,
                };
                Self { precedence, adapter: Some(adapter), reason: "ok" }
            }
            None => Self { precedence, adapter: None, reason: "unsupported-adapter" },
        }
    }

    /// Whether a state with this origin may not suit the present emulator.
    pub fn is_stale(&self, adapter_id: &str, version: &str) -> bool {
        !self.adapter.as_ref().is_some_and(|now| now.id == adapter_id && now.version == version)
    }
}

const GAME_ADAPTER: &str = "game_adapter";
const PROFILE: &str = "platform_profile";
const REGISTRY: &str = "registry_adapter";
const DIRECT: &str = "direct_exe";

/// The definition of the platform whose command is that of the profile, word for word.
fn writer(plan: &Plan, catalog: &Catalog, detector: &Detector) -> Option<Arc<Definition>> {
    let Choice::Player(command) = &plan.chosen.choice else { return None };
    let ranked = catalog.ranked(&plan.profile).into_iter();
    let mut able = ranked.filter(|each| takes_states(&each.state));
    able.find(|each| detector.command_of(each).as_ref() == Some(command)).cloned()
}

fn precedence_of(number: u8) -> &'static str {
    match number {
        1 => "game_launch",
        2 => GAME_ADAPTER,
        3 => PROFILE,
        4 => REGISTRY,
        _ => DIRECT,
    }
}

fn takes_states(block: &StateBlock) -> bool {
    matches!(block.kind, StateKind::Retroarch | StateKind::AdapterCli) && !block.template.is_empty()
}

/// The build of the emulator and of its core: path, time of change and size, which change with every
/// update.
fn version_of(definition: &Definition, plan: &Plan, home: &Path) -> String {
    let Ok(program) = &plan.program else { return UNINSTALLED.to_owned() };
    let own = if plan.is_packaged() {
        let version = package_build(&definition.app.package, home);
        format!("flatpak:{}:{}", definition.app.package, version.as_deref().unwrap_or("unknown"))
    } else {
        build_of(program).unwrap_or_else(|| UNINSTALLED.to_owned())
    };
    match cores::of_command(&plan.argv).and_then(build_of) {
        Some(core) => format!("{own}|core:{core}"),
        None => own,
    }
}

/// The build of a sandboxed package that is in use: the name of the folder that its link leads to.
fn package_build(app: &str, home: &Path) -> Option<String> {
    let folders = [home.join(".local/share/flatpak/app"), PathBuf::from("/var/lib/flatpak/app")];
    folders.iter().find_map(|folder| {
        let build = fs::read_link(folder.join(app).join("current/active")).ok()?;
        Some(build.file_name()?.to_string_lossy().into_owned())
    })
}

fn build_of(path: &Path) -> Option<String> {
    let found = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let changed = nanos(found.modified().ok()?);
    Some(format!("{}:{changed}:{}", path.display(), found.len()))
}

/// Nanoseconds since 1970; 0 before.
pub fn nanos(time: SystemTime) -> u128 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos())
}

schema! {
    /// `GET /api/v2/resume/status`.
    #[derive(Debug)]
    pub struct ResumeStatus {
        /// Whether the kept state is of another emulator.
        adapter_changed: bool,
        /// The emulator definition that plays the game; empty without one that takes states along.
        adapter_id: String,
        /// Whether a state is kept.
        available: bool,
        /// Whether the emulator of the game can resume from a state.
        capable: bool,
        /// Whether the emulator writes a state at the end of a session.
        capture: bool,
        /// Whether quick resume is on.
        enabled: bool,
        game_id: String,
        /// `retroarch`, `adapter-cli` or `none`.
        kind: &'static str,
        /// What decides how the game starts: `game_launch`, `game_adapter`, `platform_profile`,
        /// `registry_adapter` or `direct_exe`.
        precedence: &'static str,
        /// `ok`, `missing-path` or `unsupported-adapter`.
        reason: &'static str,
        /// Whether the emulator is another one, or another build of it, than the one that made it.
        stale: bool,
        state: Option<StoredState>,
    }
}

impl ResumeStatus {
    /// Whether a game that is played now can resume from its kept state.
    pub fn is_ready(&self) -> bool {
        self.enabled && self.capable && self.available && !self.stale
    }

    /// The refusal of a resume, in the order in which it is checked.
    ///
    /// # Errors
    /// [`ResumeError`].
    pub fn check(&self, allow_stale: bool) -> Result<&StoredState, ResumeError> {
        if !self.enabled {
            return Err(ResumeError::Disabled);
        }
        if !self.capable {
            return Err(ResumeError::Unsupported);
        }
        let state = self.state.as_ref().ok_or(ResumeError::Missing)?;
        if self.stale && !allow_stale {
            return Err(ResumeError::Stale);
        }
        Ok(state)
    }
}

impl States {
    /// Whether a game can resume from a state, and from which.
    pub fn status(&self, game: &Game, subject: &Subject, enabled: bool) -> ResumeStatus {
        let kept = self.stored(game.id());
        let adapter = subject.adapter.as_ref();
        let stale = kept
            .as_ref()
            .is_some_and(|kept| subject.is_stale(&kept.adapter_id, &kept.emulator_version));
        let id = adapter.map_or("", |adapter| adapter.id.as_str());
        ResumeStatus {
            adapter_changed: kept.as_ref().is_some_and(|kept| kept.adapter_id != id),
            adapter_id: id.to_owned(),
            available: kept.is_some(),
            capable: adapter.is_some(),
            capture: adapter.is_some_and(|adapter| !adapter.block.capture.is_empty()),
            enabled,
            game_id: game.id().to_owned(),
            kind: adapter.map_or(StateKind::None, |adapter| adapter.block.kind).name(),
            precedence: subject.precedence,
            reason: subject.reason,
            stale,
            state: kept,
        }
    }
}
