//! One module a family of routes; the tree mirrors the URLs.

mod accounts;
mod achievements;
mod achievements_use;
mod arcade_sets;
mod artgrid;
mod artgrid_apply;
mod artwork_hygiene;
mod bezels;
mod mediasvc;
mod bulk;
mod backup;
mod collections;
mod diagnostics;
mod document;
mod disc_images;
mod dna;
mod documents;
mod emulator_packages;
mod emulators;
mod duplicates;
mod events;
mod exports;
mod explore;
mod extensions;
mod extras;
mod game;
mod game_mode;
mod gamedb;
mod health;
mod import;
mod import_playlists;
mod import_stores;
mod import_launchers;
mod household;
mod importers;
mod insights;
mod jobs;
mod kiosk;
mod launch_archives;
mod launching;
mod library;
mod libserver;
mod libserver_downloads;
mod libsync;
mod limits;
mod local_media;
mod media;
mod memories;
mod metadata;
mod metrics;
mod migrations;
mod migrations_parts;
mod migrations_paths;
mod media_care;
mod match_kills;
mod matches;
mod auto_scrape;
mod media_bulk;
mod media_copies;
mod moments;
mod native;
mod notifications;
mod origins;
mod party;
mod phrases;
mod picture_choices;
mod play;
mod player;
mod playlists;
mod plugin_attacks;
mod plugin_hooks;
mod plugins;
mod premium;
mod profiles;
mod queue;
mod save_sync;
mod save_tools;
mod saves;
mod scraper;
mod scraper_jobs;
mod recorder;
mod reels;
mod repair;
mod resume;
mod rules;
mod search;
mod settings;
mod shortcuts;
mod sources;
mod shutdown;
mod state_recover;
mod store_info;
mod tags;
mod themes;
mod update_attacks;
mod updates;
mod v2_library_journal;
mod v2_definitions;
mod v2_launch;
mod v2_library_trash;
mod v2_setup;
mod v2_setup_commit;
mod v2_setup_sources;
mod v2_setup_systems;
mod web;
mod webhooks;

use crate::support::server::Server;

/// One row of the route table as the OpenAPI document shows it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Operation {
    /// Upper-case method.
    pub(crate) method: String,
    /// Path with parameters in braces.
    pub(crate) path: String,
}

/// Every operation the program says it has.
#[track_caller]
pub(crate) fn openapi(server: &Server) -> Vec<Operation> {
    let document = server.get("/api/openapi.json");
    let paths = document["paths"].as_object().expect("paths");
    let mut operations = Vec::new();
    for (path, methods) in paths {
        let methods = methods.as_object().expect("methods").keys();
        for method in methods.filter(|method| ["get", "post"].contains(&method.as_str())) {
            operations.push(Operation { method: method.to_uppercase(), path: path.clone() });
        }
    }
    operations.sort();
    operations
}
