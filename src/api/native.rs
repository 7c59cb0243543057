//! What the program can do as a desktop host.

use super::{
    call::{Answer, Call, ok},
    route::{Handler, Route},
    services::Writer,
};
use crate::config::{
    machine,
    native::{self, NativeCapabilities},
};

/// The rows of this family. It needs no library.
pub const ROUTES: &[Route] =
    &[Route::get("/api/native/capabilities", Handler::Open(show_capabilities))
        .about("state", "What the program can do as a desktop host.")
        .returns::<NativeCapabilities<'_>>()];

fn show_capabilities(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    ok(&native::capabilities(&machine::platform(), &writer.shared.data_dir))
}
