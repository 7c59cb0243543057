//! The conditions of phrases: each condition with its wire form, its way of merging with an
//! earlier one, and the words that mean it again.

use serde_json::{Map, Value, json};

use super::lexicon;
use crate::{base::schema::schema, model::fields::PROGRESS};

/// One condition; a game matches when all conditions hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// Marked as a favourite, or not.
    Favorite(bool),
    /// Hidden, or not.
    Hidden(bool),
    /// Installed, or not.
    Installed(bool),
    /// Whether the game has saves.
    Saves(bool),
    /// Whether the game has achievements.
    Achievements(bool),
    /// Misses its cover or background, or neither.
    MissingMedia(bool),
    /// The game has high scores.
    Highscores,
    /// Is of this platform, in the spelling of the library once it was settled.
    Platform(String),
    /// The developer contains this.
    Developer(String),
    /// The publisher contains this.
    Publisher(String),
    /// The genre contains one of these.
    Genre(Vec<String>),
    /// The progress is one of these; `Unplayed` is the empty one.
    Progress(Vec<String>),
    /// The age rating is one of these.
    Esrb(Vec<String>),
    /// The platform contains one of these.
    PlatformAny(Vec<String>),
    /// Started at least once, or with progress.
    Played,
    /// Never started and without progress.
    Unplayed,
    /// Not started or not finished yet, and not abandoned.
    Backlog,
    /// Not beaten, completed or mastered.
    NotFinished,
    /// Released in these years.
    Years { min: Option<i64>, max: Option<i64> },
    /// For at most this many players.
    PlayersMax(i64),
    /// For at least this many players.
    PlayersMin(i64),
    /// Can be played together.
    Coop,
    /// Can be played together or against each other.
    Multiplayer,
    /// Not played for this many days, or never.
    IdleDays(i64),
    /// Not played since before this year, or never.
    IdleBefore(i64),
    /// Played within this many days.
    PlayedWithin(i64),
    /// Arrived within this many days.
    AddedDays(i64),
    /// Arrived in this year.
    AddedYear(i64),
    /// Beaten in at most these hours.
    HoursMax(f64),
    /// Takes at least these hours to beat.
    HoursMin(f64),
    /// Rated at least this.
    RatingMin(f64),
    /// Without a rating.
    Unrated,
    /// Personal stars, at least.
    StarsMin(f64),
    /// Without personal stars.
    Unstarred,
    /// The series contains this.
    Series(String),
    /// The region contains this.
    Region(String),
    /// The source contains this.
    Source(String),
    /// A tag contains this.
    Tag(String),
    /// Developer or publisher begins with this.
    Credit(String),
    /// Bought and not installed.
    Owned,
    /// A flag or field that is set, or not.
    Flag(Flag, bool),
    /// Nothing about the game contains this.
    NotQuery(String),
}

/// What [`Condition::Flag`] tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    /// A shelf entry.
    ManualEntry,
    /// Marked as broken.
    Broken,
    /// Marked as portable.
    Portable,
    /// Says something about controllers.
    Controller,
    /// The game has notes.
    Notes,
}

impl Flag {
    /// The field of the record.
    pub fn field(self) -> &'static str {
        match self {
            Self::ManualEntry => "manual_entry",
            Self::Broken => "broken",
            Self::Portable => "portable",
            Self::Controller => "controller_support",
            Self::Notes => "notes",
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::ManualEntry => "Shelf entry",
            Self::Broken => "Broken",
            Self::Portable => "Portable",
            Self::Controller => "Controller support",
            Self::Notes => "Notes",
        }
    }
}

schema! {
    /// A condition as the user is shown it.
    pub struct Chip {
        /// What is shown.
        pub display: String,
        /// The key of its translation.
        pub i18n: String,
        /// Its subject.
        pub key: String,
        /// Its subject, in English.
        pub label: &'static str,
        /// What it asks for.
        pub value: Value,
    }
}

/// How a condition is written: as a rule of a preset where there is one, else as a clause.
enum Form {
    Rule(&'static str, Value),
    Clause(&'static str, Value),
}

impl Condition {
    /// The equivalent rule of a preset.
    pub fn rule(&self) -> Option<(&'static str, Value)> {
        match self.form() {
            Form::Rule(key, value) => Some((key, value)),
            Form::Clause(..) => None,
        }
    }

    /// The clause `{kind, ..}` of a condition that no rule can express.
    pub fn clause(&self) -> Option<Map<String, Value>> {
        let Form::Clause(kind, facts) = self.form() else { return None };
        let mut clause = Map::from_iter([("kind".to_owned(), Value::from(kind))]);
        if let Value::Object(facts) = facts {
            clause.extend(facts.into_iter().filter(|(_, value)| !value.is_null()));
        }
        Some(clause)
    }

    /// What the user is shown.
    pub fn chip(&self) -> Chip {
        let (key, value) = match (self, self.form()) {
            (Self::Flag(flag, set), _) => (format!("flag_{}", flag.field()), (*set).into()),
            (_, Form::Rule(key, value)) => (key.to_owned(), value),
            (_, Form::Clause(kind, facts)) => (kind.to_owned(), chip_value(facts)),
        };
        let label = self.label();
        let display = match shown(&value) {
            text if text.is_empty() => label.to_owned(),
            text => format!("{label}: {text}"),
        };
        Chip { display, i18n: format!("sayit.chip.{key}"), key, label, value }
    }

    fn form(&self) -> Form {
        use Form::{Clause, Rule};
        let one = |values: &[String]| values.first().filter(|_| values.len() == 1).cloned();
        match self {
            Self::Favorite(set) => Rule("favorite", (*set).into()),
            Self::Hidden(set) => Rule("hidden", (*set).into()),
            Self::Installed(set) => {
                Rule("installed", if *set { "installed" } else { "uninstalled" }.into())
            }
            Self::Saves(set) => Rule("has_saves", (*set).into()),
            Self::Achievements(set) => Rule("has_achievements", (*set).into()),
            Self::MissingMedia(set) => Rule("has_missing_media", (*set).into()),
            Self::Highscores => Rule("has_highscores", true.into()),
            Self::Platform(name) => Rule("platform", name.as_str().into()),
            Self::Developer(name) => Rule("developer", name.as_str().into()),
            Self::Publisher(name) => Rule("publisher", name.as_str().into()),
            Self::Genre(values) => match one(values) {
                Some(value) => Rule("genre", value.into()),
                None => Clause("genre_any", json!({"values": values})),
            },
            // A rule holds states there are; any other is asked for and takes no game.
            Self::Progress(values) => match one(values).filter(|value| is_state(value)) {
                Some(value) => Rule("progress", value.into()),
                None => Clause("progress_any", json!({"values": values})),
            },
            Self::Esrb(values) => match one(values) {
                Some(value) => Rule("esrb", value.into()),
                None => Clause("esrb_any", json!({"values": values})),
            },
            Self::PlatformAny(values) => Clause("platform_any", json!({"values": values})),
            Self::Played => Clause("played", Value::Null),
            Self::Unplayed => Clause("unplayed", Value::Null),
            Self::Backlog => Clause("backlog", Value::Null),
            Self::NotFinished => Clause("not_finished", Value::Null),
            Self::Years { min, max } => Clause("year_range", json!({"min": min, "max": max})),
            Self::PlayersMax(players) => Clause("players_max", json!({"value": players})),
            Self::PlayersMin(players) => Clause("players_min", json!({"value": players})),
            Self::Coop => Clause("coop", Value::Null),
            Self::Multiplayer => Clause("multiplayer", Value::Null),
            Self::IdleDays(days) => Clause("idle_days", json!({"value": days})),
            Self::IdleBefore(year) => Clause("idle_before", json!({"value": year})),
            Self::PlayedWithin(days) => Clause("played_within", json!({"value": days})),
            Self::AddedDays(days) => Clause("added_days", json!({"value": days})),
            Self::AddedYear(year) => Clause("added_year", json!({"value": year})),
            Self::HoursMax(hours) => Clause("ttb_max", json!({"value": number(*hours)})),
            Self::HoursMin(hours) => Clause("ttb_min", json!({"value": number(*hours)})),
            Self::RatingMin(rating) => Clause("rating_min", json!({"value": rating})),
            Self::Unrated => Clause("unrated", Value::Null),
            Self::StarsMin(stars) => Clause("user_rating_min", json!({"value": number(*stars)})),
            Self::Unstarred => Clause("user_rating_unrated", Value::Null),
            Self::Series(value) => Clause("series", json!({"value": value})),
            Self::Region(value) => Clause("region", json!({"value": value})),
            Self::Source(value) => Clause("source", json!({"value": value})),
            Self::Tag(value) => Clause("tag", json!({"value": value})),
            Self::Credit(value) => Clause("credit", json!({"value": value})),
            Self::Owned => Clause("owned", Value::Null),
            Self::Flag(flag, set) => Clause("flag", json!({"field": flag.field(), "value": set})),
            Self::NotQuery(value) => Clause("not_query", json!({"value": value})),
        }
    }

    fn label(&self) -> &'static str {
        match self {
            Self::Favorite(_) => "Favorite",
            Self::Hidden(_) => "Hidden",
            Self::Installed(_) => "Installed",
            Self::Saves(_) => "Saves",
            Self::Achievements(_) => "Achievements",
            Self::MissingMedia(_) => "Missing media",
            Self::Highscores => "High scores",
            Self::Platform(_) | Self::PlatformAny(_) => "Platform",
            Self::Developer(_) => "Developer",
            Self::Publisher(_) => "Publisher",
            Self::Genre(_) => "Genre",
            Self::Progress(_) => "Progress",
            Self::Esrb(_) => "Age rating",
            Self::Played => "Played",
            Self::Unplayed => "Unplayed",
            Self::Backlog => "Backlog",
            Self::NotFinished => "Not finished",
            Self::Years { .. } => "Year",
            Self::PlayersMax(_) => "Players, at most",
            Self::PlayersMin(_) => "Players, at least",
            Self::Coop => "Co-op",
            Self::Multiplayer => "Multiplayer",
            Self::IdleDays(_) => "Days not played",
            Self::IdleBefore(_) => "Not played since",
            Self::PlayedWithin(_) => "Played within days",
            Self::AddedDays(_) => "Added within days",
            Self::AddedYear(_) => "Added in",
            Self::HoursMax(_) => "Hours to beat, at most",
            Self::HoursMin(_) => "Hours to beat, at least",
            Self::RatingMin(_) => "Rating, at least",
            Self::Unrated => "Unrated",
            Self::StarsMin(_) => "My rating, at least",
            Self::Unstarred => "Not rated by me",
            Self::Series(_) => "Series",
            Self::Region(_) => "Region",
            Self::Source(_) => "Source",
            Self::Tag(_) => "Tag",
            Self::Credit(_) => "Made or published by",
            Self::Owned => "Owned, not installed",
            Self::Flag(flag, _) => flag.label(),
            Self::NotQuery(_) => "Without",
        }
    }

    /// Takes a later condition in: values of a pool add up, bounds tighten, years intersect, and
    /// what can hold one value only takes the later one. Gives the other back when both stand.
    pub fn merge(&mut self, other: Self) -> Result<(), Self> {
        match (&mut *self, other) {
            (Self::Genre(all), Self::Genre(more))
            | (Self::Progress(all), Self::Progress(more))
            | (Self::Esrb(all), Self::Esrb(more))
            | (Self::PlatformAny(all), Self::PlatformAny(more)) => {
                for value in more {
                    if !all.contains(&value) {
                        all.push(value);
                    }
                }
            }
            (Self::Years { min, max }, Self::Years { min: later, max: earlier }) => {
                // `None` is smaller than every year.
                *min = (*min).max(later);
                *max = [*max, earlier].into_iter().flatten().min();
            }
            (Self::PlayersMax(all), Self::PlayersMax(more))
            | (Self::IdleBefore(all), Self::IdleBefore(more))
            | (Self::PlayedWithin(all), Self::PlayedWithin(more))
            | (Self::AddedDays(all), Self::AddedDays(more)) => *all = (*all).min(more),
            (Self::PlayersMin(all), Self::PlayersMin(more))
            | (Self::IdleDays(all), Self::IdleDays(more)) => *all = (*all).max(more),
            (Self::HoursMax(all), Self::HoursMax(more)) => *all = all.min(more),
            (Self::HoursMin(all), Self::HoursMin(more))
            | (Self::RatingMin(all), Self::RatingMin(more))
            | (Self::StarsMin(all), Self::StarsMin(more)) => *all = all.max(more),
            (Self::Flag(flag, set), Self::Flag(other, later)) if *flag == other => *set = later,
            (known, other) if known.is_single() && known.is_kind_of(&other) => *known = other,
            (known, other) if *known != other => return Err(other),
            _ => {}
        }
        Ok(())
    }

    /// Whether a phrase holds it once, the later one counting.
    fn is_single(&self) -> bool {
        matches!(
            self,
            Self::Favorite(_)
                | Self::Hidden(_)
                | Self::Installed(_)
                | Self::Saves(_)
                | Self::Achievements(_)
                | Self::MissingMedia(_)
                | Self::Platform(_)
                | Self::Developer(_)
                | Self::Publisher(_)
        )
    }

    fn is_kind_of(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    /// Words that mean exactly this condition, with nothing around them.
    pub fn words(&self) -> String {
        let yes = |set: bool| if set { "yes" } else { "no" };
        let each = |key: &str, values: &[String]| -> String {
            let words: Vec<String> =
                values.iter().map(|value| format!("{key}\"{value}\"")).collect();
            words.join(" ")
        };
        match self {
            Self::Favorite(set) => format!("favorite:{}", yes(*set)),
            Self::Hidden(set) => format!("hidden:{}", yes(*set)),
            Self::Installed(set) => format!("installed:{}", yes(*set)),
            Self::Saves(set) => format!("saves:{}", yes(*set)),
            Self::Achievements(set) => format!("achievements:{}", yes(*set)),
            Self::MissingMedia(true) => "missing covers".to_owned(),
            Self::MissingMedia(false) => "with covers".to_owned(),
            Self::Highscores => "leaderboards".to_owned(),
            Self::Platform(value) => format!("platform:\"{value}\""),
            Self::Developer(value) => format!("developer:\"{value}\""),
            Self::Publisher(value) => format!("publisher:\"{value}\""),
            Self::Genre(values) => each("genre:", values),
            Self::Progress(values) => each("progress:", values),
            Self::Esrb(values) => each("esrb:", values),
            Self::PlatformAny(values) => {
                // Behind `on`, the name of a store is a store.
                let key = |value: &String| if lexicon::is_store(value) { "for " } else { "on " };
                let words = values.iter().map(|value| format!("{}\"{value}\"", key(value)));
                words.collect::<Vec<_>>().join(" ")
            }
            Self::Played => "played".to_owned(),
            Self::Unplayed => "unplayed".to_owned(),
            Self::Backlog => "backlog".to_owned(),
            Self::NotFinished => "unfinished".to_owned(),
            Self::Years { min, max } => {
                let bound = |year: &Option<i64>| year.map(|year| year.to_string());
                let (min, max) = (bound(min), bound(max));
                format!("year:{}-{}", min.unwrap_or_default(), max.unwrap_or_default())
            }
            Self::PlayersMax(_) => "solo".to_owned(),
            Self::PlayersMin(players) => format!("players:{players}"),
            Self::Coop => "co-op".to_owned(),
            Self::Multiplayer => "multiplayer".to_owned(),
            Self::IdleDays(days) => format!("not played in {days} days"),
            Self::IdleBefore(year) => format!("not played since {year}"),
            Self::PlayedWithin(_) => "recently played".to_owned(),
            Self::AddedDays(_) => "recently added".to_owned(),
            Self::AddedYear(_) => "added this year".to_owned(),
            Self::HoursMax(hours) => format!("under {hours} hours"),
            Self::HoursMin(hours) => format!("over {hours} hours"),
            Self::RatingMin(rating) => format!("rating:{rating}"),
            Self::Unrated => "unrated".to_owned(),
            Self::StarsMin(stars) => format!("myrating:{stars}"),
            Self::Unstarred => "unrated by me".to_owned(),
            Self::Series(value) => format!("series:\"{value}\""),
            Self::Region(value) => format!("region:\"{value}\""),
            Self::Source(value) => format!("source:\"{value}\""),
            Self::Tag(value) => format!("tag:\"{value}\""),
            Self::Credit(value) => format!("by \"{value}\""),
            Self::Owned => "owned".to_owned(),
            Self::Flag(Flag::ManualEntry, _) => "physical".to_owned(),
            Self::Flag(Flag::Broken, true) => "broken".to_owned(),
            Self::Flag(Flag::Broken, false) => "working".to_owned(),
            Self::Flag(Flag::Portable, _) => "portable".to_owned(),
            Self::Flag(Flag::Controller, _) => "controller".to_owned(),
            Self::Flag(Flag::Notes, set) => format!("notes:{}", yes(*set)),
            Self::NotQuery(value) => format!("-\"{value}\""),
        }
    }
}

/// The value a chip shows of a clause: its only fact, or all of them.
fn chip_value(facts: Value) -> Value {
    match facts {
        Value::Object(mut facts) => {
            let only = ["value", "values"].into_iter().find_map(|key| facts.remove(key));
            only.unwrap_or_else(|| {
                facts.retain(|_, value| !value.is_null());
                facts.into()
            })
        }
        _ => true.into(),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Bool(true) | Value::Null => String::new(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(shown).collect::<Vec<_>>().join(", "),
        Value::Object(years) => {
            let year = |key: &str| years.get(key).map(shown).unwrap_or_default();
            match (year("min"), year("max")) {
                (min, max) if min == max => min,
                (min, max) => format!("{min}-{max}"),
            }
        }
        Value::Number(number) => number.to_string(),
    }
}

/// A whole number is written without a fraction.
fn number(value: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "numbers of a phrase have seven digits")]
    if value.fract() == 0.0 { (value as i64).into() } else { value.into() }
}

/// Whether a progress is one that a game can have.
fn is_state(progress: &str) -> bool {
    progress == "Unplayed" || PROGRESS.contains(&progress)
}
