//! Storing the progress in a game: fields of its record, and a file of its own that the
//! insights read.

use serde_json::{Value, json};

use super::{
    answers::{Award, Completion, Progress},
    error::AchError,
};
use crate::{
    config::data_dir::DataDir,
    files::Files,
    game::origins::{self, Mode},
    model::{
        Draft, Record,
        origins::{Origin, Right},
    },
    providers::ACH,
};

/// How far a game was brought at the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GameProgress {
    /// The number of the game there.
    pub id: u32,
    pub earned: u64,
    pub earned_hardcore: u64,
    pub total: u64,
    pub is_mastered: bool,
}

impl GameProgress {
    fn new(id: u32, counts: (u64, u64, u64), award: Award) -> Self {
        let (earned, earned_hardcore, total) = counts;
        let is_mastered = award == Award::Mastered || (total > 0 && earned_hardcore >= total);
        Self { id, earned, earned_hardcore, total, is_mastered }
    }

    /// Hundredths of a percent that were earned, rounded.
    fn hundredths(&self) -> u64 {
        (self.earned * 20_000 + self.total).checked_div(2 * self.total).unwrap_or(0)
    }

    /// The share that was earned, such as `66.67%`.
    pub(super) fn completion(&self) -> String {
        let hundredths = self.hundredths();
        format!("{}.{:02}%", hundredths / 100, hundredths % 100)
    }

    /// Writes it to a game, with the hash of its file where that was computed; whether anything changed.
    pub(super) fn write(
        &self,
        draft: &mut Draft,
        game_id: &str,
        hash: Option<&str>,
        right: Right,
    ) -> bool {
        let Some((_, game)) = draft.state().games.find(game_id) else { return false };
        let id = number_of(&game.record()).is_none().then(|| self.id.to_string());
        // Rounded down, so that only everything is 100.
        let percent = (self.earned * 100).checked_div(self.total).unwrap_or(0);
        let fields: [(&str, Option<Value>); 7] = [
            ("ach_game_id", id.map(Value::from)),
            ("ach_hash", hash.map(Value::from)),
            ("ach_achievements_earned", Some(self.earned.into())),
            ("ach_achievements_earned_hardcore", Some(self.earned_hardcore.into())),
            ("ach_achievements_total", Some(self.total.into())),
            ("ach_progress_pct", Some(percent.into())),
            ("ach_mastered", Some(self.is_mastered.into())),
        ];
        let values: Vec<_> =
            fields.into_iter().filter_map(|(key, value)| Some((key, value?))).collect();
        let origin =
            Origin { by: ACH.id.to_owned(), reference: self.id.to_string(), ..Origin::default() };
        !origins::fill(draft, game_id, origin, right, Mode::Replace, &values).is_empty()
    }

    /// Writes the file that the insights read.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(super) fn keep(
        &self,
        files: &Files,
        data_dir: &DataDir,
        game_id: &str,
    ) -> Result<(), AchError> {
        let percent = self.hundredths();
        // OK because a hundredth of a percent is exact enough for two decimals.
        let percent: f64 = format!("{}.{:02}", percent / 100, percent % 100).parse().unwrap_or(0.0);
        let kept = json!({
            "game_id": game_id,
            "earned": self.earned,
            "earned_hardcore": self.earned_hardcore,
            "total": self.total,
            "progress_pct": percent,
            "mastered": self.is_mastered,
        });
        files.private_dir(&data_dir.game_achievements())?;
        let path = data_dir.achievements_of(game_id);
        Ok(files.replace_unsynced(&path, kept.to_string().as_bytes())?)
    }
}

impl From<&Progress> for GameProgress {
    fn from(found: &Progress) -> Self {
        let counts = (found.earned, found.earned_hardcore, found.total);
        Self::new(found.id, counts, found.award)
    }
}

impl From<&Completion> for GameProgress {
    fn from(found: &Completion) -> Self {
        let counts = (found.earned, found.earned_hardcore, found.total);
        Self::new(found.id, counts, found.award)
    }
}

/// The number at the provider that a game has.
pub(super) fn number_of(record: &Record) -> Option<u32> {
    record.shown("ach_game_id").trim().parse().ok().filter(|id| *id > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::State;

    fn progress(earned: u64, hardcore: u64, total: u64) -> GameProgress {
        GameProgress::new(7, (earned, hardcore, total), Award::None)
    }

    #[test]
    fn shares_have_two_decimals() {
        for (earned, total, expected) in [
            (0, 0, "0.00%"),
            (0, 9, "0.00%"),
            (1, 3, "33.33%"),
            (2, 3, "66.67%"),
            (1, 2, "50.00%"),
            (9, 9, "100.00%"),
        ] {
            assert_eq!(progress(earned, 0, total).completion(), expected);
        }
        assert!(progress(3, 3, 3).is_mastered && !progress(3, 2, 3).is_mastered);
        assert!(!progress(0, 0, 0).is_mastered);
        assert!(GameProgress::new(7, (1, 1, 3), Award::Mastered).is_mastered);
    }

    #[test]
    fn an_id_that_is_locked_or_set_stays() {
        let mut draft = Draft::new(State::default());
        let record = |value| serde_json::from_value::<Record>(value).expect("an object");
        for row in [
            json!({"game_id": "a"}),
            json!({"game_id": "b", "ach_game_id": "99"}),
            json!({"game_id": "c", "ach_game_id": "none", "field_origins": {"locks": {"ach_game_id": true}}}),
        ] {
            draft.add_game(record(row)).expect("added");
        }
        let half = progress(1, 0, 2);
        for (id, expected) in [("a", "7"), ("b", "99"), ("c", "none")] {
            assert!(half.write(&mut draft, id, Some("ab"), Right::Request), "{id}");
            assert!(!half.write(&mut draft, id, Some("ab"), Right::Request), "{id}");
            let game = draft.state().games.find(id).expect("there").1.record();
            assert_eq!(game.text("ach_game_id"), expected);
            assert_eq!((game.text("ach_hash"), game.count("ach_progress_pct")), ("ab", 50));
            assert_eq!(
                (game.count("ach_achievements_earned"), game.flag("ach_mastered")),
                (1, false)
            );
        }
        assert!(!half.write(&mut draft, "gone", None, Right::Request));
    }
}
