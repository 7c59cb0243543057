//! The dispatcher between a real store and a network that does what the test says.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender, unbounded};
use serde_json::{Value, json};

use crate::{
    files::Files,
    model::State,
    net::{
        client::{Answered, Post, Unanswered},
        location::Location,
    },
    notices::notice::Notice,
    store::{Store, options},
    webhooks::{
        config::{self, Webhook},
        dispatcher::{Options, Webhooks},
        occurrence::{Action, Occurrence, Subject},
        outside::Outside,
        policy::Policy,
    },
};

const LONG: Duration = Duration::from_secs(20);

/// A request as the network saw it.
struct Seen {
    host: String,
    headers: Vec<(String, String)>,
    body: Value,
}

/// The network: hosts that begin with `dead` hang until the test is over, the others answer what
/// the test hands them, one answer a request.
struct World {
    address: Arc<Mutex<IpAddr>>,
    seen: Sender<Seen>,
    answers: Receiver<Result<Answered, Unanswered>>,
    end: Receiver<()>,
    hanging: Arc<AtomicUsize>,
}

impl Outside for World {
    fn resolve(&self, location: &Location) -> io::Result<Vec<SocketAddr>> {
        Ok(vec![SocketAddr::new(*self.address.lock().expect("no panic"), location.port())])
    }

    fn is_listening(&self, _: SocketAddr) -> bool {
        false
    }

    fn post(&self, post: &Post<'_>) -> Result<Answered, Unanswered> {
        let host = post.location.host().to_owned();
        let hangs = host.starts_with("dead");
        let headers = post.headers.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let seen = Seen {
            host,
            headers: headers.collect(),
            body: serde_json::from_slice(post.body).expect("JSON"),
        };
        self.seen.send(seen).expect("the test listens");
        if hangs {
            self.hanging.fetch_add(1, Ordering::SeqCst);
            // OK because either way the test is over.
            let _over = self.end.recv();
            return Err(Unanswered("the test is over".to_owned()));
        }
        self.answers.recv_timeout(LONG).unwrap_or_else(|_| Err(Unanswered("no answer".into())))
    }
}

/// A dispatcher in its world.
struct House {
    webhooks: Webhooks,
    store: Store,
    states: Receiver<Arc<State>>,
    seen: Receiver<Seen>,
    answers: Sender<Result<Answered, Unanswered>>,
    address: Arc<Mutex<IpAddr>>,
    hanging: Arc<AtomicUsize>,
    /// Dropped before the folder, so that hanging requests end.
    _end: Sender<()>,
    _dir: tempfile::TempDir,
}

fn hook(id: &str, host: &str, attempts: u32) -> Value {
    json!({
        "id": id, "url": format!("https://{host}/path?key=hidden"), "attempts": attempts,
        "events": ["library.changed", "update.installed"], "secret": "a long secret",
    })
}

fn house(hooks: &[Value], safe_mode: bool) -> House {
    let dir = tempfile::tempdir().expect("a folder");
    let library = json!({"schema_version": 6, "games": [], "settings": {"webhooks": hooks}});
    let path = dir.path().join("library.json");
    Files::system().replace(&path, library.to_string().as_bytes()).expect("made");
    let store = Store::open(options::Options::at(dir.path())).expect("open");
    let (told, states) = unbounded();
    store.watch(Box::new(move |change| drop(told.send(Arc::clone(&change.after)))));
    let (requests, seen) = unbounded();
    let (answers, answer) = unbounded();
    let (ends, end) = unbounded();
    let address = Arc::new(Mutex::new("1.1.1.1".parse().expect("an address")));
    let hanging = Arc::new(AtomicUsize::new(0));
    let world = World {
        address: Arc::clone(&address),
        seen: requests,
        answers: answer,
        end,
        hanging: Arc::clone(&hanging),
    };
    let webhooks = Webhooks::start(Options {
        store: store.clone(),
        policy: Policy { allow_http: false, own_port: 1 },
        outside: Box::new(world),
        safe_mode,
    });
    let webhooks = webhooks.expect("started");
    House { webhooks, store, states, seen, answers, address, hanging, _end: ends, _dir: dir }
}

fn answered(status: u16) -> Result<Answered, Unanswered> {
    Ok(Answered { status, retry_after: None })
}

fn change() -> Occurrence {
    Occurrence::library_changed(Action::Updated, &["game-1".to_owned()])
}

impl House {
    fn seen(&self) -> Seen {
        self.seen.recv_timeout(LONG).expect("a request")
    }

    /// The next state that was committed.
    fn committed(&self) -> Arc<State> {
        self.states.recv_timeout(LONG).expect("a commit")
    }

    fn hook(state: &State, id: &str) -> Webhook {
        config::find(state.settings(), id).expect("stored")
    }
}

fn notices(state: &State) -> Vec<Notice> {
    state.rows::<Notice>()
}

#[test]
fn a_delivery_carries_the_headers_and_is_remembered() {
    let house = house(&[hook("wh-1", "a.org", 3)], false);
    house.webhooks.announce(&Occurrence::new(Subject::QueueAdvanced, json!({})));
    house.webhooks.announce(&change());
    let seen = house.seen();
    assert_eq!(seen.body["type"], "library.changed");
    assert_eq!(seen.body["data"], json!({"action": "updated", "game_ids": ["game-1"], "count": 1}));
    let header = |name: &str| {
        let found = seen.headers.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.clone()).unwrap_or_default()
    };
    assert_eq!(header("X-Service-Event-Id"), seen.body["id"].as_str().expect("text"));
    assert_eq!(header("X-Service-Timestamp"), seen.body["created_at"].as_str().expect("text"));
    assert_eq!(header("X-Service-Event"), "library.changed");
    assert!(header("X-Service-Signature").starts_with("sha256="));
    house.answers.send(answered(204)).expect("taken");
    let state = house.committed();
    let last = House::hook(&state, "wh-1").last;
    assert_eq!((last.status, last.error.as_str()), (Some(204), ""));
    assert!(last.sent_at <= last.delivery_at && last.sent_at.ends_with("+00:00"));
    assert!(notices(&state).is_empty());
    assert!(house.seen.is_empty());
}

#[test]
fn a_failure_that_may_pass_is_tried_again() {
    let house = house(&[hook("wh-1", "a.org", 3)], false);
    house.webhooks.announce(&change());
    let first = house.seen();
    house.answers.send(answered(500)).expect("taken");
    let asked = Instant::now();
    let second = house.seen();
    assert!(asked.elapsed() >= Duration::from_millis(900), "a second lies between");
    assert_eq!(first.body, second.body);
    assert!(house.states.is_empty(), "nothing is written in between");
    house.answers.send(answered(200)).expect("taken");
    assert_eq!(House::hook(&house.committed(), "wh-1").last.status, Some(200));
}

#[test]
fn a_final_failure_is_told_once_with_its_key() {
    for (answer, status, error) in [
        (answered(404), Some(404), "HTTP 404"),
        (answered(302), Some(302), "Webhook redirects are disabled."),
        (answered(500), Some(500), "HTTP 500"),
        (Err(Unanswered("The connection failed.".to_owned())), None, "The connection failed."),
    ] {
        let house = house(&[hook("wh-1", "a.org", 1)], false);
        house.webhooks.announce(&change());
        let seen = house.seen();
        house.answers.send(answer).expect("taken");
        let state = house.committed();
        let last = House::hook(&state, "wh-1").last;
        assert_eq!((last.status, last.error.as_str()), (status, error));
        let notices = notices(&state);
        let event = seen.body["id"].as_str().expect("text");
        assert_eq!(notices.len(), 1);
        assert_eq!(notices[0].title, "Webhook delivery failed");
        assert_eq!(notices[0].body, format!("library.changed to a.org: {error}"));
        assert_eq!(notices[0].dedupe_key, format!("webhook:{event}"));
        assert_eq!((&*notices[0].correlation_id, &*notices[0].source), (event, "webhook"));
        assert!(house.states.is_empty(), "one commit a delivery");
    }
}

#[test]
fn a_name_that_leads_elsewhere_at_delivery_is_refused() {
    let house = house(&[hook("wh-1", "a.org", 5)], false);
    assert_eq!(house.webhooks.admit("https://a.org/"), Ok(()));
    *house.address.lock().expect("no panic") = "169.254.169.254".parse().expect("an address");
    house.webhooks.announce(&change());
    let last = House::hook(&house.committed(), "wh-1").last;
    assert_eq!((last.status, last.sent_at.as_str()), (None, ""));
    assert_eq!(last.error, "Webhook URLs may only target public addresses.");
    assert!(house.seen.is_empty(), "nothing was sent");
}

#[test]
fn a_dead_receiver_slows_nobody_and_keeps_nothing() {
    let hooks = [hook("wh-1", "dead.org", 5), hook("wh-2", "a.org", 1)];
    let house = house(&hooks, false);
    for _ in 0..10_000 {
        house.webhooks.announce(&change());
        assert!(house.webhooks.waiting() <= 128);
    }
    let state = house.committed();
    let notices = notices(&state);
    assert_eq!(notices.len(), 1);
    assert_eq!(notices[0].body, "Webhook delivery queue is full; the event was dropped.");
    assert!(notices[0].dedupe_key.starts_with("webhook:evt-"));
    assert!(house.states.is_empty(), "told once, not ten thousand times");
    // The worker that the dead receiver does not get serves the other one.
    let to_living = std::iter::from_fn(|| Some(house.seen())).find(|seen| seen.host == "a.org");
    assert!(to_living.is_some());
    house.answers.send(answered(200)).expect("taken");
    let state = house.committed();
    assert_eq!(House::hook(&state, "wh-2").last.status, Some(200));
    for _ in 0..10 {
        house.answers.send(answered(200)).expect("taken");
        house.committed();
    }
    assert!(house.hanging.load(Ordering::SeqCst) <= 3);
}

#[test]
fn a_config_that_is_switched_off_gets_nothing_more() {
    let house = house(&[hook("wh-1", "a.org", 5)], false);
    house.webhooks.announce(&change());
    house.seen();
    house
        .store
        .change(|draft| {
            draft.merge_section(
                "settings",
                [("webhooks".to_owned(), json!([]))].into_iter().collect(),
                &[],
            );
        })
        .expect("saved");
    house.committed();
    house.answers.send(answered(500)).expect("taken");
    let next = house.seen.recv_timeout(Duration::from_millis(1_500));
    assert!(next.is_err(), "the next attempt would have come after a second");
    assert!(house.states.is_empty());
}

#[test]
fn a_stop_delivers_what_waits_and_wakes_from_waits() {
    let house = house(&[hook("wh-1", "a.org", 5)], false);
    house.webhooks.announce(&change());
    house.seen();
    house
        .answers
        .send(Ok(Answered { status: 503, retry_after: Some("30".to_owned()) }))
        .expect("taken");
    let begun = Instant::now();
    for _ in 0..3 {
        house.webhooks.announce(&change());
        house.answers.send(answered(200)).expect("taken");
    }
    house.webhooks.stop();
    assert!(begun.elapsed() < Duration::from_secs(15), "the wait of 30 seconds was cut");
    assert_eq!(house.seen.len(), 3);
    house.webhooks.announce(&change());
    assert_eq!(house.webhooks.waiting(), 0);
}

#[test]
fn a_stop_waits_two_seconds_for_a_receiver_that_hangs() {
    let house = house(&[hook("wh-1", "dead.org", 5)], false);
    house.webhooks.announce(&change());
    house.seen();
    let begun = Instant::now();
    house.webhooks.stop();
    let waited = begun.elapsed();
    assert!(waited >= Duration::from_secs(2) && waited < Duration::from_secs(10), "{waited:?}");
}

#[test]
fn safe_mode_delivers_nothing_but_tests() {
    let house = house(&[hook("wh-1", "a.org", 1)], true);
    house.webhooks.announce(&change());
    assert_eq!(house.webhooks.waiting(), 0);
    let state = house.store.snapshot().expect("open");
    house.answers.send(answered(200)).expect("taken");
    let attempt = house.webhooks.ping(&House::hook(&state, "wh-1"));
    assert_eq!((attempt.last.status, attempt.last.error.as_str()), (Some(200), ""));
    let seen = house.seen();
    assert_eq!(
        (&seen.body["type"], &seen.body["data"]),
        (&json!("test.ping"), &json!({"ok": true}))
    );
    house.webhooks.stop();
    assert!(house.states.is_empty() && house.seen.is_empty());
}
