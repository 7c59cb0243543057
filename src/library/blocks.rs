//! Rendered games, a chunk of the library at a time.
//!
//! Owns the rendered and the compressed text of a chunk and the question whether it still holds: it
//! does while the chunk is the same, its folders say the same and the rules are the same. Plain text
//! is kept within a bound; beyond it a block keeps what its text is made of. Rendering many blocks uses
//! all processors; rendering one uses the caller's thread.

use std::{
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Instant,
};

use super::{
    deflate::{Deflated, Deflater},
    projection::{Projection, ViewRules},
    survey::{DiskFacts, Ground, Survey},
    text::{Part, Unrendered},
};
use crate::{
    base::{Hold as _, thread_named},
    game::slots::Slots,
    model::{CHUNK, Chunk, Game},
    probe::{
        found_saves::FoundSaves,
        probes::{Probes, Stamp},
    },
    query::discovery::Shortlist,
};

/// Threads that render a cold library.
const RENDERERS: usize = 4;
/// Up to this many blocks are rendered by the caller alone.
const ALONE: usize = 2;
/// Bytes a rendered game takes, about; only saves growing the buffer.
const GAME_BYTES: usize = 4_096;

/// In which form a block is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As JSON text.
    Plain,
    /// As a piece of a gzip stream.
    Gzip,
}

/// One rendered chunk. Its text starts with a comma unless it is the first of the library.
#[derive(Debug)]
pub struct Block {
    chunk: Weak<Chunk>,
    facts: Arc<[DiskFacts]>,
    grounds: Vec<Ground>,
    saves: Arc<FoundSaves>,
    /// What the discovery lists need of the chunk.
    pub shortlist: Shortlist,
    /// Bytes of the text; nothing before it was rendered in either form.
    len: usize,
    /// The text, while it is kept.
    plain: Option<Arc<[u8]>>,
    /// The compressed text, once it was wanted.
    pub gzip: Option<Deflated>,
}

/// How many more bytes of plain text may be kept.
#[derive(Debug)]
pub struct Room(AtomicUsize);

impl Room {
    /// Room for `bytes`, some of which these blocks take.
    pub fn beside(bytes: usize, blocks: &[Option<Block>]) -> Self {
        let texts = blocks.iter().flatten().filter_map(|block| block.plain.as_ref());
        let kept: usize = texts.map(|text| text.len()).sum();
        Self(AtomicUsize::new(bytes.saturating_sub(kept)))
    }

    fn has(&self, bytes: usize) -> bool {
        self.0.load(Ordering::Relaxed) >= bytes
    }

    fn take(&self, bytes: usize) -> bool {
        let taken = |left: usize| left.checked_sub(bytes);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken).is_ok()
    }

    fn give_back(&self, bytes: usize) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }
}

impl Block {
    fn unrendered(chunk: &Arc<Chunk>, run: &Run<'_>) -> Self {
        Self {
            chunk: Arc::downgrade(chunk),
            facts: run.facts.as_slice().into(),
            grounds: Vec::new(),
            saves: Arc::clone(&run.saves),
            shortlist: Shortlist::of(chunk),
            len: 0,
            plain: None,
            gzip: None,
        }
    }

    /// Whether it was rendered from this very chunk.
    pub fn is_of(&self, chunk: &Arc<Chunk>) -> bool {
        // OK because a weak pointer keeps the address from being given to another chunk.
        std::ptr::eq(self.chunk.as_ptr(), Arc::as_ptr(chunk))
    }

    /// Whether no folder it depends on has changed, and these are the saves it was made with.
    pub fn stands(&self, saves: &Arc<FoundSaves>) -> bool {
        Arc::ptr_eq(&self.saves, saves)
            && self.grounds.iter().all(|(folder, generation)| folder.generation() == *generation)
    }

    /// Whether it must be rendered before it can be sent in a form. Text of a known length is rendered
    /// ahead only where there is room to keep it.
    pub fn lacks(&self, form: Form, room: &Room) -> bool {
        match form {
            Form::Plain => self.plain.is_none() && (self.len == 0 || room.has(self.len)),
            Form::Gzip => self.gzip.is_none(),
        }
    }

    /// Its plain text, kept or still to be rendered; `chunk` is the one it was made of, at a place.
    pub fn part(&self, at: usize, chunk: &Arc<Chunk>) -> Part {
        match &self.plain {
            Some(text) => Part::Kept(Arc::clone(text)),
            None => Part::Chunk(Unrendered {
                at,
                chunk: Arc::clone(chunk),
                facts: Arc::clone(&self.facts),
                len: self.len,
            }),
        }
    }
}

/// What blocks are rendered with.
#[derive(Clone, Copy)]
pub struct Light<'a> {
    /// The rules of the settings.
    pub rules: &'a ViewRules,
    /// What is on disk.
    pub probes: &'a Probes,
    /// How old an answer of the disk may be.
    pub since: Stamp,
    /// When waiting for the disk ends.
    pub deadline: Instant,
}

/// One block to update.
pub struct Task<'a> {
    /// Which chunk of the library.
    pub at: usize,
    /// The chunk.
    pub chunk: &'a Arc<Chunk>,
    /// The block as it was, when it was made under the same rules.
    pub before: Option<Block>,
}

/// An updated block.
pub struct Outcome {
    /// Which chunk of the library.
    pub at: usize,
    /// The block, in the wanted form.
    pub block: Block,
    /// Whether its text is not what it was.
    pub is_changed: bool,
    /// Whether its text was made in this step.
    pub is_rendered: bool,
}

/// Updates blocks, each in the wanted form.
pub fn bring_up(tasks: Vec<Task<'_>>, light: Light<'_>, form: Form, room: &Room) -> Vec<Outcome> {
    if tasks.is_empty() {
        return Vec::new();
    }
    let processors = thread::available_parallelism().map_or(1, usize::from).min(RENDERERS);
    if tasks.len() <= ALONE || processors == 1 {
        let mut renderer = Renderer::new(light, form, room);
        return tasks.into_iter().map(|task| renderer.bring_up(task)).collect();
    }
    let tasks: Vec<Mutex<Option<Task<'_>>>> =
        tasks.into_iter().map(|task| Mutex::new(Some(task))).collect();
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new(Vec::with_capacity(tasks.len()));
    let work = || {
        let mut renderer = Renderer::new(light, form, room);
        while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
            let task = task.hold().take();
            let outcome = task.map(|task| renderer.bring_up(task));
            outcomes.hold().extend(outcome);
        }
    };
    thread::scope(|scope| {
        for number in 1..processors {
            let name = format!("render-{number}");
            let started = thread_named(name).spawn_scoped(scope, work);
            if let Err(error) = started {
                log::warn!("failed to start a renderer: {error}");
            }
        }
        work();
    });
    outcomes.into_inner().unwrap_or_else(PoisonError::into_inner)
}

struct Renderer<'a> {
    light: Light<'a>,
    form: Form,
    room: &'a Room,
    projection: Projection<'a>,
    deflater: Option<Deflater>,
    text: Vec<u8>,
}

impl<'a> Renderer<'a> {
    fn new(light: Light<'a>, form: Form, room: &'a Room) -> Self {
        let projection = Projection::new(light.rules);
        Self { light, form, room, projection, deflater: None, text: Vec::new() }
    }

    fn bring_up(&mut self, task: Task<'_>) -> Outcome {
        let Task { at, chunk, before } = task;
        let games = chunk.iter().enumerate();
        let games = games.map(|(offset, game)| (at * CHUNK + offset, &**game)).collect();
        let run = Run::survey(games, self.light);
        let stands = |block: &Block| block.is_of(chunk) && *block.facts == *run.facts;
        let is_changed = !before.as_ref().is_some_and(stands);
        let mut block = match before {
            Some(block) if !is_changed => block,
            before => {
                let text = before.and_then(|block| block.plain);
                self.room.give_back(text.map_or(0, |text| text.len()));
                Block::unrendered(chunk, &run)
            }
        };
        let is_rendered = block.lacks(self.form, self.room);
        if is_rendered {
            self.text.clear();
            self.text.reserve(run.games.len() * GAME_BYTES);
            run.write(&mut self.projection, &mut self.text, at > 0);
            block.len = self.text.len();
            match self.form {
                Form::Plain if self.room.take(block.len) => {
                    block.plain = Some(self.text.as_slice().into());
                }
                Form::Plain => {}
                Form::Gzip => {
                    let deflater = self.deflater.get_or_insert_default();
                    block.gzip = Some(deflater.deflate(&self.text));
                }
            }
        }
        (block.grounds, block.saves) = (run.grounds, run.saves);
        Outcome { at, block, is_changed, is_rendered }
    }
}

/// Some games with everything their public objects are made of.
pub struct Run<'a> {
    games: Vec<(usize, &'a Game)>,
    slots: Vec<Slots<'a>>,
    facts: Vec<DiskFacts>,
    grounds: Vec<Ground>,
    saves: Arc<FoundSaves>,
}

impl<'a> Run<'a> {
    /// Reads games, given with their positions, and asks the disk about them.
    pub fn survey(games: Vec<(usize, &'a Game)>, light: Light<'_>) -> Self {
        let slots: Vec<Slots<'a>> = games.iter().map(|(_, game)| Slots::of(game.json())).collect();
        let saves = light.probes.saves();
        let survey = Survey::of(&slots, light.probes, &saves);
        let (mut facts, grounds) = survey.answer(light.probes, light.since, light.deadline);
        if !saves.mastered.is_empty() {
            for ((_, game), facts) in games.iter().zip(&mut facts) {
                facts.is_mastered = saves.mastered.contains(game.id());
            }
        }
        Self { games, slots, facts, grounds, saves }
    }

    /// Writes the public objects with commas between them, and before the first when asked for.
    pub fn write(&self, projection: &mut Projection<'_>, out: &mut Vec<u8>, mut comma: bool) {
        let seen = self.slots.iter().zip(&self.facts);
        for ((position, game), (slots, facts)) in self.games.iter().zip(seen) {
            if comma {
                out.push(b',');
            }
            comma = true;
            projection.write(out, *position, game, slots, facts);
        }
    }
}
