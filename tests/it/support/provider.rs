//! A stand-in for a provider: a small HTTP server on this machine that answers as a test says and notes
//! what it was asked.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
};

/// An answer.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    /// Status with its words, such as `200 OK`, and further header lines behind `\r\n`.
    pub(crate) head: String,
    /// The content type.
    pub(crate) kind: &'static str,
    /// The body.
    pub(crate) body: Vec<u8>,
}

impl Reply {
    /// An answer with this status and content type.
    pub(crate) fn new(head: &str, kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { head: head.to_owned(), kind, body: body.into() }
    }

    /// Good JSON.
    pub(crate) fn json(value: &serde_json::Value) -> Self {
        Self::new("200 OK", "application/json", value.to_string())
    }
}

/// What a request is answered: by its path, and by its head in lower case with the body behind it.
type Says = Box<dyn Fn(&str, &str) -> Reply + Send>;

struct Shared {
    says: Mutex<Says>,
    seen: Mutex<Vec<String>>,
    is_stopping: AtomicBool,
}

/// The server. It ends when it is dropped.
pub(crate) struct Provider {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Provider {
    /// A server that answers so.
    pub(crate) fn new(says: impl Fn(&str, &str) -> Reply + Send + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("its address");
        let shared = Arc::new(Shared {
            says: Mutex::new(Box::new(says)),
            seen: Mutex::default(),
            is_stopping: AtomicBool::new(false),
        });
        let serving = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            for stream in listener.incoming() {
                if serving.is_stopping.load(Ordering::SeqCst) {
                    break;
                }
                // OK because a client that goes away reads no answer.
                drop(stream.and_then(|stream| serve(stream, &serving)));
            }
        });
        Self { address, shared, thread: Some(thread) }
    }

    /// Its address without a path.
    pub(crate) fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Answers requests so from now on.
    pub(crate) fn says(&self, says: impl Fn(&str, &str) -> Reply + Send + 'static) {
        *self.shared.says.lock().expect("no panic") = Box::new(says);
    }

    /// The heads of the requests since the last call, in lower case, each with its body behind it.
    pub(crate) fn seen(&self) -> Vec<String> {
        std::mem::take(&mut self.shared.seen.lock().expect("no panic"))
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.shared.is_stopping.store(true, Ordering::SeqCst);
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
    let mut head = head.to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.and_then(|length| length.trim().parse().ok()).unwrap_or(0)];
    reader.read_exact(&mut body)?;
    head.push_str(&String::from_utf8_lossy(&body));
    let reply = shared.says.lock().expect("no panic")(&path, &head);
    shared.seen.lock().expect("no panic").push(head);
    let Reply { head, kind, body } = reply;
    let mut stream = reader.into_inner();
    write!(stream, "HTTP/1.1 {head}\r\nContent-Type: {kind}\r\nConnection: close\r\n")?;
    // A test may say another one than is true.
    if !head.contains("Content-Length") {
        write!(stream, "Content-Length: {}\r\n", body.len())?;
    }
    stream.write_all(b"\r\n")?;
    stream.write_all(&body)
}
