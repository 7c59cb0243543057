//! Requests that are generated from the program's own OpenAPI document: whatever they hold, the
//! answer is no failure of the program, has its documented shape, and the program goes on.

use std::{collections::BTreeSet, time::Instant};

use serde_json::{Map, Value, json};

use super::{assert_recovered, memory, number, seed};
use crate::support::{
    client::{Request, encode},
    library::{Dice, game, game_id},
    server::{Server, Setup},
};

const GAMES: usize = 60;
/// Ends of paths that are left out: these end the program or answer with a stream.
const LEFT_OUT: [&str; 3] = ["/shutdown", "/api/events", "/jobs/events"];
/// Depth of generated values.
const DEPTH: u64 = 4;

/// One operation of the document.
struct Operation {
    method: String,
    path: String,
    parameters: Vec<Value>,
    body: Value,
}

/// Generates requests; the same ones for the same seed and document.
struct Fuzzer {
    dice: Dice,
    operations: Vec<Operation>,
    /// Names of fields that occur anywhere in the document.
    keys: Vec<String>,
    /// Texts with a meaning for the program: ids, names, paths, dates, addresses.
    texts: Vec<String>,
}

fn property_names(schema: &Value, names: &mut BTreeSet<String>) {
    match schema {
        Value::Object(fields) => {
            let properties = schema["properties"].as_object();
            names.extend(properties.into_iter().flatten().map(|(name, _)| name.clone()));
            fields.values().for_each(|value| property_names(value, names));
        }
        Value::Array(items) => items.iter().for_each(|item| property_names(item, names)),
        _ => {}
    }
}

fn operations(document: &Value) -> Vec<Operation> {
    let paths = document["paths"].as_object().expect("paths").iter();
    let all = paths.flat_map(|(path, methods)| {
        methods.as_object().into_iter().flatten().map(move |(method, operation)| Operation {
            method: method.to_uppercase(),
            path: path.clone(),
            parameters: operation["parameters"].as_array().cloned().unwrap_or_default(),
            body: operation["requestBody"]["content"]["application/json"]["schema"].clone(),
        })
    });
    all.filter(|operation| LEFT_OUT.iter().all(|end| !operation.path.ends_with(end))).collect()
}

impl Fuzzer {
    fn new(server: &Server, seed: u64) -> Self {
        let document = server.get("/api/openapi.json");
        let mut names = BTreeSet::new();
        property_names(&document, &mut names);
        let scratch = server.scratch();
        let mut texts: Vec<String> = [
            "",
            " ",
            "0",
            "-1",
            "Linux",
            "NES",
            "cover",
            "all",
            "true",
            "null",
            "2024-02-30",
            "2024-01-01T00:00:00",
            "9999-12-31T23:59:59Z",
            "1e309",
            "a\u{0}b",
            "line\nline",
            "../../etc/passwd",
            "~/x",
            "/dev/null",
            "/no/such/path",
            "C:\\games",
            "{file}",
            "\u{202e}abc",
            "e\u{301}",
            "👾",
            "\u{feff}",
            "%00",
            "' OR 1=1 --",
            "<b>x</b>",
            "http://127.0.0.1:1/x",
            "https://name.invalid/",
            "file:///etc/passwd",
            "store_a:1",
            "game-0",
            "sha256:0",
            "import",
            "restart",
            "*",
            "[",
            "(?i)",
            "\"",
            "\\",
        ]
        .map(str::to_owned)
        .to_vec();
        texts.extend((0..GAMES).step_by(7).map(game_id));
        for name in ["roms", "roms/a.nes", "roms/list.xml", "games/1.sh", "data", "nothing"] {
            texts.push(scratch.path(name).to_string_lossy().into_owned());
        }
        texts.push("x".repeat(5_000));
        Self {
            dice: Dice::new(seed),
            operations: operations(&document),
            keys: names.into_iter().collect(),
            texts,
        }
    }

    fn one_in(&mut self, chances: u64) -> bool {
        self.dice.below(chances) == 0
    }

    fn text(&mut self) -> String {
        let texts: Vec<&str> = self.texts.iter().map(String::as_str).collect();
        self.dice.pick(&texts).to_owned()
    }

    fn key(&mut self) -> String {
        let keys: Vec<&str> = self.keys.iter().map(String::as_str).collect();
        self.dice.pick(&keys).to_owned()
    }

    fn whole(&mut self) -> Value {
        let edges = [0, 1, -1, 2, 7, 59, 60, 100, 500, 501, 65_536, i64::MAX, i64::MIN, 1 << 53];
        let at = usize::try_from(self.dice.below(edges.len() as u64)).unwrap_or(0);
        json!(edges[at])
    }

    /// Any JSON value at all.
    fn anything(&mut self, depth: u64) -> Value {
        match self.dice.below(if depth == 0 { 5 } else { 7 }) {
            0 => Value::Null,
            1 => json!(self.one_in(2)),
            2 => self.whole(),
            3 => json!(if self.one_in(2) { -0.0 } else { 1e308 }),
            4 => json!(self.text()),
            5 => (0..self.dice.below(6)).map(|_| self.anything(depth - 1)).collect(),
            _ => {
                let fields =
                    (0..self.dice.below(8)).map(|_| (self.key(), self.anything(depth - 1)));
                Value::Object(fields.collect())
            }
        }
    }

    /// A value that fits a schema, most of the time.
    fn value(&mut self, schema: &Value, depth: u64) -> Value {
        if depth == 0 || self.one_in(12) {
            return self.anything(depth);
        }
        if let Some(choices) = schema["enum"].as_array().filter(|choices| !choices.is_empty()) {
            let at = self.dice.below(choices.len() as u64);
            return choices[usize::try_from(at).unwrap_or(0)].clone();
        }
        let kind = match &schema["type"] {
            Value::String(kind) => kind.clone(),
            Value::Array(kinds) => kinds[0].as_str().unwrap_or_default().to_owned(),
            _ => String::new(),
        };
        match kind.as_str() {
            "boolean" => json!(self.one_in(2)),
            "number" if self.one_in(2) => json!(2.5),
            "number" | "integer" => self.whole(),
            "string" => json!(self.text()),
            "array" => {
                (0..self.dice.below(5)).map(|_| self.value(&schema["items"], depth - 1)).collect()
            }
            "object" => self.object(schema, depth),
            _ => self.anything(depth - 1),
        }
    }

    fn object(&mut self, schema: &Value, depth: u64) -> Value {
        let mut fields = Map::new();
        for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
            if !self.one_in(4) {
                fields.insert(name.clone(), self.value(schema, depth - 1));
            }
        }
        let is_free = schema["properties"].is_null();
        for _ in 0..if is_free { self.dice.below(8) } else { self.dice.below(8) / 7 } {
            fields.insert(self.key(), self.anything(depth - 1));
        }
        Value::Object(fields)
    }

    /// The text of a body: JSON as it should be, or damaged.
    fn body(&mut self, value: &Value) -> Vec<u8> {
        let mut bytes = value.to_string().into_bytes();
        if self.one_in(10) {
            let at = usize::try_from(self.dice.below(bytes.len() as u64 + 1)).unwrap_or(0);
            match self.dice.below(5) {
                0 => bytes.truncate(at),
                1 => bytes.insert(at, b'\xff'),
                2 => bytes = [b"[".repeat(200), bytes].concat(),
                3 => bytes = br#"{"game_id":"\ud800","name":1,"name":2}"#.to_vec(),
                _ => bytes.clear(),
            }
        }
        bytes
    }

    fn request(&mut self) -> Request {
        let at = usize::try_from(self.dice.below(self.operations.len() as u64)).unwrap_or(0);
        let operation = &self.operations[at];
        let (method, path) = (operation.method.clone(), operation.path.clone());
        let (parameters, body) = (operation.parameters.clone(), operation.body.clone());
        let mut query: Vec<String> = Vec::new();
        for parameter in parameters.iter().filter(|parameter| parameter["in"] == "query") {
            if self.one_in(3) {
                continue;
            }
            let value = self.value(&parameter["schema"], 1);
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let name = parameter["name"].as_str().unwrap_or_default();
            query.push(format!("{name}={}", encode(&text)));
        }
        if self.one_in(40) {
            query.push("%zz=%ff&&=".to_owned());
        }
        let target = if query.is_empty() { path } else { format!("{path}?{}", query.join("&")) };
        let request = Request::new(if self.one_in(60) { "PUT" } else { &method }, &target);
        if method != "POST" {
            return request;
        }
        let value = self.value(&body, DEPTH);
        let kind = if self.one_in(30) { "text/plain" } else { "application/json" };
        request.header("Content-Type", kind).body(self.body(&value))
    }
}

/// A library with games that can be started, lists to import, and no outside tool on the path.
fn server() -> Server {
    let setup = Setup::new();
    let games: Vec<Value> = (0..GAMES)
        .map(|index| {
            let mut game = game(index);
            let script = setup.scratch().script(format!("games/{index}.sh"), "exit 0");
            game["path"] = json!(script);
            game
        })
        .collect();
    setup.scratch().file("roms/a.nes", b"NES\x1a0123456789");
    setup.scratch().file("roms/list.xml", "<gameList><game><path>./a.nes</path></game></gameList>");
    let tools = setup.scratch().folder("no-tools");
    let library = json!({"schema_version": 6, "games": games}).to_string();
    setup.library(&library).env("PATH", tools).start()
}

#[test]
fn generated_requests_never_make_the_program_fail() {
    let mut server = server();
    let mut fuzzer = Fuzzer::new(&server, seed());
    let requests = number("FUZZ_REQUESTS", 4_000);
    let (mut client, mut statuses) = (server.client(), [0_u64; 6]);
    let (mut before, start) = (0, Instant::now());
    for at in 0..requests {
        let request = fuzzer.request();
        let reply = client.send(&request);
        let is_documented = reply.status == 503 && reply.text().contains("UNAVAILABLE");
        assert!(reply.status < 500 || is_documented, "{at}: {request:?}: {}", reply.text());
        statuses[usize::from(reply.status / 100)] += 1;
        if at % (requests / 10) == 0 {
            println!("{at}: {} MiB", memory(&server));
        }
        if at == requests / 4 {
            before = memory(&server);
        }
    }
    println!("{requests} requests in {:?}, by class {statuses:?}", start.elapsed());
    assert_recovered(&server, before);
    let games = server.get("/api/library")["games"].as_array().map(Vec::len);
    server.kill();
    server.restart();
    assert_eq!(server.get("/api/library")["games"].as_array().map(Vec::len), games);
}
