//! The answers of `GET /api/library` and related routes, built from cached pieces.
//!
//! Owns the caches: rendered chunks, their compressed form, the part around the games, and the
//! version that the entity tag is made of. An edit renders one chunk and compresses one piece; a
//! file that appears does so only for the chunks whose answers it changes. Everything here can be
//! thrown away. Does not know HTTP: the caller says which form it wants and which tags the
//! client has.

use std::{
    hash::{BuildHasher as _, RandomState},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use serde_json::{Map, Value, value::RawValue};

use super::{
    blocks::{self, Block, Form, Light, Room, Run, Task},
    deflate::{self, Deflater},
    overlay::{self, Overlay},
    projection::{ALL, Projection, Selection, ViewRules},
    text::{Part, Text},
};
use crate::{
    base::{Hold as _, Moment, ids},
    care::base_token::TokenCache,
    model::{CHUNK, Chunk, Game, Games, State},
    probe::probes::{FIRST_PATIENCE, Probes, Stamp},
    query::{
        card::MatchContext,
        collections::{Collection, CountCache},
        discovery::{Discovery, DiscoveryCache, discover},
        facets::{Facet, FacetCache},
        related::{Related, RelatedCache},
    },
};

/// Rendered text that is kept for clients without gzip. What goes beyond it is rendered again for each
/// of them, while it is sent; the compressed form is always kept.
const PLAIN_BYTES: usize = 16 << 20;
/// Games in one page at most.
pub const PAGE_GAMES: i64 = 5_000;
/// Games in one page by default.
pub const PAGE_DEFAULT: usize = 500;

const HEAD: &[u8] = b"{\"games\":[";

/// The sections that are part of the answer, besides the settings.
const SHOWN_SECTIONS: [&str; 3] = ["playlists", "filter_presets", "smart_collections"];

/// The parts of the answer that are neither a game nor a section.
pub struct AnswerContext<'a> {
    /// The public settings of a state: a function of its sections, as long as the process runs.
    pub settings: &'a dyn Fn(&State) -> Map<String, Value>,
    /// Whether a user and a key of the achievement provider are stored.
    pub ach_configured: bool,
    /// Whether there are credentials of the media service, which the settings show.
    pub mediasvc_configured: bool,
}

/// The answer of `GET /api/library`.
#[derive(Debug)]
pub enum Whole {
    /// The client has it already.
    Unchanged {
        /// Its entity tag, quoted.
        etag: String,
    },
    /// All of it.
    Body {
        /// Its entity tag, quoted.
        etag: String,
        /// What is sent.
        document: Document,
    },
}

/// The answer in one of its forms.
#[derive(Debug)]
pub enum Document {
    /// The text.
    Plain(Text),
    /// One gzip stream of it, in pieces.
    Gzip(Vec<Arc<[u8]>>),
}

/// A page of the library.
#[derive(Clone, Debug)]
pub struct Page {
    /// The first of its games.
    pub offset: usize,
    /// How many games it has at most.
    pub limit: usize,
    /// Their keys.
    pub selection: Selection,
}

/// The caches behind the library answers, for the life of the process: one for the whole library, and one for the
/// part of it that the family view shows.
#[derive(Debug)]
pub struct Answers {
    probes: Arc<Probes>,
    media_epoch: Arc<AtomicU64>,
    plugin_epoch: AtomicU64,
    overlay: Mutex<Arc<Overlay>>,
    /// Makes the tags of two runs of the program differ.
    run: String,
    dice: RandomState,
    frame: Mutex<Option<Arc<Frame>>>,
    whole: Mutex<Cache>,
    discovery: DiscoveryCache,
    facets: FacetCache,
    collections: CountCache,
    related: RelatedCache,
    tokens: TokenCache,
    renders: AtomicU64,
    /// Plain text that is kept at most, in bytes.
    plain_bytes: usize,
}

/// The part around the games, and the rules they are shown by.
#[derive(Debug)]
struct Frame {
    sections: [Option<Arc<Value>>; SHOWN_SECTIONS.len()],
    settings: Option<Arc<Value>>,
    ach_configured: bool,
    mediasvc_configured: bool,
    rules: Arc<ViewRules>,
    text: String,
}

#[derive(Debug, Default)]
struct Cache {
    frame: Option<Arc<Frame>>,
    probe_epoch: u64,
    media_epoch: Option<u64>,
    plugin_epoch: u64,
    overlay: Arc<Overlay>,
    /// The games as plugins show them, when they do.
    shown: Option<Arc<[u8]>>,
    blocks: Vec<Option<Block>>,
    version: u64,
    tail: Arc<[u8]>,
    gzip: Option<Vec<Arc<[u8]>>>,
}

impl Answers {
    /// Empty caches over a probe cache.
    pub fn new(probes: Probes) -> Self {
        Self::sharing(Arc::new(probes), Arc::default())
    }

    /// Empty caches for other games of the same library: what is on disk, and how often media changed, is
    /// what these know. What plugins show is not shown by them.
    pub fn beside(&self) -> Self {
        Self::sharing(Arc::clone(&self.probes), Arc::clone(&self.media_epoch))
    }

    fn sharing(probes: Arc<Probes>, media_epoch: Arc<AtomicU64>) -> Self {
        Self {
            probes,
            media_epoch,
            plugin_epoch: AtomicU64::new(0),
            overlay: Mutex::default(),
            run: ids::random_hex(6),
            dice: RandomState::new(),
            frame: Mutex::new(None),
            whole: Mutex::default(),
            discovery: DiscoveryCache::default(),
            facets: FacetCache::default(),
            collections: CountCache::default(),
            related: RelatedCache::default(),
            tokens: TokenCache::default(),
            renders: AtomicU64::new(0),
            plain_bytes: PLAIN_BYTES,
        }
    }

    /// Keeps at most this much plain text, in bytes.
    #[cfg(test)]
    pub fn keeping(self, plain_bytes: usize) -> Self {
        Self { plain_bytes, ..self }
    }

    /// What is on disk.
    pub fn probes(&self) -> &Probes {
        &self.probes
    }

    /// Chunks rendered so far: a measure of the work edits cause.
    #[cfg(test)]
    pub fn renders(&self) -> u64 {
        self.renders.load(Ordering::Relaxed)
    }

    /// How often media changed in this run of the program.
    pub fn media_epoch(&self) -> u64 {
        self.media_epoch.load(Ordering::Acquire)
    }

    /// Media files came, went or changed: clients must ask for them again.
    pub fn note_media_change(&self) {
        self.media_epoch.fetch_add(1, Ordering::AcqRel);
    }

    /// Plugins came, went or changed: clients must ask for the library again.
    pub fn note_plugin_change(&self) {
        self.plugin_epoch.fetch_add(1, Ordering::AcqRel);
    }

    /// Shows this in addition to the library from now on.
    pub fn set_overlay(&self, overlay: Overlay) {
        *self.overlay.hold() = Arc::new(overlay);
    }

    fn overlay(&self) -> Arc<Overlay> {
        Arc::clone(&self.overlay.hold())
    }

    /// The games of the library and then these, each as its public object; `None` when they are longer
    /// than `limit` bytes together.
    pub fn public_games(
        &self,
        state: &State,
        added: &[Arc<Game>],
        limit: usize,
    ) -> Option<Vec<Box<RawValue>>> {
        let rules = ViewRules::of(state.settings());
        let all: Vec<_> = state.games.iter().chain(added).enumerate().collect();
        let mut out = b"[".to_vec();
        for (at, run) in all.chunks(CHUNK).enumerate() {
            out.extend_from_slice(if at > 0 { b"," } else { b"" });
            self.write_games(&mut out, &rules, &ALL, run);
            if out.len() > limit {
                return None;
            }
        }
        out.push(b']');
        serde_json::from_slice(&out).ok()
    }

    /// The whole library in a form, unless `is_known` reports that the client has it.
    pub fn whole(
        &self,
        state: &State,
        context: &AnswerContext<'_>,
        form: Form,
        is_known: impl Fn(&str) -> bool,
    ) -> Whole {
        let since = self.probes.now();
        self.probes.refresh();
        if !state.games.is_empty() {
            self.probes.refresh_saves();
        }
        let frame = self.frame(state, context);
        let mut cache = self.whole.hold();
        self.bring_up(&mut cache, state, &frame, since, form);
        let etag = format!("\"{}-{:x}\"", self.run, cache.version);
        if is_known(&etag) {
            return Whole::Unchanged { etag };
        }
        let room = self.room(&cache);
        let missing: Vec<usize> = (0..cache.blocks.len())
            .filter(|at| cache.blocks[*at].as_ref().is_none_or(|block| block.lacks(form, &room)))
            .collect();
        let chunks = state.games.chunks();
        self.remake(&mut cache, chunks, &frame.rules, &missing, since, form);
        let document = match form {
            Form::Plain => Document::Plain(cache.text(chunks, &frame.rules)),
            Form::Gzip => Document::Gzip(cache.gzip_pieces()),
        };
        Whole::Body { etag, document }
    }

    /// The discovery lists alone.
    pub fn discovery(&self, state: &State) -> Arc<Discovery> {
        let now = Moment::now();
        self.discovery.lists(&state.games, self.dice.hash_one(now.unix_millis()), &now)
    }

    /// The most frequent values of a field.
    pub fn facets(&self, state: &State, field: &str) -> Arc<[Facet]> {
        self.facets.facets(&state.games, field)
    }

    /// Every smart collection with the number of its games.
    pub fn collections(
        &self,
        state: &State,
        context: &dyn MatchContext,
        now: &Moment,
    ) -> Vec<Collection> {
        self.collections.list(state, context, now)
    }

    /// The games that have most in common with the one at a position.
    pub fn related(&self, state: &State, position: usize) -> Vec<Related> {
        self.related.related(&state.games, position)
    }

    /// The token that a preview returns and a change requires: it names the games and playlists of a state.
    pub fn base_token(&self, state: &State) -> String {
        self.tokens.token(state)
    }

    /// One page, as one document. Games that plugins show have all their keys.
    pub fn page(&self, state: &State, context: &AnswerContext<'_>, page: &Page) -> Vec<u8> {
        let Page { offset, limit, selection } = page;
        let (offset, limit) = (*offset, *limit);
        let frame = self.frame(state, context);
        let overlay = self.overlay();
        let total = state.games.len() + overlay.added.len();
        let end = offset.saturating_add(limit).min(total);
        let mut out = HEAD.to_vec();
        if let Some(shown) = overlay.shown_of(state) {
            out.extend(overlay::joined(shown.texts().get(offset..end).unwrap_or_default()));
        } else {
            let added = |at: usize| overlay.added.get(at.checked_sub(state.games.len())?);
            let game = |at: usize| state.games.get(at).or_else(|| added(at));
            let games = (offset..end).filter_map(|at| Some((at, game(at)?)));
            self.write_games(&mut out, &frame.rules, selection, &games.collect::<Vec<_>>());
        }
        out.extend_from_slice(b"],");
        out.extend_from_slice(frame.text.as_bytes());
        let end = format!(
            ",\"media_epoch\":{},\"total_count\":{},\"offset\":{offset},\"limit\":{limit}}}",
            self.media_epoch(),
            total
        );
        out.extend_from_slice(end.as_bytes());
        out
    }

    /// The games with these ids, aliases or positions, in this order; unknown ones are left out and
    /// a game named twice comes once.
    pub fn delta(&self, state: &State, ids: &[&str]) -> Vec<u8> {
        let overlay = self.overlay();
        let mut games: Vec<(usize, &Arc<Game>)> = Vec::new();
        for id in ids {
            let own = resolve(&state.games, id).and_then(|at| Some((at, state.games.get(at)?)));
            let added = || overlay.find(id.trim()).map(|(at, game)| (at + state.games.len(), game));
            let found = own.or_else(added);
            games.extend(found.filter(|(at, _)| games.iter().all(|(known, _)| known != at)));
        }
        let mut out = HEAD.to_vec();
        if let Some(shown) = overlay.shown_of(state) {
            let texts = games.iter().filter_map(|(_, game)| shown.find(game.id()));
            out.extend(overlay::joined(&texts.map(RawValue::to_owned).collect::<Vec<_>>()));
        } else {
            self.write_games(&mut out, &ViewRules::of(state.settings()), &ALL, &games);
        }
        out.extend_from_slice(format!("],\"media_epoch\":{}}}", self.media_epoch()).as_bytes());
        out
    }

    /// The game at a position as clients see it; empty when there is none.
    pub fn shown(&self, state: &State, position: usize) -> Map<String, Value> {
        let Some(game) = state.games.get(position) else { return Map::new() };
        let mut out = Vec::new();
        self.write_games(&mut out, &ViewRules::of(state.settings()), &ALL, &[(position, game)]);
        // OK because what is written is one JSON object.
        serde_json::from_slice(&out).unwrap_or_default()
    }

    fn write_games(
        &self,
        out: &mut Vec<u8>,
        rules: &ViewRules,
        selection: &Selection,
        games: &[(usize, &Arc<Game>)],
    ) {
        if !games.is_empty() {
            self.probes.refresh_saves();
        }
        let light = self.light(rules, self.probes.now());
        let mut projection = Projection::new(rules).selecting(selection);
        for (at, run) in games.chunks(CHUNK).enumerate() {
            let run = run.iter().map(|(position, game)| (*position, &***game));
            Run::survey(run.collect(), light).write(&mut projection, out, at > 0);
        }
    }

    /// The room for plain text that the blocks leave.
    fn room(&self, cache: &Cache) -> Room {
        Room::beside(self.plain_bytes, &cache.blocks)
    }

    fn light<'a>(&'a self, rules: &'a ViewRules, since: Stamp) -> Light<'a> {
        Light { rules, probes: &self.probes, since, deadline: Instant::now() + FIRST_PATIENCE }
    }

    /// The frame of a state, rebuilt only when something in it changed.
    fn frame(&self, state: &State, context: &AnswerContext<'_>) -> Arc<Frame> {
        let mut kept = self.frame.hold();
        if let Some(frame) = kept.as_ref().filter(|frame| frame.is_of(state, context)) {
            return Arc::clone(frame);
        }
        let rules = ViewRules::of(state.settings());
        let before = kept.as_ref().map(|frame| Arc::clone(&frame.rules));
        let rules = before.filter(|before| **before == rules).unwrap_or_else(|| Arc::new(rules));
        let frame = Arc::new(Frame {
            sections: SHOWN_SECTIONS.map(|key| state.shared(key).cloned()),
            settings: state.shared("settings").cloned(),
            ach_configured: context.ach_configured,
            mediasvc_configured: context.mediasvc_configured,
            rules,
            text: frame_text(state, context),
        });
        *kept = Some(Arc::clone(&frame));
        frame
    }

    /// Makes blocks and tail those of the state, and the version a new one when anything changed. Blocks that had to be
    /// rebuilt are made in the wanted form.
    fn bring_up(
        &self,
        cache: &mut Cache,
        state: &State,
        frame: &Arc<Frame>,
        since: Stamp,
        form: Form,
    ) {
        let (probe_epoch, media_epoch) = (self.probes.epoch(), self.media_epoch());
        let plugin_epoch = self.plugin_epoch.load(Ordering::Acquire);
        let overlay = self.overlay();
        let chunks = state.games.chunks();
        let before = cache.frame.replace(Arc::clone(frame));
        if before.as_ref().is_none_or(|before| !Arc::ptr_eq(&before.rules, &frame.rules)) {
            cache.blocks.clear();
        }
        let settled = cache.probe_epoch == probe_epoch;
        let saves = self.probes.saves();
        let holds = |at: usize| {
            let block = cache.blocks.get(at).and_then(Option::as_ref);
            block.is_some_and(|block| block.is_of(&chunks[at]) && (settled || block.stands(&saves)))
        };
        let fallen: Vec<usize> = (0..chunks.len()).filter(|at| !holds(*at)).collect();
        let resized = cache.blocks.len() != chunks.len();
        cache.blocks.resize_with(chunks.len(), || None);
        let changed = self.remake(cache, chunks, &frame.rules, &fallen, since, form);
        let same_frame = before.is_some_and(|before| before.text == frame.text);
        let shown = overlay.shown_of(state);
        let same_overlay = cache.plugin_epoch == plugin_epoch
            && Arc::ptr_eq(&cache.overlay, &overlay)
            && cache.shown.is_some() == shown.is_some();
        cache.probe_epoch = probe_epoch;
        let same_media = cache.media_epoch == Some(media_epoch);
        if changed || resized || !same_frame || !same_media || !same_overlay {
            cache.media_epoch = Some(media_epoch);
            cache.plugin_epoch = plugin_epoch;
            cache.shown = shown.map(|shown| overlay::joined(shown.texts()).into());
            cache.overlay = Arc::clone(&overlay);
            cache.version += 1;
            cache.gzip = None;
            cache.tail = self.tail(cache, &state.games, frame, media_epoch);
            self.probes.prune();
        }
    }

    /// Updates some blocks and returns whether any differs from before.
    fn remake(
        &self,
        cache: &mut Cache,
        chunks: &[Arc<Chunk>],
        rules: &ViewRules,
        places: &[usize],
        since: Stamp,
        form: Form,
    ) -> bool {
        let room = self.room(cache);
        let task =
            |at: &usize| Task { at: *at, chunk: &chunks[*at], before: cache.blocks[*at].take() };
        let tasks = places.iter().map(task).collect();
        let mut changed = false;
        for outcome in blocks::bring_up(tasks, self.light(rules, since), form, &room) {
            changed |= outcome.is_changed;
            self.renders.fetch_add(u64::from(outcome.is_rendered), Ordering::Relaxed);
            cache.blocks[outcome.at] = Some(outcome.block);
        }
        changed
    }

    /// What follows the games. The discovery lists are those of this version of the answer, so that
    /// one tag always means one text.
    fn tail(&self, cache: &Cache, games: &Games, frame: &Frame, media_epoch: u64) -> Arc<[u8]> {
        let shortlists: Vec<_> =
            cache.blocks.iter().flatten().map(|block| &block.shortlist).collect();
        let seed = self.dice.hash_one(cache.version);
        let lists = discover(games, &shortlists, seed, Moment::now().utc_iso());
        let lists = serde_json::to_string(&lists).unwrap_or_else(|_| "{}".to_owned());
        let text =
            format!("],{},\"discovery\":{lists},\"media_epoch\":{media_epoch}}}", frame.text);
        let mut tail = Vec::new();
        let added = if cache.shown.is_some() { &[][..] } else { &cache.overlay.added[..] };
        if !added.is_empty() {
            tail.extend_from_slice(if games.is_empty() { b"" } else { b"," });
            let added = added.iter().enumerate().map(|(at, game)| (games.len() + at, game));
            self.write_games(&mut tail, &frame.rules, &ALL, &added.collect::<Vec<_>>());
        }
        tail.extend_from_slice(text.as_bytes());
        tail.into()
    }
}

impl Cache {
    /// The text of a library whose blocks are up to date.
    fn text(&self, chunks: &[Arc<Chunk>], rules: &Arc<ViewRules>) -> Text {
        let mut parts = vec![Part::Kept(HEAD.into())];
        if let Some(shown) = &self.shown {
            parts.push(Part::Kept(Arc::clone(shown)));
        } else {
            let blocks = self.blocks.iter().flatten().zip(chunks).enumerate();
            parts.extend(blocks.map(|(at, (block, chunk))| block.part(at, chunk)));
        }
        parts.push(Part::Kept(Arc::clone(&self.tail)));
        Text::new(parts, Arc::clone(rules))
    }

    fn gzip_pieces(&mut self) -> Vec<Arc<[u8]>> {
        if let Some(pieces) = &self.gzip {
            return pieces.clone();
        }
        let mut deflater = Deflater::default();
        let (head, tail) = (deflater.deflate(HEAD), deflater.deflate(&self.tail));
        let shown = self.shown.as_ref().map(|shown| deflater.deflate(shown));
        let games = self.blocks.iter().flatten().filter_map(|block| block.gzip.as_ref());
        let games = games.filter(|_| shown.is_none()).chain(&shown);
        let all: Vec<_> = [&head].into_iter().chain(games).chain([&tail]).collect();
        let pieces = deflate::join(&all);
        self.gzip = Some(pieces.clone());
        pieces
    }
}

impl Frame {
    fn is_of(&self, state: &State, context: &AnswerContext<'_>) -> bool {
        let same = |kept: &Option<Arc<Value>>, key: &str| match (kept, state.shared(key)) {
            (Some(kept), Some(now)) => Arc::ptr_eq(kept, now),
            (None, None) => true,
            _ => false,
        };
        self.ach_configured == context.ach_configured
            && self.mediasvc_configured == context.mediasvc_configured
            && same(&self.settings, "settings")
            && self.sections.iter().zip(SHOWN_SECTIONS).all(|(kept, key)| same(kept, key))
    }
}

/// The members of the answer between the games and the discovery lists, with commas between them.
fn frame_text(state: &State, context: &AnswerContext<'_>) -> String {
    let mut text = String::new();
    for key in SHOWN_SECTIONS {
        let list = match state.section(key) {
            list @ Value::Array(_) => list.to_string(),
            _ => "[]".to_owned(),
        };
        text.extend(["\"", key, "\":", &list, ","]);
    }
    let settings = Value::Object((context.settings)(state)).to_string();
    let configured = context.ach_configured.to_string();
    text.extend(["\"ach_configured\":", &configured, ",\"settings\":", &settings]);
    text
}

/// The position of a game named by its id, an alias or its position.
fn resolve(games: &Games, id: &str) -> Option<usize> {
    let id = id.trim();
    let by_position = || id.parse().ok().filter(|position| *position < games.len());
    games.position(id).or_else(by_position)
}
