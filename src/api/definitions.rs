//! Emulator definitions: the registry, and the channel that brings new ones.

use super::{
    call::{Answer, Call, ok},
    emulators::problems,
    importers::home,
    route::{Handler, Holds, Param, Route, optional},
    services::{Reader, Writer},
};
use crate::{
    emulators::registry::{self, Workbench},
    launch::doctor::local::Local,
};

const HEALTH: [Param; 1] =
    [optional("health", Holds::Text, "With 1 also BIOS, firmware and cores are looked at.")];
const UPDATE: &str = "/api/v2/emulators/defs/update";

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/v2/emulators/registry", Handler::Read(show_registry))
        .about("emulators", "Lists the definitions with what this machine has of each.")
        .query(&HEALTH)
        .since("1.15")
        .reply(&["schema_version", "adapters", "platforms", "problems"])
        .slow(),
    Route::get("/api/v2/emulators/defs/status", Handler::Read(show_status))
        .about(
            "emulators",
            "Tells which definition pack is installed and whether there is a newer one.",
        )
        .since("1.15")
        .reply(&["ok", "version", "dir", "installed", "kept_local", "locally_modified", "update"])
        .slow(),
    Route::get(UPDATE, Handler::Read(check_update))
        .about("emulators", "Asks the publisher for a newer definition pack.")
        .since("1.15")
        .reply(&["ok", "installed_version"])
        .slow(),
    Route::post(UPDATE, Handler::Write(install_update))
        .about("emulators", "Verifies and installs the published definition pack.")
        .since("1.15")
        .reply(&["ok", "version", "installed", "updated", "removed", "kept_local", "dir"])
        .slow(),
    Route::post("/api/v2/emulators/defs/rollback", Handler::Write(roll_back))
        .about("emulators", "Removes what the definition channel installed.")
        .since("1.15")
        .reply(&["ok", "removed", "dir"])
        .slow(),
];

fn show_registry(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let health = call.switch("health");
    let shared = reader.shared;
    let gathered = shared.definitions.gathered();
    let detector = shared.sessions.detector();
    let machine = Local::new(&detector, home(shared));
    let bench = Workbench { detector: &detector, machine: &machine };
    let mut registry = registry::registry(&gathered.catalog, &bench, health);
    registry["problems"] = problems(&gathered).into();
    ok(&registry)
}

fn show_status(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let gathered = reader.shared.definitions.gathered();
    ok(&reader.shared.channel.status(&gathered, problems(&gathered))?)
}

fn check_update(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&reader.shared.channel.check()?)
}

fn install_update(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    ok(&writer.shared.channel.update()?)
}

fn roll_back(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    ok(&writer.shared.channel.roll_back()?)
}
