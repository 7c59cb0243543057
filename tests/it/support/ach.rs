//! A stand-in for the achievement provider, in its real shapes.

use std::{
    fs,
    io::{Cursor, Read as _},
    os::unix::fs::PermissionsExt as _,
    path::Path,
};

use serde_json::{Value, json};
use zip::ZipArchive;

use super::{
    client::Request,
    provider::{Provider, Reply},
    server::{Server, Setup},
};

/// The web key of the user.
pub(crate) const KEY: &str = "Zk3yQ9pLw7Xr2TnVb8Mc";

/// The digest of [`body`].
pub(crate) const BODY_MD5: &str = "46ade9a4e3db649cecee32ed84bf0c03";
/// That of the same behind the four bytes with which a file of the Nintendo 64 begins.
pub(crate) const N64_MD5: &str = "85fd65a56e832e0ef9c4674396917db3";
/// That of the name `pacman`.
pub(crate) const PACMAN_MD5: &str = "64d1f88b9b276aece4b0edcc25b7a434";

/// 4,096 bytes that differ from place to place.
pub(crate) fn body() -> Vec<u8> {
    (0..4096_usize).map(|at| u8::try_from((at * 7 + at / 251) % 256).expect("a byte")).collect()
}

/// A user.
pub(crate) fn profile() -> Value {
    json!({"User": "Ada", "ULID": "01H0000000000000000000000A", "UserPic": "/UserPic/Ada.png",
        "MemberSince": "2020-01-01 00:00:00", "RichPresenceMsg": "Stage 2", "LastGameID": 90001,
        "ContribCount": 0, "TotalPoints": 1200, "TotalSoftcorePoints": 30, "TotalTruePoints": 2400,
        "Permissions": 1, "Untracked": 0, "ID": 5, "UserWallActive": true, "Motto": "One more go"})
}

/// The progress of the user in a game.
pub(crate) fn set() -> Value {
    json!({"ID": 90001, "Title": "Comet Rangers", "ConsoleID": 7, "ConsoleName": "NES/Famicom",
        "NumAchievements": 3, "NumAwardedToUser": 2, "NumAwardedToUserHardcore": 1,
        "UserCompletion": "66.67%", "UserTotalPlaytime": 4200, "ImageIcon": "/Images/000001.png",
        "Achievements": {
            "501": {"ID": 501, "Title": "Lift-off", "Description": "Clear stage 1", "Points": 5, "TrueRatio": 6,
                "Type": "progression", "BadgeName": "250001", "DisplayOrder": 1,
                "DateEarned": "2025-01-02 03:04:05", "DateEarnedHardcore": "2025-01-02 03:04:05"},
            "502": {"ID": 502, "Title": "Orbit", "Description": "Clear stage 2", "Points": 10, "TrueRatio": 12,
                "type": null, "BadgeName": "250002", "DisplayOrder": 2, "DateEarned": "2999-01-02 03:04:05"},
            "503": {"ID": 503, "Title": "Landing", "Description": "Clear stage 3", "Points": 25, "TrueRatio": 40,
                "BadgeName": "250003", "DisplayOrder": 3}},
        "HighestAwardKind": "beaten-softcore", "HighestAwardDate": "2025-01-02T03:04:05+00:00"})
}

/// A game of a list of hashes.
pub(crate) fn listed(id: u32, hashes: &[&str]) -> Value {
    json!({"Title": "Comet Rangers", "ID": id, "ConsoleID": 7, "ConsoleName": "NES/Famicom",
        "ImageIcon": "/Images/000001.png", "NumAchievements": 3, "NumLeaderboards": 0, "Points": 40,
        "DateModified": "2025-01-01 00:00:00", "ForumTopicID": 1, "Hashes": hashes})
}

/// What the provider answers when all is well.
pub(crate) fn says(path: &str) -> Reply {
    let route = path.split('?').next().unwrap_or_default();
    match route {
        "/API/API_GetUserProfile.php" => Reply::json(&profile()),
        "/API/API_GetGameInfoAndUserProgress.php" => Reply::json(&set()),
        "/API/API_GetGameList.php" => Reply::json(&json!([
            listed(90001, &[BODY_MD5, N64_MD5, PACMAN_MD5]),
            listed(90002, &[])
        ])),
        "/API/API_GetConsoleIDs.php" => Reply::json(&json!([{"ID": 7, "Name": "NES/Famicom",
            "IconURL": "u", "Active": true, "IsGameSystem": true}])),
        "/API/API_GetUserCompletionProgress.php" => {
            Reply::json(&json!({"Count": 2, "Total": 2, "Results": [
                {"GameID": 90001, "Title": "Comet Rangers", "ImageIcon": "/Images/1.png", "ConsoleID": 7,
                    "ConsoleName": "NES", "MaxPossible": 3, "NumAwarded": 3, "NumAwardedHardcore": 3,
                    "MostRecentAwardedDate": "2025-01-02T03:04:05+00:00", "HighestAwardKind": "mastered",
                    "HighestAwardDate": "2025-01-02T03:04:05+00:00"},
                {"GameID": 7, "Title": "Else", "MaxPossible": 3, "NumAwarded": 1, "NumAwardedHardcore": 0,
                    "HighestAwardKind": null}]}))
        }
        _ if route.starts_with("/Badge/2500") => {
            Reply::new("200 OK", "image/png", b"\x89PNG\r\n\x1a\nbadge".to_vec())
        }
        _ => Reply::new("404 Not Found", "application/json", "[]"),
    }
}

/// A provider with which all is well.
pub(crate) fn provider() -> Provider {
    Provider::new(|path, _| says(path))
}

/// A program that asks this provider.
pub(crate) fn setup(provider: &Provider) -> Setup {
    Setup::new()
        .env("SERVICE_ACH_BASE", format!("{}/API", provider.base()))
        .env("SERVICE_ACH_MEDIA_BASE", provider.base())
}

/// The same with credentials in its environment.
pub(crate) fn with_account(provider: &Provider) -> Setup {
    setup(provider).env("ACH_USERNAME", "Ada").env("ACH_API_KEY", KEY)
}

/// A library with these games; `PATH` in a path is the folder of the games.
pub(crate) fn library(setup: Setup, games: &Value) -> Setup {
    let folder = setup.scratch().folder("games");
    let games = games.to_string().replace("PATH", &folder.display().to_string());
    setup.library(&format!("{{\"schema_version\":6,\"games\":{games}}}"))
}

/// Checks that a request is refused with this sentence.
#[track_caller]
pub(crate) fn refused(server: &Server, path: &str, body: &Value, error: &str) {
    let reply = server.send(&Request::post(path, body)).expect(400).json();
    assert_eq!((&reply["error"], &reply["code"]), (&json!(error), &json!("BAD_REQUEST")));
}

/// The routes that were asked for, without the queries.
pub(crate) fn routes(provider: &Provider) -> Vec<String> {
    let route = |head: &String| {
        let path = head.split([' ', '?']).nth(1).unwrap_or_default();
        path.trim_start_matches("/api/api_").trim_end_matches(".php").to_owned()
    };
    provider.seen().iter().map(route).collect()
}

/// Every file below a folder that holds a text.
pub(crate) fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files_with(&path, text));
        } else if path.is_file() {
            let bytes = fs::read(&path).expect("a file");
            if holds(&bytes, text) || unpacked(bytes).iter().any(|member| holds(member, text)) {
                found.push(path.file_name().expect("a name").to_string_lossy().into_owned());
            }
        }
    }
    found
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

/// The members of a ZIP archive; none of any other file.
fn unpacked(bytes: Vec<u8>) -> Vec<Vec<u8>> {
    let Ok(mut archive) = ZipArchive::new(Cursor::new(bytes)) else { return Vec::new() };
    let mut members = Vec::new();
    for index in 0..archive.len() {
        let mut member = Vec::new();
        archive.by_index(index).expect("a member").read_to_end(&mut member).expect("unpacked");
        members.push(member);
    }
    members
}

/// The permission bits of a file.
pub(crate) fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("a file").permissions().mode() & 0o777
}
