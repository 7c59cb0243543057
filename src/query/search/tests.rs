//! The index compared with the library, and with damaged files.

#![expect(clippy::disallowed_methods, reason = "tests damage files as strangers do")]

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    index::{Index, Reader},
    plain,
    service::{Search, SearchResult, Source},
};
use crate::{
    config::switches::ReadModel,
    files::Files,
    model::{Draft, Record, State},
};

fn record(value: &Value) -> Record {
    serde_json::from_value(value.clone()).expect("an object")
}

fn change(state: &State, edit: impl FnOnce(&mut Draft)) -> Arc<State> {
    let mut draft = Draft::new(state.clone());
    edit(&mut draft);
    let (mut after, _) = draft.finish();
    after.revision = state.revision + 1;
    Arc::new(after)
}

fn library(titles: &[&str]) -> Arc<State> {
    change(&State::default(), |draft| {
        for (number, title) in titles.iter().enumerate() {
            let game = json!({"game_id": format!("game-{number}"), "name": title});
            draft.add_game(record(&game)).expect("added");
        }
    })
}

/// A search that waits for its index however busy the machine is.
fn patient(path: PathBuf, mode: ReadModel) -> Search {
    Search::with_patience(Files::system(), path, mode, Duration::from_mins(1))
}

struct Bench {
    folder: TempDir,
    search: Search,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let search = Self::search_in(folder.path());
        Self { folder, search }
    }

    fn search_in(folder: &Path) -> Search {
        patient(folder.join("library.sqlite3"), ReadModel::On)
    }

    /// The same file with another search, as after a restart.
    fn restart(&mut self) {
        self.search.stop();
        self.search = Self::search_in(self.folder.path());
    }

    #[track_caller]
    fn finds(&self, state: &Arc<State>, query: &str, titles: &[&str], source: Source) {
        let found = self.search.find(state, query, 50);
        assert_eq!((shown(state, &found), found.source), (titles.to_vec(), source), "{query}");
    }

    /// Asks until the index answers again; its answers meanwhile must be right as well.
    #[track_caller]
    fn recovers(&self, state: &Arc<State>, query: &str, titles: &[&str]) {
        for _ in 0..10 {
            let found = self.search.find(state, query, 50);
            assert_eq!(shown(state, &found), titles, "{query}");
            if found.source == Source::Sqlite {
                return;
            }
            self.search.rouse();
        }
        panic!("the index does not recover");
    }
}

fn shown<'a>(state: &'a State, found: &SearchResult) -> Vec<&'a str> {
    let games = found.positions.iter().filter_map(|position| state.games.get(*position));
    games.map(|game| game.name()).collect()
}

#[test]
fn the_index_ranks_titles_first_and_falls_back_to_parts_of_words() {
    let bench = Bench::new();
    let state = change(&State::default(), |draft| {
        for game in [
            json!({"name": "Pokémon Red", "platform": "Game Boy", "genre": "RPG"}),
            json!({"name": "Red Dead", "description": "about red pokemon"}),
            json!({"name": "Blue", "developer": "Red Team"}),
            json!({"name": "Sacred", "genre": "RPG"}),
        ] {
            draft.add_game(record(&game)).expect("added");
        }
    });
    let sqlite = Source::Sqlite;
    bench.finds(&state, "pokemon", &["Pokémon Red", "Red Dead"], sqlite);
    bench.finds(&state, "POKÉ", &["Pokémon Red", "Red Dead"], sqlite);
    bench.finds(&state, "red po", &["Pokémon Red", "Red Dead"], sqlite);
    bench.finds(&state, "game boy", &["Pokémon Red"], sqlite);
    bench.finds(&state, "acre", &["Sacred"], sqlite);
    bench.finds(&state, "\" OR *", &[], sqlite);
    bench.finds(&state, "zelda", &[], sqlite);
    bench.finds(&state, " ", &[], Source::Json);
    let three = bench.search.find(&state, "r", 2);
    assert_eq!(three.positions.len(), 2);
}

#[test]
fn a_title_is_found_however_many_games_have_the_word_elsewhere() {
    let bench = Bench::new();
    let state = change(&State::default(), |draft| {
        for number in 0..2_500 {
            let title = format!("Title {number}");
            let game = json!({"name": title, "platform": "Nintendo 64", "genre": "Action"});
            draft.add_game(record(&game)).expect("added");
        }
        for game in [
            json!({"name": "Action", "platform": "NES", "genre": "Sports"}),
            json!({"name": "Nintendo World Cup", "platform": "NES", "genre": "Sports"}),
            json!({"name": "Nintendo Action", "platform": "Nintendo 64"}),
        ] {
            draft.add_game(record(&game)).expect("added");
        }
    });
    for (query, limit, titles) in [
        ("nintendo", 3, &["Nintendo Action", "Nintendo World Cup", "Title 0"][..]),
        ("nintend", 2, &["Nintendo Action", "Nintendo World Cup"]),
        ("action", 3, &["Action", "Nintendo Action", "Title 0"]),
        ("title", 2, &["Title 0", "Title 1"]),
        ("title nintendo", 2, &["Title 0", "Title 1"]),
    ] {
        let found = bench.search.find(&state, query, limit);
        assert_eq!(
            (shown(&state, &found), found.source),
            (titles.to_vec(), Source::Sqlite),
            "{query}"
        );
    }
    let mut all = bench.search.find(&state, "nintendo", 2_100).positions;
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!((count, all.len()), (2_100, 2_100), "each game once");
}

#[test]
fn each_search_sees_the_state_it_was_asked_about() {
    let mut bench = Bench::new();
    let first = library(&["Alpha", "Beta", "Gamma"]);
    bench.finds(&first, "alpha", &["Alpha"], Source::Sqlite);
    let second = change(&first, |draft| {
        draft.edit_game("game-0", |game| game.set("name", "Delta")).expect("there");
        draft.remove_games(&["game-1"]);
    });
    bench.finds(&second, "alpha", &[], Source::Sqlite);
    bench.finds(&second, "delta", &["Delta"], Source::Sqlite);
    bench.finds(&second, "beta", &[], Source::Sqlite);
    // After a restart the file is compared with whatever the library is by then.
    bench.restart();
    let third = change(&second, |draft| {
        draft.edit_game("game-2", |game| game.set("name", "Omega")).expect("there");
        draft.add_game(record(&json!({"name": "Beta"}))).expect("added");
    });
    for (query, titles) in [("gamma", &[][..]), ("omega", &["Omega"]), ("beta", &["Beta"])] {
        bench.finds(&third, query, titles, Source::Sqlite);
    }
}

#[test]
fn whether_an_index_answers_depends_on_mode_and_size() {
    let folder = tempfile::tempdir().expect("a folder");
    let titles: Vec<String> = (0..5_000).map(|number| format!("Title {number}")).collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let (small, large) = (library(&titles[..4_999]), library(&titles));
    let search = |mode| patient(folder.path().join("i.sqlite3"), mode);
    for (mode, state, expected) in [
        (ReadModel::Off, &large, Source::Json),
        (ReadModel::On, &library(&["A"]), Source::Sqlite),
        (ReadModel::Automatic, &small, Source::Json),
    ] {
        assert_eq!(search(mode).find(state, "title 17", 1).source, expected, "{mode:?}");
    }
    let search = search(ReadModel::Automatic);
    assert_eq!(search.find(&large, "title 17", 1).source, Source::Sqlite);
    let shrunk = change(&large, |draft| drop(draft.remove_games(&["game-17"])));
    assert_eq!(
        search.find(&shrunk, "title 18", 1).source,
        Source::Sqlite,
        "it stays with the index"
    );
}

#[test]
fn nobody_waits_for_the_first_index_of_a_very_large_library() {
    let bench = Bench::new();
    let titles: Vec<String> = (0..10_001).map(|number| format!("Title {number}")).collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let state = library(&titles);
    bench.finds(&state, "title 9999", &["Title 9999"], Source::Json);
    bench.search.wait_until_made();
    bench.finds(&state, "title 9999", &["Title 9999"], Source::Sqlite);
    let edited = change(&state, |draft| {
        draft.edit_game("game-17", |game| game.set("name", "Other")).expect("there");
    });
    bench.finds(&edited, "other", &["Other"], Source::Sqlite);
}

#[test]
fn a_damaged_or_foreign_file_is_made_anew() {
    for bytes in [
        b"not a database at all".to_vec(),
        vec![0xFF; 8_192],
        b"SQLite format 3\0 and then nothing that makes sense".to_vec(),
    ] {
        let bench = Bench::new();
        fs::write(bench.search.path(), &bytes).expect("written");
        bench.finds(&library(&["Alpha"]), "alpha", &["Alpha"], Source::Sqlite);
    }
    let mut bench = Bench::new();
    let state = library(&["Alpha", "Beta"]);
    bench.finds(&state, "alpha", &["Alpha"], Source::Sqlite);
    bench.restart();
    let other = rusqlite::Connection::open(bench.search.path()).expect("opened");
    other
        .execute_batch("DROP TABLE games; CREATE TABLE x(y); PRAGMA user_version = 99")
        .expect("done");
    drop(other);
    bench.finds(&state, "beta", &["Beta"], Source::Sqlite);
}

#[test]
fn a_file_that_is_damaged_or_deleted_while_it_is_used_costs_no_answer() {
    let bench = Bench::new();
    let mut state = library(&["Alpha", "Beta", "Gamma"]);
    bench.finds(&state, "alpha", &["Alpha"], Source::Sqlite);
    let damage: [fn(&Path); 3] = [
        |path| fs::remove_file(path).expect("removed"),
        |path| {
            let length = usize::try_from(fs::metadata(path).expect("there").len()).expect("small");
            fs::write(path, vec![0xA5; length]).expect("written");
        },
        |path| fs::write(path, b"").expect("emptied"),
    ];
    for (round, damage) in damage.into_iter().enumerate() {
        damage(bench.search.path());
        let title = format!("Round {round}");
        state = change(&state, |draft| {
            draft.edit_game("game-1", |game| game.set("name", title.as_str())).expect("there");
        });
        bench.recovers(&state, &title, &[&title]);
        bench.recovers(&state, "gamma", &["Gamma"]);
    }
}

#[test]
fn where_nothing_can_be_written_the_library_answers() {
    let state = library(&["Alpha"]);
    let folder = tempfile::tempdir().expect("a folder");
    let taken = folder.path().join("library.sqlite3");
    fs::create_dir(&taken).expect("a folder in the way");
    fs::write(taken.join("kept"), "x").expect("a file");
    for path in
        [taken.clone(), "/proc/library.sqlite3".into(), folder.path().join("gone/i.sqlite3")]
    {
        let search = patient(path.clone(), ReadModel::On);
        for _ in 0..2 {
            let found = search.find(&state, "alpha", 5);
            let expected = SearchResult { positions: vec![0], source: Source::Json };
            assert_eq!(found, expected, "{}", path.display());
        }
    }
    assert!(taken.join("kept").exists(), "what is no index is left alone");
}

#[test]
fn a_stop_ends_everything() {
    let bench = Bench::new();
    let state = library(&["Alpha"]);
    bench.finds(&state, "alpha", &["Alpha"], Source::Sqlite);
    bench.search.stop();
    let later = change(&state, |draft| drop(draft.remove_games(&["game-0"])));
    bench.finds(&later, "alpha", &[], Source::Json);
}

#[test]
fn the_file_belongs_to_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let bench = Bench::new();
    bench.finds(&library(&["Alpha"]), "alpha", &["Alpha"], Source::Sqlite);
    for file in fs::read_dir(bench.folder.path()).expect("a folder") {
        let file = file.expect("an entry");
        let mode = file.metadata().expect("there").permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", file.path().display());
    }
}

/// One step of edits to a library of up to 600 games, so of three chunks.
#[derive(Clone, Debug)]
enum Step {
    Add(String),
    Rename(prop::sample::Index, String),
    Favorite(prop::sample::Index),
    Remove(prop::sample::Index),
}

fn step() -> impl Strategy<Value = Step> {
    let title = "[a-c]{1,3}( [a-c]{1,3})?";
    prop_oneof![
        title.prop_map(Step::Add),
        (any::<prop::sample::Index>(), title).prop_map(|(at, title)| Step::Rename(at, title)),
        any::<prop::sample::Index>().prop_map(Step::Favorite),
        any::<prop::sample::Index>().prop_map(Step::Remove),
    ]
}

fn apply(draft: &mut Draft, step: &Step) {
    let id = |draft: &Draft, at: &prop::sample::Index| {
        let games = &draft.state().games;
        games.get(at.index(games.len().max(1))).map(|game| game.id().to_owned())
    };
    match step {
        Step::Add(title) => drop(draft.add_game(record(&json!({"name": title})))),
        Step::Rename(at, title) => {
            if let Some(id) = id(draft, at) {
                drop(draft.edit_game(&id, |game| game.set("name", title.as_str())));
            }
        }
        Step::Favorite(at) => {
            if let Some(id) = id(draft, at) {
                drop(draft.edit_game(&id, |game| game.set("favorite", true)));
            }
        }
        Step::Remove(at) => {
            if let Some(id) = id(draft, at) {
                draft.remove_games(&[id]);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// An index that followed every edit gives the same results as the library itself for single words.
    #[test]
    fn an_index_that_followed_finds_what_the_library_holds(
        rounds in prop::collection::vec(prop::collection::vec(step(), 1..6), 1..6),
        start in 0_usize..600,
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("index.sqlite3");
        let titles = ["aa b", "abc", "c", "bb ca"];
        let titles: Vec<&str> = titles.iter().copied().cycle().take(start).collect();
        let mut state = library(&titles);
        let mut index = Index::open(&Files::system(), &path).expect("an index");
        index.update(None, &state.games, &|| true).expect("indexed");
        for steps in &rounds {
            let after = change(&state, |draft| steps.iter().for_each(|step| apply(draft, step)));
            index.update(Some(&state.games), &after.games, &|| true).expect("updated");
            state = after;
        }
        let reader = Reader::open(&path).expect("a reader");
        for query in ["a", "b", "c", "ab", "ca"] {
            let mut found = reader.search(query, 10_000).expect("searched");
            found.sort_unstable();
            let begins = |title: &str| title.split(' ').any(|word| word.starts_with(query));
            let games = state.games.iter().filter(|game| begins(game.name()));
            let mut expected: Vec<String> = games.map(|game| game.id().to_owned()).collect();
            if expected.is_empty() {
                let parts = plain::search(&state.games, query, 10_000).into_iter();
                let games = parts.filter_map(|position| state.games.get(position));
                expected = games.map(|game| game.id().to_owned()).collect();
            }
            expected.sort_unstable();
            prop_assert_eq!(found, expected, "{}", query);
        }
    }
}
