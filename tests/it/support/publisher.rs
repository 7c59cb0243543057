//! A publisher of definition packs: a small HTTP server on this machine with a key of its own.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::{BufRead as _, BufReader, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use flate2::{Compression, write::GzEncoder};
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// Where the files of the channel are on the server.
const FOLDER: &str = "/releases/emulator-defs/";
/// The name of the archive.
pub(crate) const ARCHIVE: &str = "community-defs.tar.gz";

/// What is answered for a file.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// The file.
    File(Vec<u8>),
    /// Less of it than the head promises.
    Short(Vec<u8>),
    /// Another address.
    Redirect(String),
}

type Files = Arc<Mutex<BTreeMap<String, Answer>>>;

/// The server. It ends when it is dropped.
pub(crate) struct Publisher {
    address: SocketAddr,
    files: Files,
    stopping: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Publisher {
    /// A publisher of nothing.
    pub(crate) fn new() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("its address");
        let files = Files::default();
        let stopping = Arc::new(AtomicBool::new(false));
        let (known, ended) = (Arc::clone(&files), Arc::clone(&stopping));
        let thread = thread::spawn(move || {
            for stream in listener.incoming() {
                if ended.load(Ordering::SeqCst) {
                    break;
                }
                // OK because a client that is killed reads no answer.
                drop(stream.and_then(|stream| serve(stream, &known)));
            }
        });
        Self { address, files, stopping, thread: Some(thread) }
    }

    /// What `SERVICE_RELEASE_BASE` has to be.
    pub(crate) fn base(&self) -> String {
        format!("http://{}/releases", self.address)
    }

    /// The 32 bytes of the key.
    pub(crate) fn key() -> Vec<u8> {
        pair().public_key().as_ref().to_vec()
    }

    /// Publishes a file of the channel.
    pub(crate) fn put(&self, name: &str, answer: Answer) {
        self.files.lock().expect("no panic").insert(format!("{FOLDER}{name}"), answer);
    }

    /// Takes a file away.
    pub(crate) fn remove(&self, name: &str) {
        self.files.lock().expect("no panic").remove(&format!("{FOLDER}{name}"));
    }

    /// Publishes an archive, signed, under a version.
    pub(crate) fn publish(&self, version: &str, archive: &[u8]) {
        let index = json!({"version": version, "notes": format!("Notes of {version}")});
        self.put("index.json", Answer::File(index.to_string().into_bytes()));
        self.put(ARCHIVE, Answer::File(archive.to_vec()));
        let signature = signature(archive).to_string().into_bytes();
        self.put(&format!("{ARCHIVE}.sig"), Answer::File(signature));
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::SeqCst);
        // OK because the connection only has to wake the thread.
        drop(TcpStream::connect(self.address));
        if let Some(thread) = self.thread.take() {
            thread.join().expect("no panic");
        }
    }
}

fn serve(stream: TcpStream, files: &Files) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    while reader.read_line(&mut line)? > 2 {}
    let answer = files.lock().expect("no panic").get(&path).cloned();
    let head = |status: &str, length: usize, more: &str| {
        format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{more}\r\n")
    };
    let mut stream = reader.into_inner();
    match answer {
        None => stream.write_all(head("404 Not Found", 0, "").as_bytes()),
        Some(Answer::Redirect(target)) => {
            let more = format!("Location: {target}\r\n");
            stream.write_all(head("302 Found", 0, &more).as_bytes())
        }
        Some(Answer::File(bytes)) => {
            stream.write_all(head("200 OK", bytes.len(), "").as_bytes())?;
            stream.write_all(&bytes)
        }
        Some(Answer::Short(bytes)) => {
            stream.write_all(head("200 OK", bytes.len() + 1, "").as_bytes())?;
            stream.write_all(&bytes)
        }
    }
}

fn pair() -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[42; 32]).expect("a seed")
}

/// The signature file of an archive.
pub(crate) fn signature(archive: &[u8]) -> Value {
    signature_as(ARCHIVE, archive)
}

/// The signature file of a file with a name.
pub(crate) fn signature_as(artifact: &str, content: &[u8]) -> Value {
    let digest = Sha256::digest(content);
    let hex = digest.iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").expect("in memory");
        hex
    });
    json!({
        "algorithm": "ed25519", "artifact": artifact, "digest_algorithm": "sha256", "digest": hex,
        "signature": STANDARD.encode(pair().sign(&digest)),
    })
}

/// A complete definition with an id and a priority.
pub(crate) fn definition(id: &str, priority: u64) -> String {
    format!(
        "emulator_id: org.example.{id}\nadapter_id: {id}\nlabel: {id} (Test)\nplatform: Test\n\
         extensions: [tst]\nexecutable_patterns: [{id}]\nnative_exe: {id}\nnative_exe_windows: x.exe\n\
         flatpak_app_id: org.example.{id}\npriority: {priority}\nstartup_args: [\"{{path}}\"]\n\
         state: {{kind: none}}\nschema_version: 1\nrecommended: true\n"
    )
}

/// A packed archive of members: path, kind, content.
pub(crate) fn archive(members: &[(String, u8, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (path, kind, content) in members {
        let mut header = [0_u8; 512];
        header[..path.len()].copy_from_slice(path.as_bytes());
        header[100..108].copy_from_slice(b"0000644\0");
        header[124..136].copy_from_slice(format!("{:011o}\0", content.len()).as_bytes());
        header[136..148].copy_from_slice(b"00000000000\0");
        header[148..156].fill(b' ');
        header[156] = *kind;
        header[257..265].copy_from_slice(b"ustar\x0000");
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        bytes.extend_from_slice(&header);
        bytes.extend_from_slice(content);
        bytes.resize(bytes.len().div_ceil(512) * 512, 0);
    }
    bytes.resize(bytes.len() + 1_024, 0);
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&bytes).expect("in memory");
    encoder.finish().expect("in memory")
}

/// A packed archive of definitions with one priority.
pub(crate) fn pack(ids: &[&str], priority: u64) -> Vec<u8> {
    let member =
        |id: &&str| (format!("defs/{id}.yaml"), b'0', definition(id, priority).into_bytes());
    archive(&ids.iter().map(member).collect::<Vec<_>>())
}
