//! The packages that `packaging/build` makes of the executable: their layout, checksums and signatures, and
//! that they are put into an empty tree, run there, and leave nothing when they are removed.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use ring::signature::{ED25519, UnparsedPublicKey};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::support::{scratch::Scratch, server::program};

const VERSION: &str = "1.2.3";

fn run(program: impl AsRef<std::ffi::OsStr>, arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).output().expect("it runs")
}

#[track_caller]
fn text(program: impl AsRef<std::ffi::OsStr>, arguments: &[&str], folder: &Path) -> String {
    let output = run(program, arguments, folder);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Packs the executable of this build; `more` are further options.
fn build(out: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/packaging/build"));
    command.arg("--executable").arg(program()).arg("--out").arg(out);
    command.args(["--version", VERSION]).args(more).output().expect("bash runs")
}

/// The names in a listing of tar, without folders.
fn listed(listing: &str) -> BTreeSet<String> {
    let names = listing.lines().filter(|name| !name.ends_with('/'));
    names.map(|name| name.trim_start_matches("./").to_owned()).collect()
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("text")).collect()
}

#[test]
fn the_packages_are_complete_signed_and_installed_into_an_empty_tree() {
    let scratch = Scratch::new();
    let out = scratch.path("out");
    let output = build(&out, &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let machine = std::env::consts::ARCH;
    let debian = if machine == "x86_64" { "amd64" } else { "arm64" };
    let archive = format!("service-launcher-{VERSION}-{machine}.tar.gz");
    let package = format!("service-launcher_{VERSION}_{debian}.deb");
    let plain = format!("Service-{machine}");
    let bundle = format!("{plain}.AppImage");
    let artifacts = [&plain, &bundle, &archive, &package];
    let mut expected: BTreeSet<String> =
        ["SHA256SUMS", "release.pub", "test-key.pem"].map(str::to_owned).into();
    for name in artifacts {
        expected.extend(["", ".sha256", ".sig"].map(|ending| format!("{name}{ending}")));
    }
    assert_eq!(names(&out), expected);
    signed(&out, &artifacts);
    let mode = |path: &Path| path.metadata().expect("there").permissions().mode() & 0o777;
    assert_eq!((mode(&out.join(&bundle)), mode(&out.join("test-key.pem"))), (0o755, 0o600));

    // The Debian package: its three members, its control file, and sums of every file.
    let members = text("ar", &["t", &package], &out);
    assert_eq!(members, "debian-binary\ncontrol.tar.gz\ndata.tar.gz\n");
    let parts = scratch.folder("parts");
    let place = out.join(&package);
    text("ar", &["x", place.to_str().expect("text")], &parts);
    let control = text("tar", &["-xzOf", "control.tar.gz", "./control"], &parts);
    for line in ["Package: service-launcher", "Version: 1.2.3", &format!("Architecture: {debian}")]
    {
        assert!(control.lines().any(|other| other == line), "{line}: {control}");
    }
    assert!(control.contains("\nDepends: libc6") && control.ends_with('\n'), "{control}");
    let files = listed(&text("tar", &["-tzf", "data.tar.gz"], &parts));
    let sums = text("tar", &["-xzOf", "control.tar.gz", "./md5sums"], &parts);
    let summed = sums.lines().map(|line| line.split_once("  ").expect("a sum").1.to_owned());
    assert_eq!(summed.collect::<BTreeSet<_>>(), files);
    for name in [
        "usr/bin/service-launcher",
        "usr/lib/systemd/user/service-launcher.service",
        "usr/share/applications/service-launcher.desktop",
        "usr/share/bash-completion/completions/service-launcher",
        "usr/share/doc/service-launcher/changelog.gz",
        "usr/share/doc/service-launcher/copyright",
        "usr/share/fish/vendor_completions.d/service-launcher.fish",
        "usr/share/icons/hicolor/scalable/apps/service-launcher.svg",
        "usr/share/man/man1/service-launcher.1.gz",
        "usr/share/metainfo/service-launcher.metainfo.xml",
        "usr/share/zsh/vendor-completions/_service-launcher",
    ] {
        assert!(files.contains(name), "{name}: {files:?}");
    }
    let owners = text("tar", &["-tvzf", "data.tar.gz"], &parts);
    assert!(owners.lines().all(|line| line.contains(" 0/0 ") || line.contains(" root/root ")));

    // Into an empty tree, run there, and out of it again.
    let tree = scratch.folder("tree");
    let data = parts.join("data.tar.gz");
    text("tar", &["-xzf", data.to_str().expect("text")], &tree);
    text("md5sum", &["-c", "--quiet", write(&scratch, &sums).to_str().expect("text")], &tree);
    let installed = tree.join("usr/bin/service-launcher");
    assert!(text(&installed, &["--version"], &tree).starts_with("service-launcher "));
    let unit = fs::read_to_string(tree.join("usr/lib/systemd/user/service-launcher.service"));
    assert!(unit.expect("there").contains("\nExecStart=/usr/bin/service-launcher --no-browser\n"));
    let page = text("gzip", &["-dc", "usr/share/man/man1/service-launcher.1.gz"], &tree);
    assert_eq!(page, text(&installed, &["man"], &tree));
    let info = fs::read_to_string(tree.join("usr/share/metainfo/service-launcher.metainfo.xml"));
    assert!(info.expect("there").contains("<release version=\"1.2.3\" date=\""));
    for name in &files {
        fs::remove_file(tree.join(name)).expect("it was installed");
    }
    let left = text("find", &[".", "!", "-type", "d"], &tree);
    assert_eq!(left, "", "a removed package leaves no file");

    // The archive holds the same in one folder, and both programs are the installed one.
    let top = format!("service-launcher-{VERSION}/");
    let archived = listed(&text("tar", &["-tzf", &archive], &out));
    let below = archived.iter().map(|name| name.strip_prefix(&top).expect("below it").to_owned());
    assert_eq!(below.collect::<BTreeSet<_>>(), files);
    assert_eq!(
        fs::read(out.join(&plain)).expect("there"),
        fs::read(out.join(&bundle)).expect("there")
    );
}

/// Checks sums and signatures with the public key next to them.
fn signed(out: &Path, artifacts: &[&String]) {
    let key = fs::read(out.join("release.pub")).expect("a key");
    assert_eq!(key.len(), 32);
    text("sha256sum", &["-c", "--quiet", "SHA256SUMS"], out);
    for name in artifacts {
        text("sha256sum", &["-c", "--quiet", &format!("{name}.sha256")], out);
        let digest = Sha256::digest(fs::read(out.join(name)).expect("there"));
        let envelope = fs::read(out.join(format!("{name}.sig"))).expect("a signature");
        let envelope: Value = serde_json::from_slice(&envelope).expect("JSON");
        assert_eq!(envelope["artifact"], name.as_str());
        let signature =
            STANDARD.decode(envelope["signature"].as_str().expect("text")).expect("base64");
        let verified = UnparsedPublicKey::new(&ED25519, &key).verify(&digest, &signature);
        assert!(verified.is_ok(), "{name}");
    }
}

fn write(scratch: &Scratch, sums: &str) -> PathBuf {
    scratch.file("sums", sums)
}

#[test]
fn what_cannot_be_packed_is_refused_and_nothing_is_written() {
    let scratch = Scratch::new();
    let out = scratch.path("out");
    let said = |output: Output| {
        assert!(!output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    let foreign = ["--target", "riscv64gc-unknown-linux-gnu"];
    assert!(said(build(&out, &foreign)).contains("not for riscv64gc"));
    assert!(said(build(&out, &["--executable", "/etc/passwd"])).contains("is no executable"));
    assert!(said(build(&out, &["--version", "1.2"])).contains("1.2 is no version"));
    assert!(said(build(&out, &["--key"])).contains("--key needs a value"));
    assert!(said(build(&out, &["--colour", "red"])).contains("unknown option --colour"));
    assert!(!out.exists());
}
