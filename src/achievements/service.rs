//! Answers to clients: the account, the achievements of a game, badges, settings of emulators.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use super::{
    account::Account,
    answers::{Achievement, Award, Profile, Progress},
    client::{Cancel, Client, impatient},
    error::AchError,
    game_progress::{GameProgress, number_of},
    inject::{self, Injected},
    rom::Roms,
    rom_error::RomError,
};
use crate::{
    base::{Hold as _, redact::Secrets, schema::schema, text},
    config::environment::Environment,
    feature::Deps,
    game::{GameRef, edit::EditError},
    model::{Cause, Record, origins::Right},
    platforms,
    providers::Providers,
    store::Store,
};

/// How long what is known of the user besides their achievements is shown again.
const PROFILE_LIFE: Duration = Duration::from_mins(5);
/// Characters of the name of a badge.
const BADGE: usize = 64;
/// Characters of the token of a login.
const TOKEN: usize = 200;

schema! {
    /// `GET` and `POST /api/ach/settings`.
    #[derive(Debug, PartialEq, Eq)]
    pub struct AchievementSettings {
        /// Whether a user name and a key are known.
        pub configured: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub username: Option<String>,
        /// Points of all games, earned in hardcore mode.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub points: Option<u64>,
        /// The self-description of the user; may be blank.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub motto: Option<String>,
    }

    /// `POST /api/ach/game`.
    #[derive(Debug, PartialEq)]
    pub struct GameAchievements {
        /// The number of the game at the provider.
        pub game_id: u32,
        pub title: String,
        /// Achievements that were earned, in whichever mode.
        pub earned: u64,
        pub earned_hardcore: u64,
        pub total: u64,
        /// The share that was earned, with two decimals: `66.67%`.
        pub completion: String,
        /// In the order of the provider.
        pub achievements: Vec<Achievement>,
        /// 1 for a game that was beaten, completed or mastered, else 0.
        pub beaten: u64,
        /// 1 for a game that was mastered, else 0.
        pub mastered: u64,
        /// Points of the achievements that were earned.
        pub points_earned: u64,
        /// Points of all of them.
        pub points_total: u64,
        /// The self-description of the user; may be blank.
        pub motivation: String,
        /// What the user did last in this game; may be blank.
        pub rich_presence: String,
        /// `3/12 unlocked`.
        pub commitment_label: String,
    }
}

/// Achievements, as far as clients ask for them.
pub struct Achievements {
    pub(super) store: Store,
    pub(super) client: Client,
    environment: Environment,
    home: PathBuf,
    secrets: Secrets,
    /// The user who was asked for last.
    profile: Mutex<Option<(Instant, String, Profile)>>,
}

impl Achievements {
    /// The service of this library.
    pub(super) fn new(deps: &Deps, providers: &Arc<Providers>) -> Self {
        let client = Client {
            providers: Arc::clone(providers),
            files: deps.files.clone(),
            data_dir: deps.data_dir.clone(),
        };
        let secrets = deps.accounts.kept_out_of_logs().clone();
        let known = Account::known(&deps.environment, &deps.data_dir);
        secrets.add(known.map(|account| account.api_key));
        Self {
            store: deps.store.clone(),
            client,
            environment: deps.environment.clone(),
            home: deps.home().to_owned(),
            secrets,
            profile: Mutex::default(),
        }
    }

    /// Whether a user name and a key are known.
    pub fn is_configured(&self) -> bool {
        self.account().is_ok()
    }

    pub(super) fn account(&self) -> Result<Account, AchError> {
        let known = Account::known(&self.environment, &self.client.data_dir);
        known.ok_or(AchError::Unconfigured)
    }

    /// The user whose achievements are asked for, as the provider knows them now.
    ///
    /// # Errors
    /// [`AchError`] when the provider cannot be asked or rejects the account.
    pub fn settings(&self) -> Result<AchievementSettings, AchError> {
        match self.account() {
            Ok(account) => Ok(shown(self.fresh_profile(&account, &impatient())?)),
            Err(_) => Ok(AchievementSettings {
                configured: false,
                username: None,
                points: None,
                motto: None,
            }),
        }
    }

    /// Tries an account and writes it down; a blank key is the one that is known.
    ///
    /// # Errors
    /// [`AchError`]; then the account is the one it was.
    pub fn save(&self, username: &str, api_key: &str) -> Result<AchievementSettings, AchError> {
        let Client { files, data_dir, .. } = &self.client;
        let mut account = Account::posted(username, api_key, &self.environment, data_dir)?;
        self.secrets.add([account.api_key.clone()]);
        let profile = self.fresh_profile(&account, &impatient())?;
        account.ulid.clone_from(&profile.ulid);
        account.save(files, &self.environment, data_dir)?;
        Ok(shown(profile))
    }

    /// Whether the account comes from the environment alone.
    pub fn is_fixed(&self) -> bool {
        !self.client.data_dir.achievements().is_file()
    }

    /// Removes the stored account.
    ///
    /// # Errors
    /// When the disk refuses; the account stays.
    pub fn remove(&self) -> Result<(), AchError> {
        Ok(self.client.files.remove(&self.client.data_dir.achievements())?)
    }

    fn fresh_profile(&self, account: &Account, cancel: Cancel<'_>) -> Result<Profile, AchError> {
        let profile = self.client.profile(account, cancel)?;
        let known = (Instant::now(), account.username.clone(), profile.clone());
        *self.profile.hold() = Some(known);
        Ok(profile)
    }

    /// The user, as they were known a moment ago; blank when they cannot be asked for.
    fn usual_profile(&self, account: &Account, cancel: Cancel<'_>) -> Profile {
        let known = self.profile.hold().clone();
        match known {
            Some((at, name, profile))
                if at.elapsed() < PROFILE_LIFE && name == account.username =>
            {
                profile
            }
            _ => self.fresh_profile(account, cancel).unwrap_or_default(),
        }
    }

    /// The achievements of a game, found by its number at the provider or by its file, and written down.
    ///
    /// # Errors
    /// [`AchError`]; then the library is as it was.
    pub fn game(&self, game: &GameRef) -> Result<GameAchievements, AchError> {
        let state = self.store.snapshot()?;
        let unknown = AchError::Edit(EditError::UnknownGame);
        let (_, game) = game.find(&state.games).ok_or(unknown)?;
        let account = self.account()?;
        let is_over = impatient();
        let record = game.record();
        let (id, hash) = if let Some(id) = number_of(&record) {
            (id, None)
        } else {
            let (id, hash) = self.identify(&record, &account, &is_over)?;
            (id, Some(hash))
        };
        let found = self.client.progress(&account, id, &is_over)?;
        self.note(game.id(), &found, hash.as_deref(), Right::Request)?;
        let profile = self.usual_profile(&account, &is_over);
        Ok(reply(found, &profile))
    }

    /// Writes down what was found of a game.
    pub(super) fn note(
        &self,
        game_id: &str,
        found: &Progress,
        hash: Option<&str>,
        right: Right,
    ) -> Result<(), AchError> {
        let progress = GameProgress::from(found);
        progress.keep(&self.client.files, &self.client.data_dir, game_id)?;
        self.store.commit(|draft| {
            if progress.write(draft, game_id, hash, right) {
                draft.set_cause(Cause::Updated(game_id.to_owned()));
            }
            Ok::<_, AchError>(())
        })?;
        Ok(())
    }

    /// The number of the game whose file this is, and the hash it is listed under.
    fn identify(
        &self,
        record: &Record,
        account: &Account,
        cancel: Cancel<'_>,
    ) -> Result<(u32, String), AchError> {
        let console = self.console(record.text("platform").trim(), account, cancel)?;
        let scratch = self.client.data_dir.game_achievements();
        let roms = Roms { files: &self.client.files, scratch: &scratch };
        let hashes = roms.hashes(record, console)?;
        let listed = self.client.hashes(account, console, cancel)?;
        let found = hashes.iter().find_map(|hash| Some((*listed.get(hash)?, hash.clone())));
        found.ok_or_else(|| AchError::Unlinked(hashes.into_iter().next().unwrap_or_default()))
    }

    /// The number of a platform at the provider. One that the table does not have may bear the name that
    /// the provider uses.
    fn console(
        &self,
        platform: &str,
        account: &Account,
        cancel: Cancel<'_>,
    ) -> Result<u32, AchError> {
        if let Some(console) = platforms::by_any_name(platform).and_then(|known| known.ach) {
            return Ok(console);
        }
        let named = |platform: &str| match platform {
            "" => "games without a platform".to_owned(),
            platform => platform.to_owned(),
        };
        let refused = || AchError::Rom(RomError::Platform(named(platform)));
        if platform.is_empty() {
            return Err(refused());
        }
        match self.client.systems(account, cancel) {
            Ok(systems) => {
                let wanted = text::fold(platform);
                let mut found = systems.into_iter().filter(|(name, _)| text::fold(name) == wanted);
                found.next().map(|(_, console)| console).ok_or_else(refused)
            }
            Err(AchError::Failed(_)) => Err(refused()),
            Err(error) => Err(error),
        }
    }

    /// A badge as a PNG file: kept, else loaded. `None` when there is none or it cannot be loaded.
    pub fn badge(&self, name: &str, is_locked: bool) -> Option<Vec<u8>> {
        let plain = |letter: &char| letter.is_ascii_alphanumeric() || "_-".contains(*letter);
        let mut name: String = name.chars().filter(plain).take(BADGE).collect();
        if name.is_empty() {
            return None;
        }
        if is_locked {
            name.push_str("_lock");
        }
        let Client { files, data_dir, .. } = &self.client;
        let folder = data_dir.media().join("achievements").join("badges");
        let path = folder.join(format!("{name}.png"));
        if files.stat(&path).ok().flatten().is_some_and(|found| found.is_file())
            && let Ok(bytes) = files.read(&path)
            && !bytes.is_empty()
        {
            return Some(bytes);
        }
        let bytes = self.client.badge(&name)?;
        let kept = files.private_dir(&folder).and_then(|()| files.replace_unsynced(&path, &bytes));
        if let Err(error) = kept {
            log::warn!("a badge was not kept: {error}");
        }
        Some(bytes)
    }

    /// Writes the account into the settings of emulators. `token` is that of a login; blank for none.
    ///
    /// # Errors
    /// [`AchError::Unconfigured`], or a token that cannot be written.
    pub fn inject(&self, token: &str) -> Result<Injected, AchError> {
        let account = self.account()?;
        let is_odd = |letter: char| letter.is_control() || letter == '"';
        let odd = |text: &str| text.chars().count() > TOKEN || text.contains(is_odd);
        if [token, &account.username, &account.api_key].into_iter().any(odd) {
            return Err(AchError::Malformed(
                "The credentials hold characters that settings of emulators cannot.",
            ));
        }
        let config = self.environment.config_home().unwrap_or_else(|| self.home.join(".config"));
        Ok(inject::inject(&self.client.files, &self.home, &config, &account, token))
    }
}

fn shown(profile: Profile) -> AchievementSettings {
    AchievementSettings {
        configured: true,
        username: Some(profile.username),
        points: Some(profile.points),
        motto: Some(profile.motto),
    }
}

fn reply(found: Progress, profile: &Profile) -> GameAchievements {
    let progress = GameProgress::from(&found);
    let points = |is_it: fn(&Achievement) -> bool| -> u64 {
        found.achievements.iter().filter(|(row, _)| is_it(row)).map(|(row, _)| row.points).sum()
    };
    let (points_earned, points_total) = (points(|row| row.earned), points(|_| true));
    let is_last = profile.last_game == 0 || profile.last_game == found.id;
    GameAchievements {
        game_id: found.id,
        title: found.title,
        earned: found.earned,
        earned_hardcore: found.earned_hardcore,
        total: found.total,
        completion: progress.completion(),
        achievements: found.achievements.into_iter().map(|(row, _)| row).collect(),
        beaten: u64::from(found.award != Award::None || progress.is_mastered),
        mastered: u64::from(progress.is_mastered),
        points_earned,
        points_total,
        motivation: profile.motto.clone(),
        rich_presence: if is_last { profile.rich_presence.clone() } else { String::new() },
        commitment_label: format!("{}/{} unlocked", found.earned, found.total),
    }
}
