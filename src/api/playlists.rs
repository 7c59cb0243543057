//! Playlists, filter presets, image groups and the discovery lists.

use serde::Serialize;
use serde_json::Value;

use super::{
    call::{Answer, Call, ok},
    code::Code,
    library::FilterPreset,
    replies::{Deleted, Saved},
    route::{Handler, Holds, Param, Route, optional, required},
    services::{Reader, Writer},
    settings::Settings,
};
use crate::{
    base::schema::{Schema, Type, schema},
    media::image_groups::Choice,
    query::{discovery::Discovery, playlists, presets},
};

const NAME: [Param; 1] = [required("name", Holds::Text, "Its name.")];
const PLAYLIST: [Param; 11] = [
    NAME[0],
    optional("type", Holds::Choice(&["filter", "manual"]), "Its kind; filter when it is missing."),
    optional("rules", Holds::Object, "The rules of a filter playlist, which requires them."),
    optional("members", Holds::List, "The games of a manual playlist, by id or position."),
    optional("ids", Holds::List, "Another name for `members`."),
    optional("append", Holds::Flag, "Append the games to the playlist."),
    optional(
        "before",
        Holds::Text,
        "With `append`: the member before which the games are placed, also those already there; blank for the end.",
    ),
    optional("remove", Holds::List, "Games to remove from a manual playlist, by stable id."),
    optional("former", Holds::Text, "Its previous name, for renaming."),
    optional("parent", Holds::Text, "Its parent playlist."),
    optional("notes", Holds::Text, "A remark."),
];
const PRESET: [Param; 3] = [
    NAME[0],
    required("rules", Holds::Object, "Its rules; at least one."),
    optional("bigscreen_quick", Holds::Flag, "Whether the big screen offers it directly."),
];
const GROUP: [Param; 3] = [
    required("group", Holds::Text, "An image group, or `default`."),
    optional(
        "scope",
        Holds::Choice(&["global", "platform", "playlist"]),
        "Its scope; everything when it is missing.",
    ),
    optional("name", Holds::Text, "The platform or playlist."),
];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::post("/api/playlists", Handler::Write(save_playlist))
        .about("playlists", "Saves a playlist, replacing the one with its name.")
        .body(&PLAYLIST)
        .returns::<Saved>()
        .v1(),
    Route::post("/api/playlists/delete", Handler::Write(delete_playlist))
        .about("playlists", "Deletes a playlist; its games stay.")
        .body(&NAME)
        .returns::<Deleted<'_>>()
        .codes(&[Code::NotFound]),
    Route::get("/api/filter-presets", Handler::Read(list_presets))
        .about("playlists", "Every filter preset, and those that the big screen offers.")
        .returns::<PresetList>()
        .v1(),
    Route::post("/api/filter-presets", Handler::Write(save_preset))
        .about("playlists", "Saves a filter preset, replacing the one with its name.")
        .body(&PRESET)
        .returns::<Saved>()
        .v1(),
    Route::post("/api/filter-presets/delete", Handler::Write(delete_preset))
        .about("playlists", "Deletes a filter preset.")
        .body(&NAME)
        .returns::<Deleted<'_>>(),
    Route::post("/api/image-group", Handler::Write(choose_image_group))
        .about("settings", "Chooses which image represents games, and returns the settings.")
        .body(&GROUP)
        .returns::<Settings>(),
    Route::get("/api/discovery", Handler::Read(show_discovery))
        .about("library", "Six short lists of games to pick from.")
        .returns::<Discovery>(),
];

fn save_playlist(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let saved = playlists::save_playlist(writer.store, &call.body)?;
    ok(&Saved { saved })
}

fn delete_playlist(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let name = call.text("name");
    playlists::delete_playlist(writer.store, name)?;
    ok(&Deleted { deleted: name })
}

schema! {
    /// `GET /api/filter-presets`.
    struct PresetList {
        presets: Presets,
        /// Those that the big screen offers.
        bigscreen_quick: Presets,
    }
}

/// Presets as they are stored.
#[derive(Serialize)]
struct Presets(Vec<Value>);

impl Schema for Presets {
    const SCHEMA: &'static Type = <Vec<FilterPreset> as Schema>::SCHEMA;
}

fn list_presets(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let presets = presets::list(&reader.state);
    let quick = presets::quick(&presets);
    ok(&PresetList { presets: Presets(presets), bigscreen_quick: Presets(quick) })
}

fn save_preset(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let saved = presets::save_preset(writer.store, &call.body)?;
    ok(&Saved { saved })
}

fn delete_preset(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let name = call.text("name");
    presets::delete_preset(writer.store, name)?;
    ok(&Deleted { deleted: name })
}

fn choose_image_group(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let choice = Choice::read(call.text("group"), call.optional_text("scope")?, call.text("name"))?;
    choice.save(writer.store)?;
    let state = writer.store.snapshot()?;
    ok(&Settings::of(writer.shared, &state))
}

fn show_discovery(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&*reader.library.discovery(&reader.state))
}
