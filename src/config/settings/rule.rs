//! The rules: what a value of a setting must look like, as data.
//!
//! A rule with a path in it is checked against the disk with [`CheckDepth::Disk`]. With [`CheckDepth::Shape`]
//! only the form is checked: stored values are read so, because a folder on an unplugged disk is
//! still the user's setting.

use std::path::Path;

use serde_json::Value;

use crate::config::environment::Environment;

/// What a value must look like. Its check also normalises.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// `true` or `false`, nothing that merely looks like it.
    Flag,
    /// A whole number within bounds, both included; `5.0` counts as 5.
    Integer {
        /// Smallest value.
        min: i32,
        /// Largest value.
        max: i32,
    },
    /// Zero, or a whole number within bounds.
    ZeroOr {
        /// Smallest value besides zero.
        min: i32,
        /// Largest value.
        max: i32,
    },
    /// A finite number within bounds, both included.
    Number {
        /// Smallest value.
        min: f64,
        /// Largest value.
        max: f64,
    },
    /// A whole number that counts entries; a negative one becomes 0.
    Position,
    /// One of these texts, exactly.
    Choice(&'static [&'static str]),
    /// A progress status; `Unplayed` is the empty one.
    Progress(&'static [&'static str]),
    /// A text: trimmed and cut to this many characters, never refused for its length.
    Text(usize),
    /// A password: kept as it is, at most this many characters.
    Secret(usize),
    /// A text, or `true` for the given one.
    Hint(usize),
    /// A list of names.
    Names(Names),
    /// A list of command lines, at most this many.
    Commands(usize),
    /// A list of existing directories, at most this many.
    Folders(usize),
    /// A path, or nothing.
    Path(PathKind),
    /// The address of a websocket, or nothing; cut to this many characters.
    Websocket(usize),
    /// The address of the library server, or nothing.
    LibraryServer,
    /// Controller actions, one of these, mapped to buttons 0..31.
    Buttons(&'static [&'static str]),
    /// An object that maps these names to booleans; a missing name is `false`.
    Flags(&'static [&'static str]),
    /// Definitions of custom fields.
    CustomFields,
    /// Custom presets of the compositor.
    CompositorPresets,
    /// Platform names mapped to category names.
    Categories,
    /// Columns of the list view: one list, or lists by platform; at most this many columns each.
    Columns(usize),
    /// Any list; its route checks what is in it.
    List,
    /// Any object; its route checks what is in it.
    Object,
}

/// The bounds of a list of names. Names are trimmed and keep their order; repeated ones are dropped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Names {
    /// The only names allowed; any text when empty.
    pub known: &'static [&'static str],
    /// Most entries after repeated ones are dropped.
    pub cap: usize,
    /// Whether an empty list is refused.
    pub needed: bool,
    /// Whether the list is kept in alphabetical order.
    pub sorted: bool,
}

/// What a path must lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// An existing directory.
    Folder,
    /// A directory that is made when the setting is saved, so anything but an existing file.
    NewFolder,
    /// An existing file or directory.
    Any,
    /// An existing file with the extension of an audio file.
    Audio,
    /// An existing file with the extension of a video file.
    Video,
}

/// How far a check looks.
#[derive(Clone, Copy, Debug)]
pub enum CheckDepth<'a> {
    /// At the form of the value alone.
    Shape,
    /// At the disk and the environment too.
    Disk {
        /// For the home directory and for what the environment permits.
        environment: &'a Environment,
        /// The value stored now: an entry that it already holds is not checked again.
        stored: Option<&'a Value>,
    },
}

impl CheckDepth<'_> {
    /// The path that `named` stands for.
    pub(super) fn expand(&self, named: &str) -> std::path::PathBuf {
        match self {
            Self::Shape => Path::new(named).to_owned(),
            Self::Disk { environment, .. } => environment.expand_home(named),
        }
    }

    /// Whether `text` is the stored value, or an entry of the stored list.
    pub(super) fn is_stored(&self, text: &str) -> bool {
        match self {
            Self::Disk { stored: Some(Value::String(stored)), .. } => stored == text,
            Self::Disk { stored: Some(Value::Array(stored)), .. } => {
                stored.iter().any(|entry| entry == text)
            }
            _ => false,
        }
    }
}

/// A whole number, also when it is written with a fraction of zero.
pub(super) fn whole(value: &Value) -> Option<i64> {
    /// Every whole number up to here has its own floating-point form.
    const EXACT: f64 = 9_007_199_254_740_992.0;

    value.as_i64().or_else(|| {
        let number = value.as_f64()?;
        let exact = number.fract() == 0.0 && number.abs() <= EXACT;
        #[expect(clippy::cast_possible_truncation, reason = "whole and within the exact range")]
        exact.then_some(number as i64)
    })
}
