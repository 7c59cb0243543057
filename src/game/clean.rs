//! What a posted game may contain: every field checked and brought into its stored form.
//!
//! Pure but for the questions it asks through [`Paths`]. A missing key leaves the stored field
//! alone, so a client that knows ten fields cannot erase the other eighty. The first bad field
//! refuses the whole post. Serves `POST /api/game`.

use serde_json::{Map, Value, json};

use crate::{
    base::{limits, text},
    formats::launch_env,
    model::{
        Record,
        fields::{Edit, FIELDS, Kind, OVERLAY, PROGRESS, SAVE_SYNC},
    },
};

/// Why a posted game was refused; the text is meant for the client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InputError(pub String);

/// Answers the questions about paths that a check needs the disk for.
pub trait Paths {
    /// The expanded absolute form of a game path.
    ///
    /// # Errors
    /// When it is relative, has a symlink in it, or is not an existing regular file.
    fn game_file(&self, path: &str) -> Result<String, InputError>;

    /// The expanded form of a media path.
    ///
    /// # Errors
    /// When it is not an approved media path.
    fn media_file(&self, path: &str) -> Result<String, InputError>;

    /// Checks the path of a document in its absolute form; `game` is the path of its game, blank
    /// without one. The file need not exist.
    ///
    /// # Errors
    /// When no document may lie there.
    fn document_file(&self, path: &str, game: &str) -> Result<(), InputError>;

    /// The expanded absolute form of any other path; it need not exist.
    ///
    /// # Errors
    /// When it is relative.
    fn absolute(&self, path: &str) -> Result<String, InputError>;
}

/// What a check knows besides the post.
pub struct Facts<'a> {
    /// The stored record of an update; `None` for a new game.
    pub stored: Option<&'a Record>,
    /// The setting `custom_field_defs`: a list of `{name, options}`.
    pub custom_fields: &'a [Value],
    /// Local time for notes that came as plain text.
    pub now: &'a str,
}

/// Checks a posted game and returns the fields to overlay on the record.
///
/// # Errors
/// The first [`InputError`], in the order name, path, then the fields as declared.
pub fn clean_game(
    posted: &Map<String, Value>,
    facts: &Facts<'_>,
    paths: &dyn Paths,
) -> Result<Map<String, Value>, InputError> {
    let mut clean = Map::new();
    clean.insert("name".to_owned(), clean_name(posted)?.into());
    clean.insert("path".to_owned(), clean_path(posted, facts, paths)?.into());
    for field in FIELDS.iter().filter(|field| field.edit == Edit::Posted) {
        let Some(value) = posted.get(field.key) else { continue };
        if matches!(field.key, "name" | "path") {
            continue;
        }
        let value = match field.kind {
            Kind::Media => clean_media(field.key, value, facts, paths)?,
            Kind::Flag => clean_flag(field.key, value)?,
            Kind::Text if field.key == "progress" => clean_progress(value)?.into(),
            Kind::Text if field.key == "overlay" => clean_overlay(value)?.into(),
            Kind::Text if field.key == "save_sync" => clean_save_sync(value)?.into(),
            Kind::Text => clean_text(field.key, value)?.into(),
            _ => clean_structured(field.key, value, facts, paths)?,
        };
        clean.insert(field.key.to_owned(), value);
    }
    if let Some(documents) = clean.get("documents").and_then(Value::as_array) {
        let known = facts.stored.map_or(&[][..], |record| record.list("documents"));
        let game = clean.get("path").and_then(Value::as_str).unwrap_or_default();
        check_documents(documents, known, game, paths)?;
    }
    fill_video(&mut clean, facts);
    Ok(clean)
}

fn clean_structured(
    key: &str,
    value: &Value,
    facts: &Facts<'_>,
    paths: &dyn Paths,
) -> Result<Value, InputError> {
    match key {
        "rating" => clean_rating(value),
        "disc_count" => clean_disc_count(value),
        "alternate_names" => clean_names(value),
        "applications" | "versions" => clean_extras(value, true, paths),
        "documents" => clean_extras(value, false, paths),
        "save_paths" => clean_save_paths(value, paths),
        "screenshots" => clean_screenshots(value, facts, paths),
        "notes" => clean_notes(value, facts.now),
        "custom_fields" => clean_custom_fields(value, facts.custom_fields),
        "launch_env" => launch_env::parse(value)
            .map(Value::Object)
            .map_err(|error| InputError(error.to_string())),
        _ => Ok(value.clone()),
    }
}

/// Refuses a post with this sentence.
///
/// # Errors
/// Always.
pub fn refuse<T>(text: impl Into<String>) -> Result<T, InputError> {
    Err(InputError(text.into()))
}

/// The entries of a list; none for `null`.
fn list_of<'a>(value: &'a Value, what: &str) -> Result<&'a [Value], InputError> {
    match value {
        Value::Null => Ok(&[]),
        Value::Array(list) => Ok(list),
        _ => refuse(format!("{what} must be a list.")),
    }
}

/// A key as the user reads it: `sort_title` becomes `Sort title`.
pub fn label(key: &str) -> String {
    let words = key.replace('_', " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn clean_name(posted: &Map<String, Value>) -> Result<String, InputError> {
    let name = posted.get("name").map_or(Ok(String::new()), |name| clean_text("name", name))?;
    if name.is_empty() { refuse("Name is required.") } else { Ok(name) }
}

/// An unchanged path of a stored game passes as it is: a game on a card that is not mounted can
/// still be edited.
fn clean_path(
    posted: &Map<String, Value>,
    facts: &Facts<'_>,
    paths: &dyn Paths,
) -> Result<String, InputError> {
    let stored = facts.stored.map(|record| record.text("path"));
    let shelf = facts.stored.is_some_and(|record| record.flag("manual_entry"));
    let path = match (posted.get("path"), stored) {
        (None, Some(stored)) => stored.to_owned(),
        (posted, _) => posted.map_or(Ok(String::new()), |path| clean_text("path", path))?,
    };
    match (path.as_str(), stored) {
        ("", Some("")) => Ok(path),
        ("", _) if shelf => Ok(path),
        ("", _) => refuse("Path is required."),
        (path, Some(stored)) if path == stored => Ok(path.to_owned()),
        (path, _) => paths.game_file(path),
    }
}

pub fn clean_text(key: &str, value: &Value) -> Result<String, InputError> {
    let text = match value {
        Value::Null => "",
        Value::String(text) => text.trim(),
        Value::Number(number) => return Ok(number.to_string()),
        _ => return refuse(format!("{} must be text.", label(key))),
    };
    if text.contains('\0') {
        return refuse(format!("{} must not contain a NUL character.", label(key)));
    }
    Ok(text.to_owned())
}

fn clean_flag(key: &str, value: &Value) -> Result<Value, InputError> {
    match value {
        Value::Bool(_) => Ok(value.clone()),
        Value::Null => Ok(false.into()),
        _ => refuse(format!("{} must be true or false.", label(key))),
    }
}

/// The stored form of a progress value: `Unplayed` is stored as empty text.
///
/// # Errors
/// `Unknown progress value.` for any other value.
pub fn clean_progress(value: &Value) -> Result<String, InputError> {
    match value {
        Value::Null => Ok(String::new()),
        Value::String(text) if text.trim() == "Unplayed" => Ok(String::new()),
        Value::String(text) if PROGRESS.contains(&text.trim()) => Ok(text.trim().to_owned()),
        _ => refuse("Unknown progress value."),
    }
}

fn clean_overlay(value: &Value) -> Result<String, InputError> {
    match value {
        Value::Null => Ok(String::new()),
        Value::String(text) if OVERLAY.contains(&text.trim()) => Ok(text.trim().to_owned()),
        _ => refuse("Overlay must be inherit, on or off."),
    }
}

fn clean_save_sync(value: &Value) -> Result<String, InputError> {
    match value {
        Value::Null => Ok(String::new()),
        Value::String(text) if SAVE_SYNC.contains(&text.trim()) => Ok(text.trim().to_owned()),
        _ => refuse("Shared saves must be on, off or empty."),
    }
}

pub fn clean_rating(value: &Value) -> Result<Value, InputError> {
    let number = match value {
        Value::Null => return Ok("".into()),
        Value::String(text) if text.trim().is_empty() => return Ok("".into()),
        Value::String(text) => text.trim().parse().ok().filter(|number: &f64| number.is_finite()),
        Value::Number(number) => number.as_f64(),
        _ => None,
    };
    match number {
        None => refuse("Rating must be a number from 0 to 5."),
        Some(number) if (0.0..=5.0).contains(&number) => Ok(json!(number)),
        Some(_) => refuse("Rating must be between 0 and 5."),
    }
}

pub fn clean_stars(value: &Value) -> Result<Value, InputError> {
    match value.as_u64() {
        Some(stars @ 0..=5) => Ok(stars.into()),
        _ => refuse("User rating must be an integer from 0 to 5."),
    }
}

fn clean_disc_count(value: &Value) -> Result<Value, InputError> {
    let count = match value {
        Value::Null => return Ok("".into()),
        Value::String(text) if text.trim().is_empty() => return Ok("".into()),
        Value::String(text) => text.trim().parse::<i64>().ok(),
        Value::Number(number) => number.as_i64(),
        _ => None,
    };
    match count {
        None => refuse("Disc count must be a number."),
        Some(count) => Ok(count.max(0).into()),
    }
}

fn clean_names(value: &Value) -> Result<Value, InputError> {
    let names: Vec<String> = match value {
        Value::Null => Vec::new(),
        Value::String(text) => text.split(';').map(|name| name.trim().to_owned()).collect(),
        Value::Array(list) => texts(list, "Alternate names must be text.")?,
        _ => return refuse("Alternate names must be a list."),
    };
    let mut kept: Vec<String> = Vec::new();
    for name in names.into_iter().filter(|name| !name.is_empty()) {
        if !kept.contains(&name) {
            kept.push(name);
        }
    }
    within(kept.len(), limits::ALTERNATE_NAMES, "Alternate names")?;
    Ok(kept.into())
}

pub fn clean_extras(value: &Value, commands: bool, paths: &dyn Paths) -> Result<Value, InputError> {
    let list = list_of(value, "Game extras")?;
    within(list.len(), limits::EXTRAS, "Game extras")?;
    list.iter().map(|entry| clean_extra(entry, commands, paths)).collect()
}

/// Checks where documents lie. One that is stored already passes: it may be on a card that is not
/// mounted, and a client that sends a whole record must not fail because of it.
///
/// # Errors
/// When a new one lies in no approved folder.
pub fn check_documents(
    documents: &[Value],
    known: &[Value],
    game: &str,
    paths: &dyn Paths,
) -> Result<(), InputError> {
    let path = |entry: &'_ Value| entry["path"].as_str().unwrap_or_default().to_owned();
    let known: Vec<String> = known.iter().map(path).collect();
    let new = documents.iter().map(path).filter(|path| !known.contains(path));
    new.into_iter().try_for_each(|path| paths.document_file(&path, game))
}

fn clean_extra(entry: &Value, commands: bool, paths: &dyn Paths) -> Result<Value, InputError> {
    let Some(entry) = entry.as_object() else { return refuse("Game extras must be objects.") };
    let text = |key: &str| entry.get(key).map_or(Ok(String::new()), |value| clean_text(key, value));
    let path = text("path")?;
    if path.is_empty() {
        return refuse("Each game extra needs a path.");
    }
    let path = paths.absolute(&path)?;
    let name = match text("name")? {
        name if name.is_empty() => stem(&path).to_owned(),
        name => name,
    };
    let mut clean = Map::new();
    clean.insert("name".to_owned(), name.into());
    clean.insert("path".to_owned(), path.into());
    if commands {
        clean.insert("command".to_owned(), text("command")?.into());
    }
    Ok(clean.into())
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}

fn clean_save_paths(value: &Value, paths: &dyn Paths) -> Result<Value, InputError> {
    let list = list_of(value, "Save paths")?;
    let mut kept: Vec<String> = Vec::new();
    for path in texts(list, "Save paths must be text.")?.iter().filter(|path| !path.is_empty()) {
        let path = paths.absolute(path)?;
        if !kept.contains(&path) {
            kept.push(path);
        }
    }
    within(kept.len(), limits::SAVE_PATHS, "Save paths")?;
    Ok(kept.into())
}

fn clean_media(
    key: &str,
    value: &Value,
    facts: &Facts<'_>,
    paths: &dyn Paths,
) -> Result<Value, InputError> {
    let path = clean_text(key, value)?;
    let unchanged = facts.stored.is_some_and(|record| record.text(key) == path);
    if path.is_empty() || unchanged { Ok(path.into()) } else { Ok(paths.media_file(&path)?.into()) }
}

fn clean_screenshots(
    value: &Value,
    facts: &Facts<'_>,
    paths: &dyn Paths,
) -> Result<Value, InputError> {
    let list = list_of(value, "Screenshots")?;
    let stored: Vec<&str> =
        facts.stored.map_or_else(Vec::new, |record| record.texts("screenshots").collect());
    let mut kept = Vec::new();
    for path in texts(list, "Screenshots must be text.")?.iter().filter(|path| !path.is_empty()) {
        let known = stored.contains(&path.as_str());
        kept.push(if known { path.clone() } else { paths.media_file(path)? });
    }
    within(kept.len(), limits::SCREENSHOTS, "Screenshots")?;
    Ok(kept.into())
}

fn clean_notes(value: &Value, now: &str) -> Result<Value, InputError> {
    let list = match value {
        Value::Null => return Ok(json!([])),
        Value::String(text) => {
            return clean_note(text, now)
                .map(|note| json!([note]))
                .or_else(|error| if text.trim().is_empty() { Ok(json!([])) } else { Err(error) });
        }
        Value::Array(list) => list,
        _ => return refuse("Notes must be a list."),
    };
    list.iter()
        .map(|note| {
            let text = note.get("text").and_then(Value::as_str);
            let Some(text) = text.or_else(|| note.as_str()) else {
                return refuse("Each note needs a text.");
            };
            let ts = note.get("ts").and_then(Value::as_str).filter(|ts| !ts.trim().is_empty());
            clean_note(text, ts.unwrap_or(now))
        })
        .collect()
}

fn clean_note(text: &str, ts: &str) -> Result<Value, InputError> {
    if text.trim().is_empty() {
        return refuse("Each note needs a text.");
    }
    if text.chars().count() > limits::NOTE_CHARS {
        return refuse(format!("Notes are limited to {} characters.", limits::NOTE_CHARS));
    }
    Ok(json!({"ts": ts.trim(), "text": text.trim()}))
}

/// The stored form of a list of tags: blanks collapsed, repeated spellings dropped, the first
/// fifty kept.
///
/// # Errors
/// `Tags must be a list.` or `Tags are limited to 64 characters.`
pub fn clean_tags(value: &Value) -> Result<Value, InputError> {
    let list = list_of(value, "Tags")?;
    let mut kept: Vec<String> = Vec::new();
    let mut known: Vec<String> = Vec::new();
    for tag in texts(list, "Tags must be text.")? {
        let tag = text::collapse(&tag);
        if tag.chars().count() > limits::TAG_CHARS {
            return refuse("Tags are limited to 64 characters.");
        }
        let folded = text::fold(&tag);
        if !tag.is_empty() && !known.contains(&folded) && kept.len() < limits::TAGS {
            known.push(folded);
            kept.push(tag);
        }
    }
    Ok(kept.into())
}

pub fn clean_custom_fields(value: &Value, defined: &[Value]) -> Result<Value, InputError> {
    let posted = match value {
        Value::Null => return Ok(json!({})),
        Value::Object(posted) => posted,
        _ => return refuse("Custom fields must be an object."),
    };
    let mut kept = Map::new();
    for name in defined.iter().filter_map(|field| field.get("name")?.as_str()) {
        let Some(value) = posted.get(name) else { continue };
        let text = clean_text(name, value)?;
        if !text.is_empty() {
            kept.insert(name.to_owned(), text.into());
        }
    }
    Ok(kept.into())
}

/// A new `video` also serves as the snap while there is none.
fn fill_video(clean: &mut Map<String, Value>, facts: &Facts<'_>) {
    let stored = facts.stored.map_or("", |record| record.text("video_snap"));
    let snap = clean.get("video_snap").and_then(Value::as_str).unwrap_or(stored);
    let video = clean.get("video").and_then(Value::as_str).unwrap_or("");
    if snap.is_empty() && !video.is_empty() {
        let video = video.to_owned();
        clean.insert("video_snap".to_owned(), video.into());
    }
}

fn texts(list: &[Value], error: &str) -> Result<Vec<String>, InputError> {
    list.iter()
        .map(|value| match value {
            Value::String(text) if !text.contains('\0') => Ok(text.trim().to_owned()),
            _ => refuse(error),
        })
        .collect()
}

fn within(count: usize, limit: usize, what: &str) -> Result<(), InputError> {
    if count > limit { refuse(format!("{what} are limited to {limit} entries.")) } else { Ok(()) }
}
