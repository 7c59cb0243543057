//! What the parts below share, and the report.

use std::{path::PathBuf, sync::Arc};

use super::{
    batches::{Batches, ShownBatch},
    findings::{self, Counts, Finding, LOW_RES, Shared},
};
use crate::{
    artgrid::Artwork,
    base::{Moment, schema::schema},
    model::State,
    probe::media_roots::MediaRoots,
    providers::ARTGRID,
};

schema! {
    "ArtworkReport"
    /// What is wrong with the artwork of the games.
    #[derive(Debug, PartialEq)]
    pub struct Report {
        /// UTC.
        pub generated_at: String,
        /// Games that were examined.
        pub scanned: usize,
        pub issues: Vec<Finding>,
        pub counts: Counts,
        /// Covers that several games have.
        pub duplicates: Vec<Shared>,
        /// The attribution to show with pictures of the provider.
        pub provider_attribution: &'static str,
        /// Providers that a fix can use.
        pub providers: Vec<&'static str>,
        pub thresholds: Thresholds,
        /// Fixes that can be undone, newest first.
        pub batches: Vec<ShownBatch>,
    }

    "ArtworkThresholds"
    /// Where a finding begins.
    #[derive(Debug, PartialEq, Eq)]
    pub struct Thresholds {
        /// Pixels of the shorter side.
        pub low_res_min: u32,
    }
}

/// Keeps artwork in order.
pub struct Hygiene {
    pub(super) artwork: Arc<Artwork>,
    pub(super) batches: Batches,
    pub(super) roots: Arc<MediaRoots>,
    /// The folder of the media of games.
    pub(super) media: PathBuf,
}

impl Hygiene {
    /// Examines the first `limit` games.
    pub fn report(&self, state: &State, limit: usize, now: &Moment) -> Report {
        let findings = findings::examine(state, &self.roots, limit, None);
        Report {
            generated_at: now.utc_iso(),
            scanned: findings.scanned,
            counts: findings.counts(),
            issues: findings.issues,
            duplicates: findings.duplicates,
            provider_attribution: ARTGRID.credit,
            providers: vec![ARTGRID.id],
            thresholds: Thresholds { low_res_min: LOW_RES },
            batches: self.batches.shown(),
        }
    }
}
