//! Routes that change one game: save, delete, favourite, and removing a storefront's games.

use super::{
    call::{Answer, Call, ok},
    code::Code,
    route::{GAME_REF, Handler, Holds, Param, Route, optional, required},
    services::Writer,
};
use crate::{
    base::{Moment, schema::schema},
    game::{
        delete::{self, Deleted},
        edit::{self, Post, Seen},
    },
    model::State,
};

const SAVE: [Param; 4] = [
    GAME_REF[0],
    GAME_REF[1],
    required("game", Holds::Object, "The fields of the game; the name is required."),
    optional(
        "expected",
        Holds::Object,
        "Values by field that the game must still show; else nothing is changed.",
    ),
];
const DELETE: [Param; 3] = [
    GAME_REF[0],
    GAME_REF[1],
    optional("delete_media", Holds::Flag, "Also delete its media files inside the data directory."),
];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::post("/api/game", Handler::Write(save_game))
        .about("games", "Creates a game, or changes the one that is named.")
        .body(&SAVE)
        .returns::<GameSaved>()
        .codes(&[Code::Conflict])
        .v1(),
    Route::post("/api/game/delete", Handler::Write(delete_game))
        .about("games", "Removes a game from the library; its own file stays.")
        .body(&DELETE)
        .returns::<Deleted>()
        .v1(),
    Route::post("/api/games/delete-store-a", Handler::Write(delete_store_a))
        .about("games", "Removes every game that came from the first storefront.")
        .returns::<GamesRemoved>(),
    Route::post("/api/favorite", Handler::Write(toggle_favorite))
        .about("games", "Toggles the favourite mark of a game.")
        .body(&GAME_REF)
        .returns::<Favorite>()
        .v1(),
];

schema! {
    /// A game was saved.
    struct GameSaved {
        /// Its stable id.
        game_id: String,
        /// Its position in the library.
        id: usize,
        ok: bool,
    }

    /// Games were removed.
    struct GamesRemoved {
        /// How many.
        removed: usize,
    }

    /// `POST /api/favorite`.
    struct Favorite {
        /// Whether the game is a favourite now.
        favorite: bool,
    }
}

fn save_game(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let posted = call.required_object("game")?;
    let target = call.game();
    let show = |state: &State, position: usize| writer.shared.library.shown(state, position);
    let seen = call.object("expected")?.map(|values| Seen { values, show: &show });
    let post = Post { target: target.as_ref(), fields: posted, seen };
    let saved =
        writer.with_paths(|paths| edit::save_game(writer.store, paths, post, &Moment::now()))?;
    ok(&GameSaved { game_id: saved.game_id, id: saved.position, ok: true })
}

fn delete_game(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let delete_media = call.flag("delete_media")?;
    let game = call.required_game()?;
    let shared = writer.shared;
    let root = shared.data_dir.root();
    ok(&delete::delete_game(writer.store, writer.files, root, &game, delete_media)?)
}

fn delete_store_a(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    ok(&GamesRemoved { removed: delete::delete_store_a(writer.store, &Moment::now())? })
}

fn toggle_favorite(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    ok(&Favorite { favorite: edit::toggle_favorite(writer.store, &call.required_game()?)? })
}
