//! The story of one game: when it was added, when it was played, its progress (`GET /api/v2/story`).

use serde_json::Value;

use super::plays::{Play, Plays};
use crate::{
    base::{Moment, schema::schema, text},
    model::{Game, State},
};

/// Hours of play that are worth an event.
const HOURS: [u64; 6] = [1, 5, 10, 25, 50, 100];
/// Characters of a note that is shown.
const NOTE_CHARS: usize = 200;
/// Progress that ends a story.
const FINISHED: [&str; 3] = ["Beaten", "Completed", "Mastered"];

schema! {
    "GameStory"
    /// `GET /api/v2/story`.
    #[derive(Clone, Debug)]
    pub struct Story {
        /// Stable id.
        pub game_id: String,
        /// Title.
        pub name: String,
        /// Platform, as stored.
        pub platform: String,
        /// What happened, the earliest first; events without a time stand in front.
        pub events: Vec<StoryEvent>,
        /// What it adds up to.
        pub totals: StoryTotals,
    }

    /// Something that happened to a game.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct StoryEvent {
        /// `added`, `first_played`, `session` (the longest), `milestone`, `progress` or `moment`.
        pub kind: &'static str,
        /// When, as it is stored.
        pub at: String,
        /// What, in a few words.
        pub title: String,
        /// More about it; empty when there is nothing to say.
        pub detail: String,
    }

    /// What the story of a game adds up to.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct StoryTotals {
        /// Sessions.
        pub sessions: usize,
        /// Tracked playtime of the game.
        pub playtime_seconds: u64,
        /// Moments that were kept.
        pub moments: usize,
        /// Progress; empty when none was set.
        pub progress: String,
    }
}

/// Builds the story of a game.
pub(super) fn story(state: &State, plays: &Plays, game: &Game) -> Story {
    let own: Vec<bool> = plays
        .games(state)
        .iter()
        .map(|found| found.is_some_and(|(_, found)| found.id() == game.id()))
        .collect();
    let mut sessions: Vec<&Play> = plays
        .list
        .iter()
        .filter(|play| own.get(play.key as usize).copied().unwrap_or(false))
        .collect();
    // A time without an offset is local, whatever the others say.
    sessions.sort_by_cached_key(|play| Moment::parse(&play.started).map(|at| at.unix_seconds()));
    let record = game.record();
    let moments = record.list("moments");
    let mut events: Vec<StoryEvent> = [added(game), first_played(&sessions), longest(&sessions)]
        .into_iter()
        .flatten()
        .chain(milestones(game, &sessions))
        .chain(progress(game))
        .chain(moments.iter().filter_map(moment))
        .collect();
    events.sort_by_key(|event| Moment::parse(&event.at).map(|at| at.unix_seconds()));
    Story {
        game_id: game.id().to_owned(),
        name: game.name().to_owned(),
        platform: game.platform().to_owned(),
        totals: StoryTotals {
            sessions: sessions.len(),
            playtime_seconds: game.playtime_seconds(),
            moments: moments.len(),
            progress: game.progress().to_owned(),
        },
        events,
    }
}

fn event(
    kind: &'static str,
    at: &str,
    title: impl Into<String>,
    detail: impl Into<String>,
) -> StoryEvent {
    StoryEvent { kind, at: at.to_owned(), title: title.into(), detail: detail.into() }
}

fn added(game: &Game) -> Option<StoryEvent> {
    let at = Some(game.added_at()).filter(|at| !at.trim().is_empty())?;
    Some(event("added", at, "Added to library", game.source()))
}

fn first_played(sessions: &[&Play]) -> Option<StoryEvent> {
    let first = sessions.iter().find(|play| play.utc.is_some()).or(sessions.first())?;
    Some(event("first_played", &first.started, "First played", length(first.seconds)))
}

fn longest(sessions: &[&Play]) -> Option<StoryEvent> {
    // The first of equals.
    let longest = sessions.iter().rev().max_by_key(|play| play.seconds)?;
    let is_worth = longest.seconds > 0;
    is_worth.then(|| event("session", &longest.started, "Longest session", length(longest.seconds)))
}

/// The sessions in which playtime passed a mark; marks that only the total of the game reaches are those
/// of the last play.
fn milestones(game: &Game, sessions: &[&Play]) -> Vec<StoryEvent> {
    let mut events = Vec::new();
    for hours in HOURS {
        let mark = hours * 3_600;
        let mut sum = 0_u64;
        let crossed = sessions.iter().find(|play| {
            sum = sum.saturating_add(play.seconds);
            sum >= mark
        });
        let at = match crossed {
            Some(play) => play.started.as_ref(),
            None if game.playtime_seconds() >= mark => game.last_played(),
            None => break,
        };
        events.push(event("milestone", at, format!("{hours}h played"), ""));
    }
    events
}

fn progress(game: &Game) -> Option<StoryEvent> {
    let progress = FINISHED.into_iter().find(|progress| *progress == game.progress())?;
    Some(event("progress", game.last_played(), progress, ""))
}

fn moment(moment: &Value) -> Option<StoryEvent> {
    let of = |key: &str| moment.get(key).and_then(Value::as_str).unwrap_or("").trim();
    moment.as_object()?;
    let title = Some(of("title")).filter(|title| !title.is_empty()).unwrap_or("Moment");
    Some(event("moment", of("created_at"), title, text::cut(of("note"), NOTE_CHARS)))
}

/// Seconds as hours: with one decimal below ten.
fn length(seconds: u64) -> String {
    if seconds < 36_000 {
        // Tenths of an hour, rounded.
        let tenths = (seconds + 180) / 360;
        return format!("{}.{}h", tenths / 10, tenths % 10);
    }
    format!("{}h", seconds / 3_600)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_hours() {
        for (seconds, expected) in [
            (0, "0.0h"),
            (179, "0.0h"),
            (180, "0.1h"),
            (5_400, "1.5h"),
            (35_999, "10.0h"),
            (36_000, "10h"),
            (39_599, "10h"),
        ] {
            assert_eq!(length(seconds), expected, "{seconds}");
        }
    }
}
