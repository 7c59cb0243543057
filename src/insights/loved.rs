//! The games that the user loves, and the similarity of another game to them.

use std::collections::BTreeSet;

use super::{
    habits::Habits,
    sums::{genres, playtime},
};
use crate::{
    base::{Day, text},
    model::{Game, State},
    platforms::{self, OTHER},
};

/// Games that others are compared with, by how they were found.
const LOVED: usize = 5;
const LOVED_BY_TIME: usize = 3;
/// Days within which a game that is liked counts as loved.
const LOVED_DAYS: i64 = 60;
/// Seconds of play that make a game loved when none is liked.
const LOVED_SECONDS: u64 = 3_600;

/// A game that others are compared with, and its texts, folded.
pub(super) struct Loved<'a> {
    pub(super) game: &'a Game,
    series: String,
    developer: String,
    publisher: String,
    genres: Vec<String>,
    family: &'a str,
    /// The days on which it was played lately.
    days: Option<&'a BTreeSet<Day>>,
}

impl<'a> Loved<'a> {
    /// The games of a library that others are compared with.
    pub(super) fn of(state: &'a State, habits: &'a Habits<'a>) -> Vec<Self> {
        let folded = |text: &str| text::fold(text.trim());
        let loved = find(state, habits).into_iter().map(|game| Self {
            game,
            series: folded(game.series()),
            developer: folded(game.developer()),
            publisher: folded(game.publisher()),
            genres: genres(game).into_iter().map(text::fold).collect(),
            family: platforms::family_of(game.platform()),
            days: habits.days_of(game),
        });
        loved.collect()
    }

    /// The strongest thing that a game has in common with this one, 0 to 1. `days` are those on which it
    /// was played lately, `genres` its genres, folded, and `family` that of its platform.
    pub(super) fn similarity(
        &self,
        game: &Game,
        days: Option<&BTreeSet<Day>>,
        genres: &[String],
        family: &str,
    ) -> f64 {
        let is =
            |text: &str, folded: &str| !folded.is_empty() && text::is_folded(text.trim(), folded);
        if is(game.series(), &self.series) {
            1.0
        } else if is(game.developer(), &self.developer) {
            0.8
        } else if days.zip(self.days).is_some_and(|(days, own)| are_close(days, own)) {
            0.6
        } else if is(game.publisher(), &self.publisher) {
            0.5
        } else if genres.iter().any(|genre| self.genres.contains(genre)) {
            0.4
        } else if family != OTHER && !family.is_empty() && family == self.family {
            0.3
        } else {
            0.0
        }
    }
}

fn find<'a>(state: &'a State, habits: &Habits<'_>) -> Vec<&'a Game> {
    let liked = habits.facts().iter().enumerate().filter(|(_, facts)| facts.is_liked);
    let liked = liked.filter_map(|(position, facts)| {
        let last = facts.last.filter(|_| facts.days.is_some_and(|days| days <= LOVED_DAYS))?;
        Some((last, &**state.games.get(position)?))
    });
    let mut liked: Vec<(i64, &Game)> = liked.collect();
    if !liked.is_empty() {
        liked.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.id().cmp(b.1.id())));
        return liked.into_iter().take(LOVED).map(|(_, game)| game).collect();
    }
    let time = |game: &Game| playtime(game).max(habits.seconds_of(game));
    let games = state.games.iter().map(AsRef::<Game>::as_ref);
    let mut played: Vec<&Game> = games.filter(|game| time(game) >= LOVED_SECONDS).collect();
    played.sort_by(|a, b| time(b).cmp(&time(a)).then_with(|| a.id().cmp(b.id())));
    played.truncate(LOVED_BY_TIME);
    played
}

/// Whether two games were played within a week of each other.
fn are_close(a: &BTreeSet<Day>, b: &BTreeSet<Day>) -> bool {
    a.iter().any(|day| b.range(day.plus(-7)..=day.plus(7)).next().is_some())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{base::Moment, insights::plays::Plays, model::Draft};

    #[test]
    fn the_games_that_were_played_last_come_first() {
        let mut draft = Draft::new(State::default());
        for hour in [9, 14, 11, 8, 13, 10, 12] {
            let game = json!({"game_id": format!("at-{hour:02}"), "name": "A", "favorite": true,
                "last_played": format!("2026-11-26T{hour:02}:00:00")});
            draft.add_game(serde_json::from_value(game).expect("an object")).expect("added");
        }
        let state = draft.finish().0;
        let now = Moment::parse_utc("2026-11-26T20:00:00").expect("a time");
        let plays = Plays::default();
        let habits = Habits::of(&state, &plays, &now);
        let loved: Vec<&str> = find(&state, &habits).into_iter().map(Game::id).collect();
        assert_eq!(loved, ["at-14", "at-13", "at-12", "at-11", "at-10"]);
    }
}
