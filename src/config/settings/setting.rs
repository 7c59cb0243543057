//! The shape of one row of the settings table.

use crate::base::named::named;

use serde_json::{Map, Number, Value};

use super::rule::Rule;

/// One setting. Made by the `const` builder of [`Setting::new`], only in the table.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The key in the `settings` object and in the API.
    pub key: &'static str,
    /// The panel of the settings screen that shows it.
    pub group: Group,
    /// What an error message calls it; starts with a capital.
    pub title: &'static str,
    /// What an error message calls one entry of a list; the title when it is empty.
    pub entry: &'static str,
    /// The value while nothing valid is stored.
    pub default: Initial,
    /// What a value must look like.
    pub rule: Rule,
    /// The fixed message for a refused value, if there is one.
    pub sentence: Option<&'static str>,
    /// Who sees it.
    pub access: Access,
    /// Who writes it.
    pub writer: Writer,
    /// A route of the feature it belongs to. The settings screen hides it while that route is not
    /// served; without one it is always shown.
    pub feature: Option<&'static str>,
    /// The setting whose control edits it too.
    pub edited_with: Option<&'static str>,
}

/// Who sees a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The projection returns it.
    Public,
    /// Never returned; the projection has the boolean `flag` instead, true when it is set.
    Secret {
        /// The key of that boolean.
        flag: &'static str,
    },
    /// Never returned in any form.
    Hidden,
}

/// Who writes a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// `POST /api/settings`.
    Settings,
    /// A route of its own; a value posted to `/api/settings` is dropped like an unknown key.
    OwnRoute,
    /// The program alone, as bookkeeping.
    Program,
}

named! {
    /// The panels of the settings screen, in their order.
    #[derive(PartialOrd, Ord)]
    pub enum Group {
        /// Language, first start, window.
        General = "general",
        /// What the library shows and how.
        Appearance = "appearance",
        /// Folders, fields and categories of the library.
        Library = "library",
        /// What happens after an import.
        Import = "import",
        /// Metadata, artwork and media providers.
        Media = "media",
        /// How games start.
        Launching = "launching",
        /// Tracking, history, progress and what is kept of a session.
        Sessions = "sessions",
        /// Saved games and library backups.
        Backups = "backups",
        /// The full-screen mode and its controller.
        Bigscreen = "bigscreen",
        /// The screen recorder.
        Recorder = "recorder",
        /// Library server and storefronts.
        Stores = "stores",
        /// Folders and statistics shared with others.
        Sharing = "sharing",
        /// Webhooks.
        Webhooks = "webhooks",
        /// Not on the settings screen.
        None = "none",
    }
}

/// A default value that can stand in a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Initial {
    /// A boolean.
    Flag(bool),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction; finite.
    Number(f64),
    /// A text.
    Text(&'static str),
    /// A list of texts.
    Texts(&'static [&'static str]),
    /// An empty object.
    Object,
    /// An object that maps each name to `false`.
    AllOff(&'static [&'static str]),
}

impl Initial {
    /// The JSON value of this default.
    pub fn value(self) -> Value {
        match self {
            Self::Flag(flag) => Value::Bool(flag),
            Self::Integer(number) => Value::from(number),
            Self::Number(number) => Number::from_f64(number).map_or(Value::Null, Value::Number),
            Self::Text(text) => Value::from(text),
            Self::Texts(texts) => Value::from(texts),
            Self::Object => Value::Object(Map::new()),
            Self::AllOff(names) => {
                names.iter().map(|name| ((*name).to_owned(), Value::Bool(false))).collect()
            }
        }
    }
}

impl Setting {
    /// A public setting written by `POST /api/settings`.
    pub(super) const fn new(
        key: &'static str,
        group: Group,
        title: &'static str,
        default: Initial,
        rule: Rule,
    ) -> Self {
        Self {
            key,
            group,
            title,
            entry: "",
            default,
            rule,
            sentence: None,
            access: Access::Public,
            writer: Writer::Settings,
            feature: None,
            edited_with: None,
        }
    }

    /// Fixes the sentence for a refused value.
    pub(super) const fn says(mut self, sentence: &'static str) -> Self {
        self.sentence = Some(sentence);
        self
    }

    /// Names one entry of a list.
    pub(super) const fn each(mut self, entry: &'static str) -> Self {
        self.entry = entry;
        self
    }

    /// Keeps the value out of every answer; `flag` says whether it is set.
    pub(super) const fn secret(mut self, flag: &'static str) -> Self {
        self.access = Access::Secret { flag };
        self
    }

    /// Keeps the value out of every answer.
    pub(super) const fn hidden(mut self) -> Self {
        self.access = Access::Hidden;
        self
    }

    /// Ties it to the feature that serves this route.
    pub(super) const fn feature(mut self, route: &'static str) -> Self {
        self.feature = Some(route);
        self
    }

    /// Leaves editing to the control of another setting.
    pub(super) const fn edited_with(mut self, key: &'static str) -> Self {
        self.edited_with = Some(key);
        self
    }

    /// Leaves writing to a route of its own.
    pub(super) const fn own_route(mut self) -> Self {
        self.writer = Writer::OwnRoute;
        self
    }

    /// Leaves writing to the program.
    pub(super) const fn bookkeeping(mut self) -> Self {
        self.writer = Writer::Program;
        self
    }
}
