//! The job that searches folders and keeps what they would fill (`POST /api/v2/media/local/preview`).
//!
//! It asks whether it was stopped before every folder and every file. Its plan is written once, at the end: what is
//! stopped or cut off before leaves nothing, and is begun again from the start.

use std::{
    collections::{BTreeMap, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::{Value, json};

use super::{
    list_layout,
    local_layouts::{self, Program},
    local_match::{self, Matched},
    local_media::{
        LocalMedia, LocalMediaCounts, LocalMediaError, LocalMediaField, LocalMediaFolder,
        LocalMediaPlan, PREVIEW, ROWS,
    },
    local_scan::{Scan, SearchContext},
};
use crate::{
    jobs::{Context, Kind, Outcome, Spec, Title, kind::object},
    media::{own_pictures, own_videos},
};

const SPEC: Spec = Spec::new(
    "media.local_preview",
    &[(PREVIEW, Title::Fixed("Looking for pictures on this computer"))],
);
/// Where programs usually keep media, below the home.
const USUAL: [&str; 4] = [
    "ES-DE/downloaded_media",
    ".emulationstation/downloaded_media",
    ".config/retroarch/thumbnails",
    ".var/app/org.libretro.RetroArch/config/retroarch/thumbnails",
];
/// Front ends below the home whose settings may name another folder of media.
const FRONT_ENDS: [&str; 2] = ["ES-DE", ".emulationstation"];

/// The kind of work that makes a plan.
pub(super) fn kind(service: &Arc<LocalMedia>) -> Kind {
    Kind::new(SPEC, service, run)
}

fn run(service: &LocalMedia, context: &Context<'_>) -> Outcome {
    // Folders may have changed since the request, and a retry may bring others.
    let named = named(context.input().get("folders"));
    let named = named.map(|folders| service.read_folders(&folders)).transpose()?;
    let state = service.store.snapshot().map_err(LocalMediaError::from)?;
    let roots = named.clone().unwrap_or_else(|| usual(&service.home));
    let step = |entries: usize, name: &str| {
        context.check()?;
        context.progress(entries as u64, name);
        Ok(())
    };
    let search = SearchContext { tree: &*service.disk, step: &step };
    let mut scan = Scan::default();
    context.phase("scan");
    for root in &roots {
        scan.below(&search, root, service.data_dir.root())?;
    }
    scan.beside(&search, &state.games, named.as_deref())?;
    context.phase("match");
    let size = |path: &str, field: &str| usable_size(service, path, field);
    let matched = local_match::find(&state.games, &scan, &size, &step)?;
    context.check()?;
    context.progress(scan.entries as u64, "");
    let found = plan_of(service, &roots, scan, matched);
    let counts = json!(found.counts);
    let plan_id = service.keep(found).map_err(LocalMediaError::from)?;
    Ok(object(json!({"plan_id": plan_id, "counts": counts})))
}

/// The folders of an input. What is no text there, which only a retry can bring, is a folder without a name:
/// that is refused.
fn named(folders: Option<&Value>) -> Option<Vec<&str>> {
    let folders = folders.filter(|folders| !folders.is_null())?;
    let Some(list) = folders.as_array() else { return Some(vec![""]) };
    Some(list.iter().map(|folder| folder.as_str().unwrap_or_default()).collect())
}

/// The plan of what was found, without an id.
fn plan_of(
    service: &LocalMedia,
    roots: &[PathBuf],
    scan: Scan,
    matched: Matched,
) -> LocalMediaPlan {
    let rows = matched.rows;
    let games: HashSet<&str> = rows.iter().map(|row| row.game_id.as_str()).collect();
    let copied = rows.iter().filter(|row| !service.roots.covers(&row.path));
    let mut fields: BTreeMap<&str, usize> = BTreeMap::new();
    for row in &rows {
        *fields.entry(&row.field).or_default() += 1;
    }
    let fields = fields.into_iter();
    let shown = |list: Vec<String>| list.into_iter().take(ROWS).collect();
    LocalMediaPlan {
        plan_id: String::new(),
        folders: folders_of(&scan, roots),
        counts: LocalMediaCounts {
            files: scan.told.len() + scan.files_beside().len(),
            games: games.len(),
            items: rows.len(),
            bytes: copied.map(|row| row.bytes).sum(),
            held: matched.held,
            unclaimed: matched.unclaimed.len(),
            unusable: matched.unusable,
            links: scan.links,
            unnamed: scan.unnamed,
        },
        fields: fields
            .map(|(field, count)| LocalMediaField { field: field.to_owned(), count })
            .collect(),
        truncated: scan.is_cut,
        unreadable: shown(scan.unreadable),
        unclaimed: shown(matched.unclaimed),
        items: rows,
    }
}

/// The usual places that exist, by their real paths: a link of the user there is meant.
fn usual(home: &Path) -> Vec<PathBuf> {
    let named = FRONT_ENDS.iter().filter_map(|it| list_layout::named_media(&home.join(it), home));
    let all = USUAL.iter().map(|place| home.join(place)).chain(named);
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in all.filter_map(|folder| folder.canonicalize().ok()) {
        if folder.is_dir() && folder.parent().is_some() && !found.contains(&folder) {
            found.push(folder);
        }
    }
    found
}

/// The folders with their content; those next to games separately.
fn folders_of(scan: &Scan, roots: &[PathBuf]) -> Vec<LocalMediaFolder> {
    let files_beside = scan.files_beside();
    let folder = |folder: &Path| {
        let (files, programs) = scan.count_below(&files_beside, folder);
        LocalMediaFolder { path: folder.to_string_lossy().into_owned(), programs, files }
    };
    let mut rows: Vec<LocalMediaFolder> = roots.iter().map(|root| folder(root)).collect();
    let mut beside: BTreeMap<&Path, HashSet<&str>> = BTreeMap::new();
    for claim in &scan.beside {
        let path = Path::new(&claim.path);
        let parent = path.parent().filter(|_| roots.iter().all(|root| !path.starts_with(root)));
        if let Some(parent) = parent {
            beside.entry(parent).or_default().insert(&claim.path);
        }
    }
    rows.extend(beside.into_iter().take(ROWS).map(|(folder, files)| LocalMediaFolder {
        path: folder.to_string_lossy().into_owned(),
        programs: vec![Program::Beside],
        files: files.len(),
    }));
    rows
}

/// The bytes of a file that can be used for a field.
fn usable_size(service: &LocalMedia, path: &str, field: &str) -> Option<u64> {
    let most =
        if local_layouts::fits(field, "png") { own_pictures::LARGEST } else { own_videos::LARGEST };
    service.disk.size(Path::new(path)).ok().filter(|bytes| (1..=most).contains(bytes))
}
