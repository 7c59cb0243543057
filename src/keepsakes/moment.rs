//! A moment as it is requested, stored and reported.

use serde_json::{Value, json};

use crate::{
    base::{Moment, named::named, schema::schema},
    config::settings::read,
    model::{Game, Record, State},
    resume::error::ResumeError,
    store::Unavailable,
};

/// Characters of a title.
const TITLE_CHARS: usize = 120;
/// Characters of a note.
const NOTE_CHARS: usize = 2_000;

/// Why a moment was not made, found or changed.
#[derive(Debug, thiserror::Error)]
pub enum MomentError {
    #[error("Game not found")]
    UnknownGame,
    #[error("There is no such moment.")]
    Unknown,
    #[error("moment_id is required.")]
    NoId,
    #[error("limit must be a whole number from 1 to 500.")]
    Limit,
    #[error("The trigger is not known.")]
    Trigger,
    #[error("Automatic moments are switched off in the settings.")]
    AutomaticOff,
    #[error("The title must be a text.")]
    Title,
    #[error("The title may have at most 120 characters.")]
    LongTitle,
    #[error("The note must be a text.")]
    Note,
    #[error("The note may have at most 2000 characters.")]
    LongNote,
    #[error("The screenshot must be an image in an approved media folder.")]
    Picture,
    #[error("created_at must be a time.")]
    Time,
    #[error("The game has 500 moments already; delete one of them first.")]
    Full,
    #[error(transparent)]
    Resume(#[from] ResumeError),
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

named! {
    /// What made a moment.
    #[derive(Default)]
    pub enum Trigger {
        /// The user, on the page.
        #[default]
        Manual = "manual",
        /// The user, in the pause menu.
        Pause = "pause",
        /// A key or a button.
        Hotkey = "hotkey",
        /// The summary of a session.
        Recap = "recap",
        /// The end of a session.
        SessionEnd = "session_end",
        /// The first start of a game.
        FirstBoot = "first_boot",
        /// An achievement.
        AchUnlock = "ach_unlock",
        /// Progress in the game.
        Progress = "progress",
        /// Hours of play.
        Milestone = "milestone",
    }
}

impl Trigger {
    /// Reads a trigger as clients spell it; nothing means the user.
    fn parse(value: Option<&Value>) -> Result<Self, MomentError> {
        let Some(value) = value.filter(|value| !value.is_null()) else {
            return Ok(Self::default());
        };
        let text = value.as_str().ok_or(MomentError::Trigger)?;
        match text.trim().to_lowercase().replace('-', "_").as_str() {
            "" => Ok(Self::default()),
            text => Self::named(text).ok_or(MomentError::Trigger),
        }
    }

    fn is_automatic(self) -> bool {
        matches!(self, Self::FirstBoot | Self::AchUnlock | Self::Progress | Self::Milestone)
    }

    /// The title of a moment that was given none.
    fn title(self) -> &'static str {
        match self {
            Self::Manual | Self::Hotkey => "Moment",
            Self::Pause => "Paused",
            Self::Recap => "Session recap",
            Self::SessionEnd => "End of a session",
            Self::FirstBoot => "First start",
            Self::AchUnlock => "Achievement unlocked",
            Self::Progress => "Progress",
            Self::Milestone => "Milestone",
        }
    }
}

schema! {
    "MomentItem"
    /// A moment of a game.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Item {
        /// `SCREENSHOT_UNAVAILABLE` when no picture could be taken.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub(super) capture_error: Option<&'static str>,
        pub(super) created_at: String,
        pub(super) game_id: String,
        /// The session it belongs to; empty without one.
        pub(super) launch_id: String,
        pub(super) moment_id: String,
        pub(super) note: String,
        pub(super) resume_state: Option<Value>,
        /// A path; empty without a picture.
        pub(super) screenshot: String,
        /// The place of the picture among the screenshots of the game.
        pub(super) screenshot_index: Option<usize>,
        pub(super) title: String,
        pub(super) trigger: String,
        pub(super) updated_at: String,
    }

    /// The moments of a game, or one moment.
    #[derive(Debug)]
    pub struct MomentList {
        pub(super) game_id: String,
        /// The one that was asked for by its id.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub(super) item: Option<Item>,
        /// The newest first.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub(super) items: Option<Vec<Item>>,
        /// How many there are.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub(super) total: Option<usize>,
    }

    /// Moments of all games.
    #[derive(Debug)]
    pub struct MomentGallery {
        /// The newest first.
        pub(super) items: Vec<Item>,
        /// How many there are.
        pub(super) total: usize,
        /// How many of them each month has, the newest first.
        pub(super) months: Vec<MonthCount>,
        pub(super) offset: usize,
        pub(super) limit: usize,
    }

    /// The moments of a month.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct MonthCount {
        /// `YYYY-MM`, UTC; blank for moments without a time.
        pub(super) month: String,
        pub(super) count: usize,
    }

    /// A moment was made or changed.
    #[derive(Debug)]
    pub struct KeptMoment {
        pub(super) item: Item,
    }

    /// A moment was deleted.
    #[derive(Debug)]
    pub struct DeletedMoment {
        pub(super) ok: bool,
        /// Always true.
        pub(super) deleted: bool,
        pub(super) moment_id: String,
    }

    /// A game resumes from a moment.
    #[derive(Debug)]
    pub struct ResumedMoment {
        pub(super) ok: bool,
        /// Always true.
        pub(super) resumed_from_state: bool,
        pub(super) moment_id: String,
        pub(super) launch_id: String,
        pub(super) state_file: String,
    }
}

impl Item {
    /// A stored moment of a game; `None` when it has no id.
    pub(super) fn of(stored: &Value, game: &Game, record: &Record) -> Option<Self> {
        let text = |key: &str| stored[key].as_str().unwrap_or_default().to_owned();
        let screenshot = text("screenshot");
        let mut shots = record.texts("screenshots");
        let at = shots.position(|shot| !screenshot.is_empty() && shot == screenshot);
        Some(Self {
            capture_error: None,
            created_at: text("created_at"),
            game_id: game.id().to_owned(),
            launch_id: text("launch_id"),
            moment_id: Some(text("moment_id")).filter(|id| !id.is_empty())?,
            note: text("note"),
            resume_state: Some(stored["resume_state"].clone()).filter(Value::is_object),
            screenshot_index: at,
            screenshot,
            title: text("title"),
            trigger: text("trigger"),
            updated_at: text("updated_at"),
        })
    }
}

/// What a client sends for a new moment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request<'a> {
    pub title: Option<&'a Value>,
    pub note: Option<&'a Value>,
    pub trigger: Option<&'a Value>,
    pub launch_id: &'a str,
    /// Whether a picture of the screen is taken.
    pub capture: bool,
    /// A picture that is there already.
    pub screenshot: Option<&'a Value>,
    /// Whether the kept state of the game is copied.
    pub resume_state: bool,
    pub created_at: Option<&'a Value>,
}

/// A moment that is being made.
pub(super) struct Draft {
    title: String,
    note: String,
    trigger: Trigger,
    pub(super) launch_id: String,
    created_at: String,
    updated_at: String,
    pub(super) screenshot: String,
    pub(super) resume_state: Option<Value>,
}

impl Draft {
    pub(super) fn of(
        state: &State,
        request: Request<'_>,
        now: &Moment,
    ) -> Result<Self, MomentError> {
        let trigger = Trigger::parse(request.trigger)?;
        if trigger.is_automatic() && !read::flag(state.settings(), "moments_autocapture") {
            return Err(MomentError::AutomaticOff);
        }
        let title = title_of(request.title)?;
        let note = note_of(request.note)?;
        let created_at = match request.created_at {
            None | Some(Value::Null) => now.utc_iso(),
            Some(given) => {
                let at = given.as_str().and_then(Moment::parse);
                at.ok_or(MomentError::Time)?.utc_iso()
            }
        };
        Ok(Self {
            title: if title.is_empty() { trigger.title().to_owned() } else { title },
            note,
            trigger,
            launch_id: request.launch_id.chars().take(64).collect(),
            created_at,
            updated_at: now.utc_iso(),
            screenshot: String::new(),
            resume_state: None,
        })
    }

    pub(super) fn stored(self, moment_id: &str, game_id: &str) -> Value {
        json!({
            "moment_id": moment_id,
            "game_id": game_id,
            "created_at": self.created_at,
            "updated_at": self.updated_at,
            "launch_id": self.launch_id,
            "title": self.title,
            "note": self.note,
            "trigger": self.trigger.name(),
            "screenshot": self.screenshot,
            "resume_state": self.resume_state,
        })
    }
}

pub(super) fn title_of(value: Option<&Value>) -> Result<String, MomentError> {
    text_of(value, TITLE_CHARS, || MomentError::Title, || MomentError::LongTitle)
}

pub(super) fn note_of(value: Option<&Value>) -> Result<String, MomentError> {
    text_of(value, NOTE_CHARS, || MomentError::Note, || MomentError::LongNote)
}

fn text_of(
    value: Option<&Value>,
    chars: usize,
    invalid: impl Fn() -> MomentError,
    long: impl Fn() -> MomentError,
) -> Result<String, MomentError> {
    let text = match value {
        None | Some(Value::Null) => "",
        Some(value) => value.as_str().ok_or_else(invalid)?.trim(),
    };
    if text.chars().count() > chars { Err(long()) } else { Ok(text.to_owned()) }
}
