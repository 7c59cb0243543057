//! Games as a map: connections between the most important ones (`GET /api/v2/library/constellation`).
//!
//! The same library and history give the same map. It is capped twice: by the number of games, and, where it
//! has many lines, by those of each game, so that a library of one maker stays a map.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, HashMap, HashSet},
};

use super::{
    error::InsightError,
    plays::Plays,
    sums::{genres, playtime},
};
use crate::{
    base::{Day, schema::schema, text},
    game::GameRef,
    model::{Game, State},
    platforms::{self, OTHER},
};

/// What may connect two games, with its weight; that of games played together is the most it can be.
const KINDS: [(&str, f64); 6] = [
    ("series", 1.0),
    ("developer", 0.8),
    ("publisher", 0.5),
    ("genre", 0.4),
    ("platform_family", 0.3),
    (CO_PLAYED, 0.6),
];
const CO_PLAYED: &str = "co_played";
/// Days on which two games were played together that count.
const MOST_DAYS: usize = 5;
/// Days between two plays that still belong together.
const NEAR: i32 = 7;
/// How many games are shown.
pub const LIMIT: (i64, i64) = (50, 1_000);
/// How many by default.
pub const USUAL_LIMIT: i64 = 400;
/// How far from a game in focus, in lines.
pub const DEPTH: (i64, i64) = (1, 2);
/// Lines that a game may begin where there are more than [`WHOLE`]; the heaviest stay.
const LINES: usize = 8;
/// Lines of a map that is shown whole.
const WHOLE: usize = 4_000;

/// Which map is wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    kinds: Vec<&'static str>,
    limit: usize,
    focus: Option<GameRef>,
    depth: usize,
}

impl View {
    /// Checks the values of a request. `kinds` is a comma list, all kinds without it.
    ///
    /// # Errors
    /// The sentence for the first value that is wrong.
    pub fn of(
        kinds: Option<&str>,
        limit: i64,
        focus: Option<GameRef>,
        depth: i64,
    ) -> Result<Self, InsightError> {
        let names = kinds.unwrap_or("").split(',').map(str::trim).filter(|kind| !kind.is_empty());
        let names: Vec<&str> = names.collect();
        let is_known = |name: &&str| KINDS.iter().any(|(kind, _)| kind == name);
        let unknown: Vec<&str> = names.iter().copied().filter(|name| !is_known(name)).collect();
        if !unknown.is_empty() {
            let valid = KINDS.map(|(kind, _)| kind).join(", ");
            let unknown = unknown.join(", ");
            let sentence = format!("unknown kinds: [{unknown}]; valid: [{valid}]");
            return Err(InsightError::Refused(sentence));
        }
        if !(LIMIT.0..=LIMIT.1).contains(&limit) {
            let sentence = "limit must be between 50 and 1000".to_owned();
            return Err(InsightError::Refused(sentence));
        }
        if !(DEPTH.0..=DEPTH.1).contains(&depth) {
            return Err(InsightError::Refused("depth must be 1 or 2".to_owned()));
        }
        let is_wanted = |kind: &&str| names.is_empty() || names.contains(kind);
        Ok(Self {
            kinds: KINDS.map(|(kind, _)| kind).into_iter().filter(is_wanted).collect(),
            limit: usize::try_from(limit).unwrap_or(0),
            focus,
            depth: usize::try_from(depth).unwrap_or(1),
        })
    }
}

schema! {
    /// `GET /api/v2/library/constellation`.
    #[derive(Clone, Debug)]
    pub struct Constellation {
        /// The games, those played most first; the one in focus leads.
        pub nodes: Vec<Star>,
        /// What connects them, sorted by its ends.
        pub edges: Vec<Line>,
        /// The kinds that were searched.
        pub kinds: Vec<&'static str>,
        /// Whether games or lines were left out.
        pub truncated: bool,
        /// Whether there is no game to show.
        pub empty: bool,
        /// Stable id of the game in focus.
        pub focus: Option<String>,
        /// How many lines away from it.
        pub depth: Option<usize>,
    }

    /// A game of the map.
    #[derive(Clone, Debug)]
    pub struct Star {
        /// Its number in the map.
        pub i: usize,
        /// Stable id.
        pub game_id: String,
        /// Position in the library.
        pub id: usize,
        /// Title.
        pub name: String,
        /// Platform, as stored.
        pub platform: String,
        /// Year, as stored.
        pub year: String,
        /// Tracked and manual seconds of play.
        pub playtime_seconds: u64,
        /// How many lines end here.
        pub degree: usize,
        /// Path of the cover; empty without one that may be shown.
        pub cover: String,
        /// Whether it has a cover to show.
        pub has_cover: bool,
    }

    /// What connects two games: the heaviest of what they have in common.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Line {
        /// Number of the one game; below `t`.
        pub s: usize,
        /// Number of the other.
        pub t: usize,
        /// What they have in common.
        pub kind: &'static str,
        /// How much that is, 0 to 1.
        pub w: f64,
    }
}

/// What of a game is compared, by numbers; zero is blank.
struct Traits {
    series: u32,
    developer: u32,
    publisher: u32,
    family: u32,
    genres: Vec<u32>,
    days: BTreeSet<Day>,
}

/// Numbers of texts; equal when the texts are, in any case and without blanks around them.
#[derive(Default)]
struct Texts(HashMap<String, u32>);

impl Texts {
    fn number(&mut self, text: &str) -> u32 {
        let folded = text::fold(text.trim());
        if folded.is_empty() {
            return 0;
        }
        // OK because four thousand million texts do not fit into memory.
        let next = u32::try_from(self.0.len() + 1).unwrap_or(u32::MAX);
        *self.0.entry(folded).or_insert(next)
    }

    fn traits(&mut self, game: &Game, days: &BTreeSet<Day>) -> Traits {
        let family = platforms::family_of(game.platform());
        let mut shared: Vec<u32> =
            genres(game).into_iter().map(|genre| self.number(genre)).collect();
        shared.sort_unstable();
        Traits {
            series: self.number(game.series()),
            developer: self.number(game.developer()),
            publisher: self.number(game.publisher()),
            family: if family == OTHER { 0 } else { self.number(family) },
            genres: shared,
            days: days.clone(),
        }
    }
}

/// The heaviest thing that two games have in common.
fn common(kinds: &[&'static str], a: &Traits, b: &Traits) -> Option<(&'static str, f64)> {
    let same = |a: u32, b: u32| a != 0 && a == b;
    let weight = |(kind, weight): (&'static str, f64)| {
        let found = match kind {
            "series" => same(a.series, b.series),
            "developer" => same(a.developer, b.developer),
            "publisher" => same(a.publisher, b.publisher),
            "genre" => a.genres.iter().any(|genre| b.genres.binary_search(genre).is_ok()),
            "platform_family" => same(a.family, b.family),
            _ => {
                let days = days_together(&a.days, &b.days).min(MOST_DAYS);
                #[expect(clippy::cast_precision_loss, reason = "at most five days")]
                let share = days as f64 / MOST_DAYS as f64;
                return (days > 0).then_some((kind, share * weight));
            }
        };
        found.then_some((kind, weight))
    };
    let wanted = KINDS.into_iter().filter(|(kind, _)| kinds.contains(kind));
    // Of equal weights the first kind counts.
    wanted.filter_map(weight).reduce(|best, next| if next.1 > best.1 { next } else { best })
}

/// Days of the one game within a week of a day of the other, counted from the side that has more.
fn days_together(a: &BTreeSet<Day>, b: &BTreeSet<Day>) -> usize {
    if a.is_empty() || b.is_empty() {
        return 0;
    }
    let count = |of: &BTreeSet<Day>, near: &BTreeSet<Day>| {
        let is_near = |day: &&Day| near.range(day.plus(-NEAR)..=day.plus(NEAR)).next().is_some();
        of.iter().filter(is_near).take(MOST_DAYS).count()
    };
    count(a, b).max(count(b, a))
}

/// Local days of play of each game, by position.
fn days(state: &State, plays: &Plays) -> HashMap<usize, BTreeSet<Day>> {
    let games = plays.games(state);
    let mut days: HashMap<usize, BTreeSet<Day>> = HashMap::new();
    for play in &plays.list {
        if let (Some(Some((position, _))), Some(day)) = (games.get(play.key as usize), play.day) {
            days.entry(*position).or_default().insert(day);
        }
    }
    days
}

/// The map of a library, without covers.
///
/// # Errors
/// When the game in focus is not there.
pub(super) fn draw(
    state: &State,
    plays: &Plays,
    view: &View,
) -> Result<Constellation, InsightError> {
    let days = days(state, plays);
    let none = BTreeSet::new();
    let games = state.games.iter().map(AsRef::as_ref).enumerate();
    let mut games: Vec<(usize, &Game)> = games.filter(|(_, game)| !game.hidden()).collect();
    let order = |a: &(usize, &Game), b: &(usize, &Game)| {
        let key =
            |game: &Game| (Reverse(playtime(game)), Reverse(game.play_count()), !game.favorite());
        key(a.1).cmp(&key(b.1)).then_with(|| a.1.name().cmp(b.1.name())).then_with(|| a.0.cmp(&b.0))
    };
    let mut is_cut = false;
    // Without a game in the middle only those that are shown need an order.
    if view.focus.is_none() && games.len() > view.limit {
        games.select_nth_unstable_by(view.limit, order);
        games.truncate(view.limit);
        is_cut = true;
    }
    games.sort_unstable_by(order);
    let mut texts = Texts::default();
    let focus = match &view.focus {
        None => None,
        Some(focus) => Some(focus.find(&state.games).ok_or(InsightError::UnknownGame)?),
    };
    if let Some((id, game)) = focus {
        let traits: Vec<Traits> = games
            .iter()
            .map(|(id, game)| texts.traits(game, days.get(id).unwrap_or(&none)))
            .collect();
        let centre = texts.traits(game, days.get(&id).unwrap_or(&none));
        let near = around(view, &traits, &centre);
        is_cut = near.len() >= view.limit;
        let mut chosen = vec![(id, game.as_ref())];
        chosen.extend(near.into_iter().map(|at| games[at]).filter(|(other, _)| *other != id));
        games = chosen;
    }
    is_cut |= games.len() > view.limit;
    games.truncate(view.limit);
    let traits: Vec<Traits> =
        games.iter().map(|(id, game)| texts.traits(game, days.get(id).unwrap_or(&none))).collect();
    let (edges, degrees, are_lines_cut) = connect(view, &traits);
    let star = |(i, (id, game)): (usize, (usize, &Game))| Star {
        i,
        game_id: game.id().to_owned(),
        id,
        name: game.name().to_owned(),
        platform: game.platform().to_owned(),
        year: game.year().to_owned(),
        playtime_seconds: playtime(game),
        degree: degrees[i],
        cover: String::new(),
        has_cover: false,
    };
    Ok(Constellation {
        empty: games.is_empty(),
        nodes: games.into_iter().enumerate().map(star).collect(),
        edges,
        kinds: view.kinds.clone(),
        truncated: is_cut || are_lines_cut,
        focus: focus.map(|(_, game)| game.id().to_owned()),
        depth: focus.map(|_| view.depth),
    })
}

/// The games that lines lead to from the one in focus: the nearest first, then the heaviest line, then the
/// order of the games. At most as many as are shown.
fn around(view: &View, traits: &[Traits], centre: &Traits) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    let mut known: HashSet<usize> = HashSet::new();
    let mut from: Vec<&Traits> = vec![centre];
    for _ in 0..view.depth {
        let mut next: Vec<(usize, f64)> = Vec::new();
        for (at, other) in traits.iter().enumerate().filter(|(at, _)| !known.contains(at)) {
            let weights = from.iter().filter_map(|one| common(&view.kinds, one, other));
            if let Some(best) = weights.map(|(_, weight)| weight).max_by(f64::total_cmp) {
                next.push((at, best));
            }
        }
        next.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        next.truncate(view.limit - found.len());
        known.extend(next.iter().map(|(at, _)| *at));
        from = next.iter().take(LINES).map(|(at, _)| &traits[*at]).collect();
        found.extend(next.into_iter().map(|(at, _)| at));
        if found.len() >= view.limit {
            break;
        }
    }
    found
}

/// The lines between games, how many end at each game, and whether any were left out. Of many lines the
/// heaviest come first, and one stays while either of its ends has fewer than its share.
fn connect(view: &View, traits: &[Traits]) -> (Vec<Line>, Vec<usize>, bool) {
    let mut all: Vec<Line> = Vec::new();
    for (s, a) in traits.iter().enumerate() {
        let others = traits.iter().enumerate().skip(s + 1);
        let line = |(t, b): (usize, &Traits)| {
            let (kind, w) = common(&view.kinds, a, b)?;
            Some(Line { s, t, kind, w: (w * 100.0).round() / 100.0 })
        };
        all.extend(others.filter_map(line));
    }
    all.sort_by(|a, b| b.w.total_cmp(&a.w).then_with(|| (a.s, a.t).cmp(&(b.s, b.t))));
    let mut degrees = vec![0_usize; traits.len()];
    let count = all.len();
    all.retain(|line| {
        let stays = count <= WHOLE || degrees[line.s].min(degrees[line.t]) < LINES;
        if stays {
            degrees[line.s] += 1;
            degrees[line.t] += 1;
        }
        stays
    });
    let is_cut = all.len() < count;
    all.sort_by_key(|line| (line.s, line.t));
    (all, degrees, is_cut)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::model::{Draft, rows::HistoryRow};

    fn state(games: impl IntoIterator<Item = Value>) -> State {
        let mut draft = Draft::new(State::default());
        for game in games {
            draft.add_game(serde_json::from_value(game).expect("an object")).expect("added");
        }
        draft.state().clone()
    }

    fn plays(days: &[(&str, &str)]) -> Plays {
        let mut plays = Plays::default();
        for (game_id, day) in days {
            let row = json!({"game": "", "game_id": game_id, "started": format!("{day}T12:00:00"), "seconds": 60, "exit_code": 0});
            plays.add(&serde_json::from_value::<HistoryRow>(row).expect("a row"));
        }
        plays
    }

    fn view(kinds: &str) -> View {
        View::of(Some(kinds), 50, None, 1).expect("fine")
    }

    fn lines(state: &State, plays: &Plays, kinds: &str) -> Vec<(usize, usize, &'static str, f64)> {
        let map = draw(state, plays, &view(kinds)).expect("drawn");
        map.edges.iter().map(|line| (line.s, line.t, line.kind, line.w)).collect()
    }

    #[test]
    fn two_games_are_connected_by_the_heaviest_thing_they_share() {
        let state = state([
            json!({"game_id": "a", "name": "A", "series": "S", "developer": "D", "genre": "RPG, Action", "platform": "NES"}),
            json!({"game_id": "b", "name": "B", "series": " s", "developer": "d", "publisher": "P"}),
            json!({"game_id": "c", "name": "C", "developer": "D", "publisher": "p ", "genre": "rpg", "platform": "GameCube"}),
            json!({"game_id": "d", "name": "D", "hidden": true, "series": "S"}),
            json!({"game_id": "e", "name": "E", "platform": "Unheard"}),
            json!({"game_id": "f", "name": "F", "platform": "Unheard"}),
        ]);
        let none = Plays::default();
        assert_eq!(
            lines(&state, &none, ""),
            [(0, 1, "series", 1.0), (0, 2, "developer", 0.8), (1, 2, "developer", 0.8)]
        );
        assert_eq!(lines(&state, &none, "genre,platform_family"), [(0, 2, "genre", 0.4)]);
        assert_eq!(lines(&state, &none, "platform_family"), [(0, 2, "platform_family", 0.3)]);
        assert_eq!(lines(&state, &none, "publisher"), [(1, 2, "publisher", 0.5)]);
    }

    #[test]
    fn families_are_those_of_makers() {
        let names =
            ["Amiga", "Commodore 64", "DOS", "MSX", "PC", "PC-98", "TurboGrafx-16", "ZX Spectrum"];
        let games = names.map(|name| json!({"game_id": name, "name": name, "platform": name}));
        let lines = lines(&state(games), &Plays::default(), "platform_family");
        let pairs: Vec<(usize, usize)> = lines.iter().map(|line| (line.0, line.1)).collect();
        assert_eq!(pairs, [(0, 1), (2, 4), (3, 7), (5, 6)]);
    }

    #[test]
    fn a_small_map_is_whole_and_a_large_one_is_cut() {
        for (count, is_cut) in [(10, false), (50, false), (200, true)] {
            let name = |at: usize| format!("{at:03}");
            let game = |at| json!({"game_id": name(at), "name": name(at), "developer": "One"});
            let state = state((0..count).map(game));
            let view = View::of(Some("developer"), 200, None, 1).expect("fine");
            let map = draw(&state, &Plays::default(), &view).expect("drawn");
            assert_eq!(
                (map.truncated, map.edges.len() < count * (count - 1) / 2),
                (is_cut, is_cut)
            );
        }
    }

    #[test]
    fn days_within_a_week_connect_games_up_to_five_of_them() {
        let state = state(["a", "b", "c"].map(|id| json!({"game_id": id, "name": id})));
        let some = plays(&[
            ("a", "2026-03-01"),
            ("a", "2026-03-20"),
            ("b", "2026-03-08"),
            ("b", "2026-05-01"),
            ("c", "2026-05-09"),
        ]);
        assert_eq!(lines(&state, &some, "co_played"), [(0, 1, "co_played", 0.12)]);
        let many: Vec<(&str, String)> = (1..=9)
            .flat_map(|day| [("a", format!("2026-03-0{day}")), ("c", format!("2026-03-0{day}"))])
            .collect();
        let many: Vec<(&str, &str)> = many.iter().map(|(id, day)| (*id, day.as_str())).collect();
        assert_eq!(lines(&state, &plays(&many), "co_played"), [(0, 2, "co_played", 0.6)]);
    }

    #[test]
    fn a_map_is_capped_and_the_same_each_time() {
        let state = state((0..300).map(|at| {
            json!({"game_id": at.to_string(), "name": format!("N{:03}", 300 - at), "platform": "NES", "developer": "D",
                "playtime_seconds": at / 2, "favorite": at == 10})
        }));
        let map = draw(&state, &Plays::default(), &view("")).expect("drawn");
        assert_eq!((map.nodes.len(), map.truncated, map.empty), (50, true, false));
        let first: Vec<usize> = map.nodes.iter().take(4).map(|star| star.id).collect();
        assert_eq!(first, [299, 298, 297, 296]);
        assert_eq!(map.edges.len(), 50 * 49 / 2);
        assert!(map.nodes.iter().all(|star| star.degree > 0));
        let ends: usize = map.nodes.iter().map(|star| star.degree).sum();
        assert_eq!(ends, 2 * map.edges.len());
        let again = draw(&state, &Plays::default(), &view("")).expect("drawn");
        assert_eq!(map.edges, again.edges);
    }

    #[test]
    fn a_focus_shows_what_is_one_or_two_lines_away() {
        let state = state([
            json!({"game_id": "a", "name": "A", "series": "S"}),
            json!({"game_id": "b", "name": "B", "series": "S", "developer": "D"}),
            json!({"game_id": "c", "name": "C", "developer": "D"}),
            json!({"game_id": "d", "name": "D", "playtime_seconds": 9}),
        ]);
        let shown = |depth| {
            let focus = Some(GameRef::from_text("a"));
            let view = View::of(None, 50, focus, depth).expect("fine");
            let map = draw(&state, &Plays::default(), &view).expect("drawn");
            assert_eq!((map.focus.as_deref(), map.truncated), (Some("a"), false));
            map.nodes.into_iter().map(|star| star.game_id).collect::<Vec<_>>()
        };
        assert_eq!(shown(1), ["a", "b"]);
        assert_eq!(shown(2), ["a", "b", "c"]);
        let gone = View::of(None, 50, Some(GameRef::from_text("x")), 1).expect("fine");
        let error = draw(&state, &Plays::default(), &gone).expect_err("refused");
        assert_eq!(error, InsightError::UnknownGame);
    }

    #[test]
    fn wrong_values_are_refused() {
        let refused = |kinds, limit, depth| {
            View::of(kinds, limit, None, depth).expect_err("refused").to_string()
        };
        let kinds = "series, developer, publisher, genre, platform_family, co_played";
        assert_eq!(
            refused(Some("genre, x,y"), 400, 1),
            format!("unknown kinds: [x, y]; valid: [{kinds}]")
        );
        assert_eq!(refused(None, 49, 1), "limit must be between 50 and 1000");
        assert_eq!(refused(None, 1_001, 1), "limit must be between 50 and 1000");
        assert_eq!(refused(None, 400, 3), "depth must be 1 or 2");
    }
}
