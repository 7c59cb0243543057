//! The emulator definitions a candidate may be played with.
//!
//! The only file of this room that knows the table of definitions.

use serde_json::{Value, json};

use crate::{
    model::emulators::{self, DEFINITIONS, Definition},
    play::invocation,
};

/// The definitions for a candidate, best first: those of its platform, or, while that is open, those
/// that take its extension.
#[must_use]
pub fn of(platform: &str, extension: &str) -> Vec<&'static Definition> {
    if !platform.is_empty() {
        return invocation::ranked(platform).collect();
    }
    let mut takers: Vec<&Definition> =
        DEFINITIONS.iter().filter(|row| row.extensions.contains(&extension)).collect();
    takers.sort_by_key(|row| (row.priority, row.id));
    takers
}

/// Whether any definition plays a platform.
#[must_use]
pub fn plays(platform: &str) -> bool {
    invocation::ranked(platform).next().is_some()
}

/// The definition with an id.
#[must_use]
pub fn find(adapter_id: &str) -> Option<&'static Definition> {
    DEFINITIONS.iter().find(|row| row.id == adapter_id)
}

/// The ids of all definitions whose emulator is installed.
pub fn installed(is_installed: impl Fn(&Definition) -> bool) -> Vec<String> {
    DEFINITIONS.iter().filter(|row| is_installed(row)).map(|row| row.id.to_owned()).collect()
}

/// How the definitions are offered; the first installed one is recommended, else the first.
#[must_use]
pub fn choices(definitions: &[&Definition], installed: &[String]) -> Value {
    let is_installed = |row: &Definition| installed.iter().any(|id| id == row.id);
    let best = definitions.iter().position(|row| is_installed(row)).unwrap_or(0);
    let choice = |(at, row): (usize, &&Definition)| {
        json!({
            "adapter_id": row.id,
            "emulator_id": row.app.id,
            "label": emulators::label(row),
            "recommended": at == best,
            "installed": is_installed(row),
            "flatpak_app_id": row.app.id,
        })
    };
    definitions.iter().enumerate().map(choice).collect()
}

/// The platforms of definitions, each once, in their order.
#[must_use]
pub fn platforms(definitions: &[&'static Definition]) -> Vec<&'static str> {
    let mut platforms: Vec<&str> = Vec::new();
    for row in definitions {
        if !platforms.contains(&row.platform) {
            platforms.push(row.platform);
        }
    }
    platforms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_platform_decides_and_an_extension_where_there_is_none() {
        let ids = |platform, extension| -> Vec<&str> {
            of(platform, extension).iter().map(|row| row.id).collect()
        };
        assert_eq!(ids("Arcade", "iso"), ["mame-arcade", "retroarch-arcade"]);
        assert!(ids("", "iso").contains(&"ppsspp-psp") && ids("", "iso").contains(&"pcsx2-ps2"));
        assert!(ids("", "txt").is_empty() && ids("Jaguar", "nes").is_empty());
        assert!(plays("NES") && !plays("Jaguar"));
        assert!(platforms(&of("", "iso")).contains(&"PSP"));
    }

    #[test]
    fn the_first_that_is_installed_is_recommended() {
        let recommended = |installed: &[&str]| {
            let installed: Vec<String> = installed.iter().map(|id| (*id).to_owned()).collect();
            let all = choices(&of("Arcade", ""), &installed);
            let all = all.as_array().expect("a list").iter();
            let best: Vec<_> = all.filter(|each| each["recommended"] == true).collect();
            assert_eq!(best.len(), 1);
            best[0]["adapter_id"].as_str().expect("an id").to_owned()
        };
        assert_eq!(recommended(&[]), "mame-arcade");
        assert_eq!(recommended(&["retroarch-arcade"]), "retroarch-arcade");
        assert_eq!(recommended(&["retroarch-arcade", "mame-arcade"]), "mame-arcade");
    }
}
