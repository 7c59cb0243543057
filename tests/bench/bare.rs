//! The transport by itself: tiny_http with four threads and an answer made beforehand, in a process
//! of its own, so that it competes for the processor as the program does.

use std::{
    io::{BufRead, BufReader},
    net::SocketAddr,
    process::{Child, Command, Stdio},
    sync::Arc,
    thread,
};

use tiny_http::{Header, Response, Server};

/// The argument that turns the benchmark into the bare server.
pub(crate) const ARGUMENT: &str = "--bare-server";

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
        let program = std::env::current_exe().expect("the path of the benchmark");
        let mut child = Command::new(program)
            .args([ARGUMENT, &size.to_string()])
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
