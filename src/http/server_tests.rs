//! The server under attack: a small service behind it, raw sockets in front of it.
//!
//! Nothing here sleeps to wait for the server: a test waits for bytes, for the end of a stream, or
//! for a channel of the service. Timeouts are those of the server, shortened.

use std::{
    io::{self, Read, Write},
    net::{Shutdown, SocketAddr, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
use rustix::event::{PollFd, PollFlags};

use super::{
    reply::{Body, Reply},
    request::{BodyRead, Head, Request, RequestId},
    server::{Listener, Server, Settings},
    service::{Lane, Service},
    sse::Sink,
};

/// Answers what a request looked like; some paths misbehave.
struct Mirror {
    /// Every call of the slow lane announces itself here and waits for a word.
    held: Sender<Sender<()>>,
    served: AtomicUsize,
}

impl Service for Mirror {
    fn lane(&self, head: &Head) -> Lane {
        match head.path() {
            "/slow" => Lane::Slow,
            "/stream" => Lane::Stream,
            _ => Lane::Quick,
        }
    }

    fn is_trusted(&self, head: &Head) -> bool {
        head.header("X-Stranger").is_none()
    }

    fn answer(&self, request: Request, read: BodyRead) -> Reply {
        self.served.fetch_add(1, Ordering::Relaxed);
        match request.path() {
            "/panic" => panic!("as asked"),
            "/large" => Reply::new(200, "text/plain", Body::Bytes(vec![b'x'; 64 << 20])),
            "/slow" | "/hold" => {
                let (release, released) = bounded(0);
                self.held.send(release).expect("the test listens");
                // Released by a word or by the end of the test.
                released.recv().ok();
                Reply::json_bytes(200, b"\"done\"".to_vec())
            }
            path => {
                let body = String::from_utf8_lossy(&request.body);
                let text = format!("{:?} {path} {read:?} {body}", request.method);
                Reply::new(200, "text/plain", Body::Bytes(text.into_bytes()))
            }
        }
    }

    fn stream(&self, request: Request, sink: Sink) {
        assert!(request.query().get("panic").is_none(), "as asked");
        let (release, released) = bounded(0);
        self.held.send(release).expect("the test listens");
        let Ok(Some(mut stream)) = sink.open() else { return };
        while released.recv().is_ok() {
            if stream.send("tick", "1").is_err() {
                return;
            }
        }
    }

    fn panicked(&self, _id: RequestId) -> Reply {
        Reply::json_bytes(500, b"\"panicked\"".to_vec())
    }

    fn incomplete(&self, _id: RequestId) -> Reply {
        Reply::json_bytes(400, b"\"incomplete\"".to_vec())
    }
}

struct Fixture {
    server: Server,
    mirror: Arc<Mirror>,
    held: Receiver<Sender<()>>,
}

impl Fixture {
    fn start() -> Self {
        Self::with_timeout(Duration::from_secs(30))
    }

    fn with_timeout(socket_timeout: Duration) -> Self {
        let (sender, held) = unbounded();
        let mirror = Arc::new(Mirror { held: sender, served: AtomicUsize::new(0) });
        let listener = Listener::bind(Settings { preferred_port: None, socket_timeout });
        let service: Arc<dyn Service> = Arc::<Mirror>::clone(&mirror);
        let server = Server::start(listener.expect("bound"), service).expect("started");
        Self { server, mirror, held }
    }

    fn connect(&self) -> Client {
        let address = SocketAddr::from(([127, 0, 0, 1], self.server.port()));
        let stream = TcpStream::connect(address).expect("connected");
        // A test that goes wrong fails instead of hanging.
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("set");
        Client { stream }
    }

    fn ask(&self, request: &str) -> String {
        let mut client = self.connect();
        client.send(request);
        client.read_answer()
    }
}

struct Client {
    stream: TcpStream,
}

impl Client {
    fn send(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).expect("sent");
    }

    /// Reads one answer by its `Content-Length`; empty at the end of the stream.
    fn read_answer(&mut self) -> String {
        let mut bytes = Vec::new();
        let mut byte = [0];
        while !bytes.ends_with(b"\r\n\r\n") {
            match self.stream.read(&mut byte) {
                Ok(1) => bytes.push(byte[0]),
                Ok(_) => return String::new(),
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => {
                    return String::new();
                }
                Err(error) => panic!("no answer: {error}"),
            }
        }
        let head = String::from_utf8(bytes).expect("text");
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("Content-Length: "))
            .map_or(0, |length| length.parse().expect("a number"));
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).expect("a whole body");
        head + &String::from_utf8(body).expect("text")
    }

    /// Everything until the server ends the connection.
    fn read_to_end(&mut self) -> String {
        let mut bytes = Vec::new();
        match self.stream.read_to_end(&mut bytes) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => {}
            Err(error) => panic!("the connection did not end: {error}"),
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

const GET: &str = "GET /hello?a=1 HTTP/1.1\r\nHost: x\r\n\r\n";

#[track_caller]
fn assert_answer(answer: &str, status: u16, body: &str) {
    assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
    assert!(answer.ends_with(&format!("\r\n\r\n{body}")), "{answer}");
}

#[test]
fn keeps_connections_and_order() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    for _ in 0..3 {
        client.send(GET);
        assert_answer(&client.read_answer(), 200, "Get /hello Complete ");
    }
    client.send(&GET.repeat(20));
    for _ in 0..20 {
        assert_answer(&client.read_answer(), 200, "Get /hello Complete ");
    }
    client.send("GET /bye HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert!(client.read_answer().contains("Connection: close\r\n"));
    assert_eq!(client.read_to_end(), "");
}

#[test]
fn speaks_http_1_0() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    client.send("GET /old HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    assert!(client.read_answer().contains("Connection: keep-alive\r\n"));
    client.send("GET /old HTTP/1.0\r\n\r\n");
    assert!(client.read_answer().contains("Connection: close\r\n"));
    assert_eq!(client.read_to_end(), "");
}

#[test]
fn head_has_no_body() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    client.send("HEAD /hello HTTP/1.1\r\nConnection: close\r\n\r\n");
    let answer = client.read_to_end();
    assert!(answer.contains("Content-Length: 21\r\n") && answer.ends_with("\r\n\r\n"), "{answer}");
}

#[test]
fn reads_bodies_up_to_the_limit() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    for length in [0, 1, 1024, 1025, 65_536] {
        let body = "b".repeat(length);
        client.send(&format!("POST /p HTTP/1.1\r\nContent-Length: {length}\r\n\r\n{body}"));
        assert_answer(&client.read_answer(), 200, &format!("Post /p Complete {body}"));
    }
}

#[test]
fn discards_longer_bodies_and_keeps_the_connection() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    // Many times, because the guard may look at any moment of it.
    for length in [65_537, 131_072, 400_000, 3_000_000].repeat(8) {
        client.send(&format!("POST /p HTTP/1.1\r\nContent-Length: {length}\r\n\r\n"));
        client.stream.write_all(&vec![b'x'; length]).expect("all of it is taken");
        assert_answer(&client.read_answer(), 200, "Post /p TooLarge ");
    }
    client.send(GET);
    assert_answer(&client.read_answer(), 200, "Get /hello Complete ");
}

#[test]
fn a_long_body_of_which_nothing_comes_is_answered_at_the_end_of_the_connection() {
    let fixture = Fixture::start();
    for stranger in ["", "X-Stranger: 1\r\n"] {
        let mut client = fixture.connect();
        client.send(&format!("POST /p HTTP/1.1\r\n{stranger}Content-Length: 70000\r\n\r\n"));
        assert_answer(&client.read_answer(), 200, "Post /p TooLarge ");
        assert_eq!(client.read_to_end(), "");
    }
}

#[test]
fn expect_continue_is_answered_before_the_body() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    client.send("POST /p HTTP/1.1\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
    assert!(client.read_answer().starts_with("HTTP/1.1 100 "));
    client.send("abc");
    assert_answer(&client.read_answer(), 200, "Post /p Complete abc");
    client.send("POST /p HTTP/1.1\r\nContent-Length: 99999\r\nExpect: 100-continue\r\n\r\n");
    assert_answer(&client.read_answer(), 200, "Post /p TooLarge ");
    assert_eq!(client.read_to_end(), "");
}

#[test]
fn an_enormous_lie_is_answered_and_kills_nothing() {
    let fixture = Fixture::start();
    for length in ["1000000000000", "70000000", "9223372036854775807", "99999999999999999999999"] {
        let mut client = fixture.connect();
        client.send(&format!("POST /p HTTP/1.1\r\nContent-Length: {length}\r\n\r\nx"));
        assert_answer(&client.read_to_end(), 200, "Post /p TooLarge ");
    }
    assert_answer(&fixture.ask(GET), 200, "Get /hello Complete ");
}

#[test]
fn bodies_without_a_known_end_are_refused() {
    let fixture = Fixture::start();
    for framing in [
        "Transfer-Encoding: chunked",
        "Content-Length: +5",
        "Content-Length: 5\r\nContent-Length: 6",
        "Content-Length: +1000000000000",
    ] {
        let mut client = fixture.connect();
        let smuggled = "5\r\nhello\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n";
        client.send(&format!("POST /p HTTP/1.1\r\n{framing}\r\n\r\n{smuggled}"));
        assert_answer(&client.read_to_end(), 200, "Post /p Unframed ");
    }
    assert_eq!(fixture.mirror.served.load(Ordering::Relaxed), 4, "nothing smuggled was served");
}

#[test]
fn a_truncated_body_is_answered() {
    let fixture = Fixture::start();
    for length in [3, 1_024, 1_025, 2_000, 65_536, 70_000] {
        let mut client = fixture.connect();
        client.send(&format!("POST /p HTTP/1.1\r\nContent-Length: {length}\r\n\r\nab"));
        client.stream.shutdown(Shutdown::Write).expect("shut");
        let read = if length > 65_536 { "TooLarge" } else { "Truncated" };
        assert_answer(&client.read_to_end(), 200, &format!("Post /p {read} "));
    }
}

#[test]
fn only_the_last_of_several_requests_is_truncated() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    let whole = "POST /p HTTP/1.1\r\nContent-Length: 2\r\n\r\nab";
    client.send(&format!("{whole}{whole}POST /p HTTP/1.1\r\nContent-Length: 3\r\n\r\nab"));
    client.stream.shutdown(Shutdown::Write).expect("shut");
    assert_answer(&client.read_answer(), 200, "Post /p Complete ab");
    assert_answer(&client.read_answer(), 200, "Post /p Complete ab");
    assert_answer(&client.read_to_end(), 200, "Post /p Truncated ");
}

#[test]
fn stalled_clients_are_cut_off() {
    let fixture = Fixture::with_timeout(Duration::from_millis(300));
    let mut body = fixture.connect();
    body.send("POST /p HTTP/1.1\r\nContent-Length: 2000\r\n\r\nab");
    let mut small_body = fixture.connect();
    small_body.send("POST /p HTTP/1.1\r\nContent-Length: 20\r\n\r\nab");
    let mut head = fixture.connect();
    head.send("GET /p HTTP/1.1\r\nHo");
    let mut silent = fixture.connect();
    let mut kept = fixture.connect();
    kept.send(GET);
    assert_answer(&kept.read_answer(), 200, "Get /hello Complete ");
    assert_answer(&body.read_to_end(), 200, "Post /p Truncated ");
    assert_answer(&small_body.read_to_end(), 400, "\"incomplete\"");
    assert_answer(&head.read_to_end(), 400, "\"incomplete\"");
    assert_eq!(silent.read_to_end(), "");
    assert_eq!(kept.read_to_end(), "");
}

#[test]
fn a_lone_stalled_client_is_noticed_every_time() {
    let fixture = Fixture::with_timeout(Duration::from_millis(60));
    for _ in 0..20 {
        let mut client = fixture.connect();
        client.send("GET");
        assert_answer(&client.read_to_end(), 400, "\"incomplete\"");
    }
}

#[test]
fn the_body_of_a_stranger_is_not_waited_for() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    client.send("POST /p HTTP/1.1\r\nX-Stranger: 1\r\nContent-Length: 2000\r\n\r\nab");
    assert_answer(&client.read_to_end(), 200, "Post /p Truncated ");
}

#[test]
fn a_dripping_client_runs_out_of_budget() {
    let fixture = Fixture::with_timeout(Duration::from_millis(200));
    let mut client = fixture.connect();
    client.send("GET /");
    let mut writer = client.stream.try_clone().expect("cloned");
    let (ended, end) = bounded::<()>(0);
    let dripper = thread::Builder::new().spawn(move || {
        // The channel is the clock of the drops; it ends with the test.
        let tick = Duration::from_millis(20);
        while end.recv_timeout(tick) == Err(RecvTimeoutError::Timeout) {
            if writer.write_all(b"x").is_err() {
                return;
            }
        }
    });
    assert!(client.read_to_end().contains("\"incomplete\""));
    drop(ended);
    dripper.expect("spawned").join().expect("no panic");
}

#[test]
fn an_endless_head_is_severed() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    client.send("GET / HTTP/1.1\r\nX-Endless: ");
    let chunk = vec![b'a'; 64 * 1024];
    let mut sent = 0_usize;
    while client.stream.write_all(&chunk).is_ok() {
        sent += chunk.len();
        assert!(sent < 2 << 30, "two gigabytes of header were taken");
    }
    assert_answer(&fixture.ask(GET), 200, "Get /hello Complete ");
}

#[test]
fn endless_pipelining_is_severed() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    client.send("GET /hold HTTP/1.1\r\n\r\n");
    let release = fixture.held.recv().expect("held");
    let burst = GET.repeat(1_000);
    let mut sent = 0_usize;
    while client.stream.write_all(burst.as_bytes()).is_ok() {
        sent += burst.len();
        assert!(sent < 1 << 30, "a gigabyte of requests was taken");
    }
    drop(release);
    assert_answer(&fixture.ask(GET), 200, "Get /hello Complete ");
}

#[test]
fn a_panic_is_answered() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    client.send("GET /panic HTTP/1.1\r\n\r\n");
    assert_answer(&client.read_answer(), 500, "\"panicked\"");
    client.send(GET);
    assert_answer(&client.read_answer(), 200, "Get /hello Complete ");
    assert_answer(&fixture.ask("GET /stream?panic HTTP/1.1\r\n\r\n"), 500, "\"panicked\"");
}

#[test]
fn stalled_bodies_and_readers_do_not_stop_others() {
    let fixture = Fixture::start();
    let mut stalled: Vec<Client> = (0..40).map(|_| fixture.connect()).collect();
    for (index, client) in stalled.iter_mut().enumerate() {
        if index % 2 == 0 {
            client.send("POST /p HTTP/1.1\r\nContent-Length: 2000\r\n\r\nab");
        } else {
            client.send("GET /large HTTP/1.1\r\n\r\n");
        }
    }
    let began = Instant::now();
    assert_answer(&fixture.ask(GET), 200, "Get /hello Complete ");
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[test]
fn a_slow_reader_gets_everything_and_a_dead_one_is_cut() {
    let fixture = Fixture::with_timeout(Duration::from_millis(500));
    let mut slow = fixture.connect();
    slow.send("GET /large HTTP/1.1\r\n\r\n");
    let mut dead = fixture.connect();
    dead.send("GET /large HTTP/1.1\r\n\r\n");
    assert_eq!(slow.read_answer().len() & !0xFFF, 64 << 20);
    // The dead one reads nothing until its worker has given up: what is left in its buffers is all
    // it ever gets.
    let mut taken = 0;
    let mut buffer = vec![0; 1 << 16];
    let mut polled = [PollFd::new(&dead.stream, PollFlags::RDHUP)];
    rustix::event::poll(&mut polled, None).expect("polled");
    while let Ok(read @ 1..) = dead.stream.read(&mut buffer) {
        taken += read;
    }
    assert!(taken < 64 << 20, "{taken}");
}

#[test]
fn slow_requests_leave_the_quick_lane_alone() {
    let fixture = Fixture::start();
    let mut clients: Vec<Client> = (0..30).map(|_| fixture.connect()).collect();
    for client in &mut clients {
        client.send("POST /slow HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}");
    }
    let releases: Vec<_> = (0..8).map(|_| fixture.held.recv().expect("held")).collect();
    assert_answer(&fixture.ask(GET), 200, "Get /hello Complete ");
    assert!(fixture.held.is_empty(), "eight at a time");
    drop(releases);
    for _ in 0..22 {
        drop(fixture.held.recv().expect("held"));
    }
    for client in &mut clients {
        assert_answer(&client.read_answer(), 200, "\"done\"");
    }
}

#[test]
fn a_pipelined_request_waits_its_turn() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    client.send("GET /slow HTTP/1.1\r\n\r\n");
    client.send(GET);
    client.send("GET /slow HTTP/1.1\r\n\r\n");
    let release = fixture.held.recv().expect("held");
    assert_eq!(fixture.mirror.served.load(Ordering::Relaxed), 1);
    assert_answer(&fixture.ask(GET), 200, "Get /hello Complete ");
    drop(release);
    assert_answer(&client.read_answer(), 200, "\"done\"");
    assert_answer(&client.read_answer(), 200, "Get /hello Complete ");
    drop(fixture.held.recv().expect("held"));
    assert_answer(&client.read_answer(), 200, "\"done\"");
}

#[test]
fn streams_occupy_no_lane_and_end_with_their_connection() {
    let fixture = Fixture::start();
    let mut streams: Vec<(Client, Sender<()>)> = (0..20)
        .map(|_| {
            let mut client = fixture.connect();
            client.send("GET /stream HTTP/1.1\r\n\r\n");
            assert!(client.read_answer().contains("text/event-stream"));
            (client, fixture.held.recv().expect("held"))
        })
        .collect();
    assert_answer(&fixture.ask(GET), 200, "Get /hello Complete ");
    for (client, release) in &mut streams {
        release.send(()).expect("the stream lives");
        let mut buffer = [0; 64];
        let mut text = String::new();
        while !text.ends_with("data: 1\n\n") {
            let read = client.stream.read(&mut buffer).expect("an event");
            text.push_str(str::from_utf8(&buffer[..read]).expect("text"));
        }
        assert_eq!(text, ": ok\n\nevent: tick\ndata: 1\n\n");
    }
    for (mut client, release) in streams {
        drop(release);
        assert_eq!(client.read_to_end(), "");
    }
}

#[test]
fn five_hundred_idle_connections_and_one_more() {
    let fixture = Fixture::start();
    let idle: Vec<Client> = (0..500).map(|_| fixture.connect()).collect();
    assert_answer(&fixture.ask(GET), 200, "Get /hello Complete ");
    // Beyond the cap the longest idle go first, and every new client is still served.
    let mut more: Vec<Client> = (0..60).map(|_| fixture.connect()).collect();
    for client in &mut more {
        client.send(GET);
        assert_answer(&client.read_answer(), 200, "Get /hello Complete ");
    }
    let is_open = |client: &Client| {
        client.stream.set_nonblocking(true).expect("set");
        client.stream.peek(&mut [0]).is_err()
    };
    let deadline = Instant::now() + Duration::from_secs(10);
    while idle.iter().filter(|client| is_open(client)).count() + more.len() > 512 {
        assert!(Instant::now() < deadline, "more connections than the cap");
        thread::yield_now();
    }
}

#[test]
fn stopping_lets_requests_finish_and_ends_the_rest() {
    let fixture = Fixture::start();
    let mut working = fixture.connect();
    working.send("GET /hold HTTP/1.1\r\n\r\n");
    let release = fixture.held.recv().expect("held");
    let mut idle = fixture.connect();
    idle.send(GET);
    assert_answer(&idle.read_answer(), 200, "Get /hello Complete ");
    let port = fixture.server.port();
    let stopper = thread::Builder::new().spawn(move || fixture.server.stop()).expect("spawned");
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    while TcpStream::connect(address).is_ok() {
        thread::yield_now();
    }
    release.send(()).expect("the handler lives");
    assert_answer(&working.read_answer(), 200, "\"done\"");
    stopper.join().expect("no panic");
    assert_eq!(idle.read_to_end(), "");
    assert_eq!(working.read_to_end(), "");
}

#[test]
fn prefers_a_port_and_takes_another() {
    let fixture = Fixture::start();
    let port = fixture.server.port();
    let settings = Settings { preferred_port: Some(port), ..Settings::default() };
    let other = Listener::bind(settings).expect("bound");
    assert_ne!(other.port(), port);
    fixture.server.stop();
    let again = Listener::bind(settings).expect("bound");
    assert_eq!(again.port(), port);
}

#[test]
fn reads_timeouts() {
    let check = |text, seconds| {
        assert_eq!(Settings::parse_timeout(text), Duration::from_secs_f64(seconds), "{text:?}");
    };
    check(None, 30.0);
    check(Some("0.3"), 0.3);
    check(Some(" 5 "), 5.0);
    for wrong in ["", "0", "-1", "NaN", "inf", "1e9", "soon"] {
        check(Some(wrong), 30.0);
    }
}
