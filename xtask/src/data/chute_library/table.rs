//! The library's players and games, and how the choice falls where the archive leaves one.

use Choice::{Longest, NearestYear, Printed, Round, SmallestKey, Surplus, Year};

/// A player of the library, and how the archive writes the name.
#[derive(Debug)]
pub(super) struct Player {
    /// Name as the library writes it, surname first.
    pub(super) name: &'static str,
    /// Ways in which the archive writes the surname.
    pub(super) surnames: &'static [&'static str],
    /// How the given names begin, if there are any in the record.
    pub(super) given_names: &'static [&'static str],
    /// Whether the surname alone may be this player.
    pub(super) by_surname: bool,
    /// Whether this is one of the better known players, whose games take the place of games that
    /// nothing else can replace.
    pub(super) is_well_known: bool,
}

const fn player(
    name: &'static str,
    surnames: &'static [&'static str],
    given_names: &'static [&'static str],
) -> Player {
    Player {
        name,
        surnames,
        given_names,
        by_surname: true,
        is_well_known: false,
    }
}

const fn known(
    name: &'static str,
    surnames: &'static [&'static str],
    given_names: &'static [&'static str],
) -> Player {
    Player {
        name,
        surnames,
        given_names,
        by_surname: true,
        is_well_known: true,
    }
}

/// A player with a better known namesake.
const fn not_by_surname(
    name: &'static str,
    surnames: &'static [&'static str],
    given_names: &'static [&'static str],
) -> Player {
    Player {
        name,
        surnames,
        given_names,
        by_surname: false,
        is_well_known: false,
    }
}

/// A game of the library, by its id card.
#[derive(Debug)]
pub(super) struct Card {
    /// Number, 101 to 198.
    pub(super) number: u32,
    /// The players as the card has them.
    pub(super) players: &'static str,
    /// White, by the name in [`PLAYERS`].
    pub(super) white: &'static str,
    /// Black, by the name in [`PLAYERS`].
    pub(super) black: &'static str,
    /// Which game of the two it is.
    pub(super) choice: Choice,
}

/// Which of several games of the same two players with the same colors is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// Nothing tells them apart: the one with the smallest key.
    SmallestKey,
    /// The one nearest to the target year of the book, then with the smallest key; if there is none
    /// in the years of the book, the nearest of any year.
    NearestYear,
    /// The one of a year.
    Year(u16),
    /// The one with most plies.
    Longest,
    /// The one whose site begins so, with this round.
    Round(&'static str, &'static str),
    /// None: the thesis prints the game.
    Printed,
    /// None: the card is one too many.
    Surplus,
}

const fn game(
    number: u32,
    players: &'static str,
    white: &'static str,
    black: &'static str,
    choice: Choice,
) -> Card {
    Card {
        number,
        players,
        white,
        black,
        choice,
    }
}

/// The players, in the order of their names.
pub(super) static PLAYERS: &[Player] = &[
    player("Adams, Weaver", &["Adams"], &["W"]),
    player("Alatortsev, Vladimir", &["Alatortsev"], &["V"]),
    known("Alekhine, Alexander", &["Alekhine"], &["A"]),
    player("Alexander, Conel Hugh O'Donel", &["Alexander"], &["C"]),
    player("Allies", &["Allies"], &[]),
    player("Anderssen, Adolf", &["Anderssen"], &["A"]),
    player("Becker, Albert", &["Becker"], &["A"]),
    not_by_surname("Bernstein, Sidney", &["Bernstein"], &["S"]),
    known(
        "Bogoljubow, Efim",
        &["Bogoljubow", "Bogoljubov", "Bogolyubov"],
        &["E"],
    ),
    known("Boleslavsky, Isaac", &["Boleslavsky"], &["I"]),
    player("Bonch-Osmolovsky", &["Bonch-Osmolovsky"], &[]),
    player("Bondarevsky, Igor", &["Bondarevsky", "Bondarevski"], &["I"]),
    known("Botvinnik, Mikhail", &["Botvinnik"], &["M"]),
    known("Bronstein, David", &["Bronstein"], &["D"]),
    known("Capablanca, Jose Raul", &["Capablanca"], &["J"]),
    player("Chekhover, Vitaly", &["Chekhover"], &["V"]),
    player("Christoffel, Martin", &["Christoffel"], &["M"]),
    known("Colle, Edgard", &["Colle"], &["E"]),
    player("Denker, Arnold", &["Denker"], &["A"]),
    player("Drexel, G", &["Drexel"], &["G"]),
    player("Enoch, D", &["Enoch"], &["D"]),
    known("Euwe, Max", &["Euwe"], &["M"]),
    player("Factor, Samuel", &["Factor"], &["S"]),
    known("Fine, Reuben", &["Fine"], &["R"]),
    player("Fink, Adolf", &["Fink"], &["A"]),
    known("Flohr, Salo", &["Flohr"], &["S"]),
    player("Glass, Eduard", &["Glass"], &["E"]),
    player("Goglidze, Viktor", &["Goglidze"], &["V"]),
    player("Gottesdiener, J", &["Gottesdiener"], &["J"]),
    player("Harrwitz, Daniel", &["Harrwitz"], &["D"]),
    player("Helms, Hermann", &["Helms"], &["H"]),
    player("Horowitz, Israel", &["Horowitz"], &["I"]),
    player("Jackson, Edward", &["Jackson"], &["E"]),
    known("Kashdan, Isaac", &["Kashdan"], &["I"]),
    known("Kmoch, Hans", &["Kmoch"], &["H"]),
    player("Korchmar", &["Korchmar"], &[]),
    known("Kotov, Alexander", &["Kotov"], &["A"]),
    player("Kramer, George", &["Kramer"], &["G"]),
    player("Kupchik, Abraham", &["Kupchik"], &["A"]),
    known("Landau, Salo", &["Landau"], &["S"]),
    known("Lasker, Emanuel", &["Lasker"], &["Em"]),
    known("Levenfish, Grigory", &["Levenfish"], &["G"]),
    known("Lilienthal, Andor", &["Lilienthal"], &["A"]),
    player("Mallison, Harold", &["Mallison"], &["H"]),
    known("Maroczy, Geza", &["Maroczy"], &["G"]),
    player("Marsky", &["Marsky"], &[]),
    player("Martin, A", &["Martin"], &["A"]),
    player("Mason, James", &["Mason"], &["J"]),
    player("Menchik, Vera", &["Menchik"], &["V"]),
    player("Michell, Reginald", &["Michell", "Mitchell"], &["R"]),
    player("Mieses, Jacques", &["Mieses"], &["J"]),
    player("Mongredien, Augustus", &["Mongredien"], &["A", "O"]),
    known("Monticelli, Mario", &["Monticelli"], &["M"]),
    player("Morris, H", &["Morris"], &["H"]),
    known("Najdorf, Miguel", &["Najdorf"], &["M"]),
    known("Nimzowitsch, Aron", &["Nimzowitsch", "Nimzovich"], &["A"]),
    player("Panov, Vasily", &["Panov"], &["V"]),
    player("Petrov, Vladimir", &["Petrov"], &["V"]),
    player("Pilnik, Herman", &["Pilnik"], &["H"]),
    player("Pinkus, Albert", &["Pinkus"], &["A"]),
    player("Pomar, Arturo", &["Pomar"], &["A"]),
    player("Przepiorka, David", &["Przepiorka"], &["D"]),
    player("Purdy, Cecil", &["Purdy"], &["C"]),
    player("Rabinovich, Ilya", &["Rabinovich"], &["I"]),
    player("Ragozin, Viacheslav", &["Ragozin", "Ragosin"], &["V"]),
    player("Rauzer, Vsevolod", &["Rauzer"], &["V"]),
    player("Ravinsky, Grigory", &["Ravinsky"], &["G"]),
    player("Reinfeld, Fred", &["Reinfeld"], &["F"]),
    known("Reshevsky, Samuel", &["Reshevsky"], &["S"]),
    known("Reti, Richard", &["Reti"], &["R"]),
    player("Romanovsky, Peter", &["Romanovsky"], &["P"]),
    known("Rubinstein, Akiba", &["Rubinstein"], &["A"]),
    player("Salwe, Georg", &["Salwe"], &["G"]),
    player("Santasiere, Anthony", &["Santasiere"], &["A"]),
    player("Schlechter, Carl", &["Schlechter"], &["C"]),
    player("Shipman, Walter", &["Shipman"], &["W"]),
    known("Smyslov, Vasily", &["Smyslov"], &["V"]),
    player("Sokor", &["Sokor"], &[]),
    player("Speyer, Abraham", &["Speyer", "Speijer"], &["A"]),
    known("Spielmann, Rudolf", &["Spielmann"], &["R"]),
    // The archive has a control character for the å, which reads as a blank.
    known("Stahlberg, Gideon", &["Stahlberg", "St hlberg"], &["G"]),
    player("Steiner, Herman", &["Steiner"], &["H"]),
    player("Steiner, Lajos", &["Steiner"], &["L"]),
    player("Steinitz, Wilhelm", &["Steinitz"], &["W"]),
    player("Stoltz, Gosta", &["Stoltz"], &["G"]),
    known(
        "Tartakower, Savielly",
        &["Tartakower", "Tartakover"],
        &["S"],
    ),
    known("Thomas, George", &["Thomas"], &["G"]),
    player("Tolush, Alexander", &["Tolush"], &["A"]),
    player("Torre, Carlos", &["Torre"], &["C"]),
    player("Treybal, Karel", &["Treybal"], &["K"]),
    known("Vidmar, Milan", &["Vidmar"], &["M"]),
    player("Volck, S", &["Volck"], &["S"]),
    player("Zita, Frantisek", &["Zita"], &["F"]),
];

/// The games.
///
/// Where the choice is not by key or year: game 122 is the one whose record has the initial A of the
/// card's Mongredien; 127 the textbook game of Lodz 1908; 152 the blindfold game at ten seconds a
/// move, as 153, and not the one of a simultaneous display; 160 is followed by games in the order of
/// their dates from 1944 on. 181 to 195 are the decisive games of the championship match of 1937 and
/// 196 to 198 those of the exhibition games after it, in the order in which the cards have the
/// colors; that order has one game too many with Alekhine as White between games 5 and 7, of which
/// the second is taken as the surplus.
#[rustfmt::skip]
pub(super) static CARDS: &[Card] = &[
    game(101, "H. Pilnik, W.W. Adams", "Pilnik, Herman", "Adams, Weaver", SmallestKey),
    game(102, "C. Schlechter, J. Mason", "Schlechter, Carl", "Mason, James", SmallestKey),
    game(103, "C.H. Alexander, H.V. Mallison", "Alexander, Conel Hugh O'Donel", "Mallison, Harold", SmallestKey),
    game(104, "A. Anderssen, D. Harrwitz", "Anderssen, Adolf", "Harrwitz, Daniel", SmallestKey),
    game(105, "R. Spielmann, A. Rubinstein", "Spielmann, Rudolf", "Rubinstein, Akiba", SmallestKey),
    game(106, "Dr. A. Alekhine, A. Rubinstein", "Alekhine, Alexander", "Rubinstein, Akiba", SmallestKey),
    game(107, "R. Reti, R. Spielmann", "Reti, Richard", "Spielmann, Rudolf", SmallestKey),
    game(108, "Sir G.A. Thomas, A. Rubinstein", "Thomas, George", "Rubinstein, Akiba", SmallestKey),
    game(109, "A. Kupchik, S. Factor", "Kupchik, Abraham", "Factor, Samuel", SmallestKey),
    game(110, "I.A. Horowitz, A. Martin", "Horowitz, Israel", "Martin, A", SmallestKey),
    game(111, "E. Rabinovich, S. Flohr", "Rabinovich, Ilya", "Flohr, Salo", SmallestKey),
    game(112, "L. Steiner, V. Petrov", "Steiner, Lajos", "Petrov, Vladimir", SmallestKey),
    game(113, "V. Panov, V. Chekhover", "Panov, Vasily", "Chekhover, Vitaly", SmallestKey),
    game(114, "R. Spielmann, S. Landau", "Spielmann, Rudolf", "Landau, Salo", SmallestKey),
    game(115, "V. Panov, Marsky", "Panov, Vasily", "Marsky", SmallestKey),
    game(116, "Korchmar, Bonch-Osmolovsky", "Korchmar", "Bonch-Osmolovsky", SmallestKey),
    game(117, "J. Mieses, A. Nimzovich", "Mieses, Jacques", "Nimzowitsch, Aron", SmallestKey),
    game(118, "E.D. Bogolyubov, G. Maroczy", "Bogoljubow, Efim", "Maroczy, Geza", SmallestKey),
    game(119, "A. Lilienthal, I. Bondarevsky", "Lilienthal, Andor", "Bondarevsky, Igor", NearestYear),
    game(120, "V. Rauzer, V. Alatortsev", "Rauzer, Vsevolod", "Alatortsev, Vladimir", SmallestKey),
    game(121, "Dr. E. Lasker, Dr. S. Tartakover", "Lasker, Emanuel", "Tartakower, Savielly", SmallestKey),
    game(122, "W. Steinitz, A. Mongredien", "Steinitz, Wilhelm", "Mongredien, Augustus", Year(1863)),
    game(123, "F. Reinfeld, A.E. Santasiere", "Reinfeld, Fred", "Santasiere, Anthony", SmallestKey),
    game(124, "S.N. Bernstein, H. Morris", "Bernstein, Sidney", "Morris, H", SmallestKey),
    game(125, "A. Speyer, A. Rubinstein", "Speyer, Abraham", "Rubinstein, Akiba", SmallestKey),
    game(126, "A. Lilienthal, S. Landau", "Lilienthal, Andor", "Landau, Salo", SmallestKey),
    game(127, "A. Rubinstein, G. Salwe", "Rubinstein, Akiba", "Salwe, Georg", Year(1908)),
    game(128, "J.R. Capablanca, Allies", "Capablanca, Jose Raul", "Allies", SmallestKey),
    game(129, "R. Reti, Dr. E. Lasker", "Reti, Richard", "Lasker, Emanuel", SmallestKey),
    game(130, "Dr. S. Tartakover, I. Kashdan", "Tartakower, Savielly", "Kashdan, Isaac", SmallestKey),
    game(131, "S. Flohr, Sir G.A. Thomas", "Flohr, Salo", "Thomas, George", SmallestKey),
    game(132, "G. Stahlberg, M. Monticelli", "Stahlberg, Gideon", "Monticelli, Mario", Printed),
    game(133, "I. Kashdan, A. Kupchik", "Kashdan, Isaac", "Kupchik, Abraham", SmallestKey),
    game(134, "A. Rubinstein, Dr. K. Treybal", "Rubinstein, Akiba", "Treybal, Karel", SmallestKey),
    game(135, "E. Colle, Sir G.A. Thomas", "Colle, Edgard", "Thomas, George", SmallestKey),
    game(136, "A. Rubinstein, A. Nimzovich", "Rubinstein, Akiba", "Nimzowitsch, Aron", SmallestKey),
    game(137, "S. Flohr, E.M. Jackson", "Flohr, Salo", "Jackson, Edward", SmallestKey),
    game(138, "R. Fine, R.P. Michell", "Fine, Reuben", "Michell, Reginald", SmallestKey),
    game(139, "A. Becker, E. Glass", "Becker, Albert", "Glass, Eduard", SmallestKey),
    game(140, "Dr. M. Vidmar, D. Enoch", "Vidmar, Milan", "Enoch, D", SmallestKey),
    game(141, "M. Monticelli, M. Najdorf", "Monticelli, Mario", "Najdorf, Miguel", SmallestKey),
    game(142, "V. Menchik, Sir G.A. Thomas", "Menchik, Vera", "Thomas, George", SmallestKey),
    game(143, "R.P. Michell, S. Flohr", "Michell, Reginald", "Flohr, Salo", SmallestKey),
    game(144, "V.A. Goglidze, S. Flohr", "Goglidze, Viktor", "Flohr, Salo", SmallestKey),
    game(145, "Sokor, S. Volck", "Sokor", "Volck, S", SmallestKey),
    game(146, "D. Przepiorka, J. Gottesdiener", "Przepiorka, David", "Gottesdiener, J", SmallestKey),
    game(147, "Dr. M. Euwe, J. Mieses", "Euwe, Max", "Mieses, Jacques", SmallestKey),
    game(148, "R. Reti, C. Torre", "Reti, Richard", "Torre, Carlos", SmallestKey),
    game(149, "M. Botvinnik, G. Levenfish", "Botvinnik, Mikhail", "Levenfish, Grigory", SmallestKey),
    game(150, "H. Kmoch, R. Spielmann", "Kmoch, Hans", "Spielmann, Rudolf", SmallestKey),
    game(151, "R. Fine, H. Steiner", "Fine, Reuben", "Steiner, Herman", NearestYear),
    game(152, "R. Fine, H. Helms", "Fine, Reuben", "Helms, Hermann", Longest),
    game(153, "W. Shipman, R. Fine", "Shipman, Walter", "Fine, Reuben", NearestYear),
    game(154, "A.S. Denker, A.S. Pinkus", "Denker, Arnold", "Pinkus, Albert", NearestYear),
    game(155, "A.J. Fink, S. Reshevsky", "Fink, Adolf", "Reshevsky, Samuel", NearestYear),
    game(156, "S. Reshevsky, H. Steiner", "Reshevsky, Samuel", "Steiner, Herman", NearestYear),
    game(157, "I.A. Horowitz, A.S. Denker", "Horowitz, Israel", "Denker, Arnold", NearestYear),
    game(158, "G. Kramer, G. Drexel", "Kramer, George", "Drexel, G", NearestYear),
    game(159, "G. Ravinsky, V. Panov", "Ravinsky, Grigory", "Panov, Vasily", NearestYear),
    game(160, "V. Smyslov, A. Kotov", "Smyslov, Vasily", "Kotov, Alexander", Year(1943)),
    game(161, "S. Flohr, G. Ravinsky", "Flohr, Salo", "Ravinsky, Grigory", NearestYear),
    game(162, "A. Tolush, A. Kotov", "Tolush, Alexander", "Kotov, Alexander", NearestYear),
    game(163, "A. Tolush, M. Botvinnik", "Tolush, Alexander", "Botvinnik, Mikhail", NearestYear),
    game(164, "M. Botvinnik, V. Smyslov", "Botvinnik, Mikhail", "Smyslov, Vasily", NearestYear),
    game(165, "P. Romanovsky, M. Botvinnik", "Romanovsky, Peter", "Botvinnik, Mikhail", NearestYear),
    game(166, "V. Ragosin, D. Bronstein", "Ragozin, Viacheslav", "Bronstein, David", NearestYear),
    game(167, "D. Bronstein, G. Loevenfisch", "Bronstein, David", "Levenfish, Grigory", NearestYear),
    game(168, "A. Alekhine, A. Pomar", "Alekhine, Alexander", "Pomar, Arturo", NearestYear),
    game(169, "S. Tartakower, M. Christoffel", "Tartakower, Savielly", "Christoffel, Martin", NearestYear),
    game(170, "M. Christoffel, H. Steiner", "Christoffel, Martin", "Steiner, Herman", NearestYear),
    game(171, "G. Stoltz, M. Botvinnik", "Stoltz, Gosta", "Botvinnik, Mikhail", NearestYear),
    game(172, "Dr. M. Euwe, H. Steiner", "Euwe, Max", "Steiner, Herman", NearestYear),
    game(173, "M. Najdorf, M. Botvinnik", "Najdorf, Miguel", "Botvinnik, Mikhail", NearestYear),
    game(174, "M. Najdorf, G. Stahlberg", "Najdorf, Miguel", "Stahlberg, Gideon", NearestYear),
    game(175, "V. Smyslov, S. Reshevsky", "Smyslov, Vasily", "Reshevsky, Samuel", NearestYear),
    game(176, "I. Boleslavsky, R. Fine", "Boleslavsky, Isaac", "Fine, Reuben", NearestYear),
    game(177, "F. Zita, D. Bronstein", "Zita, Frantisek", "Bronstein, David", NearestYear),
    game(178, "C.H.O'D. Alexander, M. Botvinnik", "Alexander, Conel Hugh O'Donel", "Botvinnik, Mikhail", NearestYear),
    game(179, "V. Smyslov, A.S. Denker", "Smyslov, Vasily", "Denker, Arnold", NearestYear),
    game(180, "L. Steiner, C. Purdy", "Steiner, Lajos", "Purdy, Cecil", NearestYear),
    game(181, "Dr. M. Euwe, Dr. A. Alekhine", "Euwe, Max", "Alekhine, Alexander", Round("Wch17-NLD", "01")),
    game(182, "Dr. A. Alekhine, Dr. M. Euwe", "Alekhine, Alexander", "Euwe, Max", Round("Wch17-NLD", "02")),
    game(183, "Dr. M. Euwe, Dr. A. Alekhine", "Euwe, Max", "Alekhine, Alexander", Round("Wch17-NLD", "05")),
    game(184, "Dr. A. Alekhine, Dr. M. Euwe", "Alekhine, Alexander", "Euwe, Max", Round("Wch17-NLD", "06")),
    game(185, "Dr. A. Alekhine, Dr. M. Euwe", "Alekhine, Alexander", "Euwe, Max", Surplus),
    game(186, "Dr. M. Euwe, Dr. A. Alekhine", "Euwe, Max", "Alekhine, Alexander", Round("Wch17-NLD", "07")),
    game(187, "Dr. A. Alekhine, Dr. M. Euwe", "Alekhine, Alexander", "Euwe, Max", Round("Wch17-NLD", "08")),
    game(188, "Dr. A. Alekhine, Dr. M. Euwe", "Alekhine, Alexander", "Euwe, Max", Round("NED Wch m", "10")),
    game(189, "Dr. M. Euwe, Dr. A. Alekhine", "Euwe, Max", "Alekhine, Alexander", Round("Wch17-NLD", "13")),
    game(190, "Dr. A. Alekhine, Dr. M. Euwe", "Alekhine, Alexander", "Euwe, Max", Round("Wch17-NLD", "14")),
    game(191, "Dr. M. Euwe, Dr. A. Alekhine", "Euwe, Max", "Alekhine, Alexander", Round("Wch17-NLD", "17")),
    game(192, "Dr. M. Euwe, Dr. A. Alekhine", "Euwe, Max", "Alekhine, Alexander", Round("Wch17-NLD", "21")),
    game(193, "Dr. A. Alekhine, Dr. M. Euwe", "Alekhine, Alexander", "Euwe, Max", Round("Wch17-NLD", "22")),
    game(194, "Dr. A. Alekhine, Dr. M. Euwe", "Alekhine, Alexander", "Euwe, Max", Round("Wch17-NLD", "24")),
    game(195, "Dr. M. Euwe, Dr. A. Alekhine", "Euwe, Max", "Alekhine, Alexander", Round("Wch17-NLD", "25")),
    game(196, "Dr. A. Alekhine, Dr. M. Euwe", "Alekhine, Alexander", "Euwe, Max", Round("Holland", "03")),
    game(197, "Dr. M. Euwe, Dr. A. Alekhine", "Euwe, Max", "Alekhine, Alexander", Round("Holland", "04")),
    game(198, "Dr. A. Alekhine, Dr. M. Euwe", "Alekhine, Alexander", "Euwe, Max", Round("Rotterdam", "")),
];
