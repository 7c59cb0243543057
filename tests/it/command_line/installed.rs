//! `--install-user` and `--uninstall-user` in a home of their own.

use std::{fs, os::unix::fs::PermissionsExt as _};

use super::{files_below, printed, refused};
use crate::support::server::Setup;

#[test]
fn the_program_is_installed_for_one_user_and_removed_again() {
    let setup = Setup::new();
    let scratch = setup.scratch();
    let home = scratch.path("home");
    scratch.file("home/.local/share/service-launcher/library.json", "{}");
    scratch.file("home/.config/service-launcher/.env", "A=b");
    let before = files_below(&home);
    let first = printed(scratch, &["--install-user"]);
    assert_eq!(first.matches("installed ").count(), 9, "{first}");
    assert!(first.contains("is not on your PATH"), "{first}");
    assert!(first.contains("systemctl --user enable --now service-launcher"), "{first}");
    let program = home.join(".local/bin/service-launcher");
    assert_eq!(program.metadata().expect("there").permissions().mode() & 0o777, 0o755);
    let text = |name: &str| fs::read_to_string(home.join(name)).expect("there");
    let unit = text(".config/systemd/user/service-launcher.service");
    assert!(
        unit.contains(&format!("ExecStart=\"{}\" --no-browser\n", program.display())),
        "{unit}"
    );
    assert!(unit.contains("\nNoNewPrivileges=yes\n") && unit.contains("\nKillMode=process\n"));
    let entry = text(".local/share/applications/service-launcher.desktop");
    assert!(entry.contains(&format!("\nExec=\"{}\" %u\n", program.display())), "{entry}");
    assert!(text(".local/share/man/man1/service-launcher.1").starts_with(".TH "));
    let installed = files_below(&home);
    let again = printed(scratch, &["--install-user"]);
    assert_eq!(again.matches("unchanged ").count(), 9, "{again}");
    assert_eq!(files_below(&home), installed);
    // The installed program installs itself.
    let mut own = std::process::Command::new(&program);
    let own = own.env_clear().env("HOME", &home).arg("--install-user").output().expect("it runs");
    assert!(own.status.success(), "{own:?}");

    let changed = home.join(".config/systemd/user/service-launcher.service");
    fs::write(&changed, format!("{unit}# mine\n")).expect("written");
    fs::write(home.join(".local/bin/service-launcher.previous"), "old").expect("written");
    let removed = printed(scratch, &["--uninstall-user"]);
    assert_eq!(removed.matches("removed ").count(), 9, "{removed}");
    assert!(removed.contains("service-launcher.service (it was changed)"), "{removed}");
    assert!(removed.contains("Your library and settings were not touched."), "{removed}");
    fs::remove_file(&changed).expect("kept");
    assert_eq!(files_below(&home), before, "everything else is as it was");
    let nothing = printed(scratch, &["--uninstall-user"]);
    assert!(nothing.starts_with("Nothing was installed.\n"), "{nothing}");
}

#[test]
fn other_words_beside_an_installation_are_refused() {
    let setup = Setup::new();
    let said = refused(setup.scratch(), &["--install-user", "--web"], 2);
    assert!(said.contains("stand alone"), "{said}");
    assert!(!setup.scratch().path("home/.local").exists());
}
