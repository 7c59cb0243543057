//! Attacks on the updater by an attacker who controls the host of releases: other keys, keys that sign anything,
//! other spellings of a signature, exchanged, cut and old files. And a real package, there and back.

use std::{fs, path::PathBuf, process::Command};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use ring::signature::Ed25519KeyPair;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::updates::{
    INSTALL, NAME, NEW, PROGRAM, Release, names, provider, publish, refused, setup, text,
};
use crate::support::{client::Request, publisher::signature_as, scratch::Scratch, server::program};

const FORGED: &str = "The release signature verification failed.";

fn with_signature(signature: &[u8]) -> Release {
    let mut envelope = signature_as(NAME, NEW);
    envelope["signature"] = STANDARD.encode(signature).into();
    Release { signature: Some(envelope.to_string()), ..Release::new("v9.0.0", NEW) }
}

fn good_signature() -> Vec<u8> {
    let envelope = signature_as(NAME, NEW);
    STANDARD.decode(envelope["signature"].as_str().expect("text")).expect("base64")
}

#[test]
fn a_signature_by_another_key_or_in_another_spelling_is_refused() {
    let provider = provider();
    let server = setup(&provider).start();
    let stranger = Ed25519KeyPair::from_seed_unchecked(&[43; 32]).expect("a seed");
    let good = good_signature();
    let mut identity = vec![0; 64];
    identity[0] = 1;
    // The order of the group, little-endian: adding it spells the second half again.
    let order = [
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde,
        0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10_u8,
    ];
    let mut respelled = good.clone();
    let mut carry = 0_u16;
    for (byte, add) in respelled[32..].iter_mut().zip(order) {
        let sum = u16::from(*byte) + u16::from(add) + carry;
        *byte = sum.to_le_bytes()[0];
        carry = sum >> 8;
    }
    for (what, signature) in [
        ("another key", stranger.sign(&Sha256::digest(NEW)).as_ref().to_vec()),
        ("of the content, not of its digest", stranger.sign(NEW).as_ref().to_vec()),
        ("the neutral point", identity),
        ("nothing but zeros", vec![0; 64]),
        ("above the order", respelled),
        ("cut by a byte", good[..63].to_vec()),
        ("cut in the middle", good[..32].to_vec()),
        ("longer by a byte", [good.as_slice(), &[0]].concat()),
        ("halves exchanged", [&good[32..], &good[..32]].concat()),
    ] {
        publish(&provider, &with_signature(&signature));
        refused(&server, INSTALL, FORGED);
        assert!(
            server.get("/api/notifications").to_string().contains("An update was refused"),
            "{what}"
        );
    }
}

#[test]
fn an_envelope_that_is_cut_repeated_or_of_another_file_is_refused() {
    let provider = provider();
    let server = setup(&provider).start();
    let good = signature_as(NAME, NEW).to_string();
    let of =
        |text: &str| Release { signature: Some(text.to_owned()), ..Release::new("v9.0.0", NEW) };
    let executable = signature_as("Service-x86_64", NEW).to_string();
    let arm = signature_as("Service-aarch64.AppImage", NEW).to_string();
    let cut = &good[..good.len() - 1];
    let twice = format!("{good}{good}");
    let list = format!("[{good}]");
    let large = format!("{good}{}", " ".repeat(70_000));
    for text in [cut, &good[..20], "", &twice, &list, &executable, &arm, &large] {
        publish(&provider, &of(text));
        refused(&server, INSTALL, FORGED);
    }
    publish(&provider, &of(&good));
    assert_eq!(server.post(INSTALL, &json!({}))["installed"], "9.0.0");
}

#[test]
fn a_key_of_small_order_signs_nothing_in_any_spelling() {
    let provider = provider();
    let hex = |text: &str| -> Vec<u8> {
        let digits = text.as_bytes().chunks(2);
        digits
            .map(|two| {
                u8::from_str_radix(std::str::from_utf8(two).expect("text"), 16).expect("hex")
            })
            .collect()
    };
    let eight = "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05";
    let other = "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a";
    let minus_one = format!("ec{}7f", "ff".repeat(30));
    let above = format!("ee{}7f", "ff".repeat(30));
    let prime = format!("ed{}7f", "ff".repeat(30));
    for key in [eight, other, &minus_one, &above, &prime] {
        for sign in [0, 0x80] {
            let mut key = hex(key);
            key[31] |= sign;
            let setup = setup(&provider);
            let file = setup.scratch().file("other.pub", &key);
            let server = setup.env("SERVICE_RELEASE_KEY_FILE", file).start();
            let error = "The release key is unavailable: the key is not a usable point.";
            refused(&server, INSTALL, error);
        }
    }
}

#[test]
fn an_older_program_under_a_newer_number_is_refused() {
    let provider = provider();
    let server = setup(&provider).start();
    let marked = |version: &str| {
        format!("\u{7f}ELF ... service-launcher carries version {version}; ...").into_bytes()
    };
    publish(&provider, &Release::new("v9.0.0", &marked("0.0.9")));
    let error = "The release holds version 0.0.9, which is older than the one that runs.";
    refused(&server, INSTALL, error);
    publish(&provider, &Release::new("v9.0.0", &marked("9.0.0")));
    assert_eq!(server.post(INSTALL, &json!({}))["installed"], "9.0.0");
}

/// Packs the executable of this build as a version and returns the folder of the packages.
fn packed(scratch: &Scratch, version: &str) -> PathBuf {
    let out = scratch.path("packages");
    let build = concat!(env!("CARGO_MANIFEST_DIR"), "/packaging/build");
    let mut command = Command::new(build);
    command.arg("--executable").arg(program()).args(["--version", version]).arg("--out").arg(&out);
    let output = command.output().expect("bash runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    out
}

#[test]
fn a_package_of_the_build_script_is_installed_runs_and_goes_back() {
    if std::env::consts::ARCH != "x86_64" {
        return;
    }
    let provider = provider();
    let setup = setup(&provider);
    let folder = packed(setup.scratch(), "9.0.0");
    let read = |name: &str| fs::read(folder.join(name)).expect("packed");
    let new = read(NAME);
    let signature = String::from_utf8(read(&format!("{NAME}.sig"))).expect("text");
    let sum = String::from_utf8(read(&format!("{NAME}.sha256"))).expect("text");
    let release = Release {
        signature: Some(signature.clone()),
        sum: Some(sum),
        digest: None,
        ..Release::new("v9.0.0", &new)
    };
    publish(&provider, &release);
    let server = setup.env("SERVICE_RELEASE_KEY_FILE", folder.join("release.pub")).start();
    assert_eq!(server.post(INSTALL, &json!({}))["installed"], "9.0.0");
    let path = server.scratch().path(PROGRAM);
    assert!(fs::read(&path).is_ok_and(|bytes| bytes == new), "the packed program");
    let version = Command::new(&path).arg("--version").output().expect("it runs");
    assert!(version.stdout.starts_with(b"service-launcher "), "{version:?}");
    let returned = server.post("/api/v2/update/rollback", &json!({}));
    assert_eq!(returned["restored"], json!(path));
    assert_eq!(text(&server, PROGRAM), "the old program");
    assert_eq!(names(&server).len(), 2, "both versions are there");
    // The signature of one file does not hold for another.
    let envelope: Value = serde_json::from_str(&signature).expect("JSON");
    assert_eq!(envelope["artifact"], NAME);
    publish(&provider, &Release { program: NEW.to_vec(), ..release });
    let reply = server.send(&Request::post(INSTALL, &json!({}))).expect(400).json();
    let error = "The downloaded update does not match its SHA-256 checksum.";
    assert_eq!(reply["error"], error);
    assert_eq!(text(&server, PROGRAM), "the old program");
}
