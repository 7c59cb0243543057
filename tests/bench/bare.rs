//! The transport by itself, in a process of its own, so that it competes for the processor as the
//! program does: tiny_http with four threads and an answer made beforehand, or a bare socket that
//! writes head and body at once, which is the least that the loopback interface takes.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    sync::Arc,
    thread,
};

use tiny_http::{Header, Response, Server};

/// The argument that turns the benchmark into the bare server.
pub(crate) const ARGUMENT: &str = "--bare-server";

/// The argument that turns it into a bare socket.
pub(crate) const SOCKET_ARGUMENT: &str = "--bare-socket";

/// Threads that answer.
const THREADS: usize = 4;

/// A running bare server, killed when it goes out of scope.
pub(crate) struct Bare {
    child: Child,
    /// Where it listens.
    pub(crate) address: SocketAddr,
}

impl Bare {
    /// Starts one that answers every request with this many bytes of JSON.
    pub(crate) fn start(size: usize) -> Self {
        Self::launch(ARGUMENT, size)
    }

    /// The same without tiny_http.
    pub(crate) fn socket(size: usize) -> Self {
        Self::launch(SOCKET_ARGUMENT, size)
    }

    fn launch(argument: &str, size: usize) -> Self {
        let program = std::env::current_exe().expect("the path of the benchmark");
        let mut child = Command::new(program)
            .args([argument, &size.to_string()])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the bare server starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("piped");
        BufReader::new(stdout).read_line(&mut line).expect("its address");
        Self { child, address: line.trim().parse().expect("its address") }
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Answers until it is killed.
pub(crate) fn serve(size: usize) {
    let server = Arc::new(Server::http("127.0.0.1:0").expect("a free port"));
    let address = server.server_addr().to_ip().expect("an IP address");
    super::report::say(&address.to_string());
    let body = vec![b'x'; size];
    let header = Header::from_bytes("Content-Type", "application/json").expect("a header");
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Ok(request) = server.recv() {
                    let answer = Response::from_data(body.clone())
                        .with_header(header.clone())
                        .with_chunked_threshold(usize::MAX);
                    drop(request.respond(answer));
                }
            });
        }
    });
}

/// Answers one connection after the other until it is killed, each answer with one write.
pub(crate) fn serve_socket(size: usize) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    super::report::say(&listener.local_addr().expect("its address").to_string());
    let mut answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n\r\n").into_bytes();
    answer.resize(answer.len() + size, b'x');
    for stream in listener.incoming() {
        // OK because a client that goes away ends its connection and nothing else.
        drop(answer_all(stream.expect("a connection"), &answer));
    }
}

fn answer_all(mut stream: TcpStream, answer: &[u8]) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let (mut request, mut buffer) = (Vec::new(), [0; 4_096]);
    loop {
        let read = stream.read(&mut buffer)?;
        if read == 0 {
            return Ok(());
        }
        request.extend_from_slice(&buffer[..read]);
        if request.ends_with(b"\r\n\r\n") {
            request.clear();
            stream.write_all(answer)?;
        }
    }
}
