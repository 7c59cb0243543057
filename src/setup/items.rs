//! The candidates of a preview by position, id and group: an index of rows of one length, and the
//! cursors of pages.
//!
//! The index is small enough to be read for every request; the candidates themselves are read from
//! their file one by one.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    base::{
        ids::{from_hex, hex},
        schema::schema,
    },
    model::emulators::Catalog,
};

use super::{
    classify::{FieldChange, Group, Item, Warning},
    decision::{Action, Decision, LaunchSetup},
    error::SetupError,
    players::{self, EmulatorChoice},
    preview::Preview,
    source::SourceName,
};

/// Bytes of one row: 12 of the id, 1 of the group, 1 unused, 2 of the system, 8 of the offset, 4 of the
/// length, 4 unused.
const ROW: usize = 32;
/// Versions that are shown of a candidate.
const VERSIONS: usize = 20;
/// Bytes of an id.
const ID: usize = 12;

/// Where one candidate stands in the file of candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// Its id in bytes.
    id: [u8; ID],
    /// Its group.
    pub group: Group,
    /// The row of its system in the preview.
    pub system: u16,
    /// The first byte of its line.
    pub from: u64,
    /// The bytes of its line, without the line break.
    pub len: u32,
}

impl IndexEntry {
    /// The entry of a candidate of a system whose line begins here; `None` for an invalid id.
    pub fn of(item: &Item, system: usize, from: u64, len: u32) -> Option<Self> {
        let system = u16::try_from(system).unwrap_or(u16::MAX);
        Some(Self { id: parse_id(&item.candidate.id)?, group: item.group, system, from, len })
    }

    /// The byte behind its line.
    pub fn end(&self) -> u64 {
        self.from + u64::from(self.len)
    }

    /// Its id as clients know it.
    pub fn candidate_id(&self) -> String {
        hex(&self.id)
    }
}

fn parse_id(text: &str) -> Option<[u8; ID]> {
    from_hex(text).filter(|_| !text.bytes().any(|byte| byte.is_ascii_uppercase()))
}

/// The entries of all candidates in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index(pub Vec<IndexEntry>);

impl Index {
    /// The index as it is stored.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.0.len() * ROW);
        for entry in &self.0 {
            bytes.extend_from_slice(&entry.id);
            // OK because every group is in the list of all, which is short.
            let group = Group::ALL.iter().position(|group| *group == entry.group).unwrap_or(0);
            bytes.extend_from_slice(&[group.to_le_bytes()[0], 0]);
            bytes.extend_from_slice(&entry.system.to_le_bytes());
            bytes.extend_from_slice(&entry.from.to_le_bytes());
            bytes.extend_from_slice(&entry.len.to_le_bytes());
            bytes.extend_from_slice(&[0; 4]);
        }
        bytes
    }

    /// Reads a stored index of a file of candidates with this length; `None` when it is damaged.
    pub fn parse(bytes: &[u8], items_bytes: u64) -> Option<Self> {
        if !bytes.len().is_multiple_of(ROW) {
            return None;
        }
        let entry = |row: &[u8]| {
            let entry = IndexEntry {
                id: row[..12].try_into().ok()?,
                group: *Group::ALL.get(usize::from(row[12]))?,
                system: u16::from_le_bytes(row[14..16].try_into().ok()?),
                from: u64::from_le_bytes(row[16..24].try_into().ok()?),
                len: u32::from_le_bytes(row[24..28].try_into().ok()?),
            };
            let end = entry.from.checked_add(u64::from(entry.len))?;
            (end <= items_bytes).then_some(entry)
        };
        bytes.chunks_exact(ROW).map(entry).collect::<Option<Vec<_>>>().map(Self)
    }

    /// The entry of the candidate with an id.
    pub fn find(&self, id: &str) -> Option<&IndexEntry> {
        let id = parse_id(id)?;
        self.0.iter().find(|entry| entry.id == id)
    }

    /// The entries of a group, or all.
    pub fn of_group(&self, group: Option<Group>) -> Vec<&IndexEntry> {
        let is_wanted = |entry: &&IndexEntry| group.is_none_or(|group| entry.group == group);
        self.0.iter().filter(is_wanted).collect()
    }

    /// The entries of the candidates that a selection of a preview takes.
    pub fn selected(&self, preview: &Preview, selection: &Selection) -> Vec<&IndexEntry> {
        let Selection { group, source, platform } = selection;
        let mut entries = self.of_group(*group);
        if source.is_some() || platform.is_some() {
            entries.retain(|entry| {
                preview.is_in(usize::from(entry.system), *source, platform.as_deref())
            });
        }
        entries
    }
}

/// Which candidates a client asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Only this group.
    pub group: Option<Group>,
    /// Only this source, by position.
    pub source: Option<usize>,
    /// Only this platform; blank for those whose platform is open.
    pub platform: Option<String>,
}

impl Selection {
    /// What a cursor of this selection is bound to.
    fn scope(&self) -> String {
        match self {
            Self { group: None, source: None, platform: None } => String::new(),
            Self { group, source, platform } => json!([group, source, platform]).to_string(),
        }
    }
}

/// What cursors of folders are bound to.
pub const FOLDERS: &str = "folders";

/// Where a page begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    preview_id: String,
    revision: u64,
    offset: usize,
    /// The list it belongs to; blank for all candidates.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    scope: String,
}

impl Cursor {
    /// The cursor of an entry in a selection of candidates.
    pub fn new(preview: &Preview, offset: usize, selection: &Selection) -> Self {
        Self::in_scope(preview, offset, selection.scope())
    }

    /// The cursor of an entry in a list of a preview.
    pub fn in_scope(preview: &Preview, offset: usize, scope: String) -> Self {
        let (preview_id, revision) = (preview.preview_id.clone(), preview.revision);
        Self { preview_id, revision, offset, scope }
    }

    /// How it is sent.
    pub fn encode(&self) -> String {
        BASE64.encode(json!(self).to_string())
    }

    /// The candidate at which a page begins, of `total` in the selection.
    ///
    /// # Errors
    /// [`SetupError::BadCursor`], [`SetupError::OldCursor`].
    pub fn offset_in(
        text: &str,
        preview: &Preview,
        selection: &Selection,
        total: usize,
    ) -> Result<usize, SetupError> {
        Self::offset_in_scope(text, preview, &selection.scope(), total)
    }

    /// The row at which a page of a list begins, of `total`.
    ///
    /// # Errors
    /// As [`Cursor::offset_in`].
    pub fn offset_in_scope(
        text: &str,
        preview: &Preview,
        scope: &str,
        total: usize,
    ) -> Result<usize, SetupError> {
        let bytes = BASE64.decode(text.trim_end_matches('=')).map_err(|_| SetupError::BadCursor)?;
        let cursor: Self = serde_json::from_slice(&bytes).map_err(|_| SetupError::BadCursor)?;
        if cursor.preview_id != preview.preview_id {
            return Err(SetupError::BadCursor);
        }
        if cursor.revision != preview.revision {
            return Err(SetupError::OldCursor);
        }
        if cursor.offset > total || cursor.scope != scope {
            return Err(SetupError::BadCursor);
        }
        Ok(cursor.offset)
    }
}

schema! {
    "SetupItem"
    /// A candidate as clients see it.
    pub struct ShownItem {
        candidate_id: String,
        decision: Option<ShownDecision>,
        detected_platform: Option<String>,
        detected_title: String,
        emulator_choices: Vec<EmulatorChoice>,
        existing_game_target: Option<ShownTarget>,
        group: Group,
        /// What happens without a decision.
        intended_action: &'static str,
        launch_setup: Option<LaunchSetup>,
        merge_diff: Option<Vec<FieldChange>>,
        path: String,
        /// The platforms it may be of.
        #[serde(skip_serializing_if = "Option::is_none")]
        platform_choices: Option<Vec<String>>,
        /// The earlier candidate that it is.
        same_as: Option<String>,
        selected_adapter_id: Option<String>,
        selected_emulator_id: Option<String>,
        source: Option<SourceName>,
        /// The files of its versions, the best first; at most 20, and none when there is only one.
        versions: Vec<String>,
        /// How many versions there are.
        version_count: usize,
        warnings: Vec<Warning>,
    }

    "SetupTarget"
    /// The game that a candidate is the same as.
    struct ShownTarget {
        game_id: Option<String>,
        platform: String,
        title: String,
    }

    "SetupDecision"
    /// What was decided about a candidate.
    struct ShownDecision {
        action: Action,
        merge_target: Option<String>,
        platform: Option<String>,
    }

    "SetupItems"
    /// A page of candidates.
    pub struct ItemPage {
        /// The cursor of the request.
        pub cursor: Option<String>,
        /// The candidates.
        pub items: Vec<ShownItem>,
        /// The cursor of the next page, when there is one.
        pub next_cursor: Option<String>,
        /// The preview.
        pub preview_id: String,
        /// Of the preview.
        pub revision: u64,
    }
}

impl ShownItem {
    /// A candidate of a preview with what was decided about it.
    pub fn of(
        item: Item,
        preview: &Preview,
        decision: Option<&Decision>,
        catalog: &Catalog,
    ) -> Self {
        let filled = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let chosen = decision.map(|decision| &decision.choice);
        let decided = decision.map_or("", |decision| decision.platform.as_str());
        let platform = if decided.is_empty() { item.platform() } else { decided };
        let definitions = players::of(catalog, platform, &item.candidate.extension);
        let platforms = || {
            let takers = players::of(catalog, "", &item.candidate.extension);
            players::platforms(&takers).into_iter().map(str::to_owned).collect()
        };
        let versions = item.candidate.record.list("version_candidates").len();
        let shown_versions = item.candidate.record.texts("version_candidates").take(VERSIONS);
        Self {
            versions: shown_versions.map(str::to_owned).collect(),
            version_count: versions.max(1),
            decision: decision.map(|decision| ShownDecision {
                action: decision.action,
                merge_target: filled(&decision.merge_target),
                platform: filled(&decision.platform),
            }),
            detected_platform: filled(item.platform()),
            detected_title: item.candidate.record.text("name").to_owned(),
            emulator_choices: players::choices(&definitions, &preview.installed_adapters),
            existing_game_target: item.target.as_ref().map(|target| ShownTarget {
                game_id: filled(&target.game_id),
                platform: target.platform.clone(),
                title: target.title.clone(),
            }),
            group: item.group,
            intended_action: item.group.intended_action(),
            launch_setup: chosen.and_then(|choice| choice.launch_setup),
            path: item.candidate.record.text("path").to_owned(),
            platform_choices: (item.group == Group::Ambiguities).then(platforms),
            selected_adapter_id: chosen.and_then(|choice| filled(&choice.adapter_id)),
            selected_emulator_id: chosen.and_then(|choice| filled(&choice.emulator_id)),
            source: preview.sources.get(item.candidate.source).map(|row| row.name.clone()),
            warnings: item.warnings(),
            candidate_id: item.candidate.id,
            merge_diff: item.merge_diff,
            same_as: item.same_as,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::systems::SystemRow, *};

    fn entry(number: u8, group: Group) -> IndexEntry {
        IndexEntry {
            id: [number; 12],
            group,
            system: u16::from(number) * 300,
            from: u64::from(number) * 100,
            len: 90,
        }
    }

    #[test]
    fn an_index_is_read_as_it_was_written() {
        let entries = Group::ALL.iter().zip(0..).map(|(group, at)| entry(at, *group)).collect();
        let index = Index(entries);
        let bytes = index.to_bytes();
        assert_eq!(Index::parse(&bytes, 600), Some(index.clone()));
        assert_eq!(Index::parse(&bytes, 589), None, "an entry behind the end");
        assert_eq!(Index::parse(&bytes[1..], 600), None, "a torn row");
        let mut damaged = bytes;
        damaged[12] = 6;
        assert_eq!(Index::parse(&damaged, 600), None, "no such group");
        assert_eq!(index.find(&"02".repeat(12)), Some(&index.0[2]));
        for id in ["", "02", &"0G".repeat(12), &"09".repeat(12), &"é".repeat(12)] {
            assert_eq!(index.find(id), None, "{id}");
        }
        assert_eq!(index.0[2].candidate_id(), "02".repeat(12));
        assert_eq!(index.of_group(Some(Group::Merges)), [&index.0[1]]);
        assert_eq!(index.of_group(None).len(), 6);
    }

    #[test]
    fn a_cursor_is_bound_to_its_preview() {
        let preview = |id: &str, revision| Preview {
            preview_id: id.to_owned(),
            revision,
            ..Preview::default()
        };
        let ours = preview("p", 1);
        let text = Cursor::new(&ours, 50, &Selection::default()).encode();
        let offset = |preview: &Preview, total| {
            Cursor::offset_in(&text, preview, &Selection::default(), total)
                .map_err(|error| error.to_string())
        };
        assert_eq!(offset(&ours, 50), Ok(50));
        let bad = Err("Cursor is invalid or stale.".to_owned());
        assert_eq!(offset(&ours, 49), bad);
        assert_eq!(offset(&preview("q", 1), 50), bad);
        let old = "Cursor is bound to a different preview revision.".to_owned();
        assert_eq!(offset(&preview("p", 2), 50), Err(old));
        for text in ["", "x", "e30", &BASE64.encode("[]")] {
            let error =
                Cursor::offset_in(text, &ours, &Selection::default(), 50).expect_err("refused");
            assert_eq!(error.to_string(), "Cursor is invalid or stale.");
        }
        let merges = Selection { group: Some(Group::Merges), ..Selection::default() };
        let grouped = Cursor::new(&ours, 1, &merges).encode();
        assert!(Cursor::offset_in(&grouped, &ours, &Selection::default(), 50).is_err());
        assert_eq!(Cursor::offset_in(&grouped, &ours, &merges, 5).ok(), Some(1));
        let wii = Selection { platform: Some("Wii".to_owned()), ..merges };
        assert!(Cursor::offset_in(&grouped, &ours, &wii, 5).is_err());
    }

    #[test]
    fn a_selection_takes_the_candidates_of_its_rows() {
        let row = |source, platform: &str| SystemRow {
            source,
            platform: platform.to_owned(),
            ..SystemRow::default()
        };
        let systems = vec![row(0, "NES"), row(0, ""), row(1, "NES")];
        let preview = Preview { systems, ..Preview::default() };
        let entries =
            (0..3).map(|at| IndexEntry { system: u16::from(at), ..entry(at, Group::Additions) });
        let index = Index(entries.collect());
        let taken = |source, platform: Option<&str>| -> Vec<u16> {
            let platform = platform.map(str::to_owned);
            let selection = Selection { group: None, source, platform };
            index.selected(&preview, &selection).iter().map(|entry| entry.system).collect()
        };
        assert_eq!(taken(None, None), [0, 1, 2]);
        assert_eq!(taken(None, Some("NES")), [0, 2]);
        assert_eq!(taken(Some(0), Some("")), [1]);
        assert_eq!(taken(Some(1), None), [2]);
    }
}
