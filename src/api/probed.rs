//! Facts about games that are not in their records, from the probe cache and the settings.

use std::collections::HashSet;

use super::services::Shared;
use crate::{
    config::settings::categories,
    model::State,
    probe::{disk::Disk, found_saves::SaveKeys},
    query::card::MatchContext,
};

/// The disk and the settings, as rules see them.
pub(super) struct Probed<'a> {
    /// The probe cache is in here.
    pub(super) shared: &'a Shared,
    /// The settings are in here.
    pub(super) state: &'a State,
}

impl Disk for Probed<'_> {
    fn existing(&self, paths: &[&str]) -> HashSet<String> {
        let found = self.shared.library.probes().existing(paths);
        found.into_iter().map(str::to_owned).collect()
    }

    fn is_media(&self, path: &str) -> bool {
        self.shared.library.probes().roots().covers(path)
    }
}

impl MatchContext for Probed<'_> {
    fn category(&self, platform: &str) -> String {
        categories::category_of(self.state.settings(), platform).to_owned()
    }

    fn keeps_saves(&self, game: SaveKeys<'_>) -> bool {
        let probes = self.shared.library.probes();
        probes.refresh_saves();
        probes.saves().covers(game)
    }
}
