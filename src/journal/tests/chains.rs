//! Random lives: whatever happens to a library, its journal reproduces every state it was in.

use proptest::prelude::*;

use super::*;

/// What happens in a life.
#[derive(Clone, Debug)]
enum Step {
    Add(u8),
    Edit(usize, usize, u8),
    Remove(usize),
    /// Several games in one commit, some of them more than once.
    Many(u8),
    /// Something the journal does not record.
    Toggle(usize),
    Fold,
    Read,
    /// The folder is moved to another disk.
    Move,
    /// The program is killed. What it wrote is there.
    Kill,
    /// The power fails: the journal keeps this share of what was not synced, in 255ths.
    PowerCut(u8),
    /// The journal is cut off somewhere while the program is stopped; at zero it is deleted.
    Lose(u8),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0_u8..8).prop_map(Step::Add),
        5 => (any::<usize>(), 0..4_usize, 0_u8..4).prop_map(|(at, field, it)| Step::Edit(at, field, it)),
        2 => any::<usize>().prop_map(Step::Remove),
        1 => any::<u8>().prop_map(Step::Many),
        1 => any::<usize>().prop_map(Step::Toggle),
        2 => Just(Step::Fold),
        1 => Just(Step::Read),
        2 => Just(Step::Kill),
        1 => Just(Step::Move),
        2 => any::<u8>().prop_map(Step::PowerCut),
        1 => prop_oneof![Just(0), any::<u8>()].prop_map(Step::Lose),
    ];
    prop::collection::vec(step, 1..40)
}

/// A state that can be seen again.
struct Noted {
    at: i64,
    revision: u64,
    catalogs: BTreeMap<String, Catalog>,
}

impl Noted {
    /// How many games another state has otherwise.
    fn differences(&self, other: &Self) -> usize {
        let (one, other) = (&self.catalogs, &other.catalogs);
        let ids: std::collections::BTreeSet<_> = one.keys().chain(other.keys()).collect();
        ids.iter().filter(|id| one.get(**id) != other.get(**id)).count()
    }
}

struct Life {
    house: House,
    /// Every state since the journal, or the log when the journal was lost, begins.
    states: Vec<Noted>,
    /// How many events led to the newest one.
    expected: usize,
    synced: u64,
}

impl Life {
    fn begin(house: House) -> Self {
        let mut life = Self { house, states: Vec::new(), expected: 0, synced: 0 };
        life.note();
        life.expected = life.states[0].catalogs.len();
        if life.expected > 0 {
            // Before the first change only the library file shows what was there.
            life.house.set("a", "genre", "first");
            life.note();
            life.synced = life.journal_len();
        }
        life
    }

    fn id(&self, at: usize) -> Option<String> {
        let state = self.house.store().snapshot().expect("available");
        let games = state.games.len();
        (games > 0).then(|| state.games.get(at % games).expect("a game").id().to_owned())
    }

    fn journal_len(&self) -> u64 {
        let path = self.house.dir.path().join("library.journal");
        path.metadata().map_or(0, |about| about.len())
    }

    fn step(&mut self, step: &Step) {
        let house = &self.house;
        match step {
            Step::Add(number) => {
                let record =
                    record(json!({"name": format!("{number}"), "path": format!("/{number}"),
                    "game_id": format!("game-{number}")}));
                // OK because a game with this id may be there already.
                drop(house.commit(|draft| draft.add_game(record)));
            }
            Step::Edit(at, field, value) => {
                let Some(id) = self.id(*at) else { return };
                let field = ["name", "genre", "tags", "description"][*field];
                let value = if field == "tags" { json!([value]) } else { json!(value.to_string()) };
                house.set(&id, field, value);
            }
            Step::Remove(at) => {
                let Some(id) = self.id(*at) else { return };
                house.commit(|draft| draft.remove_games(&[id]));
            }
            Step::Many(value) => house.commit(|draft| {
                let ids: Vec<String> =
                    draft.state().games.iter().map(|game| game.id().to_owned()).collect();
                for id in &ids {
                    draft.edit_game(id, |game| game.set("genre", "on the way")).expect("there");
                    let genre = format!("{}", value % 2);
                    draft.edit_game(id, |game| game.set("genre", genre)).expect("there");
                }
                if value % 3 == 0
                    && let Some(id) = ids.first()
                {
                    let game = draft.state().games.find(id).expect("there").1.record();
                    draft.remove_games(&[id]);
                    draft.add_game(game).expect("free again");
                }
            }),
            Step::Toggle(at) => {
                let Some(id) = self.id(*at) else { return };
                house.commit(|draft| {
                    let flip = |game: &mut Record| game.set("favorite", !game.flag("favorite"));
                    draft.edit_game(&id, flip).expect("there");
                });
            }
            Step::Fold => {
                if house.store().fold_now().expect("folded") {
                    self.synced = self.journal_len();
                }
            }
            Step::Read => self.check(),
            Step::Kill => self.house.killed(|_| ()),
            Step::Move => {
                self.check();
                self.house = House::open(house.copied());
                self.synced = self.journal_len();
            }
            Step::PowerCut(share) => {
                let synced = self.synced;
                self.house.killed(|folder| {
                    let path = folder.join("library.journal");
                    let bytes = std::fs::read(&path).unwrap_or_default();
                    let unsynced = (bytes.len() as u64).saturating_sub(synced);
                    let kept = synced + unsynced * u64::from(*share) / 255;
                    put(&path, &bytes[..usize::try_from(kept).expect("a length")]);
                });
            }
            Step::Lose(share) => self.lose(*share),
        }
        self.note();
    }

    /// Loses a part of the journal. What the log of the library still holds can be recovered.
    fn lose(&mut self, share: u8) {
        let mut first = u64::MAX;
        self.house.killed(|folder| {
            let log = std::fs::read_to_string(folder.join("library.log")).unwrap_or_default();
            if let Some(line) = log.lines().nth(1) {
                let line: Value = serde_json::from_str(&line[9..]).expect("JSON");
                first = line["r"].as_u64().expect("a revision");
            }
            let path = folder.join("library.journal");
            let mut bytes = std::fs::read(&path).unwrap_or_default();
            bytes.truncate(bytes.len() * usize::from(share) / 255);
            match share {
                0 => Files::system().remove(&path).expect("removed or not there"),
                _ => put(&path, bytes),
            }
        });
        self.states.retain(|state| state.revision >= first);
        self.expected = self.house.events().len();
        self.synced = self.journal_len();
    }

    fn note(&mut self) {
        let state = self.house.store().snapshot().expect("available");
        let noted =
            Noted { at: CLOCK.get(), revision: state.revision, catalogs: self.house.catalogs() };
        self.expected += self.states.last().map_or(0, |before| before.differences(&noted));
        self.states.push(noted);
        advance(1_000);
    }

    /// No event is missing, none is there twice, and every state can be seen again.
    fn check(&self) {
        let events = self.house.events();
        assert_eq!(events.len(), self.expected);
        for (number, event) in events.iter().enumerate() {
            assert_eq!(event.sequence, number as u64 + 1);
            let before = events[..number].iter().rfind(|it| it.sync_key == event.sync_key);
            assert_eq!(event.parents, before.map(|it| it.id).into_iter().collect::<Vec<_>>());
        }
        for Noted { at, catalogs, .. } in &self.states {
            assert_eq!(self.house.recorded(*at), *catalogs, "at {at}");
        }
        for pair in self.states.windows(2) {
            let (from, to) = (&pair[0], &pair[1]);
            let told = events.iter().filter(|event| event.at > from.at && event.at <= to.at);
            assert_eq!(told.count(), from.differences(to), "at {}", to.at);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn every_state_can_be_seen_again_whatever_happened(is_adopted: bool, steps in steps()) {
        let mut life = Life::begin(if is_adopted { lost::adopted() } else { House::new() });
        for step in &steps {
            life.step(step);
        }
        life.check();
        life.house.killed(|_| ());
        life.check();
    }
}
