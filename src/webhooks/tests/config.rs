//! Posted and stored configurations.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::{
    model::{Draft, State},
    webhooks::{
        config::{self, Last, Patience, Posted, Save},
        occurrence::Subject,
        policy::Refused,
    },
};

const GOOD: &str = "https://example.org/hook";

fn object(value: Value) -> Map<String, Value> {
    if let Value::Object(object) = value { object } else { panic!("no object: {value}") }
}

/// Admits everything that begins like an address of a public host.
fn admit(url: &str) -> Result<(), Refused> {
    match url {
        "" => Err(Refused::Missing),
        url if url.starts_with("https://") => Ok(()),
        _ => Err(Refused::Scheme),
    }
}

/// Saves a post over a draft and returns the whole list as a client sees it.
fn save(draft: &mut Draft, body: Value) -> Result<Vec<Value>, String> {
    let body = object(body);
    let save = Save::read(&body, draft.state().settings(), &admit);
    let hooks = save.and_then(|save| save.apply(draft)).map_err(|error| error.to_string())?;
    assert_eq!(hooks, config::list(draft.state().settings()), "what is answered is stored");
    Ok(hooks.iter().map(|hook| json!(hook.public())).collect())
}

fn draft() -> Draft {
    Draft::new(State::default())
}

#[track_caller]
fn refused(body: Value, expected: &str) {
    let mut draft = draft();
    assert_eq!(save(&mut draft, body.clone()).err().as_deref(), Some(expected), "{body}");
    assert!(draft.state().settings().is_empty());
}

#[test]
fn every_refusal_has_its_sentence_in_order() {
    let list = "Webhooks must be a list of at most 32 entries.";
    refused(json!({}), list);
    refused(json!({"webhooks": {}}), list);
    refused(json!({"webhooks": null, "url": GOOD}), list);
    refused(json!({"configs": 1}), list);
    refused(json!({"webhooks": vec![json!({}); 33]}), list);
    let one = |hook: Value| json!({"webhooks": [hook]});
    refused(one(json!(1)), "Webhook configuration must be an object.");
    refused(json!({"webhook": []}), "Webhook configuration must be an object.");
    for events in [json!(null), json!([]), json!("session.started"), json!({})] {
        refused(one(json!({"url": GOOD, "events": events})), "Select at least one webhook event.");
    }
    // The text of the address comes before the events, and what the network says of it after them.
    refused(one(json!({"events": []})), "Webhook URL is required.");
    refused(one(json!({"url": "ftp://x"})), "Webhook URL must use http or https.");
    for (event, name) in [(json!("test.ping"), "test.ping"), (json!("x"), "x"), (json!(7), "7")] {
        let hook = json!({"url": GOOD, "events": ["session.started", event]});
        refused(one(hook), &format!("Unknown webhook event: {name}"));
    }
    let with = |more: Value| {
        let mut hook = object(json!({"events": ["library.changed"], "url": GOOD}));
        hook.extend(object(more));
        Value::Object(hook)
    };
    refused(one(with(json!({"url": "  ", "attempts": "x"}))), "Webhook URL is required.");
    refused(one(with(json!({"url": 5}))), "Webhook URL is required.");
    refused(one(with(json!({"url": "ftp://x"}))), "Webhook URL must use http or https.");
    let numbers = "Webhook attempts and timeout must be numbers.";
    for bad in [json!("x"), json!(true), json!([]), json!({}), json!("NaN"), json!("inf")] {
        refused(one(with(json!({"attempts": bad, "secret": "short"}))), numbers);
        refused(one(with(json!({"timeout": bad}))), numbers);
        refused(json!({"webhooks": [], "timeout": bad}), numbers);
        refused(json!({"webhooks": [], "attempts": bad}), numbers);
    }
    let secret = "Webhook secret must be at least 8 characters.";
    refused(one(with(json!({"secret": "1234567"}))), secret);
    refused(one(with(json!({"secret": 12_345_678}))), secret);
    // The first entry is fine and is not saved either.
    refused(json!({"webhooks": [with(json!({})), 1]}), "Webhook configuration must be an object.");
    assert!(save(&mut draft(), one(with(json!({"secret": "größer12"})))).is_ok());
}

#[test]
fn a_config_gets_its_defaults_and_bounds() {
    let mut draft = draft();
    let events = json!(["session.started", " queue.advanced ", "session.started"]);
    let post = json!({"webhooks": [
        {"url": format!("  {GOOD} "), "events": events, "unknown": 1, "last_status": 500},
        {"url": GOOD, "events": events, "attempts": 99, "timeout": 0.2, "enabled": false},
        {"url": GOOD, "events": events, "attempts": "2.9", "timeout": "7.5", "id": "mine"},
        {"url": GOOD, "events": events, "attempts": 0, "timeout": false, "id": "mine"},
    ], "attempts": 4});
    let hooks = save(&mut draft, post).expect("saved");
    let id = hooks[0]["id"].as_str().expect("an id");
    assert!(id.len() == 19 && id.starts_with("wh-"), "{id}");
    let expected = json!({
        "id": id, "url": GOOD, "events": ["session.started", "queue.advanced"], "enabled": true,
        "attempts": 4, "timeout": 5, "last_status": null, "last_error": "", "last_sent_at": "",
        "last_delivery_at": "", "secret_set": false,
    });
    assert_eq!(hooks[0], expected);
    let patience = |at: usize| (hooks[at]["attempts"].clone(), hooks[at]["timeout"].clone());
    assert_eq!(patience(1), (json!(5), json!(1)));
    assert_eq!(patience(2), (json!(2), json!(7.5)));
    assert_eq!(patience(3), (json!(4), json!(5)));
    assert_eq!((&hooks[1]["enabled"], &hooks[2]["id"]), (&json!(false), &json!("mine")));
    assert_ne!(hooks[3]["id"], "mine", "an id is given once");
    let globals = config::globals(draft.state().settings());
    assert_eq!(globals, Patience { attempts: 4, timeout: 5.0 });
    save(&mut draft, json!({"configs": [], "timeout": 100})).expect("saved");
    let globals = config::globals(draft.state().settings());
    assert_eq!(globals, Patience { attempts: 3, timeout: 15.0 });
}

#[test]
fn a_secret_is_kept_replaced_or_cleared() {
    let mut draft = draft();
    let hook = |more: Value| {
        let mut hook = object(json!({"id": "wh-1", "url": GOOD, "events": ["update.installed"]}));
        hook.extend(object(more));
        json!({"webhooks": [hook]})
    };
    let secret = |draft: &Draft| {
        let hook = config::find(draft.state().settings(), "wh-1").expect("stored");
        hook.secret.reveal().to_owned()
    };
    let shown = save(&mut draft, hook(json!({"secret": "first secret"}))).expect("saved");
    assert_eq!(shown[0]["secret_set"], true);
    assert!(!shown[0].to_string().contains("first secret"));
    assert!(!format!("{:?}", config::list(draft.state().settings())).contains("first secret"));
    save(&mut draft, hook(json!({"secret": "", "secret_set": true}))).expect("saved");
    assert_eq!(secret(&draft), "first secret");
    save(&mut draft, hook(json!({"secret": "second secret", "secret_set": true}))).expect("saved");
    assert_eq!(secret(&draft), "second secret");
    let other = hook(json!({"id": "wh-2", "secret_set": true}));
    let other = Posted::read(&other["webhooks"][0], Patience::default(), &admit).expect("valid");
    assert!(!other.over(draft.state().settings()).secret.is_set());
    save(&mut draft, hook(json!({}))).expect("saved");
    assert_eq!(secret(&draft), "");
}

#[test]
fn one_config_is_saved_beside_the_others() {
    let mut draft = draft();
    let flat = json!({"url": GOOD, "events": ["plugin.changed"], "attempts": 5});
    let hooks = save(&mut draft, flat.clone()).expect("saved");
    assert_eq!((hooks.len(), &hooks[0]["attempts"]), (1, &json!(5)));
    let changed = json!({"webhook": {"id": hooks[0]["id"], "url": GOOD, "events": ["test"]}});
    assert!(save(&mut draft, changed).is_err());
    let changed =
        json!({"webhook": {"id": hooks[0]["id"], "url": GOOD, "events": ["queue.advanced"]}});
    let hooks = save(&mut draft, changed).expect("saved");
    assert_eq!((hooks.len(), &hooks[0]["events"]), (1, &json!(["queue.advanced"])));
    for _ in 1..32 {
        save(&mut draft, flat.clone()).expect("saved");
    }
    let full = save(&mut draft, flat);
    assert_eq!(full.err().as_deref(), Some("Webhooks must be a list of at most 32 entries."));
    assert_eq!(config::globals(draft.state().settings()), Patience::default());
}

#[test]
fn outcomes_are_kept_by_id() {
    let mut draft = draft();
    let hooks = json!({"webhooks": [
        {"id": "a", "url": GOOD, "events": ["queue.advanced"], "secret": "a long secret"},
        {"id": "b", "url": GOOD, "events": ["queue.advanced"]},
    ]});
    save(&mut draft, hooks.clone()).expect("saved");
    let last = Last {
        status: Some(503),
        error: "HTTP 503".to_owned(),
        sent_at: "t1".to_owned(),
        delivery_at: "t2".to_owned(),
    };
    config::record(&mut draft, "a", &last);
    config::record(&mut draft, "gone", &last);
    let of = |draft: &Draft, id: &str| config::find(draft.state().settings(), id).expect("stored");
    assert_eq!((of(&draft, "a").last, of(&draft, "b").last), (last.clone(), Last::default()));
    assert_eq!(of(&draft, "a").secret.reveal(), "a long secret");
    // An attempt that was not sent leaves the time of the last one that was.
    let unsent = Last { error: "e".to_owned(), delivery_at: "t3".to_owned(), ..Last::default() };
    config::record(&mut draft, "a", &unsent);
    assert_eq!(of(&draft, "a").last, Last { sent_at: "t1".to_owned(), ..unsent });
    let hooks = save(&mut draft, hooks).expect("saved");
    assert_eq!((&hooks[0]["last_sent_at"], &hooks[1]["last_sent_at"]), (&json!("t1"), &json!("")));
}

#[test]
fn whatever_is_stored_is_read() {
    let stored = object(json!({"webhooks": [
        1, {}, {"id": "x", "events": ["session.started", 5], "timeout": "no", "last_status": -3},
        {"id": "off", "events": ["session.started"], "enabled": false},
    ], "webhook_attempts": "many"}));
    let hooks = config::list(&stored);
    assert_eq!((hooks.len(), hooks[2].patience), (4, Patience::default()));
    assert_eq!(config::subscribed(&stored, Subject::SessionStarted), ["x"]);
    assert!(config::subscribed(&stored, Subject::QueueAdvanced).is_empty());
    assert!(config::list(&object(json!({"webhooks": "none"}))).is_empty());
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        any::<i64>().prop_map(Value::from),
        "[a-z.]{0,12}|https://a.org|session.started".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(
                "id|url|events|enabled|attempts|timeout|secret|secret_set|webhooks|webhook",
                inner,
                0..8,
            )
            .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn whatever_is_posted_bounds_hold_and_no_secret_shows(
        hooks in prop::collection::vec((json_value(), json_value(), json_value(), json_value()), 0..4),
        other in json_value(),
    ) {
        let entry = |(attempts, timeout, secret, id): (Value, Value, Value, Value)| json!({
            "url": GOOD, "events": ["session.started"], "attempts": attempts, "timeout": timeout,
            "secret": secret, "id": id,
        });
        let mut list: Vec<Value> = hooks.into_iter().map(entry).collect();
        for body in [json!({"webhooks": list.clone(), "attempts": other}), {
            list.push(other.clone());
            json!({"webhooks": list})
        }] {
            let mut draft = draft();
            if let Ok(shown) = save(&mut draft, body) {
                for hook in shown {
                    prop_assert!(hook.get("secret").is_none());
                    prop_assert!((1..=5).contains(&hook["attempts"].as_u64().unwrap_or(0)));
                    let timeout = hook["timeout"].as_f64().unwrap_or(0.0);
                    prop_assert!((1.0..=15.0).contains(&timeout));
                }
            }
        }
    }
}
