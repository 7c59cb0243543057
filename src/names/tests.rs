//! Titles and tags of names as the collections write them.

use super::*;

#[track_caller]
fn check_title(stem: &str, expected: &str) {
    assert_eq!(parse(stem).title, expected, "{stem:?}");
}

#[test]
fn titles_lose_tags_and_turn_articles() {
    check_title(
        "Legend of Zelda, The - A Link to the Past (USA)",
        "The Legend of Zelda - A Link to the Past",
    );
    check_title("Way of the Tiger, The (1986)(FIL)(FR)", "The Way of the Tiger");
    check_title("Blobbers, The (Europe)", "The Blobbers");
    check_title("Aventure, L' (France)", "L'Aventure");
    check_title("Super_Game_II (U) [!]", "Super Game II");
    check_title("Doom (Japan, USA) (En) (Beta 8)", "Doom");
    check_title("Title v1.2 (1987-05-01)(Publisher)(PAL)(DE)[cr]", "Title");
    check_title("Title Rev 2 (1987)(Publisher)", "Title");
    check_title("Fortress rev 2 (1983)(SSI)(US)", "Fortress");
    check_title("Hibernated r13 (2022-08-14)(Puddle Soft)", "Hibernated");
    check_title("Mega Man v2", "Mega Man v2");
    check_title("Risky v1.5E (1987-12)(Publisher)(PD)", "Risky");
    check_title("Vidigrid v2 (1995)(Publisher)(PD)", "Vidigrid");
    check_title("Bakenou V3 (1993)(Asmik)(JP)", "Bakenou V3");
    check_title("Game V1.2 (1993)(Publisher)", "Game");
    check_title("Tetra v0.27 PAL (2005-10-29)(Publisher)(PD)", "Tetra");
    check_title("Football PAL (2005)(Publisher)", "Football PAL");
    check_title("International Karate + (Europe)", "International Karate +");
    check_title("Darius+ (World)", "Darius+");
    check_title("Wonder Su-Zi- (World)", "Wonder Su-Zi-");
    check_title("Code - ~Future Blessings~ (USA)", "Code - ~Future Blessings~");
    check_title("Subtitle missing - (USA)", "Subtitle missing");
    check_title("ZZZ-UNK-Hydra (UE)", "Hydra");
    check_title("1943 - The Battle of Midway (USA)", "1943 - The Battle of Midway");
    check_title("0123 - Some Game (E)", "Some Game");
    check_title("4787 - Pocket Game (v01) (U)(Group)", "Pocket Game");
    check_title("1830 - Railroads (USA)", "1830 - Railroads");
    check_title("2010 - The Game (USA)", "2010 - The Game");
    check_title("4787 - Pocket Game", "4787 - Pocket Game");
    check_title("47870 - Pocket Game (U)", "47870 - Pocket Game");
    check_title("1942 (USA)", "1942");
    check_title("SLUS_203.12.Final Fantasy X", "Final Fantasy X");
    check_title("Lemmings_v1.2_0567", "Lemmings");
    check_title("Super_Game_v1.1_AGA", "Super Game");
    check_title("Game_v2_0567", "Game v2 0567");
    check_title("Game_v1.2", "Game");
    check_title("[BIOS] Nintendo Game Boy Boot ROM (World)", "Nintendo Game Boy Boot ROM");
    check_title("(USA)", "(USA)");
    check_title("Game (open", "Game (open");
    check_title("Rock, Paper - Scissors, The (USA)", "Rock, Paper - The Scissors");
    check_title(
        "Grande LEGO Aventure - Le Jeu Video, La (France)",
        "La Grande LEGO Aventure - Le Jeu Video",
    );
    check_title("First + Tour - L'Epopee, Le", "First + Le Tour - L'Epopee");
    check_title("Saga - Vol. 03 - Battle, The (USA)", "Saga - Vol. 03 - The Battle");
    check_title("Saga - Leader, The (USA)", "Saga - The Leader");
    check_title("Game (Disc 1) (Evolution Disc)", "Game");
    check_title("Tom & Jerry, A", "A Tom & Jerry");
    check_title("Pokémon (Ünited) 🎮", "Pokémon 🎮");
    check_title("", "");
}

#[track_caller]
fn check(stem: &str, region: &str, languages: &[&str], revision: &str, release: &str, dump: &str) {
    let tags = parse(stem).tags;
    assert_eq!(tags.region_text(), region, "{stem:?}");
    assert_eq!(tags.languages, languages, "{stem:?}");
    assert_eq!(tags.revision.as_deref().unwrap_or_default(), revision, "{stem:?}");
    assert_eq!(tags.release_status.map_or("", ReleaseStatus::name), release, "{stem:?}");
    assert_eq!(tags.dump_status.map_or("", DumpStatus::name), dump, "{stem:?}");
}

#[test]
fn tags_of_preservation_sets_are_read() {
    check(
        "G (USA, Europe) (En,Fr,De) (Rev 1)",
        "USA, Europe",
        &["En", "Fr", "De"],
        "Rev 1",
        "",
        "",
    );
    check("G (Japan, USA) (En) (Beta 8)", "Japan, USA", &["En"], "", "beta", "");
    check("G (World) (v1.1) (U-235) (Aftermarket) (Unl)", "World", &[], "v1.1", "aftermarket", "");
    check("G (USA) (Proto 3) (1982-08-12)", "USA", &[], "", "proto", "");
    check("G (USA) (Possible Proto)", "USA", &[], "", "proto", "");
    check("G (Europe) (Demo 1) (Kiosk)", "Europe", &[], "", "demo", "");
    check("G (Japan) (Taikenban)", "Japan", &[], "", "demo", "");
    check("G (Taiwan) (Zh-Hans) (Unl) (Pirate)", "Taiwan", &["Zh-Hans"], "", "pirate", "");
    check("G (United Kingdom) (Alt 2)", "UK", &[], "", "", "alternate");
    check("G (Europe) (FW v5.00) (PSN)", "Europe", &[], "", "", "");
    check("G (USA) [b]", "USA", &[], "", "", "bad");
    check("G (USA) (Track 3)", "USA", &[], "", "", "");
    check("G (Asia) (En,Zh,Th,Vi,Id)", "Asia", &["En", "Zh", "Th", "Vi", "Id"], "", "", "");
    check("G (Europe) (En,Cy,Ga,Gd)", "Europe", &["En", "Cy", "Ga", "Gd"], "", "", "");
    check("G (India) (En,Hi,Ta,Te)", "India", &["En", "Hi", "Ta", "Te"], "", "", "");
    check("G (World) (Ar,Fa,Ms,Eo)", "World", &["Ar", "Fa", "Ms", "Eo"], "", "", "");
    check("G (USA) (v1.0.3, 2009-11)", "USA", &[], "v1.0.3", "", "");
    check("G (USA) (v2.0e 1990-10-17)", "USA", &[], "v2.0e", "", "");
    check("G (World) (v1.0r3)", "World", &[], "v1.0r3", "", "");
    check("G (World) (v1.0 Beta) (vr3)", "World", &[], "", "", "");
    check("G (World) (USA Version)", "World", &[], "", "", "");
    check("G (USA Version)", "USA", &[], "", "", "");
    check("G (Europe) (Version 1.1)", "Europe", &[], "Version 1.1", "", "");
    check("G (Version Soft)", "", &[], "", "", "");
    check("G (USA) (Alt1)", "USA", &[], "", "", "alternate");
    check("G (USA) (Altered)", "USA", &[], "", "", "");
    check("G (USA) (Trade Demo)", "USA", &[], "", "demo", "");
    check("G (USA) (GameCube Preview)", "USA", &[], "", "beta", "");
    check("G (Japan) (Jitsuen-you Sample)", "Japan", &[], "", "sample", "");
    check("G (Thailand) (Th)", "Thailand", &["Th"], "", "", "");
    check("G (World) (Hi)", "World", &[], "", "", "");
}

#[test]
fn tags_of_dated_sets_are_read() {
    check("G v1.2 (1987-05-01)(Publisher)(PAL)(DE)[cr]", "Germany", &[], "v1.2", "", "cracked");
    check("G (1983)(Alpha Denshi - Sega)(JP)[40K]", "Japan", &[], "", "", "");
    check("G (198x)(Boram - Sega)(KR)(en)[a]", "Korea", &["En"], "", "", "alternate");
    check("G (1994)(US)(EU-US)(en-ja)(beta)", "Europe, USA", &["En", "Ja"], "", "beta", "");
    check("G (1991)(X)[tr fr][h Someone]", "", &[], "", "hack", "");
    assert_eq!(parse("G (1987-05-01)(P)").tags.release_year, Some(1987));
    assert_eq!(parse("G (198x)(P)").tags.release_year, None);
    assert_eq!(parse("G (USA) (1987)").tags.release_year, None);
}

#[test]
fn tags_of_letter_sets_are_read() {
    check("G (U) (V1.1) [!]", "USA", &[], "V1.1", "", "verified");
    check("G (JU) [b1]", "Japan, USA", &[], "", "", "bad");
    check("G (E) [o1]", "Europe", &[], "", "", "overdump");
    check("G (U) (PRG1) [h1C]", "USA", &[], "PRG1", "hack", "");
    check("G (J) [T+Eng1.0]", "Japan", &[], "", "translation", "");
    check("G (J) [p1][!]", "Japan", &[], "", "pirate", "verified");
    check("G (UE) (REVA)", "USA, Europe", &[], "REVA", "", "");
    check("G_v1.2_0567", "", &[], "v1.2", "", "");
    check("G (SMB1 Hack)", "", &[], "", "hack", "");
    check("G (U) [C][!]", "USA", &[], "", "", "verified");
    check("G (E) [S]", "Europe", &[], "", "", "");
    check("G [JU]", "", &[], "", "", "");
    check("G (Ch) [!]", "China", &[], "", "", "verified");
    check("G (4) [!]", "USA, Brazil", &[], "", "", "verified");
    check("G (1) [b2]", "Japan, Korea", &[], "", "", "bad");
    check("G (4)", "", &[], "", "", "");
}

#[test]
fn revisions_compare_by_number() {
    let numbers = |stem: &str| parse(stem).tags.revision_numbers();
    assert!(numbers("G (Rev 10)") > numbers("G (Rev 9)"));
    assert!(numbers("G (Rev B)") > numbers("G (Rev A)"));
    assert!(numbers("G (Rev A)") > numbers("G"));
    assert_eq!(numbers("G (Version 1.1)"), numbers("G (v1.1)"));
    assert!(numbers("G (v1.10)") > numbers("G (v1.9)"));
    assert!(numbers("G (v1.1a)") > numbers("G (v1.1)"));
    assert!(numbers("G (v1.0r10)") > numbers("G (v1.0r3)"));
    assert!(numbers("G (v1.0r3)") > numbers("G (v1.0)"));
}
