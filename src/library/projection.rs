//! A stored record as the public game object of the API.
//!
//! Owns which keys a game shows and how each is made from the record, from the disk and from the
//! settings. The object is written as bytes: most fields of most games are unset, so their text is
//! copied in long runs from a template, and stored values are copied as they stand. Does no I/O; results of disk checks
//! are passed as [`DiskFacts`].

use std::{borrow::Cow, io::Write as _, sync::LazyLock};

use hashbrown::{HashMap, HashSet};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::survey::{DiskFacts, Shot};
use crate::{
    base::schema::{Schema, Type},
    config::settings::{categories, read},
    game::slots::{self, COUNT, MEDIA, Slots, media_bit, slot},
    model::{
        Game,
        fields::{FIELDS, Field, Kind},
        media::{IMAGES, VIDEOS},
    },
    platforms,
};

/// Clips shown of a game; the newest are kept at the end.
const CLIPS: usize = 100;

const SCREENSHOTS: usize = slot("screenshots");
const NOTES: usize = slot("notes");
const LAUNCH_ENV: usize = slot("launch_env");
const CLIPS_SLOT: usize = slot("clips");
const STORE_IDS: [usize; 3] = [slot("store_a_app_id"), slot("store_b_app_id"), slot("store_c_id")];
const COVER_BIT: usize = media_bit("cover");
const VIDEO_BIT: usize = media_bit("video");

/// A game as clients see it. Other keys of the record are not shown.
#[derive(Debug)]
pub enum GameView {}

impl Schema for GameView {
    const SCHEMA: &'static Type = &Type::Table { name: "Game", schema: game_schema };
}

/// A game with the keys that the client asked for; with all of them by default.
#[derive(Debug)]
pub enum GamePart {}

impl Schema for GamePart {
    const SCHEMA: &'static Type = &Type::Table { name: "GamePart", schema: part_schema };
}

/// Lists of texts.
const TEXTS: [&str; 6] =
    ["screenshots", "alternate_names", "languages", "tags", "save_paths", "legacy_game_ids"];
/// Those of which nothing is named by its place.
const TEXT_SLOTS: [usize; 5] =
    [slot(TEXTS[1]), slot(TEXTS[2]), slot(TEXTS[3]), slot(TEXTS[4]), slot(TEXTS[5])];

/// The JSON schema of a public game, from the table of fields and what is computed besides them.
fn game_schema() -> Value {
    let kind = |kind: &str| json!({"type": kind});
    let mut properties = Map::new();
    properties.insert("id".to_owned(), kind("integer"));
    properties.insert("game_id".to_owned(), kind("string"));
    for field in FIELDS {
        let schema = match field.kind {
            Kind::Text | Kind::Media => kind("string"),
            Kind::Flag => kind("boolean"),
            Kind::Count => kind("integer"),
            Kind::NumberOrBlank => json!({"anyOf": [{"type": "number"}, {"const": ""}]}),
            Kind::NumberOrNull => json!({"type": ["number", "null"]}),
            Kind::List if TEXTS.contains(&field.key) => {
                json!({"type": "array", "items": {"type": "string"}})
            }
            // A text in old libraries, until the first change of the game.
            Kind::List if field.key == "notes" => {
                json!({"anyOf": [{"type": "array", "items": {}}, {"type": "string"}]})
            }
            Kind::List => json!({"type": "array", "items": {}}),
            Kind::Object => json!({"type": "object", "additionalProperties": {}}),
        };
        properties.insert(field.key.to_owned(), schema);
    }
    let images = IMAGES.iter().map(|key| format!("has_{key}"));
    let flags = STATE_FLAGS.iter().chain(&MEDIA_FLAGS).chain(&CONTENT_FLAGS);
    for key in flags.map(|key| (*key).to_owned()).chain(images) {
        properties.insert(key, kind("boolean"));
    }
    for key in ["active_video_field", "entry_type", "platform_category"] {
        properties.insert(key.to_owned(), kind("string"));
    }
    for key in ["manual_playtime_seconds", "total_playtime_seconds", "moments_count"] {
        properties.insert(key.to_owned(), kind("integer"));
    }
    let indexes = json!({"type": "array", "items": {"type": "integer"}});
    properties.insert("available_screenshots".to_owned(), indexes);
    let required: Vec<&String> = properties.keys().collect();
    json!({"type": "object", "required": required, "properties": properties})
}

/// The schema of a game of which the client may have asked for a part.
fn part_schema() -> Value {
    let mut schema = game_schema();
    schema["required"] = json!(["id", "game_id", "name"]);
    schema
}

/// What the settings decide about every game. Equal rules make equal objects.
#[derive(Clone, Debug, PartialEq)]
pub struct ViewRules {
    videos: Vec<usize>,
    categories: Map<String, Value>,
}

impl ViewRules {
    /// Takes what matters out of the stored settings.
    pub fn of(settings: &Map<String, Value>) -> Self {
        let priority = read::value(settings, "video_priority");
        let names = priority.as_array().map_or(&[][..], Vec::as_slice);
        let bit_of = |name: &Value| {
            let name = name.as_str()?;
            VIDEOS
                .contains(&name)
                .then(|| MEDIA.iter().position(|slot| FIELDS[*slot].key == name))?
        };
        let key = "platform_categories";
        let overrides = settings.get(key).cloned().unwrap_or_default();
        Self {
            videos: names.iter().filter_map(bit_of).chain([VIDEO_BIT]).collect(),
            categories: Map::from_iter([(key.to_owned(), overrides)]),
        }
    }

    /// The bits of the videos, the one that plays first in front; `video` comes last.
    pub fn videos(&self) -> impl Iterator<Item = usize> + '_ {
        self.videos.iter().copied()
    }

    /// The bit of the video that plays: the first of the priority that is there, else `video`.
    pub fn active_video(&self, present: u32) -> Option<usize> {
        self.videos().find(|bit| present & (1 << bit) != 0)
    }
}

/// Which keys of a game are written besides `id`, `game_id` and `name`.
#[derive(Clone, Debug)]
pub struct Selection {
    is_all: bool,
    names: HashSet<String>,
    /// The flags of the images among them, in the order of [`HAS_IMAGES`].
    images: [bool; IMAGES.len()],
}

/// All keys.
pub static ALL: LazyLock<Selection> = LazyLock::new(|| Selection {
    is_all: true,
    names: HashSet::new(),
    images: [true; IMAGES.len()],
});

/// The keys that a selection may name.
static KEYS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let schema = game_schema();
    schema["properties"].as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect()
});

impl Selection {
    /// The keys that a text names, with commas between them.
    ///
    /// # Errors
    /// The first name that is not a key of a game.
    pub fn parse(text: &str) -> Result<Self, &str> {
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        let known = |name| KEYS.get(name).cloned().ok_or(name);
        let mut names: HashSet<String> = names.map(known).collect::<Result<_, _>>()?;
        names.insert("name".to_owned());
        let images = IMAGES.map(|image| names.contains(&format!("has_{image}")));
        Ok(Self { is_all: false, names, images })
    }

    fn has(&self, key: &str) -> bool {
        self.is_all || self.names.contains(key)
    }

    fn put_flag(&self, out: &mut Vec<u8>, key: &str, flag: bool) {
        if self.has(key) {
            put_key(out, key);
            put_bool(out, flag);
        }
    }

    fn put_text(&self, out: &mut Vec<u8>, key: &str, text: &str) {
        if self.has(key) {
            put_text(out, key, text);
        }
    }

    fn put_count(&self, out: &mut Vec<u8>, key: &str, count: u64) {
        if self.has(key) {
            put_key(out, key);
            put_number(out, count);
        }
    }
}

/// The text of a game without any field set, from which runs of unset fields are copied.
struct Template {
    text: Vec<u8>,
    /// Where the piece `,"key":value` of a field has its value.
    values: [usize; FIELDS.len()],
}

static TEMPLATE: LazyLock<Template> = LazyLock::new(|| {
    let mut text = Vec::new();
    let mut values = [0; FIELDS.len()];
    for (field, value) in FIELDS.iter().zip(&mut values) {
        put_key(&mut text, field.key);
        *value = text.len();
        text.extend_from_slice(slots::unset(field.kind).as_bytes());
    }
    Template { text, values }
});

/// Writes games under one set of rules. Keeps what repeats from game to game.
pub struct Projection<'r> {
    rules: &'r ViewRules,
    selection: &'r Selection,
    template: &'static Template,
    categories: HashMap<String, String>,
    /// The flags of the last game, and their text.
    flags: Option<(Flags, Vec<u8>)>,
}

impl<'r> Projection<'r> {
    /// A writer for these rules.
    pub fn new(rules: &'r ViewRules) -> Self {
        let categories = HashMap::new();
        Self { rules, selection: &ALL, template: &TEMPLATE, categories, flags: None }
    }

    /// Writes these keys only.
    pub fn selecting(self, selection: &'r Selection) -> Self {
        Self { selection, ..self }
    }

    /// Writes one game as a JSON object. `position` is its numeric id.
    pub fn write(
        &mut self,
        out: &mut Vec<u8>,
        position: usize,
        game: &Game,
        slots: &Slots<'_>,
        facts: &DiskFacts,
    ) {
        put(out, b"{\"id\":");
        put_number(out, position as u64);
        put_key(out, "game_id");
        put_json(out, game.id());
        if self.selection.is_all {
            self.put_fields(out, slots, facts);
        } else {
            self.put_selected(out, slots, facts);
        }
        self.put_computed(out, game, slots, facts);
        put(out, b"}");
    }

    fn put_fields(&self, out: &mut Vec<u8>, slots: &Slots<'_>, facts: &DiskFacts) {
        let mut copied = 0;
        for slot in slots.set().take_while(|slot| *slot < FIELDS.len()) {
            let value = self.template.values[slot];
            put(out, &self.template.text[copied..value]);
            put_field(out, slot, slots, facts);
            copied = value + slots::unset(FIELDS[slot].kind).len();
        }
        put(out, &self.template.text[copied..]);
    }

    fn put_selected(&self, out: &mut Vec<u8>, slots: &Slots<'_>, facts: &DiskFacts) {
        let selected = |(_, field): &(usize, &Field)| self.selection.names.contains(field.key);
        for (slot, field) in FIELDS.iter().enumerate().filter(selected) {
            put_key(out, field.key);
            if slots.is_set(slot) {
                put_field(out, slot, slots, facts);
            } else {
                put(out, slots::unset(field.kind).as_bytes());
            }
        }
    }

    fn put_computed(
        &mut self,
        out: &mut Vec<u8>,
        game: &Game,
        slots: &Slots<'_>,
        facts: &DiskFacts,
    ) {
        self.put_flags(out, Flags::of(game, slots, facts));
        let keys = self.selection;
        let moments = slots.items(const { slot("moments") }).len();
        if keys.has("platform_category") {
            put_key(out, "platform_category");
            put(out, self.category(game.platform()).as_bytes());
        }
        if keys.has("available_screenshots") {
            put_key(out, "available_screenshots");
            let numbered = facts.screenshots.iter().enumerate();
            let present = numbered.filter(|(_, shot)| **shot == Shot::Present).map(|(at, _)| at);
            put_list(out, present, |out, at| put_number(out, at as u64));
        }
        let (tracked, by_hand) = (game.playtime_seconds(), game.manual_playtime_seconds());
        keys.put_count(out, "manual_playtime_seconds", by_hand);
        keys.put_count(out, "total_playtime_seconds", tracked.saturating_add(by_hand));
        keys.put_count(out, "moments_count", moments as u64);
    }

    /// The flags, whose text most games share with the one before them.
    fn put_flags(&mut self, out: &mut Vec<u8>, flags: Flags) {
        if self.flags.as_ref().is_none_or(|(known, _)| *known != flags) {
            self.flags = Some((flags, self.flag_text(flags)));
        }
        let text = self.flags.as_ref().map(|(_, text)| text.as_slice());
        put(out, text.unwrap_or_default());
    }

    fn flag_text(&self, flags: Flags) -> Vec<u8> {
        let (keys, mut out) = (self.selection, Vec::new());
        for (key, flag) in STATE_FLAGS.iter().zip(flags.state) {
            keys.put_flag(&mut out, key, flag);
        }
        for ((key, bit), _) in HAS_IMAGES.iter().zip(keys.images).filter(|(_, is_in)| *is_in) {
            put(&mut out, b",\"has_");
            put(&mut out, key.as_bytes());
            put(&mut out, b"\":");
            put_bool(&mut out, flags.present & (1 << *bit) != 0);
        }
        let video = self.rules.active_video(flags.present);
        let video = video.map_or("", |bit| FIELDS[MEDIA[bit]].key);
        keys.put_flag(&mut out, HAS_VIDEO, !video.is_empty());
        keys.put_text(&mut out, "active_video_field", video);
        keys.put_flag(&mut out, MISSING_MEDIA, flags.present & (1 << COVER_BIT) == 0);
        for (key, flag) in CONTENT_FLAGS.iter().zip(flags.content) {
            keys.put_flag(&mut out, key, flag);
        }
        let entry_type = if flags.is_manual { "shelf" } else { "playable" };
        keys.put_text(&mut out, "entry_type", entry_type);
        out
    }

    /// The category of a platform as JSON.
    fn category(&mut self, platform: &str) -> &str {
        if !self.categories.contains_key(platform) {
            let category = categories::category_of(&self.rules.categories, platform);
            self.categories.insert(platform.to_owned(), Value::from(category).to_string());
        }
        &self.categories[platform]
    }
}

/// Flags for the state of a game.
const STATE_FLAGS: [&str; 5] =
    ["path_exists", "store_installed", "owned", "installable", "playable"];

/// Whether a video plays.
const HAS_VIDEO: &str = "has_video";
/// Whether the cover is missing.
const MISSING_MEDIA: &str = "has_missing_media";
/// Flags of the media besides those of the images.
const MEDIA_FLAGS: [&str; 2] = [HAS_VIDEO, MISSING_MEDIA];

/// Flags for what a game has besides media.
const CONTENT_FLAGS: [&str; 9] = [
    "has_saves",
    "has_documents",
    "has_versions",
    "has_memories",
    "has_moments",
    "has_clips",
    "has_achievements",
    "ach_mastered",
    "has_highscores",
];

/// Everything that the flags of a game are written from.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Flags {
    /// The media that are present, by their bits.
    present: u32,
    /// As [`STATE_FLAGS`].
    state: [bool; STATE_FLAGS.len()],
    /// As [`CONTENT_FLAGS`].
    content: [bool; CONTENT_FLAGS.len()],
    /// Whether the game was entered by hand.
    is_manual: bool,
}

impl Flags {
    fn of(game: &Game, slots: &Slots<'_>, facts: &DiskFacts) -> Self {
        let flag = |slot: usize| slots.flag(slot) == Some(true);
        let shows = |slot: usize| slots.is_set(slot) && !slots.text(slot).is_empty();
        let is_manual = flag(const { slot("manual_entry") });
        let path_exists = facts.path_exists;
        let installed = slots.flag(const { slot("store_installed") }).unwrap_or(path_exists);
        let catalog = flag(const { slot("store_catalog") });
        let owned = flag(const { slot("owned") }) || catalog || STORE_IDS.into_iter().any(shows);
        let installable = shows(const { slot("libserver_id") }) && !installed;
        let playable = (path_exists || installed) && !is_manual;
        let content = [
            facts.has_saves,
            slots.has_items(const { slot("documents") }),
            slots.has_items(const { slot("versions") }),
            slots.has_items(const { slot("memories") }),
            slots.has_items(const { slot("moments") }),
            slots.has_items(CLIPS_SLOT),
            shows(const { slot("ach_game_id") }),
            flag(const { slot("ach_mastered") }) || facts.is_mastered,
            shows(const { slot("rom_name") }) && platforms::has_sets(game.platform()),
        ];
        let state = [path_exists, installed, owned, installable, playable];
        Self { present: facts.present, state, content, is_manual }
    }
}

/// The image fields with their bits.
const HAS_IMAGES: [(&str, usize); IMAGES.len()] = {
    let mut bits = [("", 0); IMAGES.len()];
    let mut at = 0;
    while at < bits.len() {
        bits[at] = (IMAGES[at], media_bit(IMAGES[at]));
        at += 1;
    }
    bits
};

/// Writes the value of a field that is set.
fn put_field(out: &mut Vec<u8>, slot: usize, slots: &Slots<'_>, facts: &DiskFacts) {
    let raw = slots.raw(slot);
    let unset = slots::unset(FIELDS[slot].kind);
    match FIELDS[slot].kind {
        _ if slot == SCREENSHOTS => put_screenshots(out, raw, slots, facts),
        _ if slot == NOTES => put_notes(out, raw, slots),
        _ if slot == LAUNCH_ENV => put_launch_env(out, raw),
        _ if slot == CLIPS_SLOT => put_clips(out, raw, slots),
        Kind::Media if is_withheld(slot, facts) => put(out, unset.as_bytes()),
        Kind::Text | Kind::Media if raw.starts_with('"') => put(out, raw.as_bytes()),
        Kind::Text | Kind::Media => put_json(out, &slots.text(slot)),
        Kind::Flag => put_bool(out, raw == "true"),
        Kind::Count if is_plain_count(raw) => put(out, raw.as_bytes()),
        Kind::Count => put_number(out, slots.number(slot).count()),
        Kind::NumberOrBlank | Kind::NumberOrNull => put_number_or(out, slot, slots, unset),
        Kind::List if TEXT_SLOTS.contains(&slot) && !slots::holds_only_texts(raw) => {
            let texts = slots.items(slot).into_iter().filter(|item| item.starts_with('"'));
            put_list(out, texts, |out, text| put(out, text.as_bytes()));
        }
        Kind::List if raw.starts_with('[') => put(out, raw.as_bytes()),
        Kind::Object if raw.starts_with('{') => put(out, raw.as_bytes()),
        Kind::List | Kind::Object => put(out, unset.as_bytes()),
    }
}

fn is_withheld(slot: usize, facts: &DiskFacts) -> bool {
    let bit = MEDIA.iter().position(|media| *media == slot);
    bit.is_some_and(|bit| facts.withheld & (1 << bit) != 0)
}

/// Digits as JSON writes a whole number that 64 bits hold.
fn is_plain_count(raw: &str) -> bool {
    raw.len() < 19 && raw.bytes().all(|byte| byte.is_ascii_digit())
}

fn put_number_or(out: &mut Vec<u8>, slot: usize, slots: &Slots<'_>, unset: &str) {
    let raw = slots.raw(slot);
    if raw.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
        return put(out, raw.as_bytes());
    }
    match slots.number(slot).0 {
        // OK because writing to a vector never fails; a whole number is written without fraction.
        Some(number) => drop(write!(out, "{number}")),
        None => put(out, unset.as_bytes()),
    }
}

/// Screenshots keep their places, because requests name them by index.
fn put_screenshots(out: &mut Vec<u8>, raw: &str, slots: &Slots<'_>, facts: &DiskFacts) {
    let items = slots.items(SCREENSHOTS);
    let withheld = facts.screenshots.contains(&Shot::Withheld);
    if !withheld && items.iter().all(|item| item.starts_with('"')) && raw.starts_with('[') {
        return put(out, raw.as_bytes());
    }
    put_list(out, items.into_iter().zip(&facts.screenshots), |out, (item, shot)| {
        let shown = *shot != Shot::Withheld && item.starts_with('"');
        put(out, if shown { item.as_bytes() } else { b"\"\"" });
    });
}

/// A note of an old library is one text. It is shown as it is until the first change of the game
/// makes a list of it, because old clients show the text.
fn put_notes(out: &mut Vec<u8>, raw: &str, slots: &Slots<'_>) {
    let mut items = slots.items(NOTES);
    let is_list = raw.starts_with('[') && items.iter().all(|item| item.starts_with('{'));
    if is_list || raw.starts_with('"') {
        return put(out, raw.as_bytes());
    }
    items.retain(|item| item.starts_with('{') || !slots::text_of(item).trim().is_empty());
    put_list(out, items, |out, item| {
        if item.starts_with('{') {
            return put(out, item.as_bytes());
        }
        put(out, b"{\"ts\":\"\"");
        put_text(out, "text", &slots::text_of(item));
        put(out, b"}");
    });
}

/// The environment of a launch is an object; old libraries hold lines of `KEY=value`.
fn put_launch_env(out: &mut Vec<u8>, raw: &str) {
    if raw.starts_with('{') {
        return put(out, raw.as_bytes());
    }
    let text: Cow<'_, str> = slots::text_of(raw);
    let pairs = text.lines().filter_map(|line| {
        let (key, value) = line.split_once('=')?;
        Some((key.trim().to_owned(), Value::from(value.trim())))
    });
    put_json(out, &pairs.filter(|(key, _)| !key.is_empty()).collect::<Map<_, _>>());
}

fn put_clips(out: &mut Vec<u8>, raw: &str, slots: &Slots<'_>) {
    let clips = slots.items(CLIPS_SLOT);
    if clips.len() <= CLIPS {
        return put(out, if raw.starts_with('[') { raw.as_bytes() } else { b"[]" });
    }
    let last = &clips[clips.len() - CLIPS..];
    put_list(out, last, |out, clip| put(out, clip.as_bytes()));
}

fn put(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(bytes);
}

fn put_key(out: &mut Vec<u8>, key: &str) {
    put(out, b",\"");
    put(out, key.as_bytes());
    put(out, b"\":");
}

fn put_bool(out: &mut Vec<u8>, flag: bool) {
    put(out, if flag { b"true" } else { b"false" });
}

fn put_text(out: &mut Vec<u8>, key: &str, text: &str) {
    put_key(out, key);
    put_json(out, text);
}

fn put_number(out: &mut Vec<u8>, number: u64) {
    put_json(out, &number);
}

/// Writes a value whose JSON cannot fail: text, numbers, and maps of them.
fn put_json(out: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    if let Err(error) = serde_json::to_writer(out, value) {
        log::error!("failed to write a value as JSON: {error}");
    }
}

fn put_list<T>(
    out: &mut Vec<u8>,
    items: impl IntoIterator<Item = T>,
    mut put_item: impl FnMut(&mut Vec<u8>, T),
) {
    put(out, b"[");
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            put(out, b",");
        }
        put_item(out, item);
    }
    put(out, b"]");
}

const _: () = assert!(COUNT > FIELDS.len(), "hidden slots follow the shown ones");
