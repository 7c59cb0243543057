//! A stand-in for the games database: a small HTTP server with an archive in its real shape and its
//! pictures, and the ways in which the real one fails.

use std::{
    collections::HashMap,
    fmt::Write as _,
    io::{BufRead as _, BufReader, Cursor, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
};

use zip::{ZipWriter, write::SimpleFileOptions};

use super::{picture::jpeg, server::Setup};

/// How an answer is sent.
#[derive(Clone, Debug)]
pub(crate) enum Says {
    /// The file, with this content type.
    File(&'static str, Vec<u8>),
    /// So many bytes of the archive, then the connection ends.
    Cut(usize),
    /// So many bytes of the archive, then nothing until [`Metadb::release`].
    Held(usize),
    /// A web page with the status 200.
    Page,
    /// Another status.
    Status(u16),
}

/// One request.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// The path.
    pub(crate) path: String,
    /// The whole head, in lower case.
    pub(crate) head: String,
}

#[derive(Default)]
struct Inner {
    archive: Vec<u8>,
    etag: String,
    /// What is said instead of the archive, in turn; then the archive.
    faults: Vec<Says>,
    /// What is said instead of pictures, by the name of the file.
    pictures: HashMap<String, Says>,
    seen: Vec<Seen>,
    is_released: bool,
    /// Pictures that are being sent, and the most at one time.
    open: usize,
    most: usize,
}

#[derive(Default)]
struct Shared {
    inner: Mutex<Inner>,
    changed: Condvar,
    stopping: AtomicBool,
}

/// The server. It ends when it is dropped.
pub(crate) struct Metadb {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Metadb {
    /// A database of these members: name and XML.
    pub(crate) fn new(members: &[(&str, &str)]) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("its address");
        let shared = Arc::new(Shared::default());
        let serving = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            let mut threads = Vec::new();
            for stream in listener.incoming() {
                if serving.stopping.load(Ordering::SeqCst) {
                    break;
                }
                let serving = Arc::clone(&serving);
                threads.push(thread::spawn(move || {
                    // OK because a client that is killed reads no answer.
                    drop(stream.and_then(|stream| serve(stream, &serving)));
                }));
            }
            for thread in threads {
                thread.join().expect("no panic");
            }
        });
        let metadb = Self { address, shared, thread: Some(thread) };
        metadb.publish("\"one\"", members);
        metadb
    }

    /// The program with this database instead of the real one.
    pub(crate) fn setup(&self) -> Setup {
        let base = |folder: &str| format!("http://{}/{folder}", self.address);
        let setup = Setup::new().env("SERVICE_METADB_BASE", base("db"));
        setup.env("SERVICE_METADB_IMAGE_BASE", base("images"))
    }

    /// The address of a picture.
    pub(crate) fn picture_url(&self, name: &str) -> String {
        format!("http://{}/images/{name}", self.address)
    }

    /// Publishes another archive.
    pub(crate) fn publish(&self, etag: &str, members: &[(&str, &str)]) {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, text) in members {
            zip.start_file(*name, SimpleFileOptions::default()).expect("a member");
            zip.write_all(text.as_bytes()).expect("in memory");
        }
        let mut inner = self.inner();
        inner.archive = zip.finish().expect("in memory").into_inner();
        etag.clone_into(&mut inner.etag);
    }

    /// Answers the next requests for the archive so, in turn.
    pub(crate) fn fail(&self, faults: &[Says]) {
        self.inner().faults = faults.to_vec();
    }

    /// Answers requests for a picture so, until this is called for it again.
    pub(crate) fn say_of(&self, name: &str, says: Says) {
        self.inner().pictures.insert(name.to_owned(), says);
    }

    /// Lets answers that are held go on.
    pub(crate) fn release(&self) {
        self.inner().is_released = true;
        self.shared.changed.notify_all();
    }

    /// Bytes of the archive.
    pub(crate) fn archive_len(&self) -> usize {
        self.inner().archive.len()
    }

    /// The most pictures that were asked for at one time.
    pub(crate) fn most_at_once(&self) -> usize {
        self.inner().most
    }

    /// The requests since the last call.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        std::mem::take(&mut self.inner().seen)
    }

    fn inner(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.shared.inner.lock().expect("no panic")
    }
}

impl Drop for Metadb {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        self.release();
        // OK because the connection only has to wake the thread.
        drop(TcpStream::connect(self.address));
        if let Some(thread) = self.thread.take() {
            thread.join().expect("no panic");
        }
    }
}

fn serve(stream: TcpStream, shared: &Shared) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while reader.read_line(&mut head)? > 2 {}
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let head = head.to_lowercase();
    {
        let mut inner = shared.inner.lock().expect("no panic");
        inner.seen.push(Seen { path: path.clone(), head: head.clone() });
    }
    let mut stream = reader.into_inner();
    if path == "/db/Metadata.zip" {
        archive(&mut stream, &head, shared)
    } else if let Some(name) = path.strip_prefix("/images/") {
        let count = |inner: &mut Inner| {
            inner.open += 1;
            inner.most = inner.most.max(inner.open);
        };
        count(&mut shared.inner.lock().expect("no panic"));
        let sent = picture(&mut stream, name, shared);
        shared.inner.lock().expect("no panic").open -= 1;
        sent
    } else {
        say(&mut stream, "404 Not Found", "text/plain", b"")
    }
}

fn say(stream: &mut TcpStream, status: &str, kind: &str, body: &[u8]) -> std::io::Result<()> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)
}

fn archive(stream: &mut TcpStream, head: &str, shared: &Shared) -> std::io::Result<()> {
    let (bytes, etag, fault) = {
        let mut inner = shared.inner.lock().expect("no panic");
        let fault = (!inner.faults.is_empty()).then(|| inner.faults.remove(0));
        (inner.archive.clone(), inner.etag.clone(), fault)
    };
    let header = |name: &str| {
        let lines = head.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(known, _)| *known == name).map(|(_, value)| value.trim().to_owned()).next()
    };
    if header("if-none-match").as_deref() == Some(&etag) {
        let answer =
            format!("HTTP/1.1 304 Not Modified\r\nETag: {etag}\r\nConnection: close\r\n\r\n");
        return stream.write_all(answer.as_bytes());
    }
    let range = header("range").filter(|_| header("if-range").as_deref() == Some(&etag));
    let from =
        range.and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok());
    let rest = &bytes[from.unwrap_or(0)..];
    let mut answer = match from {
        Some(from) => format!(
            "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes {from}-{}/{}\r\n",
            bytes.len() - 1,
            bytes.len()
        ),
        None => "HTTP/1.1 200 OK\r\n".to_owned(),
    };
    write!(
        answer,
        "Content-Type: application/zip\r\nETag: {etag}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        rest.len()
    )
    .expect("in memory");
    match fault {
        None => {
            stream.write_all(answer.as_bytes())?;
            stream.write_all(rest)
        }
        Some(Says::Cut(count)) => {
            stream.write_all(answer.as_bytes())?;
            stream.write_all(&rest[..count.min(rest.len())])
        }
        Some(Says::Held(count)) => {
            stream.write_all(answer.as_bytes())?;
            stream.write_all(&rest[..count])?;
            let inner = shared.inner.lock().expect("no panic");
            let waits = |inner: &mut Inner| !inner.is_released;
            drop(shared.changed.wait_while(inner, waits).expect("no panic"));
            stream.write_all(&rest[count..])
        }
        Some(other) => answer_with(stream, &other),
    }
}

fn picture(stream: &mut TcpStream, name: &str, shared: &Shared) -> std::io::Result<()> {
    let said = {
        let inner = shared.inner.lock().expect("no panic");
        let said = inner.pictures.get(name).cloned();
        if matches!(said, Some(Says::Held(_))) {
            let waits = |inner: &mut Inner| !inner.is_released;
            drop(shared.changed.wait_while(inner, waits).expect("no panic"));
        }
        said.filter(|said| !matches!(said, Says::Held(_)))
    };
    let bytes = picture_of(name);
    match said {
        None => answer_with(stream, &Says::File("image/jpeg", bytes)),
        Some(Says::Cut(count)) => {
            let length = bytes.len();
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
            );
            stream.write_all(head.as_bytes())?;
            stream.write_all(&bytes[..count.min(length)])
        }
        Some(says) => answer_with(stream, &says),
    }
}

/// The picture with this name.
pub(crate) fn picture_of(name: &str) -> Vec<u8> {
    let seed = name.bytes().fold(7, |seed: u32, byte| seed.wrapping_mul(31) ^ u32::from(byte));
    jpeg(24, 32, seed)
}

fn answer_with(stream: &mut TcpStream, says: &Says) -> std::io::Result<()> {
    match says {
        Says::File(kind, bytes) => say(stream, "200 OK", kind, bytes),
        Says::Page => {
            say(stream, "200 OK", "text/html; charset=utf-8", b"<html>Just a moment...</html>")
        }
        Says::Status(status) => say(stream, &format!("{status} Sorry"), "text/plain", b"sorry"),
        Says::Cut(_) | Says::Held(_) => Ok(()),
    }
}

/// A game of the dump: number, name, platform, and pictures as type, region and name of the file.
pub(crate) type Entry<'a> = (u32, &'a str, &'a str, &'a [(&'a str, &'a str, &'a str)]);

/// The dump of games.
pub(crate) fn dump(games: &[Entry<'_>]) -> String {
    let (mut rows, mut images) = (String::new(), String::new());
    // Pictures have the name of one file in many games of a large dump.
    let mut sums: HashMap<&str, u32> = HashMap::new();
    for (id, name, platform, pictures) in games {
        write!(
            rows,
            "<Game><Name>{name}</Name><ReleaseDate>1994-03-18T00:00:00-08:00</ReleaseDate>\
             <Overview>Two &amp; a robot.&#x1F;</Overview><MaxPlayers>2</MaxPlayers>\
             <ReleaseType>Released</ReleaseType><Cooperative>true</Cooperative><DatabaseID>{id}</DatabaseID>\
             <CommunityRating>3.8333333</CommunityRating><Platform>{platform}</Platform>\
             <ESRB>E - Everyone</ESRB><Genres> Shooter; Action</Genres><Developer>Northlight</Developer>\
             <Publisher>Aster</Publisher></Game>"
        )
        .expect("in memory");
        for (kind, region, file) in *pictures {
            let sum = sums.entry(file).or_insert_with(|| crc32fast::hash(&picture_of(file)));
            write!(
                images,
                "<GameImage><DatabaseID>{id}</DatabaseID><FileName>{file}</FileName><Type>{kind}</Type>\
                 <Region>{region}</Region><CRC32>{sum}</CRC32></GameImage>"
            )
            .expect("in memory");
        }
    }
    format!(
        "\u{feff}<?xml version=\"1.0\" standalone=\"yes\"?>\r\n<LaunchBox>{rows}{images}</LaunchBox>"
    )
}
