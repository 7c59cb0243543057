//! The party queue: games that several people can play here, and whose turn it is (`/api/v2/party/...`).
//!
//! The queue, the number of players and the position are settings, so they survive a restart. Nothing is
//! launched here.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::{
    base::{dice::Dice, schema::schema},
    config::settings::read,
    game::slots::{Slots, slot},
    model::{Draft, Game, State},
    platforms,
    probe::probes::Probes,
    store::{CommitError, Committed, Store},
};

/// How many players a party has at least and at most.
pub const PLAYERS: (i64, i64) = (2, 8);
/// The number of players by default.
pub const USUAL_PLAYERS: i64 = 2;
/// Games of one queue.
const GAMES: usize = 50;
/// A game is too long when its average session takes more than this many times the minutes there are.
const SLACK: u64 = 3;
const QUEUE: &str = "party_queue";
const INDEX: &str = "party_index";

/// Platforms that are played from a couch; a game of any other one needs to name its controllers.
const COUCH: [&str; 44] = [
    "NES",
    "SNES",
    "GameCube",
    "Wii",
    "Wii U",
    "Switch",
    "Nintendo 64",
    "Nintendo DS",
    "Nintendo 3DS",
    "Nintendo Switch",
    "Game Boy",
    "Game Boy Color",
    "Game Boy Advance",
    "Sega Genesis",
    "Sega Mega Drive",
    "Sega Master System",
    "Sega Game Gear",
    "Sega Saturn",
    "Sega Dreamcast",
    "Sega CD",
    "PlayStation",
    "PlayStation 2",
    "PlayStation 3",
    "PlayStation 4",
    "PlayStation 5",
    "PSP",
    "PlayStation Vita",
    "Xbox",
    "Xbox 360",
    "Xbox One",
    "Xbox Series X",
    "Xbox Series S",
    "Arcade",
    "MAME",
    "Neo Geo",
    "Neo Geo AES",
    "Atari 2600",
    "Atari 5200",
    "Atari 7800",
    "Atari Jaguar",
    "Atari Lynx",
    "TurboGrafx-16",
    "Turbografx-16",
    "PC Engine",
];

schema! {
    /// `POST /api/v2/party/queue`.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct PartyBuilt {
        /// Stable ids, best rated first, at most 50.
        pub queue: Vec<String>,
        /// How many there are.
        pub count: usize,
        /// Why there is none; `null` when there is one.
        pub empty_reason: Option<String>,
        /// Why games were left out.
        pub excluded: PartyExcluded,
    }

    /// How many games were left out, each counted by the first rule it broke.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct PartyExcluded {
        /// Games of the library.
        pub total: usize,
        /// Hidden ones.
        pub hidden: usize,
        /// Games without a file that are not installed.
        pub unusable_path: usize,
        /// Games for fewer players.
        pub too_few_players: usize,
        /// Games of no couch platform that name no controllers.
        pub no_controller_or_platform: usize,
        /// Games whose sessions take too long.
        pub over_budget: usize,
    }

    /// `GET /api/v2/party/queue`.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct PartyQueue {
        /// Stable ids.
        pub queue: Vec<String>,
        /// The position of the game whose turn it is; 0 when there is none.
        pub index: usize,
    }

    /// `POST /api/v2/party/next`.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct PartyTurn {
        /// Stable id of the game whose turn it is.
        pub game_id: String,
        /// Its title, or its id when the game is gone.
        pub name: String,
        /// Its position.
        pub index: usize,
    }
}

/// Why there is no party.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PartyError {
    #[error("players must be between 2 and 8")]
    Players,
    #[error("minutes must be >= 0")]
    Minutes,
    #[error("party queue is empty — build one first")]
    Empty,
}

/// What a party wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    players: u64,
    /// No limit when 0.
    minutes: u64,
}

impl Wanted {
    /// Checks the numbers of a request.
    ///
    /// # Errors
    /// The sentence for the first one that is out of bounds.
    pub fn of(players: i64, minutes: i64) -> Result<Self, PartyError> {
        if !(PLAYERS.0..=PLAYERS.1).contains(&players) {
            return Err(PartyError::Players);
        }
        let minutes = u64::try_from(minutes).map_err(|_| PartyError::Minutes)?;
        Ok(Self { players: players.unsigned_abs(), minutes })
    }
}

/// Why a game is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exclusion {
    TooFewPlayers,
    NoControllerOrPlatform,
    UnusablePath,
    OverBudget,
    Hidden,
}

impl PartyExcluded {
    fn count(&mut self, exclusion: Exclusion) {
        let counter = match exclusion {
            Exclusion::TooFewPlayers => &mut self.too_few_players,
            Exclusion::NoControllerOrPlatform => &mut self.no_controller_or_platform,
            Exclusion::UnusablePath => &mut self.unusable_path,
            Exclusion::OverBudget => &mut self.over_budget,
            Exclusion::Hidden => &mut self.hidden,
        };
        *counter += 1;
    }

    /// The sentence for an empty queue: the reason that holds for most games.
    fn reason(&self, wanted: Wanted) -> String {
        if self.total == 0 {
            return "The library has no games yet.".to_owned();
        }
        let reasons = [
            (self.too_few_players, format!("Most games are not for {} players.", wanted.players)),
            (
                self.no_controller_or_platform,
                "Most games name no controller and are of no couch platform.".to_owned(),
            ),
            (self.unusable_path, "Most games are not installed here.".to_owned()),
            (self.over_budget, format!("Most games take longer than {} minutes.", wanted.minutes)),
            (self.hidden, "Most games are hidden.".to_owned()),
        ];
        let mut top = (0, "No game fits.".to_owned());
        for (count, sentence) in reasons {
            if count > top.0 {
                top = (count, sentence);
            }
        }
        top.1
    }
}

/// Why a game does not fit, if it does not. `is_there` says whether its file exists.
fn exclusion(game: &Game, wanted: Wanted, is_there: bool) -> Option<Exclusion> {
    let slots = Slots::of(game.json());
    if game.hidden() || slots.flag(const { slot("hide_in_bigscreen") }) == Some(true) {
        return Some(Exclusion::Hidden);
    }
    if !is_there && slots.flag(const { slot("store_installed") }) != Some(true) {
        return Some(Exclusion::UnusablePath);
    }
    if slots.players() < wanted.players {
        return Some(Exclusion::TooFewPlayers);
    }
    let controllers = slots.text(const { slot("controller_support") });
    if controllers.trim().is_empty() && !is_couch(game.platform()) {
        return Some(Exclusion::NoControllerOrPlatform);
    }
    let sessions = u64::from(game.play_count());
    let played = game.playtime_seconds();
    // The average session is longer than the slack allows; written without a division.
    let budget = wanted.minutes.saturating_mul(60 * SLACK).saturating_mul(sessions);
    if wanted.minutes > 0 && played > 0 && sessions > 0 && played > budget {
        return Some(Exclusion::OverBudget);
    }
    None
}

/// Whether a platform is played from a couch, by any of its names.
fn is_couch(name: &str) -> bool {
    let name = name.trim();
    let known = platforms::by_any_name(name).map(|platform| platform.name);
    COUCH.contains(&name) || known.is_some_and(|known| COUCH.contains(&known))
}

/// `POST /api/v2/party/queue`: replaces the queue; the round begins with its first game.
///
/// # Errors
/// When the library cannot be read or written.
pub fn build(
    store: &Store,
    wanted: Wanted,
    probes: &Probes,
    dice: &mut Dice,
) -> Committed<PartyBuilt, PartyError> {
    let state = store.snapshot().map_err(CommitError::Unavailable)?;
    let paths: Vec<&str> =
        state.games.iter().map(|game| game.path()).filter(|path| !path.is_empty()).collect();
    let existing = probes.existing(&paths);
    store.commit(|draft| {
        let built = choose(draft.state(), wanted, &existing, dice);
        let settings = Map::from_iter([
            (QUEUE.to_owned(), Value::from(built.queue.clone())),
            ("party_players".to_owned(), wanted.players.into()),
            (INDEX.to_owned(), 0.into()),
        ]);
        draft.merge_section("settings", settings, &[]);
        Ok(built)
    })
}

fn choose(state: &State, wanted: Wanted, existing: &HashSet<&str>, dice: &mut Dice) -> PartyBuilt {
    let mut excluded = PartyExcluded { total: state.games.len(), ..PartyExcluded::default() };
    let mut games: Vec<&Game> = Vec::new();
    for game in state.games.iter() {
        match exclusion(game, wanted, existing.contains(game.path())) {
            Some(exclusion) => excluded.count(exclusion),
            None => games.push(game),
        }
    }
    // Games with the same rating come in another order each time.
    for last in (1..games.len()).rev() {
        games.swap(last, dice.below(last + 1));
    }
    let rating = |game: &Game| game.rating().unwrap_or(0.0);
    games.sort_by(|a, b| rating(b).total_cmp(&rating(a)));
    games.truncate(GAMES);
    let queue: Vec<String> = games.into_iter().map(|game| game.id().to_owned()).collect();
    let empty_reason = queue.is_empty().then(|| excluded.reason(wanted));
    PartyBuilt { count: queue.len(), queue, empty_reason, excluded }
}

/// `GET /api/v2/party/queue`.
pub fn queue(state: &State) -> PartyQueue {
    let queue = read::texts(state.settings(), QUEUE);
    let index = usize::try_from(read::integer(state.settings(), INDEX)).unwrap_or(0);
    let index = index.min(queue.len().saturating_sub(1));
    PartyQueue { queue, index }
}

/// `POST /api/v2/party/next`: the turn of the next game; after the last one comes the first.
///
/// # Errors
/// [`PartyError::Empty`], or when the library cannot be written.
pub fn next(store: &Store) -> Committed<PartyTurn, PartyError> {
    store.commit(turn)
}

fn turn(draft: &mut Draft) -> Result<PartyTurn, PartyError> {
    let PartyQueue { queue, index } = queue(draft.state());
    if queue.is_empty() {
        return Err(PartyError::Empty);
    }
    let index = (index + 1) % queue.len();
    let game_id = queue[index].clone();
    let found = draft.state().games.find(&game_id);
    let name = found.map_or("", |(_, game)| game.name()).to_owned();
    let name = if name.is_empty() { game_id.clone() } else { name };
    let settings = Map::from_iter([(INDEX.to_owned(), index.into())]);
    draft.merge_section("settings", settings, &[]);
    Ok(PartyTurn { game_id, name, index })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::Record;

    fn state(games: Value) -> State {
        let mut draft = Draft::new(State::default());
        for game in games.as_array().expect("a list") {
            let record: Record = serde_json::from_value(game.clone()).expect("an object");
            draft.add_game(record).expect("added");
        }
        draft.finish().0
    }

    fn built(games: Value, players: i64, minutes: i64) -> PartyBuilt {
        let wanted = Wanted::of(players, minutes).expect("within bounds");
        choose(&state(games), wanted, &HashSet::from(["/a"]), &mut Dice::new(1))
    }

    #[test]
    fn numbers_have_bounds() {
        assert_eq!(Wanted::of(1, 0), Err(PartyError::Players));
        assert_eq!(Wanted::of(9, 0), Err(PartyError::Players));
        assert_eq!(Wanted::of(8, -1), Err(PartyError::Minutes));
        assert!(Wanted::of(2, 0).is_ok() && Wanted::of(8, i64::MAX).is_ok());
    }

    #[test]
    fn the_first_broken_rule_counts() {
        let fits = json!({"game_id": "fits", "path": "/a", "platform": "NES", "max_players": "4"});
        let with = |id: &str, more: Value| {
            let mut game = fits.clone();
            game["game_id"] = id.into();
            game.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            game
        };
        let games = json!([
            fits,
            with("hidden", json!({"hidden": true, "path": "/gone"})),
            with("away", json!({"hide_in_bigscreen": true})),
            with("gone", json!({"path": "/gone"})),
            with("store", json!({"path": "", "store_installed": true, "rating": 1})),
            with("single", json!({"max_players": ""})),
            with("windows", json!({"platform": "Windows"})),
            with(
                "pad",
                json!({"platform": "Windows", "controller_support": "full", "rating": 5,
                "max_players": "1-4"})
            ),
            with("long", json!({"playtime_seconds": 10_801, "play_count": 1})),
            with("just", json!({"playtime_seconds": 10_800, "play_count": 1, "rating": 3})),
        ]);
        let party = built(games, 4, 60);
        assert_eq!(party.queue, ["pad", "just", "store", "fits"]);
        let expected = PartyExcluded {
            total: 10,
            hidden: 2,
            unusable_path: 1,
            too_few_players: 1,
            no_controller_or_platform: 1,
            over_budget: 1,
        };
        assert_eq!((party.excluded, party.empty_reason), (expected, None));
    }

    #[test]
    fn an_empty_queue_says_what_holds_for_most_games() {
        let reason = |games: Value| built(games, 3, 0).empty_reason.expect("a reason");
        assert_eq!(reason(json!([])), "The library has no games yet.");
        let single = json!({"game_id": "a", "path": "/a", "platform": "NES"});
        let hidden = json!({"game_id": "b", "hidden": true});
        assert_eq!(reason(json!([hidden, single])), "Most games are not for 3 players.");
        assert_eq!(reason(json!([hidden])), "Most games are hidden.");
    }

    #[test]
    fn a_queue_has_at_most_fifty_games_and_ties_are_shuffled() {
        let game = |at: usize| json!({"game_id": format!("g{at:02}"), "path": "/a", "platform": "SNES", "max_players": 2});
        let party = built(json!((0..60).map(game).collect::<Vec<_>>()), 2, 0);
        assert_eq!((party.count, party.queue.len()), (50, 50));
        assert!(!party.queue.is_sorted());
    }

    #[test]
    fn turns_go_round() {
        let mut draft = Draft::new(state(json!([{"game_id": "a", "name": "Alpha"}])));
        assert_eq!(turn(&mut draft), Err(PartyError::Empty));
        let settings = Map::from_iter([(QUEUE.to_owned(), json!(["a", "gone"]))]);
        draft.merge_section("settings", settings, &[]);
        assert_eq!(queue(draft.state()).index, 0);
        let turns: Vec<(String, usize)> = (0..3)
            .map(|_| turn(&mut draft).map(|turn| (turn.name, turn.index)).expect("a turn"))
            .collect();
        assert_eq!(turns, [("gone".into(), 1), ("Alpha".into(), 0), ("gone".into(), 1)]);
        assert_eq!(queue(draft.state()).index, 1);
    }

    #[test]
    fn platforms_go_by_any_of_their_names() {
        for name in ["NES", " SNES ", "Nintendo Entertainment System", "MAME", "PlayStation 2"] {
            assert!(is_couch(name), "{name}");
        }
        for name in ["", "Windows", "Linux", "nesx"] {
            assert!(!is_couch(name), "{name}");
        }
    }
}
