//! The concepts of the thesis, ready to be learned.

/// A concept that comes with the crate, in the form that the program `kibitz-patterns` reads.
#[derive(Clone, Copy, Debug)]
pub struct BundledConcept {
    /// Its name.
    pub name: &'static str,
    /// The declaration: TOML with `targets` and `[concept]`.
    pub declaration: &'static str,
    /// The definitions that `targets` names: Prolog.
    pub targets: &'static str,
}

impl BundledConcept {
    /// The concept of this name.
    pub fn named(name: &str) -> Option<&'static BundledConcept> {
        BUNDLED_CONCEPTS.iter().find(|own| own.name == name)
    }

    /// Its description: the first comment of its declaration.
    pub fn doc(&self) -> &'static str {
        let first = self.declaration.lines().next().unwrap_or("");
        first.trim_start_matches(['#', ' ']).trim_end_matches('.')
    }
}

const PAL: &str = include_str!("../concepts/pal.pl");
const KRK: &str = include_str!("../concepts/krk.pl");

macro_rules! concepts {
    ($($targets:ident: $($name:literal)*;)*) => {
        &[$($(BundledConcept {
            name: $name,
            declaration: include_str!(concat!("../concepts/", $name, ".toml")),
            targets: $targets,
        }),*),*]
    };
}

/// The concepts of Morales 1992: those of section 6.3.1 and appendix B, and those of king and rook
/// against king, Tables 7.2 and E.1.
pub const BUNDLED_CONCEPTS: &[BundledConcept] = concepts! {
    PAL: "threat" "threat1" "fork" "can_check" "can_threat" "can_fork" "disc_check" "disc_threat"
        "pin1" "pin2" "skewer" "w_line" "ltx3" "lty3" "ltxy3" "in_line";
    KRK: "threatkR" "rook_divs" "opposition" "almost_opposition" "r_edge" "kings_same_side" "l_patt"
        "rKk" "rkK" "closerKk" "rcloserKk" "awayRk" "rawayRk" "rcloserRk" "in_lineRK" "closeRK2"
        "distkR6" "squeeze" "closerkKR" "closerKkR" "k_trap" "distKR1" "mvKcloserR" "corner" "corner2";
};
