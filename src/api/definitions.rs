//! Emulator definitions: the registry, and the channel that brings new ones.

use super::{
    call::{Answer, Call, ok},
    importers::home,
    route::{Handler, Holds, Param, Route, optional},
    services::{Reader, Writer},
};
use crate::{
    definitions::channel::{DefinitionStatus, Offer, PackInstalled, PackRemoved},
    emulators::registry::{self, Workbench},
    launch::machine::Local,
};

const HEALTH: [Param; 1] =
    [optional("health", Holds::Text, "With 1 also BIOS, firmware and cores are checked.")];
const UPDATE: &str = "/api/v2/emulators/defs/update";

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/v2/emulators/registry", Handler::Read(show_registry))
        .about("emulators", "Lists the definitions with their state on this machine.")
        .query(&HEALTH)
        .since("1.15")
        .returns::<registry::Registry>()
        .slow(),
    Route::get("/api/v2/emulators/defs/status", Handler::Read(show_status))
        .about(
            "emulators",
            "Reports the installed definition pack and whether there is a newer one.",
        )
        .since("1.15")
        .returns::<DefinitionStatus>()
        .slow(),
    Route::get(UPDATE, Handler::Read(check_update))
        .about("emulators", "Asks the publisher for a newer definition pack.")
        .since("1.15")
        .returns::<Offer>()
        .slow(),
    Route::post(UPDATE, Handler::Write(install_update))
        .about("emulators", "Verifies and installs the published definition pack.")
        .since("1.15")
        .returns::<PackInstalled>()
        .slow(),
    Route::post("/api/v2/emulators/defs/rollback", Handler::Write(roll_back))
        .about("emulators", "Removes what the definition channel installed.")
        .since("1.15")
        .returns::<PackRemoved>()
        .slow(),
];

fn show_registry(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let health = call.switch("health");
    let shared = reader.shared;
    let gathered = shared.definitions.gathered();
    let detector = shared.sessions.detector();
    let machine = Local::new(&detector, home(shared));
    let bench = Workbench { detector: &detector, machine: &machine };
    ok(&registry::registry(&gathered, &bench, health))
}

fn show_status(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let gathered = reader.shared.definitions.gathered();
    ok(&reader.shared.channel.status(&gathered)?)
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
