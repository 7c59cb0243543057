//! The menu of `--launcher`: a few screens, and the games that were played last.

use crate::{
    base::{schema::schema, text},
    model::State,
};

/// Games in the menu.
const GAMES: usize = 40;
/// Characters of the longest label.
const LABEL: usize = 200;
const SCREENS: [(&str, &str); 3] =
    [("bigscreen", "Big screen"), ("settings", "Settings"), ("search", "Search")];

schema! {
    /// `GET /api/launcher/menu`.
    #[derive(Debug, PartialEq, Eq)]
    pub struct LauncherMenu {
        /// The screens, then games: those that were played last, then the others in the order of the library.
        items: Vec<LauncherEntry>,
    }

    /// An entry of the menu.
    #[derive(Debug, PartialEq, Eq)]
    pub struct LauncherEntry {
        /// A screen, or `launch:` with the position of a game in the library.
        id: String,
        /// Unique within the menu.
        label: String,
    }
}

/// The menu of a library. Hidden games are not in it.
pub fn of(state: &State) -> LauncherMenu {
    let entry = |id: &str, label: &str| LauncherEntry { id: id.into(), label: label.into() };
    let mut items = Vec::from(SCREENS.map(|(id, label)| entry(id, label)));
    let games = state.games.iter().enumerate();
    let mut games: Vec<_> = games.filter(|(_, game)| !game.hidden()).collect();
    games.sort_by(|(_, one), (_, other)| other.last_played().cmp(one.last_played()));
    for (index, game) in games.into_iter().take(GAMES) {
        let name = text::cut(game.name(), LABEL).chars();
        let name: String = name.filter(|sign| !sign.is_control()).collect();
        let is_taken = items.iter().any(|item| item.label == name);
        let label = if is_taken { format!("{name} ({index})") } else { name };
        items.push(entry(&format!("launch:{index}"), &label));
    }
    LauncherMenu { items }
}
