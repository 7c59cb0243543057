//! The emulator definitions a candidate may be played with.

use std::sync::Arc;

use crate::{
    base::schema::schema,
    model::emulators::{Catalog, Definition},
};

/// The definitions for a candidate, best first: those of its platform, or, while that is open, those
/// that take its extension.
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
pub fn plays(catalog: &Catalog, platform: &str) -> bool {
    catalog.of_platform(platform).next().is_some()
}

/// The ids of all definitions whose emulator is installed.
pub fn installed(catalog: &Catalog, is_installed: impl Fn(&Definition) -> bool) -> Vec<String> {
    catalog.all().filter(|row| is_installed(row)).map(|row| row.id.clone()).collect()
}

schema! {
    /// An emulator definition as it is offered for a candidate.
    pub struct EmulatorChoice {
        adapter_id: String,
        emulator_id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        flatpak_app_id: Option<String>,
        installed: bool,
        label: String,
        recommended: bool,
    }
}

/// How the definitions are offered; the first installed one is recommended, else the first.
pub fn choices(definitions: &[&Arc<Definition>], installed: &[String]) -> Vec<EmulatorChoice> {
    let is_installed = |row: &Definition| installed.contains(&row.id);
    let best = definitions.iter().position(|row| is_installed(row)).unwrap_or(0);
    let choice = |(at, row): (usize, &&Arc<Definition>)| EmulatorChoice {
        adapter_id: row.id.clone(),
        emulator_id: row.app.id.clone(),
        flatpak_app_id: Some(row.app.package.clone()).filter(|package| !package.is_empty()),
        installed: is_installed(row),
        label: row.label.clone(),
        recommended: at == best,
    };
    definitions.iter().enumerate().map(choice).collect()
}

/// The platforms of definitions, each once, in their order.
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
            let best: Vec<_> = all.iter().filter(|each| each.recommended).collect();
            assert_eq!(best.len(), 1);
            best[0].adapter_id.clone()
        };
        assert_eq!(recommended(&[]), "mame-arcade");
        assert_eq!(recommended(&["retroarch-arcade"]), "retroarch-arcade");
        assert_eq!(recommended(&["retroarch-arcade", "mame-arcade"]), "mame-arcade");
    }
}
