//! The commands about games: list, show, play, stop, search.

use serde_json::{Value, json};

use super::{
    error::CliError,
    invocation::Invocation,
    output::{Output, Style},
    service::Service,
    table::Flag,
};
use crate::base::text::fold;

/// The most games of a search.
const FOUND: usize = 200;
/// Games that are listed when a name fits several.
const SHOWN: usize = 20;
/// What `show` prints: a key of the game and its label.
const SHOWN_KEYS: [(&str, &str); 21] = [
    ("name", "Name"),
    ("game_id", "Id"),
    ("platform", "Platform"),
    ("developer", "Developer"),
    ("publisher", "Publisher"),
    ("year", "Year"),
    ("genre", "Genre"),
    ("series", "Series"),
    ("region", "Region"),
    ("max_players", "Players"),
    ("progress", "Progress"),
    ("favorite", "Favorite"),
    ("hidden", "Hidden"),
    ("user_rating", "Own rating"),
    ("tags", "Tags"),
    ("play_count", "Played"),
    ("last_played", "Last played"),
    ("source", "Source"),
    ("path", "File"),
    ("launch", "Command"),
    ("description", "Description"),
];

/// `list`.
///
/// # Errors
/// [`CliError`].
pub fn list(service: &Service, asked: &Invocation, output: &mut Output) -> Result<(), CliError> {
    let limit = limit(asked)?;
    let platform = asked.value(Flag::Platform).map(fold);
    let is_json = asked.has(Flag::Json);
    let is_wanted = |game: &Value| {
        (!asked.has(Flag::Favorites) || game["favorite"] == true)
            && (is_json || game["hidden"] != true)
            && platform.as_ref().is_none_or(|wanted| *wanted == fold(text(game, "platform")))
    };
    let mut games = Vec::new();
    service.each_page(|page| {
        games.extend(page.into_iter().filter(&is_wanted).map(|game| short(&game, is_json)));
        Ok(())
    })?;
    games.sort_by_cached_key(|game| (fold(text(game, "name")), fold(text(game, "platform"))));
    games.truncate(limit.unwrap_or(usize::MAX));
    if is_json {
        return Ok(output.json(&Value::Array(games))?);
    }
    print(output, &games, "No game fits.")
}

/// A game as a list keeps it: all of it for JSON, else what the table shows.
fn short(game: &Value, is_whole: bool) -> Value {
    if is_whole {
        return game.clone();
    }
    let keys = ["game_id", "name", "platform", "total_playtime_seconds", "last_played"];
    keys.iter()
        .map(|key| ((*key).to_owned(), game[*key].clone()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn print(output: &mut Output, games: &[Value], empty: &str) -> Result<(), CliError> {
    let row = |game: &Value| {
        let seconds = game["total_playtime_seconds"].as_u64();
        let seconds = seconds.or(game["playtime_seconds"].as_u64()).unwrap_or(0);
        vec![
            text(game, "name").to_owned(),
            text(game, "platform").to_owned(),
            duration(seconds),
            day(text(game, "last_played")).to_owned(),
            text(game, "game_id").to_owned(),
        ]
    };
    let rows: Vec<_> = games.iter().map(row).collect();
    Ok(output.table(&["NAME", "PLATFORM", "PLAYED", "LAST PLAYED", "ID"], &rows, empty)?)
}

/// `search`.
///
/// # Errors
/// [`CliError`].
pub fn search(service: &Service, asked: &Invocation, output: &mut Output) -> Result<(), CliError> {
    let words = words(asked)?.join(" ");
    let limit = limit(asked)?.unwrap_or(50).min(FOUND).to_string();
    let mut reply =
        service.get("/api/v2/library/search", &[("q", words.as_str()), ("limit", &limit)])?;
    if asked.has(Flag::Json) {
        return Ok(output.json(&reply["results"])?);
    }
    let Value::Array(games) = reply["results"].take() else { return Ok(()) };
    print(output, &games, "No game fits.")
}

/// `show`.
///
/// # Errors
/// [`CliError`].
pub fn show(service: &Service, asked: &Invocation, output: &mut Output) -> Result<(), CliError> {
    let game = choose(service, asked)?;
    if asked.has(Flag::Json) {
        return Ok(output.json(&game)?);
    }
    for (key, label) in SHOWN_KEYS {
        let value = match &game[key] {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Bool(true) => "yes".to_owned(),
            Value::Array(list) => {
                list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
            }
            _ => String::new(),
        };
        let is_blank = value.is_empty() || value == "0";
        if !is_blank {
            output.line(&format!("{label:12} {value}"))?;
        }
    }
    let seconds = game["total_playtime_seconds"].as_u64().unwrap_or(0);
    if seconds > 0 {
        output.line(&format!("{:12} {}", "Playtime", duration(seconds)))?;
    }
    Ok(())
}

/// `play`.
///
/// # Errors
/// [`CliError`].
pub fn play(service: &Service, asked: &Invocation, output: &mut Output) -> Result<(), CliError> {
    let game = choose(service, asked)?;
    let body = json!({"game_id": text(&game, "game_id")});
    let session = service.post("/api/launch", &body)?;
    if asked.has(Flag::Json) {
        return Ok(output.json(&session)?);
    }
    let (name, pid) = (text(&session, "game"), &session["pid"]);
    Ok(output.line(&format!("{name} was started as process {pid}."))?)
}

/// `stop`.
///
/// # Errors
/// [`CliError`].
pub fn stop(service: &Service, asked: &Invocation, output: &mut Output) -> Result<(), CliError> {
    let reply = service.get("/api/running", &[])?;
    let running: Vec<&Value> = reply["running"].as_array().into_iter().flatten().collect();
    let named = words(asked)?.first().copied();
    let fitting = match named {
        None => running,
        Some(named) => fitting(&running, named, "game", "stable_game_id"),
    };
    if fitting.is_empty() && asked.has(Flag::All) {
        return stopped(asked, output, &[]);
    }
    if fitting.is_empty() {
        let reason = named.map_or_else(
            || "No game runs.".to_owned(),
            |named| format!("No running game fits {named:?}."),
        );
        return Err(CliError::Failed(reason));
    }
    if fitting.len() > 1 && !asked.has(Flag::All) {
        let row = |game: &&Value| row_below(text(game, "game"), "", text(game, "stable_game_id"));
        let rows: String = fitting.iter().map(row).collect();
        let head = "Several games run; name one of them, or use --all:";
        return Err(CliError::Failed(format!("{head}{rows}")));
    }
    let action = if asked.has(Flag::Force) { "kill" } else { "stop" };
    for game in &fitting {
        let body = json!({"launch_id": game["launch_id"], "action": action});
        service.post("/api/session/control", &body)?;
    }
    stopped(asked, output, &fitting)
}

fn stopped(asked: &Invocation, output: &mut Output, games: &[&Value]) -> Result<(), CliError> {
    if asked.has(Flag::Json) {
        return Ok(output.json(&json!({"stopped": games}))?);
    }
    if games.is_empty() {
        output.line("No game runs.")?;
    }
    let how = if asked.has(Flag::Force) { "was killed" } else { "was asked to end" };
    for game in games {
        output.line(&format!("{} {how}.", text(game, "game")))?;
    }
    Ok(())
}

/// The one game that is meant.
///
/// # Errors
/// [`CliError`]; the games are listed when several fit.
fn choose(service: &Service, asked: &Invocation) -> Result<Value, CliError> {
    let named = words(asked)?.first().copied().unwrap_or_default().trim();
    let platform = asked.value(Flag::Platform).map(fold);
    let is_wanted = |game: &&Value| {
        platform.as_ref().is_none_or(|wanted| *wanted == fold(text(game, "platform")))
    };
    let mut by_id = service.get("/api/library/delta", &[("ids", named)])?;
    if let Value::Array(games) = by_id["games"].take()
        && let Some(game) = games.into_iter().find(|game| text(game, "game_id") == named)
    {
        return Ok(game);
    }
    let limit = FOUND.to_string();
    let found = service.get("/api/v2/library/search", &[("q", named), ("limit", &limit)])?;
    let candidates: Vec<&Value> =
        found["results"].as_array().into_iter().flatten().filter(is_wanted).collect();
    let mut fitting: Vec<Value> = owned(fitting(&candidates, named, "name", "game_id"));
    if fitting.is_empty() {
        // A part of a word is not what the search looks for.
        service.each_page(|page| {
            let page: Vec<&Value> = page.iter().filter(is_wanted).collect();
            fitting.extend(owned(self::fitting(&page, named, "name", "game_id")));
            Ok(())
        })?;
        let all: Vec<&Value> = fitting.iter().collect();
        fitting = owned(self::fitting(&all, named, "name", "game_id"));
    }
    match fitting.as_slice() {
        [] => Err(CliError::Failed(format!("No game fits {named:?}."))),
        [game] => {
            let id = text(game, "game_id");
            let mut whole = service.get("/api/library/delta", &[("ids", id)])?;
            let whole = whole["games"].as_array_mut().and_then(Vec::pop);
            Ok(whole.unwrap_or_else(|| game.clone()))
        }
        games => {
            let row = |game: &Value| {
                row_below(text(game, "name"), text(game, "platform"), text(game, "game_id"))
            };
            let rows: String = games.iter().take(SHOWN).map(row).collect();
            let count = games.len();
            let more = match count.saturating_sub(SHOWN) {
                0 => String::new(),
                more => format!("\n  and {more} more"),
            };
            let head = format!("{named:?} fits {count} games; name one of them by its id:");
            Err(CliError::Failed(format!("{head}{rows}{more}")))
        }
    }
}

fn owned(games: Vec<&Value>) -> Vec<Value> {
    games.into_iter().cloned().collect()
}

/// A line below a message.
fn row_below(name: &str, platform: &str, id: &str) -> String {
    let platform = if platform.is_empty() { String::new() } else { format!(" ({platform})") };
    let row = Style::PLAIN.clean(&format!("{id}  {name}{platform}"));
    format!("\n  {row}")
}

/// The games that a name fits, by the best of these: the id, the whole name, a part of it.
fn fitting<'a>(games: &[&'a Value], named: &str, name_key: &str, id_key: &str) -> Vec<&'a Value> {
    let wanted = fold(named);
    if wanted.is_empty() {
        return Vec::new();
    }
    let by_id = games.iter().find(|game| text(game, id_key) == named);
    if let Some(game) = by_id {
        return vec![*game];
    }
    let folded: Vec<(String, &'a Value)> =
        games.iter().map(|game| (fold(text(game, name_key)), *game)).collect();
    let fitting = |rule: &dyn Fn(&str) -> bool| -> Vec<&'a Value> {
        folded.iter().filter(|(name, _)| rule(name)).map(|(_, game)| *game).collect()
    };
    let exact = fitting(&|name| name == wanted);
    if exact.is_empty() { fitting(&|name| name.contains(&wanted)) } else { exact }
}

/// The operands as text.
///
/// # Errors
/// [`CliError::Usage`] when one is no UTF-8.
pub fn words(asked: &Invocation) -> Result<Vec<&str>, CliError> {
    asked.words().map_err(|word| CliError::Usage(format!("{} is not valid UTF-8", word.display())))
}

/// The most rows that are wanted.
///
/// # Errors
/// [`CliError::Usage`].
pub fn limit(asked: &Invocation) -> Result<Option<usize>, CliError> {
    asked.limit().map_err(|error| CliError::Usage(error.to_string()))
}

/// The text of a key; blank when it has none.
pub fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// The day of a time.
fn day(time: &str) -> &str {
    time.split(['T', ' ']).next().unwrap_or_default()
}

/// A duration for people.
fn duration(seconds: u64) -> String {
    match (seconds / 3_600, seconds / 60 % 60) {
        (0, 0) if seconds == 0 => String::new(),
        (0, 0) => "<1m".to_owned(),
        (0, minutes) => format!("{minutes}m"),
        (hours, minutes) => format!("{hours}h {minutes:02}m"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_name_beats_a_part_and_the_id_beats_both() {
        let games = json!([
            {"name": "Mario", "game_id": "a"},
            {"name": "Super Mario", "game_id": "b"},
            {"name": "Mario Kart", "game_id": "c"},
            {"name": "Größe", "game_id": "Mario Kart 2"},
        ]);
        let games: Vec<&Value> = games.as_array().expect("a list").iter().collect();
        let ids = |named: &str| {
            let fitting = fitting(&games, named, "name", "game_id");
            fitting.iter().map(|game| text(game, "game_id")).collect::<Vec<_>>()
        };
        assert_eq!(ids("mario"), ["a"]);
        assert_eq!(ids("MARI"), ["a", "b", "c"]);
        assert_eq!(ids("kart"), ["c"]);
        assert_eq!(ids("Mario Kart 2"), ["Mario Kart 2"]);
        assert_eq!(ids("GRÖSSE"), ["Mario Kart 2"]);
        assert_eq!(ids("zelda"), [""; 0]);
        assert_eq!(ids(""), [""; 0]);
    }

    #[test]
    fn durations_are_short() {
        for (seconds, expected) in [
            (0, ""),
            (5, "<1m"),
            (60, "1m"),
            (3_599, "59m"),
            (3_600, "1h 00m"),
            (360_060, "100h 01m"),
        ] {
            assert_eq!(duration(seconds), expected, "{seconds}");
        }
    }
}
