//! The menu of `--launcher`: a few screens, and the games that were played last.

use crate::{
    base::{schema::schema, text},
    model::{Game, State},
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
        /// The screens, then games, those first that were played last.
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
    let order = |game: &Game| (game.last_played().to_owned(), game.name().to_owned());
    games.sort_by(|(_, one), (_, other)| {
        let ((one, one_name), (other, other_name)) = (order(one), order(other));
        other.cmp(&one).then(one_name.cmp(&other_name))
    });
    for (index, game) in games.into_iter().take(GAMES) {
        let name = text::cut(game.name(), LABEL).chars();
        let name: String = name.filter(|sign| !sign.is_control()).collect();
        let is_taken = items.iter().any(|item| item.label == name);
        let label = if is_taken { format!("{name} ({index})") } else { name };
        items.push(entry(&format!("launch:{index}"), &label));
    }
    LauncherMenu { items }
}
