use std::path::Path;

use kibitz_board::{Position, open::open_games, pgn::Policy};

use super::*;

/// Number, key and status of every game of the library, found by another program.
const GAMES: [(u32, &str, Status); 98] = [
    (101, "b5362408c8573685", Status::Substitute),
    (102, "0c176d1ea09079f8", Status::Chosen),
    (103, "04ae335af866ff39", Status::Substitute),
    (104, "3d3c56cd5405f3e8", Status::Chosen),
    (105, "0ae5f17a6f85f105", Status::Chosen),
    (106, "13c15aac8ad57900", Status::Chosen),
    (107, "124447383fbe70eb", Status::Chosen),
    (108, "2be9dbc8b40277fd", Status::Chosen),
    (109, "0306220e4aef6394", Status::Substitute),
    (110, "91835f2728b422b7", Status::Substitute),
    (111, "8267c469b72f92cc", Status::Substitute),
    (112, "12d9d02ac43f7634", Status::Substitute),
    (113, "b55f803d68abf279", Status::Substitute),
    (114, "7af5a6a33fe02f8c", Status::Chosen),
    (115, "02102d0a9116bb9e", Status::Substitute),
    (116, "059c8ae10e143cf3", Status::Substitute),
    (117, "03f6acc3861acf04", Status::Chosen),
    (118, "19fe53f53ff2f6ef", Status::Chosen),
    (119, "297b88d5c80e521d", Status::Chosen),
    (120, "2ea469980286942f", Status::Substitute),
    (121, "01f4dbb5b1be6039", Status::Substitute),
    (122, "3974878f4178eef6", Status::Chosen),
    (123, "4ea6f60bfe4ec23c", Status::Substitute),
    (124, "cef479be6c43c422", Status::Substitute),
    (125, "9aa0e09a256460e7", Status::Exact),
    (126, "60be84c7f614ea4e", Status::Substitute),
    (127, "b624e2d0b8313fdf", Status::Chosen),
    (128, "3bcf08dc41fb7c93", Status::Substitute),
    (129, "68d6326d4804b6f7", Status::Chosen),
    (130, "0fe5f2048b962afb", Status::Substitute),
    (131, "4bd8eeb0c5669dc3", Status::Chosen),
    (132, "d8a930d424e065c3", Status::Exact),
    (133, "e7f87584b28d4381", Status::Substitute),
    (134, "291b4ef4e2c169b9", Status::Chosen),
    (135, "85e8babda0d74bf8", Status::Exact),
    (136, "0b6362a4d5049835", Status::Chosen),
    (137, "171ae86b63aa2598", Status::Substitute),
    (138, "244b8266b7cee467", Status::Exact),
    (139, "25ea0c9e4dc76570", Status::Substitute),
    (140, "dbd42019a1e39992", Status::Exact),
    (141, "bb29a13fd9dae310", Status::Exact),
    (142, "f3bd622f3ea139a2", Status::Substitute),
    (143, "3ef37301e8d5def6", Status::Exact),
    (144, "8085c427e17d8841", Status::Exact),
    (145, "099f07ff08a6d88f", Status::Substitute),
    (146, "2aaf8857f82921cb", Status::Substitute),
    (147, "353e2be888866553", Status::Chosen),
    (148, "1d59e7a10259e6e4", Status::Exact),
    (149, "f255d91b80910e64", Status::Exact),
    (150, "3644301143fdd614", Status::Chosen),
    (151, "3e98f97579edf90c", Status::Chosen),
    (152, "aba6d1f0e2ba70cf", Status::Chosen),
    (153, "9207604e87932c6f", Status::Exact),
    (154, "04c7e783a216632b", Status::Substitute),
    (155, "055022745b5e369b", Status::Substitute),
    (156, "7cbdbccd95d769c2", Status::Substitute),
    (157, "91721ad2f2135fcc", Status::Chosen),
    (158, "31a3d5dab30ef720", Status::Substitute),
    (159, "3e6411432c9f70ed", Status::Substitute),
    (160, "8441e8c9c674b283", Status::Chosen),
    (161, "13fd7df69f1446d7", Status::Exact),
    (162, "291dd030d14d20fb", Status::Chosen),
    (163, "a205484c058cb933", Status::Chosen),
    (164, "d754d803dbcd7427", Status::Chosen),
    (165, "783039d338b55c99", Status::Exact),
    (166, "17ba2753d26edef4", Status::Chosen),
    (167, "156ed7343d4a2b1b", Status::Chosen),
    (168, "c555534a21324bd0", Status::Chosen),
    (169, "e793c7f97843b456", Status::Substitute),
    (170, "0ffc9b80b2ea0058", Status::Substitute),
    (171, "d2fdb97837a3ca6f", Status::Exact),
    (172, "c5b28fff995bd566", Status::Exact),
    (173, "54af01f6aa53565e", Status::Exact),
    (174, "80c6b6382c8bfdde", Status::Chosen),
    (175, "0d1c51089b22f280", Status::Exact),
    (176, "5412906d78f941ef", Status::Exact),
    (177, "97f2153b776d4607", Status::Exact),
    (178, "7f7d8d5c4416352b", Status::Exact),
    (179, "1e5a05ac80ee4a5a", Status::Exact),
    (180, "344f35bd8dd8105b", Status::Substitute),
    (181, "74d42429af4fe8a5", Status::Exact),
    (182, "ec2562c8dc4b1d71", Status::Exact),
    (183, "0446e6abd4b11da4", Status::Exact),
    (184, "094a88a23b77163e", Status::Exact),
    (185, "25213a9c57d8c2de", Status::Substitute),
    (186, "f1dff0efc82c8937", Status::Exact),
    (187, "41a30f0538aa1553", Status::Exact),
    (188, "fa748eab7a17c2ca", Status::Exact),
    (189, "fb74440e23142a4b", Status::Exact),
    (190, "7df96ff8efa1c869", Status::Exact),
    (191, "d6903477d15e4380", Status::Exact),
    (192, "2f1efb5fe48f735e", Status::Exact),
    (193, "c0d2100f611c600c", Status::Exact),
    (194, "5f7d90930d4318ff", Status::Exact),
    (195, "443689824d26b47f", Status::Exact),
    (196, "871f442e1c033bd8", Status::Exact),
    (197, "a387a550e0dbcfaa", Status::Exact),
    (198, "25722186dfd376f4", Status::Exact),
];

fn library() -> Vec<Game> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/chute-library.pgn");
    open_games(&path, Policy::strict())
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap()
}

#[test]
fn the_library_is_the_one_selected() {
    let games = library();
    assert_eq!(games.len(), GAMES.len());
    for (game, (number, key, status)) in games.iter().zip(GAMES) {
        let tags = game.tags();
        assert_eq!(
            tags.get_other("ThesisNumber"),
            Some(number.to_string().as_str())
        );
        assert_eq!(game.key().to_string(), key, "{number}");
        assert_eq!(
            tags.get_other("Status"),
            Some(status.to_string().as_str()),
            "{number}"
        );
    }
    let n_plies: usize = games.iter().map(Game::n_plies).sum();
    assert_eq!(n_plies, 7775);
    let n_mates = games
        .iter()
        .filter(|game| game.final_position().is_checkmate())
        .count();
    assert_eq!(n_mates, 1);
}

#[test]
fn the_printed_game_is_whole() {
    let game = printed_game().unwrap();
    assert_eq!(
        (game.key().to_string().as_str(), game.n_plies()),
        ("d8a930d424e065c3", 43)
    );
    assert_eq!(game.tags().get_other("DoubtfulPlies"), Some("26"));
}

#[test]
fn cards_name_players_of_the_table() {
    let names: BTreeSet<&str> = LIBRARY.players.iter().map(|player| &*player.name).collect();
    assert_eq!(names.len(), LIBRARY.players.len());
    for card in &LIBRARY.games {
        assert!(
            names.contains(&*card.white) && names.contains(&*card.black),
            "{}",
            card.number
        );
    }
    let numbers: Vec<u32> = LIBRARY.games.iter().map(|card| card.number).collect();
    assert_eq!(numbers, (101..=198).collect::<Vec<_>>());
}

#[test]
fn names_are_told_apart() {
    let player = |name| {
        let mut players = LIBRARY.players.iter();
        players.find(|player| player.name == name).unwrap()
    };
    let emanuel = player("Lasker, Emanuel");
    assert!(emanuel.is_written("Lasker, Em") && emanuel.is_written("Lasker Emanuel"));
    assert!(emanuel.is_written("Lasker") && !emanuel.is_written("Lasker, Ed"));
    let sidney = player("Bernstein, Sidney");
    assert!(sidney.is_written("Bernstein, S") && !sidney.is_written("Bernstein"));
    assert!(player("Fine, Reuben").is_written("Fine Reuben (bf)"));
}
