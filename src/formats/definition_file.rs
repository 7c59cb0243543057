//! An emulator definition as a YAML file, to a [`Definition`].
//!
//! One validator for the bundled files, those of the definition channel and those of the user; the
//! first two have to be complete. Unknown keys are ignored.

use std::sync::Arc;

use super::{
    command_line,
    yaml::{self, Node, YamlError},
};
use crate::model::emulators::{App, Definition, Origin, Requirement, StateBlock, StateKind};

/// Bytes of the largest file.
pub const FILE_BYTES: usize = 256 * 1024;
/// The newest schema that is understood.
pub const SCHEMA: u32 = 2;
/// Characters of the longest text.
const TEXT_CHARS: usize = 200;
/// Entries of the longest list.
const LIST_LENGTH: usize = 64;
/// The largest priority.
const MAX_PRIORITY: i64 = 100_000;
/// The priority of a definition that names none.
const USUAL_PRIORITY: u32 = 100;

/// The keys a definition has that is not the user's own.
const COMPLETE: [&str; 14] = [
    "emulator_id",
    "adapter_id",
    "label",
    "platform",
    "extensions",
    "executable_patterns",
    "native_exe",
    "native_exe_windows",
    "flatpak_app_id",
    "priority",
    "startup_args",
    "state",
    "schema_version",
    "recommended",
];

/// Tokens of the arguments of a state.
const STATE_TOKENS: [&str; 4] = ["state_path", "state_dir", "state_name", "state_config"];
/// The argument that stands for the core of the definition.
const CORE_TOKEN: &str = "{retroarch_core}";
/// Where cores of the system are; a detected package has its own place.
const CORE_FOLDER: &str = "/usr/lib/libretro";

/// Why a file is not a definition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DefinitionError {
    /// It cannot be read as YAML.
    #[error(transparent)]
    Yaml(#[from] YamlError),
    #[error("it is not a mapping of keys to values")]
    NotAMapping,
    #[error("the key {0} is missing")]
    Missing(&'static str),
    #[error("the key {key} must be {expected}")]
    Wrong {
        /// The key.
        key: &'static str,
        /// What it holds.
        expected: &'static str,
    },
    #[error("the key {key} holds the unknown token {token}")]
    UnknownToken {
        /// The key.
        key: &'static str,
        /// The token with its braces.
        token: String,
    },
    #[error("its schema_version is later than {SCHEMA}")]
    LaterSchema,
}

/// Reads a definition.
///
/// # Errors
/// [`DefinitionError`]: the first thing that is wrong.
pub fn parse(bytes: &[u8], origin: Origin) -> Result<Definition, DefinitionError> {
    let Node::Map(pairs) = yaml::parse(bytes, FILE_BYTES)? else {
        return Err(DefinitionError::NotAMapping);
    };
    let keys = Keys(&pairs);
    match keys.find(&["schema_version"]).map(|(_, node)| node.as_integer()) {
        None | Some(Some(1..=2)) => {}
        Some(Some(3..)) => return Err(DefinitionError::LaterSchema),
        Some(_) => return Err(wrong("schema_version", "1 or 2")),
    }
    if origin != Origin::User
        && let Some(missing) = COMPLETE.into_iter().find(|key| keys.find(&[key]).is_none())
    {
        return Err(DefinitionError::Missing(missing));
    }
    let id = keys.id(&["adapter_id", "id"])?.ok_or(DefinitionError::Missing("adapter_id"))?;
    let app_id = keys.id(&["emulator_id", "flatpak", "flatpak_app_id"])?;
    let app_id = app_id.ok_or(DefinitionError::Missing("emulator_id"))?;
    let platform = keys.platform()?;
    let label = keys.text(&["label", "name"])?;
    let label = label.unwrap_or_else(|| format!("{app_id} ({platform})"));
    let arguments = keys.arguments()?;
    let core_path = match keys.place("core_path")? {
        Some(path) => path,
        None => core_of(&arguments).unwrap_or_default(),
    };
    let app = App {
        id: app_id,
        name: label.split(" (").next().unwrap_or(&label).trim().to_owned(),
        executable: keys.program(&["native_exe", "native"])?.unwrap_or_default(),
        package: keys.id(&["flatpak_app_id", "flatpak"])?.unwrap_or_default(),
        patterns: keys.programs("executable_patterns")?,
    };
    Ok(Definition {
        id,
        app: Arc::new(app),
        label,
        platform,
        extensions: keys.extensions()?,
        arguments,
        recommended: keys.flag("recommended")?.unwrap_or(true),
        priority: keys.priority()?,
        state: keys.state()?,
        bios: keys.requirement("bios_path", "bios_sha1")?,
        firmware: keys.requirement("firmware_path", "firmware_sha1")?,
        core_path,
        origin,
    })
}

fn wrong(key: &'static str, expected: &'static str) -> DefinitionError {
    DefinitionError::Wrong { key, expected }
}

/// The core that an emulator loads: the absolute path behind `-L`.
fn core_of(arguments: &[String]) -> Option<String> {
    let at = arguments.iter().position(|word| word == "-L")? + 1;
    arguments.get(at).filter(|path| path.starts_with('/')).cloned()
}

/// The keys of a file.
struct Keys<'a>(&'a [(String, Node)]);

impl<'a> Keys<'a> {
    /// The first of these keys that has a value.
    fn find(&self, keys: &[&'static str]) -> Option<(&'static str, &'a Node)> {
        keys.iter().find_map(|key| {
            let (_, node) = self.0.iter().find(|(known, _)| known == key)?;
            // A key without a value is ignored; the complete ones may be empty.
            Some((*key, node))
        })
    }

    fn text(&self, keys: &[&'static str]) -> Result<Option<String>, DefinitionError> {
        let Some((key, node)) = self.find(keys) else { return Ok(None) };
        let expected = "a text of at most 200 characters";
        match node {
            Node::Null => Ok(None),
            Node::Scalar { text, .. } if is_clean(text) => {
                Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty()))
            }
            _ => Err(wrong(key, expected)),
        }
    }

    /// A name that may stand in a command: letters, digits, dots, dashes, underscores.
    fn id(&self, keys: &[&'static str]) -> Result<Option<String>, DefinitionError> {
        let id = self.text(keys)?;
        let is_id = |id: &str| {
            id.starts_with(|first: char| first.is_ascii_alphanumeric())
                && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
        };
        match id {
            Some(id) if !is_id(&id) => Err(wrong(
                self.find(keys).map_or("id", |(key, _)| key),
                "letters, digits, dots, dashes and underscores",
            )),
            id => Ok(id),
        }
    }

    /// `platform`, or `platforms` with one in it.
    fn platform(&self) -> Result<String, DefinitionError> {
        let missing = DefinitionError::Missing("platform");
        if let Some(platform) = self.text(&["platform"])? {
            return Ok(platform);
        }
        match self.find(&["platforms"]).ok_or(missing)?.1 {
            Node::List(items) if items.len() == 1 => {
                let one = items[0].as_text().map(str::trim).filter(|one| !one.is_empty());
                one.filter(|one| is_clean(one)).map(str::to_owned)
            }
            _ => None,
        }
        .ok_or_else(|| wrong("platforms", "a list of one platform"))
    }

    fn texts(&self, key: &'static str) -> Result<Option<Vec<String>>, DefinitionError> {
        let Some((_, node)) = self.find(&[key]) else { return Ok(None) };
        texts(node).map(Some).ok_or_else(|| wrong(key, "a list of at most 64 short texts"))
    }

    fn extensions(&self) -> Result<Vec<String>, DefinitionError> {
        let listed = self.texts("extensions")?.unwrap_or_default();
        let mut extensions = Vec::new();
        for each in listed {
            let each = each.trim().trim_start_matches('.').to_ascii_lowercase();
            let is_ending = (1..=16).contains(&each.len())
                && each.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_+-!".contains(&byte));
            if !is_ending {
                return Err(wrong("extensions", "a list of file name extensions"));
            }
            if !extensions.contains(&each) {
                extensions.push(each);
            }
        }
        Ok(extensions)
    }

    /// A program: a name, or an absolute path.
    fn program(&self, keys: &[&'static str]) -> Result<Option<String>, DefinitionError> {
        match (self.text(keys)?, self.find(keys)) {
            (Some(program), Some((key, _))) if !is_program(&program) => {
                Err(wrong(key, "the name of a program or an absolute path"))
            }
            (program, _) => Ok(program),
        }
    }

    fn programs(&self, key: &'static str) -> Result<Vec<String>, DefinitionError> {
        let programs = self.texts(key)?.unwrap_or_default();
        if programs.iter().all(|program| is_program(program)) {
            Ok(programs)
        } else {
            Err(wrong(key, "a list of names of programs"))
        }
    }

    /// `startup_args`, else `startup` split like a shell does, else the path alone.
    fn arguments(&self) -> Result<Vec<String>, DefinitionError> {
        let (key, words) = match self.find(&["startup_args"]) {
            Some((key, node @ Node::List(_))) => (key, texts(node)),
            Some((key, Node::Null)) => (key, Some(Vec::new())),
            Some((key, _)) => (key, None),
            None => match self.find(&["startup"]) {
                Some((key, node)) => (key, node.as_text().and_then(split)),
                None => ("startup_args", Some(vec!["{path}".to_owned()])),
            },
        };
        let mut words = words.ok_or_else(|| wrong(key, "a list of arguments"))?;
        if let Some(core) = self.text(&["retroarch_core"])? {
            let is_core = core.len() > "_libretro.so".len()
                && core.ends_with("_libretro.so")
                && !core.contains('/');
            if !is_core {
                return Err(wrong("retroarch_core", "the file name of a core"));
            }
            for word in &mut words {
                *word = word.replace(CORE_TOKEN, &format!("{CORE_FOLDER}/{core}"));
            }
        }
        check_tokens(key, &words, &[])?;
        Ok(words)
    }

    fn flag(&self, key: &'static str) -> Result<Option<bool>, DefinitionError> {
        let Some((_, node)) = self.find(&[key]) else { return Ok(None) };
        node.as_flag().map(Some).ok_or_else(|| wrong(key, "true or false"))
    }

    fn priority(&self) -> Result<u32, DefinitionError> {
        let Some((key, node)) = self.find(&["priority"]) else { return Ok(USUAL_PRIORITY) };
        let number = node.as_integer().filter(|number| (0..=MAX_PRIORITY).contains(number));
        let number = number.and_then(|number| u32::try_from(number).ok());
        number.ok_or_else(|| wrong(key, "a whole number from 0 to 100000"))
    }

    /// An absolute path, or one below the home folder.
    fn place(&self, key: &'static str) -> Result<Option<String>, DefinitionError> {
        match self.text(&[key])? {
            Some(path) if !(path.starts_with('/') || path.starts_with("~/")) => {
                Err(wrong(key, "an absolute path or one that begins with ~/"))
            }
            path => Ok(path),
        }
    }

    fn requirement(
        &self,
        path: &'static str,
        sha1: &'static str,
    ) -> Result<Option<Requirement>, DefinitionError> {
        let hash = self.text(&[sha1])?.unwrap_or_default().to_ascii_lowercase();
        if !(hash.is_empty() || hash.len() == 40 && hash.bytes().all(|b| b.is_ascii_hexdigit())) {
            return Err(wrong(sha1, "a SHA-1 of 40 hexadecimal digits"));
        }
        Ok(self.place(path)?.map(|path| Requirement { path, sha1: hash }))
    }

    fn state(&self) -> Result<StateBlock, DefinitionError> {
        let pairs = match self.find(&["state"]) {
            None | Some((_, Node::Null)) => return Ok(StateBlock::default()),
            Some((_, Node::Map(pairs))) => pairs,
            Some((key, _)) => return Err(wrong(key, "a mapping with a kind")),
        };
        let of = |wanted: &str| pairs.iter().find(|(key, _)| key == wanted).map(|(_, node)| node);
        let kind = of("kind").and_then(Node::as_text);
        let kind = kind.and_then(StateKind::named);
        let expected = "none, retroarch, adapter-cli or config-override";
        let kind = kind.ok_or_else(|| wrong("state.kind", expected))?;
        if kind == StateKind::None {
            return Ok(StateBlock::default());
        }
        let words = |node: Option<&Node>| match node {
            None | Some(Node::Null) => Some(Vec::new()),
            Some(node @ Node::Scalar { .. }) => node.as_text().and_then(split),
            Some(node) => texts(node),
        };
        let template = words(of("template"));
        let template = template.ok_or_else(|| wrong("state.template", "arguments"))?;
        let capture = words(of("capture")).ok_or_else(|| wrong("state.capture", "arguments"))?;
        let glob = match of("glob") {
            None | Some(Node::Null) => Some(vec!["*".to_owned()]),
            Some(Node::Scalar { text, .. }) if is_clean(text) => Some(vec![text.clone()]),
            Some(node) => texts(node),
        };
        let glob = glob.ok_or_else(|| wrong("state.glob", "a list of file names"))?;
        check_tokens("state.template", &template, &STATE_TOKENS)?;
        check_tokens("state.capture", &capture, &STATE_TOKENS)?;
        Ok(StateBlock { kind, template, capture, glob })
    }
}

/// The words of a command line; `None` when its quotes are not balanced or it is not clean text.
fn split(text: &str) -> Option<Vec<String>> {
    Some(text).filter(|text| is_clean(text)).and_then(shlex::split)
}

fn texts(node: &Node) -> Option<Vec<String>> {
    match node {
        Node::Null => Some(Vec::new()),
        Node::List(items) if items.len() <= LIST_LENGTH => items
            .iter()
            .map(|item| item.as_text().filter(|text| is_clean(text)).map(str::to_owned))
            .collect(),
        _ => None,
    }
}

/// A short text without control characters.
fn is_clean(text: &str) -> bool {
    text.chars().count() <= TEXT_CHARS && !text.chars().any(char::is_control)
}

fn is_program(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('-') && (!name.contains('/') || name.starts_with('/'))
}

/// Every word in braces that looks like a token is one.
fn check_tokens(key: &'static str, words: &[String], more: &[&str]) -> Result<(), DefinitionError> {
    for word in words {
        for (at, _) in word.match_indices('{') {
            let inner = &word[at + 1..];
            let Some(end) = inner.find('}') else { continue };
            let token = &inner[..end];
            let is_token = !token.is_empty()
                && token.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            if is_token && !command_line::TOKENS.contains(&token) && !more.contains(&token) {
                return Err(DefinitionError::UnknownToken { key, token: format!("{{{token}}}") });
            }
        }
    }
    Ok(())
}
