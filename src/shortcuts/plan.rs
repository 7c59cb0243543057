//! The changes of a shortcut file: pure rules on its content and on games.
//!
//! An entry belongs to this program when it names a game of the library; every other one keeps its bytes and its place.
//! Of such an entry only the fields that follow from the game change: what the player set in the client, or the client
//! itself keeps there, stays.

use serde_json::{Value as Json, json};

use super::error::BridgeError;
use crate::{
    base::{ids::hex, schema::schema},
    formats::shortcuts::{Document, Field, Value},
};

/// The field that marks an entry of this program; its text is the id of the game.
const MARK: &str = "ServiceGameID";
/// The bit that ids of shortcuts have.
const SHORTCUT: u32 = 0x8000_0000;

/// A game that is to have a shortcut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Stable id of the game.
    pub game_id: String,
    /// Its title.
    pub name: String,
    /// A picture for it; empty for none.
    pub icon: String,
}

schema! {
    "ShortcutRecord"
    /// An entry of the file, or a field of one, as the API shows it.
    #[derive(Clone, Debug, PartialEq)]
    pub struct EntryRecord {
        key: String,
        /// Its type in the file.
        tag: u8,
        /// A text, a number, or a list of fields.
        value: Json,
    }

    "ShortcutUpdate"
    /// An entry that changes.
    #[derive(Clone, Debug, PartialEq)]
    pub struct EntryUpdate {
        after: EntryRecord,
        before: EntryRecord,
    }
}

/// The effect of a change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// Entries that are new, as records.
    pub additions: Vec<EntryRecord>,
    /// Entries that change.
    pub updates: Vec<EntryUpdate>,
    /// Entries that go.
    pub removals: Vec<EntryRecord>,
    /// Entries of this program that stay as they are.
    pub unchanged: usize,
    /// Every entry that was asked for, as it will be.
    pub desired: Vec<EntryRecord>,
}

impl Changes {
    /// Whether anything changes.
    pub fn any(&self) -> bool {
        !(self.additions.is_empty() && self.updates.is_empty() && self.removals.is_empty())
    }
}

/// The id of the game of an entry; empty for an entry of another program.
pub fn game_of(entry: &Value) -> String {
    entry.text(MARK).trim().to_owned()
}

/// How many entries there are, and how many of them belong to this program.
pub fn count(document: &Document) -> (usize, usize) {
    let entries = || document.fields.iter().filter(|field| is_entry(field));
    (entries().count(), entries().filter(|field| !game_of(&field.value).is_empty()).count())
}

fn is_entry(field: &Field) -> bool {
    matches!(field.value, Value::Record(_))
}

/// Gives every wanted game its shortcut.
pub fn apply(document: &Document, wanted: &[Wanted], exe: &str) -> (Document, Changes) {
    let mut after = document.clone();
    let mut changes = Changes::default();
    for game in wanted {
        let app_id = free_app_id(&after, game, exe);
        let at = find(&after, &game.game_id).or_else(|| find_app(&after, app_id));
        let Some(at) = at else {
            let mut entry = Value::Record(Vec::new());
            fill(&mut entry, game, exe, app_id);
            let key = next_key(&after);
            let field = Field { key, value: entry };
            changes.additions.push(record(&field));
            changes.desired.push(record(&field));
            after.fields.push(field);
            continue;
        };
        let before = record(&after.fields[at]);
        let kept = after.fields[at].value.number("appid").unwrap_or(app_id);
        fill(&mut after.fields[at].value, game, exe, kept);
        let now = record(&after.fields[at]);
        changes.desired.push(now.clone());
        if before == now {
            changes.unchanged += 1;
        } else {
            changes.updates.push(EntryUpdate { after: now, before });
        }
    }
    (after, changes)
}

/// Removes entries of this program; the others keep their keys.
///
/// # Errors
/// [`BridgeError::NoTarget`] when none of the targets is an entry of this program.
pub fn remove(document: &Document, targets: &[Target]) -> Result<(Document, Changes), BridgeError> {
    let mut after = document.clone();
    let mut changes = Changes::default();
    after.fields.retain(|field| {
        let ours = is_entry(field) && !game_of(&field.value).is_empty();
        let meant = ours && targets.iter().any(|target| target.means(&field.value));
        if meant {
            changes.removals.push(record(field));
        } else if ours {
            changes.unchanged += 1;
        }
        !meant
    });
    if changes.removals.is_empty() { Err(BridgeError::NoTarget) } else { Ok((after, changes)) }
}

/// The reference to an entry of this program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Its id in the client.
    App(u32),
    /// Its exact title.
    Name(String),
    /// Its title and its program.
    Program(String, String),
    /// The game it starts.
    Game(String),
}

impl Target {
    /// Reads one: an app id, a title, or an object with `appid`, `name` and `exe`, or `game_id`.
    pub fn read(value: &Json) -> Option<Self> {
        let number = |value: &Json| value.as_u64().and_then(|number| u32::try_from(number).ok());
        match value {
            Json::Number(_) => number(value).map(Self::App),
            Json::String(name) if !name.trim().is_empty() => Some(Self::Name(name.clone())),
            Json::Object(map) => {
                let text = |key: &str| map.get(key).and_then(Json::as_str).map(str::to_owned);
                if let Some(app) = map.get("appid").and_then(number) {
                    Some(Self::App(app))
                } else if let Some(game) = text("game_id") {
                    Some(Self::Game(game))
                } else {
                    Some(Self::Program(text("name")?, text("exe")?))
                }
            }
            _ => None,
        }
    }

    fn means(&self, entry: &Value) -> bool {
        match self {
            Self::App(app) => entry.number("appid") == Some(*app),
            Self::Name(name) => entry.text("AppName") == *name || game_of(entry) == *name,
            Self::Program(name, exe) => {
                entry.text("AppName") == *name && unquoted(&entry.text("Exe")) == unquoted(exe)
            }
            Self::Game(game) => game_of(entry) == *game,
        }
    }
}

fn unquoted(text: &str) -> &str {
    text.trim_matches('"')
}

/// A program as the client wants it: in quotes when it holds blanks.
fn quoted(program: &str) -> String {
    if program.contains(char::is_whitespace) {
        format!("\"{program}\"")
    } else {
        program.to_owned()
    }
}

/// Sets the fields that follow from a game; of the others only those that are missing.
fn fill(entry: &mut Value, game: &Wanted, exe: &str, app_id: u32) {
    let text = |text: &str| Value::Text(text.replace('\0', "").into_bytes());
    // Without a picture of the game the one that the user chose in the client stays.
    let own = entry.find("icon").cloned().filter(|_| game.icon.is_empty());
    let icon = own.unwrap_or_else(|| text(&game.icon));
    let folder = std::path::Path::new(exe).parent().and_then(|folder| folder.to_str());
    for (key, value) in [
        ("appid", Value::Number(app_id)),
        ("AppName", text(&game.name)),
        ("Exe", text(&quoted(exe))),
        ("StartDir", text(&quoted(folder.unwrap_or("")))),
        ("icon", icon),
        ("LaunchOptions", text(&format!("--play {}", game.game_id))),
        (MARK, text(&game.game_id)),
    ] {
        entry.set(key, value);
    }
    for (key, value) in [
        ("ShortcutPath", text("")),
        ("IsHidden", Value::Number(0)),
        ("AllowDesktopConfig", Value::Number(1)),
        ("OpenVR", Value::Number(0)),
        ("Devkit", Value::Number(0)),
        ("DevkitGameID", text("")),
        ("LastPlayTime", Value::Number(0)),
        ("tags", Value::Record(Vec::new())),
    ] {
        if entry.find(key).is_none() {
            entry.set(key, value);
        }
    }
}

/// The id a shortcut of this game has in the client, and no other game of the library.
fn free_app_id(document: &Document, game: &Wanted, exe: &str) -> u32 {
    let taken = |app: u32| {
        document.fields.iter().any(|field| {
            let owner = game_of(&field.value);
            field.value.number("appid") == Some(app) && owner != game.game_id
        })
    };
    let exe = quoted(exe);
    let plain = crc32fast::hash(format!("{exe}{}", game.name).as_bytes()) | SHORTCUT;
    let salted = (0..=document.fields.len() as u64 + 1).map(|salt| {
        let salt = if salt == 0 { String::new() } else { format!("\0{salt}") };
        let text = format!("{exe}\0{}\0{}{salt}", game.name, game.game_id);
        crc32fast::hash(text.as_bytes()) | SHORTCUT
    });
    std::iter::once(plain).chain(salted).find(|app| !taken(*app)).unwrap_or(plain)
}

fn find(document: &Document, game_id: &str) -> Option<usize> {
    let ours = |field: &Field| is_entry(field) && game_of(&field.value) == game_id;
    document.fields.iter().position(ours)
}

/// An entry of this program whose mark is stale: the same id in the client for this very game.
fn find_app(document: &Document, app: u32) -> Option<usize> {
    let ours = |field: &Field| {
        is_entry(field)
            && field.value.number("appid") == Some(app)
            && !game_of(&field.value).is_empty()
    };
    document.fields.iter().position(ours)
}

/// The next number that no entry has for its key.
fn next_key(document: &Document) -> Vec<u8> {
    let numbers = document
        .fields
        .iter()
        .filter_map(|field| std::str::from_utf8(&field.key).ok()?.parse::<u64>().ok());
    numbers.max().map_or(0, |last| last.saturating_add(1)).to_string().into_bytes()
}

/// An entry as the API shows it.
pub fn record(field: &Field) -> EntryRecord {
    let value = match &field.value {
        Value::Record(fields) => fields.iter().map(|field| json!(record(field))).collect(),
        Value::Text(text) => json!(String::from_utf8_lossy(text)),
        Value::Number(number) => json!(number),
        Value::Other(_, raw) => json!(hex(raw)),
    };
    let key = String::from_utf8_lossy(&field.key).into_owned();
    EntryRecord { key, tag: field.value.tag(), value }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::formats::shortcuts::{parse, write};

    const EXE: &str = "/opt/my games/launcher";

    fn wanted(id: &str, name: &str) -> Wanted {
        Wanted { game_id: id.into(), name: name.into(), icon: String::new() }
    }

    fn foreign(key: &str, name: &[u8]) -> Field {
        let text = |key: &[u8], text: &[u8]| Field {
            key: key.to_vec(),
            value: Value::Text(text.to_vec()),
        };
        let fields = vec![
            text(b"appname", name),
            Field { key: b"later".to_vec(), value: Value::Other(7, vec![1; 8]) },
        ];
        Field { key: key.as_bytes().to_vec(), value: Value::Record(fields) }
    }

    fn with(fields: Vec<Field>) -> Document {
        let mut document = Document::default();
        document.fields = fields;
        document
    }

    fn bytes_of(field: &Field) -> Vec<u8> {
        write(&with(vec![field.clone()]))
    }

    #[test]
    fn entries_are_added_updated_and_kept() {
        let document = with(vec![foreign("0", b"other \xff"), foreign("7", b"another")]);
        let games = [wanted("game-1", "A"), wanted("game-2", "B")];
        let (after, changes) = apply(&document, &games, EXE);
        assert_eq!((changes.additions.len(), changes.updates.len(), count(&after)), (2, 0, (4, 2)));
        assert_eq!(after.fields[..2], document.fields);
        let entry = &after.fields[2];
        assert_eq!(
            (entry.key.as_slice(), entry.value.text("Exe")),
            (&b"8"[..], format!("\"{EXE}\""))
        );
        assert_eq!(entry.value.text("StartDir"), "\"/opt/my games\"");
        assert_eq!(entry.value.text("LaunchOptions"), "--play game-1");
        let app = crc32fast::hash(format!("\"{EXE}\"A").as_bytes()) | 0x8000_0000;
        assert_eq!(entry.value.number("appid"), Some(app));
        // What the player and the client put there stays.
        let mut played = after.clone();
        played.fields[2].value.set("LastPlayTime", Value::Number(99));
        played.fields[2].value.set("icon", Value::Text(b"/own\xff.png".to_vec()));
        played.fields[2].value.set("Mine", Value::Text(b"x".to_vec()));
        let (renamed, changes) = apply(&played, &[wanted("game-1", "New"), games[1].clone()], EXE);
        assert_eq!((changes.updates.len(), changes.unchanged), (1, 1));
        let entry = &renamed.fields[2].value;
        assert_eq!((entry.text("AppName"), entry.number("LastPlayTime")), ("New".into(), Some(99)));
        assert_eq!((entry.text("Mine"), entry.number("appid")), ("x".into(), Some(app)));
        assert_eq!(entry.find("icon"), Some(&Value::Text(b"/own\xff.png".to_vec())));
        assert!(!apply(&renamed, &[wanted("game-1", "New")], EXE).1.any());
        let pictured = Wanted { icon: "/a.png".into(), ..wanted("game-1", "New") };
        let (pictured, _) = apply(&renamed, &[pictured], EXE);
        assert_eq!(pictured.fields[2].value.text("icon"), "/a.png");
    }

    #[test]
    fn two_games_of_one_name_have_two_ids() {
        let (after, _) = apply(&Document::default(), &[wanted("a", "X"), wanted("b", "X")], EXE);
        let ids: Vec<_> = after.fields.iter().map(|field| field.value.number("appid")).collect();
        assert_ne!(ids[0], ids[1]);
    }

    #[test]
    fn only_entries_of_ours_are_removed() {
        let document = with(vec![foreign("0", b"A")]);
        let (both, _) = apply(&document, &[wanted("game-1", "A"), wanted("game-2", "B")], EXE);
        let app = both.fields[1].value.number("appid").expect("an id");
        for target in [
            json!("A"),
            json!(app),
            json!({"appid": app}),
            json!({"game_id": "game-1"}),
            json!({"name": "A", "exe": EXE}),
        ] {
            let target = Target::read(&target).expect("a target");
            let (after, changes) = remove(&both, &[target]).expect("removed");
            assert_eq!((changes.removals.len(), changes.unchanged, count(&after)), (1, 1, (2, 1)));
            assert_eq!(after.fields[0], document.fields[0]);
            assert_eq!(after.fields[1].key, b"2", "others keep their keys");
        }
        for stranger in [json!("another"), json!(1), json!({"name": "A", "exe": "/x"})] {
            let target = Target::read(&stranger).expect("a target");
            assert!(matches!(remove(&both, &[target]), Err(BridgeError::NoTarget)));
        }
        for bad in [json!(null), json!(""), json!({}), json!(-1), json!([])] {
            assert_eq!(Target::read(&bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn foreign_entries_keep_their_bytes(
            names in prop::collection::vec(prop::collection::vec(1_u8.., 0..6), 0..5),
            ids in prop::collection::vec("[a-d]", 0..6),
        ) {
            let mut document = Document::default();
            for (at, name) in names.iter().enumerate() {
                document.fields.push(foreign(&at.to_string(), name));
            }
            let before: Vec<_> = document.fields.iter().map(bytes_of).collect();
            let games: Vec<_> = ids.iter().map(|id| wanted(id, "Same")).collect();
            let (after, _) = apply(&document, &games, EXE);
            let after = parse(&write(&after)).expect("its own");
            let kept: Vec<_> =
                after.fields.iter().filter(|field| game_of(&field.value).is_empty()).map(bytes_of).collect();
            prop_assert_eq!(&kept, &before);
            let again = apply(&after, &games, EXE);
            prop_assert!(!again.1.any());
            let targets: Vec<_> = ids.iter().map(|id| Target::Game(id.clone())).collect();
            if let Ok((without, _)) = remove(&after, &targets) {
                prop_assert_eq!(write(&without), write(&document));
            }
        }
    }
}
