//! The emulator definitions a candidate may be played with.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::model::emulators::{Catalog, Definition};

/// The definitions for a candidate, best first: those of its platform, or, while that is open, those
/// that take its extension.
#[must_use]
pub fn of<'a>(catalog: &'a Catalog, platform: &str, extension: &str) -> Vec<&'a Arc<Definition>> {
    if !platform.is_empty() {
        return catalog.ranked(platform);
    }
    let is_player = |row: &&Arc<Definition>| row.extensions.iter().any(|known| known == extension);
    let mut takers: Vec<&Arc<Definition>> =
        catalog.definitions().iter().filter(is_player).collect();
    takers.sort_by_key(|row| (!row.recommended, row.priority, row.id.as_str()));
    takers
}

/// Whether any definition plays a platform.
#[must_use]
pub fn plays(catalog: &Catalog, platform: &str) -> bool {
    catalog.definitions().iter().any(|row| row.platform == platform)
}

/// The ids of all definitions whose emulator is installed.
pub fn installed(catalog: &Catalog, is_installed: impl Fn(&Definition) -> bool) -> Vec<String> {
    let rows = catalog.definitions().iter();
    rows.filter(|row| is_installed(row)).map(|row| row.id.clone()).collect()
}

/// How the definitions are offered; the first installed one is recommended, else the first.
#[must_use]
pub fn choices(definitions: &[&Arc<Definition>], installed: &[String]) -> Value {
    let is_installed = |row: &Definition| installed.contains(&row.id);
    let best = definitions.iter().position(|row| is_installed(row)).unwrap_or(0);
    let choice = |(at, row): (usize, &&Arc<Definition>)| {
        let mut choice = json!({
            "adapter_id": row.id,
            "emulator_id": row.app.id,
            "label": row.label,
            "recommended": at == best,
            "installed": is_installed(row),
        });
        if !row.app.package.is_empty() {
            choice["flatpak_app_id"] = row.app.package.as_str().into();
        }
        choice
    };
    definitions.iter().enumerate().map(choice).collect()
}

/// The platforms of definitions, each once, in their order.
#[must_use]
pub fn platforms<'a>(definitions: &[&'a Arc<Definition>]) -> Vec<&'a str> {
    let mut platforms: Vec<&str> = Vec::new();
    for row in definitions {
        if !platforms.contains(&row.platform.as_str()) {
            platforms.push(&row.platform);
        }
    }
    platforms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definitions::bundled;

    #[test]
    fn a_platform_decides_and_an_extension_where_there_is_none() {
        let catalog = bundled::catalog();
        let ids = |platform, extension| -> Vec<&str> {
            of(&catalog, platform, extension).iter().map(|row| row.id.as_str()).collect()
        };
        assert_eq!(ids("Arcade", "iso"), ["mame-arcade", "retroarch-arcade"]);
        assert!(ids("", "iso").contains(&"ppsspp-psp") && ids("", "iso").contains(&"pcsx2-ps2"));
        assert!(ids("", "txt").is_empty() && ids("Jaguar", "nes").is_empty());
        assert!(plays(&catalog, "NES") && !plays(&catalog, "Jaguar"));
        assert!(platforms(&of(&catalog, "", "iso")).contains(&"PSP"));
    }

    #[test]
    fn the_first_that_is_installed_is_recommended() {
        let catalog = bundled::catalog();
        let recommended = |installed: &[&str]| {
            let installed: Vec<String> = installed.iter().map(|id| (*id).to_owned()).collect();
            let all = choices(&of(&catalog, "Arcade", ""), &installed);
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
