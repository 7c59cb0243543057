//! How the findings of a dimension are repaired: a preview for the user, and what carries it out.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::{
    rules::{About, Code, Dimension, Finding},
    selection::{FixError, Selection},
    service::Health,
};
use crate::{
    care::{found_files, relink, twins},
    game::GameRef,
    model::State,
};

/// Games that one repair merges into others: as many as the trash keeps.
const MERGED: usize = 200;
/// Rows of each list of a preview.
const ROWS: usize = 500;
/// What the artwork provider has pictures for.
const FETCHED: [&str; 5] = ["cover", "background", "clear_logo", "icon", "banner"];

/// A repair that was planned for a state.
#[derive(Debug)]
pub struct FixPlan {
    /// What is repaired.
    pub dimension: Dimension,
    /// The number of findings.
    pub issue_count: usize,
    /// The games with these findings, in library order.
    pub game_ids: Vec<String>,
    /// How.
    pub repair: Repair,
}

/// What carries a plan out.
#[derive(Debug)]
pub enum Repair {
    /// Groups of games, each of which becomes one game.
    Merge(Vec<Vec<GameRef>>),
    /// Files of a folder take the place of missing ones.
    Relink(PathBuf, relink::Plan),
    /// A folder must be named first.
    NeedsFolder,
    /// Pictures are fetched for games.
    Pictures {
        /// The games.
        game_ids: Vec<String>,
        /// What is fetched.
        fields: Vec<&'static str>,
    },
    /// The user does it.
    ByHand {
        /// Where: `open_editor` or `open_emulator_profiles`.
        action: &'static str,
        /// What has to be done.
        detail: &'static str,
        /// The platforms of the games.
        platforms: Option<Vec<String>>,
    },
}

/// What is to be repaired.
#[derive(Debug)]
pub struct FixRequest<'a> {
    /// The dimension.
    pub dimension: Dimension,
    /// The games.
    pub selection: Selection,
    /// Where to look for files.
    pub folder: Option<&'a Value>,
    /// The home of the user.
    pub home: &'a Path,
}

impl Health {
    /// Plans a repair; the games are checked now.
    ///
    /// # Errors
    /// [`FixError`].
    pub fn plan(&self, state: &State, request: &FixRequest<'_>) -> Result<FixPlan, FixError> {
        let findings = self.detect(state);
        let selected = request.selection.of(request.dimension, &findings, state)?;
        let positions: BTreeSet<usize> =
            selected.iter().map(|finding| finding.position as usize).collect();
        let ids = |positions: &mut dyn Iterator<Item = usize>| -> Vec<String> {
            positions.filter_map(|at| Some(state.games.get(at)?.id().to_owned())).collect()
        };
        let game_ids = ids(&mut positions.iter().copied());
        let repair = match request.dimension {
            Dimension::Duplicates => Repair::Merge(groups(state, &selected)),
            Dimension::FileIntegrity => match request.folder.filter(|folder| !folder.is_null()) {
                None => Repair::NeedsFolder,
                folder => {
                    let folder = found_files::read_folder(folder, request.home)?;
                    let mut missing = relink::missing(&state.games, &["path"], self.disk());
                    missing.retain(|missing| positions.contains(&missing.id));
                    let plan = relink::plan(missing, &found_files::below(&folder), &|_| false);
                    Repair::Relink(folder, plan)
                }
            },
            Dimension::Artwork => pictures(state, &selected),
            Dimension::Metadata => Repair::ByHand {
                action: "open_editor",
                detail: "Fill in the missing fields in the editor, or have metadata fetched.",
                platforms: None,
            },
            Dimension::LaunchReadiness => {
                let platforms: BTreeSet<&str> = positions
                    .iter()
                    .filter_map(|at| Some(state.games.get(*at)?.platform()))
                    .collect();
                Repair::ByHand {
                    action: "open_emulator_profiles",
                    detail: "Set up an emulator for the platforms, or clear the flag of a game.",
                    platforms: Some(platforms.into_iter().map(str::to_owned).collect()),
                }
            }
        };
        let issue_count = selected.len();
        Ok(FixPlan { dimension: request.dimension, issue_count, game_ids, repair })
    }
}

/// Each earlier game with those that are it once more; not more than the trash keeps.
fn groups(state: &State, selected: &[&Finding]) -> Vec<Vec<GameRef>> {
    let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for finding in selected.iter().take(MERGED) {
        if let About::Earlier(earlier, _) = &finding.about {
            groups.entry(*earlier).or_default().push(finding.position);
        }
    }
    let named =
        |position: u32| Some(GameRef::Id(state.games.get(position as usize)?.id().to_owned()));
    let all = groups
        .into_iter()
        .map(|(earlier, later)| std::iter::once(earlier).chain(later).filter_map(named).collect());
    all.collect()
}

fn pictures(state: &State, selected: &[&Finding]) -> Repair {
    let (mut game_ids, mut fields): (Vec<String>, Vec<&'static str>) = (Vec::new(), Vec::new());
    let mut seen = HashSet::new();
    for finding in selected {
        let field = match (finding.code, &finding.about) {
            (Code::MissingCover, _) => "cover",
            (_, About::Known(field)) => field,
            _ => continue,
        };
        if !FETCHED.contains(&field) {
            continue;
        }
        if !fields.contains(&field) {
            fields.push(field);
        }
        if seen.insert(finding.position)
            && let Some(game) = state.games.get(finding.position as usize)
        {
            game_ids.push(game.id().to_owned());
        }
    }
    Repair::Pictures { game_ids, fields }
}

impl FixPlan {
    /// The plan as it is shown.
    pub fn shown(&self, state: &State) -> Value {
        match &self.repair {
            Repair::Merge(groups) => {
                let merges = groups.iter().filter_map(|named| {
                    let plan = twins::plan(&state.games, named).ok()?;
                    Some(json!({"primary": plan.primary, "absorbed": plan.absorbed,
                        "changed_fields": plan.changed_fields()}))
                });
                let merges: Vec<Value> = merges.collect();
                json!({"kind": "merge", "merges": merges, "undo": "trash"})
            }
            Repair::NeedsFolder => json!({"kind": "repair_wizard", "needs_folder": true,
                "detail": "Name the folder that the missing files were moved to."}),
            Repair::Relink(folder, plan) => {
                let matches: Vec<Value> = plan
                    .matches
                    .iter()
                    .take(ROWS)
                    .map(|found| {
                        json!({"id": found.id, "game_id": found.game_id, "field": found.field,
                            "from": found.from, "to": found.file.path})
                    })
                    .collect();
                json!({"kind": "relink", "folder": folder.to_string_lossy(), "matches": matches,
                    "ambiguous": first(&plan.ambiguous), "unmatched": first(&plan.unmatched),
                    "undo": "field_restore",
                    "note": "Only files of games are found again; extra files and saves stay as they are."})
            }
            Repair::Pictures { game_ids, fields } => json!({"kind": "artwork_doctor",
                "targets": first(game_ids), "fields": fields, "undo": "artwork_doctor"}),
            Repair::ByHand { action, detail, platforms } => {
                let mut plan = json!({"kind": "manual", "action": action, "game_ids": first(&self.game_ids),
                    "detail": detail});
                if let Some(platforms) = platforms {
                    plan["platforms"] = json!(platforms);
                }
                plan
            }
        }
    }
}

fn first<T>(rows: &[T]) -> &[T] {
    &rows[..rows.len().min(ROWS)]
}
