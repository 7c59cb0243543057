//! Plugins (`/api/plugins*`, `/api/v2/plugins/*`).

use super::{
    call::{Answer, Call, ok},
    route::{Handler, Holds, Param, Route, optional, required},
    services::Writer,
};
use crate::plugins::shown::{
    PluginCatalog, PluginCatalogStatus, PluginCommandDone, PluginCommands, PluginInstalled,
    PluginList, PluginPermissions, PluginRemoved, PluginSettings, PluginSettingsSaved,
    PluginToggled, PluginTrust, PluginTrusted,
};

const ID: Param = required("id", Holds::Text, "The id of the plugin.");

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/plugins", Handler::Open(list))
        .about("plugins", "Lists the installed plugins.")
        .returns::<PluginList>()
        .slow()
        .v1(),
    Route::post("/api/plugins/install", Handler::Write(install))
        .about("plugins", "Installs a plugin, or another version of it.")
        .body(&[required("path", Holds::Text, "A folder or a ZIP file on this machine.")
            .refusal("Plugin path must be a directory or ZIP package.")])
        .returns::<PluginInstalled>()
        .slow(),
    Route::post("/api/plugins/toggle", Handler::Write(toggle))
        .about("plugins", "Switches a plugin on or off.")
        .body(&[ID, required("enabled", Holds::Flag, "Whether it is switched on.")])
        .returns::<PluginToggled>()
        .slow(),
    Route::post("/api/plugins/remove", Handler::Write(remove))
        .about("plugins", "Moves a plugin to `plugins/.removed`.")
        .body(&[ID])
        .returns::<PluginRemoved>()
        .slow(),
    Route::get("/api/plugins/catalog", Handler::Open(list_catalog))
        .about("plugins", "Lists the plugins of the catalog.")
        .returns::<PluginCatalog>()
        .slow(),
    Route::post("/api/plugins/catalog/install", Handler::Write(install_from_catalog))
        .about("plugins", "Downloads a plugin of the catalog and installs it.")
        .body(&[ID])
        .returns::<PluginInstalled>()
        .slow(),
    Route::get("/api/v2/plugins/catalog", Handler::Open(show_catalog))
        .about("plugins", "Lists the plugins of the catalog with their installed versions.")
        .returns::<PluginCatalogStatus>()
        .slow(),
    Route::get("/api/v2/plugins/commands", Handler::Open(list_commands))
        .about("plugins", "Lists the commands of the plugins that are on.")
        .returns::<PluginCommands>()
        .slow(),
    Route::post("/api/v2/plugins/command", Handler::Write(run_command))
        .about("plugins", "Runs a command of a plugin.")
        .body(&[
            required("plugin_id", Holds::Text, "The id of the plugin."),
            required("command", Holds::Text, "The id of the command."),
        ])
        .returns::<PluginCommandDone>()
        .slow(),
    Route::get("/api/v2/plugins/trust", Handler::Open(show_trust))
        .about("plugins", "Reports whether a plugin may run without a sandbox.")
        .query(&[ID])
        .returns::<PluginTrust>()
        .slow(),
    Route::post("/api/v2/plugins/trust", Handler::Write(set_trust))
        .about("plugins", "Trusts the installed package of a plugin, or revokes the trust.")
        .body(&[ID, required("trusted", Holds::Flag, "Whether it is trusted.")])
        .returns::<PluginTrusted>()
        .slow(),
    Route::post("/api/v2/plugins/permissions", Handler::Write(set_permissions))
        .about("plugins", "Grants a plugin these permissions and no others.")
        .body(&[ID, required("permissions", Holds::List, "`network`, or nothing.").sized(0, 100)])
        .returns::<PluginPermissions>()
        .slow(),
    Route::get("/api/v2/plugins/settings", Handler::Open(show_settings))
        .about("plugins", "Shows the settings of a plugin and their schema.")
        .query(&[ID])
        .returns::<PluginSettings>()
        .slow(),
    Route::post("/api/v2/plugins/settings", Handler::Write(save_settings))
        .about(
            "plugins",
            "Stores the settings of a plugin; those that are left out get their defaults.",
        )
        .body(&[ID, optional("values", Holds::Object, "The values by their names.").lenient()])
        .returns::<PluginSettingsSaved>()
        .slow(),
];

fn list(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    ok(&writer.shared.plugins.list())
}

fn install(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    ok(&writer.shared.plugins.install(call.required("path")?)?)
}

fn toggle(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let id = call.required("id")?;
    let enabled = call.flag_if_given("enabled")?.ok_or_else(|| call.missing("enabled"))?;
    ok(&writer.shared.plugins.toggle(id, enabled)?)
}

fn remove(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    ok(&writer.shared.plugins.remove(call.required("id")?)?)
}

fn list_catalog(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    ok(&writer.shared.plugins.catalog())
}

fn install_from_catalog(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    ok(&writer.shared.plugins.install_from_catalog(call.text("id"))?)
}

fn show_catalog(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    ok(&writer.shared.plugins.catalog_status())
}

fn list_commands(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    ok(&writer.shared.plugins.commands())
}

fn run_command(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let state = writer.store.snapshot()?;
    ok(&writer.shared.plugins.command(call.text("plugin_id"), call.text("command"), &state)?)
}

fn show_trust(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    ok(&writer.shared.plugins.trust(&call.required_query("id")?)?)
}

fn set_trust(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let id = call.required("id")?;
    let trusted = call.flag_if_given("trusted")?.ok_or_else(|| call.missing("trusted"))?;
    ok(&writer.shared.plugins.set_trust(id, trusted)?)
}

fn set_permissions(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let permissions = call.required_texts("permissions")?;
    ok(&writer.shared.plugins.set_permissions(call.required("id")?, &permissions)?)
}

fn show_settings(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    ok(&writer.shared.plugins.settings(&call.required_query("id")?)?)
}

fn save_settings(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let id = call.required("id")?;
    ok(&writer.shared.plugins.set_settings(id, call.object("values")?)?)
}
