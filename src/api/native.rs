//! What the program can do as a desktop host (`/api/native/*`), and its entry in the menu of the desktop.

use std::path::{Path, PathBuf};

use super::{
    call::{Answer, Call, ok},
    route::{Handler, Holds, Param, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    base::{schema::schema, text},
    config::{
        machine,
        native::{self, NativeCapabilities},
    },
    desktop::{
        self,
        dialog::{self, Chosen, Kind, Request},
        entry::{self, EntryInstalled},
        menu::{self, LauncherMenu},
        open::{self, BadTarget, Opened},
        window::{self, Action},
    },
};

const DIALOG: [Param; 3] = [
    optional(
        "kind",
        Holds::Choice(&["folder", "file", "save"]),
        "The kind of dialog; a folder by default.",
    ),
    optional("title", Holds::Text, "Shown above the dialog."),
    optional("default", Holds::Text, "The absolute path that is chosen at first."),
];
const REVEAL: [Param; 1] = [required(
    "path",
    Holds::Text,
    "An absolute path in the home folder, the data directory or a media folder.",
)];
const OPEN: [Param; 2] = [
    optional("url", Holds::Text, "An http or https address without credentials."),
    optional("path", Holds::Text, "As for `/api/native/reveal`; executable files are not opened."),
];
const WINDOW: [Param; 1] = [required(
    "action",
    Holds::Choice(&["minimize", "toggle-maximize", "close", "set-fullscreen", "unset-fullscreen"]),
    "The action on the window that `--app-window` opened.",
)];
/// Characters of the longest title.
const TITLE: usize = 200;

/// The rows of this family. It needs no library.
pub const ROUTES: &[Route] = &[
    Route::get("/api/native/capabilities", Handler::Open(show_capabilities))
        .about("state", "What the program can do as a desktop host.")
        .returns::<NativeCapabilities<'_>>(),
    Route::post("/api/native/dialog", Handler::Open(show_dialog))
        .about("state", "Shows a file dialog of the desktop and waits until it is closed.")
        .body(&DIALOG)
        .returns::<Chosen>()
        .slow(),
    Route::post("/api/native/reveal", Handler::Open(reveal))
        .about("state", "Shows a folder, or the folder of a file, in the file manager.")
        .body(&REVEAL)
        .returns::<Opened>()
        .slow(),
    Route::post("/api/native/open-external", Handler::Open(open_external))
        .about("state", "Opens a page in the browser, or a file with its program.")
        .body(&OPEN)
        .returns::<Opened>()
        .slow(),
    Route::post("/api/native/window", Handler::Open(change_window))
        .about("state", "Changes the window of the page.")
        .body(&WINDOW)
        .returns::<WindowChanged>()
        .slow(),
    Route::get("/api/launcher/menu", Handler::Read(list_menu))
        .about("state", "The entries of the menu of `--launcher`: screens and games.")
        .returns::<LauncherMenu>(),
    Route::post("/api/desktop/install", Handler::Open(install_entry))
        .about("state", "Adds the bundle to the menu of the desktop.")
        .returns::<EntryInstalled>()
        .slow(),
];

schema! {
    /// `POST /api/native/window`.
    struct WindowChanged {
        /// Whether there was a window of the program, and a tool that reaches it.
        ok: bool,
    }
}

fn list_menu(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&menu::of(&reader.state))
}

fn show_capabilities(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    let shared = writer.shared;
    let host = native::Host {
        is_attached: shared.environment.has_native_host(),
        has_dialogs: dialog::tool(&shared.environment, &desktop::installed).is_some(),
    };
    ok(&native::capabilities(&machine::platform(), &shared.data_dir, host))
}

fn show_dialog(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let environment = &writer.shared.environment;
    let kind = call.named("kind", Kind::named)?.unwrap_or_default();
    let title = text::cut(call.text("title"), TITLE).to_owned();
    let start = match call.text("default") {
        "" => None,
        path => Some(environment.expand_home(path)).filter(|path| path.is_absolute()),
    };
    let request = Request { kind, title, start };
    ok(&writer.shared.desktop.choose(environment, &desktop::installed, &request))
}

/// The folders whose content may be shown and opened.
fn allowed(writer: &Writer<'_>) -> Vec<PathBuf> {
    let shared = writer.shared;
    let home = shared.environment.home().map(Path::to_owned);
    let fixed = [shared.data_dir.root().to_owned()].into_iter().chain(home);
    fixed.chain(shared.environment.media_roots()).collect()
}

fn reveal(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let path = path_of(writer, call.text("path"))?;
    let allowed = allowed(writer);
    let allowed: Vec<&Path> = allowed.iter().map(PathBuf::as_path).collect();
    ok(&Opened::of(open::reveal(&path, &allowed, &desktop::installed)))
}

fn path_of(writer: &Writer<'_>, text: &str) -> Result<PathBuf, BadTarget> {
    open::path_of(&writer.shared.environment.expand_home(text).to_string_lossy())
}

fn open_external(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let outcome = match (call.text("url"), call.text("path")) {
        ("", "") => return Err(BadTarget::Nothing.into()),
        ("", path) => {
            let path = path_of(writer, path)?;
            let allowed = allowed(writer);
            let allowed: Vec<&Path> = allowed.iter().map(PathBuf::as_path).collect();
            open::open_path(&path, &allowed, &desktop::installed)
        }
        (address, _) => open::open(open::page_of(address)?.as_ref(), &desktop::installed),
    };
    ok(&Opened::of(outcome))
}

fn change_window(_: &Writer<'_>, call: &Call<'_>) -> Answer {
    let action = call.named("action", Action::named)?.ok_or_else(|| call.missing("action"))?;
    ok(&WindowChanged { ok: window::act(action, &desktop::installed) })
}

fn install_entry(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    let environment = &writer.shared.environment;
    let (bundle, data_home) = (environment.bundle(), environment.data_home());
    let files = writer.files;
    ok(&entry::install(files, bundle.as_deref(), data_home.as_deref(), &desktop::installed)?)
}
