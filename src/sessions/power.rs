//! Power limits of a game: set before it starts, reset when it has ended. See
//! `docs/design/sessions.md`.
//!
//! A limit is written into the row of the session before it is set, so it is reset after a crash too. A tool that is
//! missing or fails never keeps a game from starting.

use std::{path::Path, sync::Mutex};

use serde_json::Value;

use super::performance;
use crate::{
    base::Hold as _,
    config::settings::read,
    model::State,
    process::{Spec, capture, search},
};

/// The program that sets the limit.
const TOOL: &str = "ryzenadj";
/// Where the kernel lists batteries.
const SUPPLIES: &str = "/sys/class/power_supply";

/// A limit that is in force for a game.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limit {
    /// The performance profile it comes from.
    pub profile: String,
    /// Watts while the game runs.
    pub watts: f64,
    /// Watts afterwards; 0 leaves the limit as it is.
    pub restore: f64,
}

impl Limit {
    /// The limit for a launch profile; `None` when there is none or none is wanted here.
    pub fn of(state: &State, profile: &str, is_guest: bool) -> Option<Self> {
        let wanted = match read::text(state.settings(), "apply_perf").as_str() {
            "always" => true,
            "auto" => is_guest || has_battery(Path::new(SUPPLIES)),
            _ => false,
        };
        Self::stored(state, profile).filter(|limit| wanted && limit.watts > 0.0)
    }

    /// The limit of a profile as it is stored now, whether it is wanted or not; `None` when it is
    /// switched off.
    pub fn stored(state: &State, profile: &str) -> Option<Self> {
        let all = performance::stored(state);
        let entry = all.get(profile)?;
        let number = |key: &str| entry.get(key).and_then(Value::as_f64).unwrap_or(0.0);
        let enabled = entry.get("enabled").and_then(Value::as_bool).unwrap_or(false);
        let (watts, restore) = (number("tdp_w"), number("restore_tdp_w"));
        enabled.then(|| Self { profile: profile.to_owned(), watts, restore })
    }
}

/// Sets limits, one after the other.
#[derive(Debug, Default)]
pub struct Power(Mutex<()>);

impl Power {
    /// Sets the limit of the machine; whether that worked. Waits ten seconds at most.
    pub fn set(&self, watts: f64) -> bool {
        let _turn = self.0.hold();
        let Some(tool) = search::on_path(TOOL) else {
            log::warn!("no power limit is set: {TOOL} is not installed");
            return false;
        };
        let argument = format!("-stapm-limit={:.0}", watts * 1_000.0);
        let spec = Spec::new([tool.into_os_string(), argument.into()]);
        match capture::run(&spec, &capture::Limits::default()) {
            Ok(answer) if answer.code == 0 => true,
            Ok(answer) => {
                log::warn!("failed to set a power limit: {TOOL} ended with {}", answer.code);
                false
            }
            Err(error) => {
                log::warn!("failed to set a power limit: {error}");
                false
            }
        }
    }
}

fn has_battery(supplies: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(supplies) else { return false };
    entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("BAT"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::Draft;

    #[test]
    fn a_limit_is_wanted_by_setting_profile_and_machine() {
        let state = |apply: &str| {
            let mut draft = Draft::new(State::default());
            draft.set_section("settings", json!({"apply_perf": apply}));
            draft.set_section(
                "perf_profiles",
                json!({"NES": {"enabled": true, "tdp_w": 8.5, "restore_tdp_w": 15.0},
                    "Off": {"enabled": false, "tdp_w": 8.0, "restore_tdp_w": 15.0},
                    "After": {"enabled": true, "tdp_w": 0.0, "restore_tdp_w": 15.0}}),
            );
            draft.finish().0
        };
        let nes = Limit { profile: "NES".to_owned(), watts: 8.5, restore: 15.0 };
        assert_eq!(Limit::of(&state("always"), "NES", false), Some(nes.clone()));
        assert_eq!(Limit::of(&state("auto"), "NES", true), Some(nes));
        assert_eq!(Limit::of(&state("off"), "NES", true), None);
        for profile in ["Off", "After", "Unknown", ""] {
            assert_eq!(Limit::of(&state("always"), profile, true), None, "{profile}");
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
    fn a_battery_is_what_is_called_so() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(!has_battery(&folder.path().join("missing")));
        std::fs::create_dir(folder.path().join("AC")).expect("made");
        assert!(!has_battery(folder.path()));
        std::fs::create_dir(folder.path().join("BAT1")).expect("made");
        assert!(has_battery(folder.path()));
    }
}
