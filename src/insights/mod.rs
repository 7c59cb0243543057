//! Figures from the history and the library: summaries, a year in review, trophies, suggestions, and the story
//! of a game (`/api/v2/insights/...`, `/api/v2/story`, `/api/v2/library/pick`, `/api/v2/library/constellation`).
//!
//! Everything is computed from the sessions of the history and the records of the games; no server is asked. Archived
//! sessions are read once, and a library is added up again only where it changed.
//!
//! | file | content |
//! |---|---|
//! | `plays` | the sessions, read once |
//! | `memo` | the last answer to a question |
//! | `sums` | what games add up to |
//! | `heatmap`, `summary`, `mastery`, `wrapped` | figures |
//! | `habits` | what is played, when and for how long |
//! | `loved` | which games are loved, and what is like them |
//! | `radio`, `radar` | what to play next, and what to finish or park |
//! | `pick` | what to play now, by time, mood and players |
//! | `constellation` | what connects games |
//! | `trophies`, `story` | what was reached |
//! | `shares` | what a member of the household shares |

pub mod constellation;
pub mod heatmap;
pub mod mastery;
pub mod pick;
pub mod radar;
pub mod radio;
pub mod story;
pub mod summary;
pub mod trophies;
pub mod wrapped;

mod error;
mod habits;
mod loved;
mod memo;
mod plays;
mod shares;
mod sums;

pub use self::error::InsightError;

use std::{collections::HashSet, path::PathBuf, sync::Arc};

use serde_json::{Map, Value};

use self::{
    constellation::{Constellation, View},
    heatmap::{Heatmap, Window},
    mastery::{Earned, Mastery},
    memo::Memo,
    pick::{PickContext, Picks, Wanted},
    plays::{PlayCache, Plays},
    radar::Radar,
    radio::Radio,
    story::Story,
    summary::Summary,
    sums::SumCache,
    trophies::{Evaluated, Trophies},
    wrapped::Wrapped,
};
use crate::{
    base::{Moment, dice::Dice},
    files::Files,
    game::{
        GameRef,
        slots::{Slots, slot},
    },
    history::archive::Archive,
    library::answers::Answers,
    model::{Draft, State},
    probe::probes::Probes,
    query::card::MatchContext,
    store::{CommitError, Committed, Store},
};

/// Seconds of an hour.
const HOUR: i64 = 3_600;
/// The largest file with the achievements of a game.
const EARNED_BYTES: u64 = 1 << 20;

/// The insights of one library. Caches are filled by the first question.
pub struct Insights {
    files: Files,
    /// Folder with the achievements of games, one file for each.
    achievements: PathBuf,
    archive: Arc<Archive>,
    library: Arc<Answers>,
    plays: PlayCache,
    sums: SumCache,
    maps: Memo<View, Constellation>,
    years: Memo<i32, Wrapped>,
    radars: Memo<i64, Radar>,
}

impl Insights {
    /// Reads nothing yet.
    pub fn new(
        files: Files,
        achievements: PathBuf,
        archive: Arc<Archive>,
        library: Arc<Answers>,
    ) -> Self {
        Self {
            files,
            achievements,
            archive,
            library,
            plays: PlayCache::default(),
            sums: SumCache::default(),
            maps: Memo::default(),
            years: Memo::default(),
            radars: Memo::default(),
        }
    }

    fn plays(&self, state: &State) -> Result<Arc<Plays>, InsightError> {
        Ok(self.plays.plays(state, &self.archive)?)
    }

    /// `GET /api/v2/insights/heatmap`.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn heatmap(&self, state: &State, window: Window) -> Result<Heatmap, InsightError> {
        let plays = self.plays(state)?;
        Ok(heatmap::heatmap(&plays, window))
    }

    /// `GET /api/v2/insights/summary`.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn summary(&self, state: &State, window: Window) -> Result<Summary, InsightError> {
        let plays = self.plays(state)?;
        Ok(summary::summary(&state.games, &self.sums.sums(&state.games), &plays, window))
    }

    /// `GET /api/v2/insights/mastery`. Achievements are those that were fetched before.
    pub fn mastery(&self, state: &State) -> Mastery {
        mastery::mastery(state, &self.sums.sums(&state.games), &self.earned())
    }

    /// `GET /api/v2/insights/wrapped`.
    ///
    /// # Errors
    /// A year that is out of bounds, or a history that cannot be read.
    pub fn wrapped(&self, state: &State, year: i64) -> Result<Arc<Wrapped>, InsightError> {
        let is_known = (wrapped::YEARS.0..=wrapped::YEARS.1).contains(&year);
        let year = i32::try_from(year).ok().filter(|_| is_known).ok_or(InsightError::Year)?;
        self.years.answer(state.revision, year, || {
            let plays = self.plays(state)?;
            Ok(wrapped::wrapped(state, || self.sums.sums(&state.games), &plays, year))
        })
    }

    /// `GET /api/v2/story`.
    ///
    /// # Errors
    /// [`InsightError::UnknownGame`], or a history that cannot be read.
    pub fn story(&self, state: &State, game: &GameRef) -> Result<Story, InsightError> {
        let game = game.find(&state.games).ok_or(InsightError::UnknownGame)?.1;
        let plays = self.plays(state)?;
        Ok(story::story(state, &plays, game))
    }

    /// `GET /api/v2/insights/trophies`.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn trophies(&self, state: &State) -> Result<Trophies, InsightError> {
        Ok(trophies::trophies(state, &self.measures(state)?))
    }

    /// `POST /api/v2/insights/trophies/evaluate`: stores the awards that are due.
    ///
    /// # Errors
    /// When the history cannot be read, or the library cannot be written.
    pub fn evaluate(&self, store: &Store, now: &Moment) -> Committed<Evaluated, InsightError> {
        let state = store.snapshot().map_err(CommitError::Unavailable)?;
        let measures = self.measures(&state).map_err(CommitError::Refused)?;
        trophies::evaluate(store, &measures, now)
    }

    fn measures(&self, state: &State) -> Result<trophies::Measures, InsightError> {
        let plays = self.plays(state)?;
        let covers = trophies::covers(state, self.library.probes());
        Ok(trophies::measure(state, &self.sums.sums(&state.games), &plays, covers))
    }

    /// What a member of the household shares, from `start` in Unix seconds or of the whole life of the library.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn shared_stats(
        &self,
        state: &State,
        start: Option<i64>,
        now: &Moment,
    ) -> Result<Map<String, Value>, InsightError> {
        let plays = self.plays(state)?;
        Ok(shares::sums(state, &plays, &self.earned(), start, now))
    }

    /// `GET /api/v2/insights/radar`. Days are counted at most an hour late.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn radar(&self, state: &State, now: &Moment) -> Result<Radar, InsightError> {
        let radar = self.radars.answer(state.revision, now.unix_seconds() / HOUR, || {
            let plays = self.plays(state)?;
            Ok::<_, InsightError>(radar::radar(state, &plays, now))
        })?;
        let mut radar = Radar::clone(&radar);
        let entries = || radar.winnable.iter().chain(&radar.park);
        let covers = covers(self.library.probes(), state, entries().map(|entry| entry.id));
        let entries = radar.winnable.iter_mut().chain(&mut radar.park);
        for (entry, (_, is_there)) in entries.zip(covers) {
            entry.has_cover = is_there;
        }
        Ok(radar)
    }

    /// `GET /api/v2/insights/radio` and, with `is_forced`, `POST /api/v2/insights/radio/refresh`: the stored
    /// set, replaced first when it is due.
    ///
    /// # Errors
    /// When the history cannot be read, or a forced set cannot be stored.
    pub fn radio(
        &self,
        store: &Store,
        now: &Moment,
        is_forced: bool,
    ) -> Committed<Radio, InsightError> {
        let mut state = store.snapshot().map_err(CommitError::Unavailable)?;
        if is_forced || radio::is_due(&state, now) {
            let plays = self.plays(&state).map_err(CommitError::Refused)?;
            let probes = self.library.probes();
            let existing = |paths: &[&str]| -> HashSet<String> {
                probes.existing(paths).into_iter().map(str::to_owned).collect()
            };
            let set = radio::new_set(&state, &plays, now, &existing);
            let replaced = store.commit(|draft| {
                // It may have been replaced meanwhile.
                let is_due = radio::is_due(draft.state(), now)
                    && !radio::is_still_empty(draft.state(), &set, now);
                if is_forced || is_due {
                    radio::replace(draft, set.clone());
                }
                Ok(())
            });
            state = match replaced {
                Ok(()) => store.snapshot().map_err(CommitError::Unavailable)?,
                // A set that is only asked for is shown also where it cannot be kept.
                Err(CommitError::Disk(error)) if !is_forced => {
                    log::warn!("{error}");
                    let mut draft = Draft::new(State::clone(&state));
                    radio::replace(&mut draft, set);
                    Arc::new(draft.finish().0)
                }
                Err(error) => return Err(error),
            };
        }
        let mut radio = radio::stored(&state, now);
        let positions = radio.picks.iter().map(|pick| pick.id);
        let covers = covers(self.library.probes(), &state, positions);
        for (pick, cover) in radio.picks.iter_mut().zip(covers) {
            (pick.cover, pick.has_cover) = cover;
        }
        Ok(radio)
    }

    /// `POST /api/v2/library/pick`: another three with each request.
    ///
    /// # Errors
    /// A playlist that is not there, or a history that cannot be read.
    pub fn pick(
        &self,
        state: &State,
        wanted: &Wanted,
        context: &dyn MatchContext,
        now: &Moment,
    ) -> Result<Picks, InsightError> {
        let plays = self.plays(state)?;
        let around = PickContext { plays: &plays, context, now };
        pick::pick(state, wanted, &around, &mut Dice::thrown())
    }

    /// `GET /api/v2/library/constellation`.
    ///
    /// # Errors
    /// [`InsightError::UnknownGame`], or a history that cannot be read.
    pub fn constellation(&self, state: &State, view: &View) -> Result<Constellation, InsightError> {
        let map = self.maps.answer(state.revision, view.clone(), || {
            let plays = self.plays(state)?;
            constellation::draw(state, &plays, view)
        })?;
        let mut map = Constellation::clone(&map);
        let positions = map.nodes.iter().map(|star| star.id);
        let covers = covers(self.library.probes(), state, positions);
        for (star, cover) in map.nodes.iter_mut().zip(covers) {
            (star.cover, star.has_cover) = cover;
        }
        Ok(map)
    }

    /// The achievements of every game that has a file of them.
    fn earned(&self) -> Vec<Earned> {
        let names = match self.files.list(&self.achievements) {
            Ok(names) => names,
            Err(error) => {
                log::warn!("{error}");
                Vec::new()
            }
        };
        let read = |name: &String| {
            let path = self.achievements.join(name);
            let size = self.files.stat(&path).ok()??.len();
            let bytes = (size <= EARNED_BYTES).then(|| self.files.read(&path).ok())??;
            serde_json::from_slice(&bytes).ok()
        };
        // Lists of all games of a console lie there too, large ones.
        let is_of_game = |name: &&String| !name.starts_with("system");
        names.iter().filter(is_of_game).filter_map(read).collect()
    }
}

/// The covers of games by their positions: the path, empty when it must not be shown, and whether it is
/// there. Each folder is read once.
fn covers(
    probes: &Probes,
    state: &State,
    positions: impl Iterator<Item = usize>,
) -> Vec<(String, bool)> {
    let path = |position: usize| {
        let game = state.games.get(position)?;
        let cover = Slots::of(game.json()).text(const { slot("cover") }).into_owned();
        Some(cover).filter(|cover| probes.roots().covers(cover))
    };
    let paths: Vec<String> = positions.map(|at| path(at).unwrap_or_default()).collect();
    let asked: Vec<&str> =
        paths.iter().map(String::as_str).filter(|path| !path.is_empty()).collect();
    let there = probes.existing(&asked);
    let is_there: Vec<bool> = paths.iter().map(|path| there.contains(path.as_str())).collect();
    paths.into_iter().zip(is_there).collect()
}
