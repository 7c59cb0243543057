//! The route table and its thin handlers: parse, call one domain function, shape the reply.
//!
//! One file for each family, with its rows. Rules belong to the domain modules.

pub mod achievements;
pub mod artgrid;
pub mod backup;
pub mod bulk;
pub mod call;
pub mod code;
pub mod collections;
pub mod definitions;
pub mod diagnostics;
pub mod dispatch;
pub mod dna;
pub mod documents;
pub mod emulators;
pub mod duplicates;
pub mod error;
pub mod events;
pub mod explore;
pub mod exports;
pub mod extensions;
pub mod file_reply;
pub mod gamedb;
pub mod games;
pub mod household;
pub mod importers;
pub mod imports;
pub mod health;
pub mod insights;
pub mod jobs;
pub mod journal;
pub mod kiosk;
pub mod launch;
pub mod library;
pub mod libserver;
pub mod libsync;
pub mod mapping;
pub mod media;
pub mod matches;
pub mod metadata;
pub mod metrics;
pub mod moments;
pub mod migrations;
pub mod native;
pub mod notices;
pub mod origins;
pub mod openapi;
pub mod params;
pub mod party;
pub mod play;
pub mod player;
pub mod playlists;
pub mod plugins;
pub mod premium;
mod probed;
pub mod queue;
pub mod recorder;
pub mod reels;
pub mod repair;
pub mod replies;
pub mod resume;
pub mod route;
pub mod router;
pub mod save_sync;
pub mod save_tools;
pub mod saves;
pub mod scraper;
pub mod services;
pub mod settings;
pub mod setup;
pub mod shelf;
pub mod shortcuts;
pub mod sources;
pub mod state;
pub mod storefronts;
pub mod tags;
pub mod webhooks;
pub mod trash;

use route::Route;

/// Every row of the service, family by family.
pub const FAMILIES: &[&[Route]] = &[
    achievements::ROUTES,
    artgrid::ROUTES,
    backup::ROUTES,
    bulk::ROUTES,
    collections::ROUTES,
    definitions::ROUTES,
    diagnostics::ROUTES,
    dna::ROUTES,
    documents::ROUTES,
    emulators::ROUTES,
    duplicates::ROUTES,
    events::ROUTES,
    explore::ROUTES,
    gamedb::ROUTES,
    insights::ROUTES,
    exports::ROUTES,
    extensions::ROUTES,
    games::ROUTES,
    household::ROUTES,
    importers::ROUTES,
    imports::ROUTES,
    health::ROUTES,
    jobs::ROUTES,
    journal::ROUTES,
    kiosk::ROUTES,
    launch::ROUTES,
    library::ROUTES,
    libserver::ROUTES,
    libsync::ROUTES,
    media::ROUTES,
    matches::ROUTES,
    metadata::ROUTES,
    migrations::ROUTES,
    moments::ROUTES,
    native::ROUTES,
    notices::ROUTES,
    origins::ROUTES,
    party::ROUTES,
    play::ROUTES,
    player::ROUTES,
    playlists::ROUTES,
    plugins::ROUTES,
    premium::ROUTES,
    queue::ROUTES,
    save_tools::ROUTES,
    save_sync::ROUTES,
    saves::ROUTES,
    scraper::ROUTES,
    sources::ROUTES,
    recorder::ROUTES,
    reels::ROUTES,
    repair::ROUTES,
    resume::ROUTES,
    settings::ROUTES,
    setup::ROUTES,
    shelf::ROUTES,
    shortcuts::ROUTES,
    state::ROUTES,
    storefronts::ROUTES,
    tags::ROUTES,
    webhooks::ROUTES,
    trash::ROUTES,
];

#[cfg(test)]
mod tests {
    use super::{FAMILIES, media, route::Replies};
    use crate::http::service::Lane;

    #[test]
    fn tickets_are_for_routes_that_reply_with_files() {
        let routes = FAMILIES.iter().flat_map(|family| family.iter());
        let is_file = |reply: Replies| matches!(reply, Replies::File);
        let files = routes.filter(|route| is_file(route.reply) && route.lane != Lane::Stream);
        let mut files: Vec<_> = files.map(|route| route.path).collect();
        files.sort_unstable();
        assert_eq!(files, media::FILES);
    }
}
