//! A stand-in for the recorder: a real websocket server that speaks version 5 of its protocol.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{Ipv4Addr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use sha1::{Digest as _, Sha1};
use sha2::Sha256;

/// How the stand-in behaves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Manner {
    /// The password it asks for; none when empty.
    pub(crate) password: &'static str,
    /// Whether the replay buffer runs already.
    pub(crate) is_active: bool,
    /// The file that it says it saved.
    pub(crate) saved: String,
    /// Says nothing at this point: `handshake`, `hello`, `identify`, the name of a request, or `event`, at
    /// which it would tell of the file.
    pub(crate) silent_at: &'static str,
    /// Hangs up at this point.
    pub(crate) closes_at: &'static str,
    /// Sends these bytes at this point and hangs up.
    pub(crate) sends_at: (&'static str, &'static [u8]),
    /// Refuses this request.
    pub(crate) refuses: &'static str,
    /// Sends the event of a save before its answer, in pieces, with a ping between.
    pub(crate) is_odd: bool,
}

/// The stand-in.
pub(crate) struct Recorder {
    /// Its address.
    pub(crate) address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Recorder {
    /// Starts it.
    pub(crate) fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = listener.local_addr().expect("its address").port();
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let log = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                // A conversation that breaks off is the end of that one only.
                drop(talk(stream, &manner, &log));
            }
        });
        Self { address: format!("ws://127.0.0.1:{port}"), asked }
    }

    /// The requests so far.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("no panic").clone()
    }
}

fn talk(stream: TcpStream, manner: &Manner, log: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut wire = BufReader::new(stream);
    if !shake_hands(&mut wire, manner)? {
        return Ok(());
    }
    if has_ended(&mut wire, manner, "hello")? {
        return Ok(());
    }
    let mut hello = json!({"obsWebSocketVersion": "5.5.2", "rpcVersion": 1});
    let (salt, challenge) = ("some salt", "a question");
    if !manner.password.is_empty() {
        hello["authentication"] = json!({"salt": salt, "challenge": challenge});
    }
    send(&mut wire, &json!({"op": 0, "d": hello}))?;
    let identify = receive(&mut wire)?;
    if !manner.password.is_empty() {
        let secret = STANDARD.encode(Sha256::digest(format!("{}{salt}", manner.password)));
        let expected = STANDARD.encode(Sha256::digest(format!("{secret}{challenge}")));
        if identify["d"]["authentication"] != *expected {
            log.lock().expect("no panic").push("wrong password".to_owned());
            // 4009: the authentication failed.
            return wire.get_mut().write_all(&[0x88, 2, 0x0f, 0xa9]);
        }
    }
    if has_ended(&mut wire, manner, "identify")? {
        return Ok(());
    }
    send(&mut wire, &json!({"op": 2, "d": {"negotiatedRpcVersion": 1}}))?;
    let mut is_active = manner.is_active;
    loop {
        let request = receive(&mut wire)?;
        let name = request["d"]["requestType"].as_str().unwrap_or_default().to_owned();
        log.lock().expect("no panic").push(name.clone());
        if has_ended(&mut wire, manner, &name)? {
            return Ok(());
        }
        let saved = json!({"op": 5, "d": {"eventType": "ReplayBufferSaved", "eventIntent": 64,
            "eventData": {"savedReplayPath": manner.saved}}});
        if name == "SaveReplayBuffer" && manner.is_odd {
            send(&mut wire, &json!({"op": 5, "d": {"eventType": "Other", "eventData": {}}}))?;
            let text = saved.to_string();
            let (first, rest) = text.as_bytes().split_at(20);
            frame(&mut wire, 0x01, first)?;
            frame(&mut wire, 0x89, b"are you there")?;
            frame(&mut wire, 0x80, rest)?;
        }
        let data = match name.as_str() {
            "GetReplayBufferStatus" => json!({"outputActive": is_active}),
            "StartReplayBuffer" => {
                is_active = true;
                json!({})
            }
            _ => json!({}),
        };
        let result = name != manner.refuses;
        let code = if result { 100 } else { 501 };
        send(
            &mut wire,
            &json!({"op": 7, "d": {"requestType": name,
            "requestId": request["d"]["requestId"],
            "requestStatus": {"result": result, "code": code, "comment": "as told"},
            "responseData": data}}),
        )?;
        if name == "SaveReplayBuffer" && !manner.is_odd && result {
            if has_ended(&mut wire, manner, "event")? {
                return Ok(());
            }
            send(&mut wire, &saved)?;
        }
    }
}

/// Becomes a websocket; whether the conversation goes on.
fn shake_hands(wire: &mut BufReader<TcpStream>, manner: &Manner) -> std::io::Result<bool> {
    let mut key = String::new();
    loop {
        let mut line = String::new();
        wire.read_line(&mut line)?;
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("sec-websocket-key")
        {
            value.trim().clone_into(&mut key);
        }
    }
    if has_ended(wire, manner, "handshake")? {
        return Ok(false);
    }
    let digest = Sha1::digest(format!("{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11").as_bytes());
    let accept = STANDARD.encode(digest);
    write!(
        wire.get_mut(),
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {accept}\r\n\r\n"
    )?;
    Ok(true)
}

/// Whether the conversation ends at this point.
fn has_ended(
    wire: &mut BufReader<TcpStream>,
    manner: &Manner,
    point: &str,
) -> std::io::Result<bool> {
    if point == manner.silent_at {
        // Until the other side hangs up.
        wire.read_to_end(&mut Vec::new())?;
    }
    let (at, bytes) = manner.sends_at;
    if point == at {
        wire.get_mut().write_all(bytes)?;
    }
    Ok([manner.silent_at, manner.closes_at, at].contains(&point))
}

fn send(wire: &mut BufReader<TcpStream>, message: &Value) -> std::io::Result<()> {
    frame(wire, 0x81, message.to_string().as_bytes())
}

fn frame(wire: &mut BufReader<TcpStream>, first: u8, payload: &[u8]) -> std::io::Result<()> {
    let mut bytes = vec![first];
    if let Ok(length @ ..=125) = u8::try_from(payload.len()) {
        bytes.push(length);
    } else {
        bytes.push(126);
        bytes.extend(u16::try_from(payload.len()).expect("a short message").to_be_bytes());
    }
    bytes.extend(payload);
    wire.get_mut().write_all(&bytes)
}

/// The next text; what clients send is masked.
fn receive(wire: &mut BufReader<TcpStream>) -> std::io::Result<Value> {
    loop {
        let mut head = [0; 2];
        wire.read_exact(&mut head)?;
        assert!(head[1] & 0x80 != 0, "a client masks what it sends");
        let length = match head[1] & 0x7f {
            126 => {
                let mut length = [0; 2];
                wire.read_exact(&mut length)?;
                usize::from(u16::from_be_bytes(length))
            }
            short => usize::from(short),
        };
        let mut mask = [0; 4];
        wire.read_exact(&mut mask)?;
        let mut payload = vec![0; length];
        wire.read_exact(&mut payload)?;
        for (byte, key) in payload.iter_mut().zip(mask.iter().cycle()) {
            *byte ^= key;
        }
        match head[0] & 0x0f {
            1 => return Ok(serde_json::from_slice(&payload)?),
            8 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            _ => {}
        }
    }
}
