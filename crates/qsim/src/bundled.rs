//! The system files that come with the crate.

use kibitz_text::Diagnostics;

use crate::system::System;

/// A system file that comes with the crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BundledSystem {
    /// Its name: `u-tube`.
    pub name: &'static str,
    /// The file.
    pub toml: &'static str,
}

macro_rules! bundled {
    ($($name:literal),* $(,)?) => {
        &[$(BundledSystem {
            name: $name,
            toml: include_str!(concat!("../systems/", $name, ".toml")),
        }),*]
    };
}

/// Systems to simulate, and the models compared in Morales 1992, Table 8.3 and section 8.4.2.
pub const BUNDLED: &[BundledSystem] = bundled![
    "u-tube",
    "bathtub",
    "spring",
    "damped-spring",
    "ball",
    "bouncing-ball",
    "two-tanks",
    "three-tanks",
    "table8-3/space",
    "table8-3/standard",
    "table8-3/legal",
    "table8-3/pal1",
    "table8-3/pal2",
    "table8-3/golem",
    "table8-3/mfoil",
    "table8-3/mfoil-dynamic",
    "table8-3/genetic",
    "table8-3/genmodel",
];

impl BundledSystem {
    /// The system of this name.
    pub fn find(name: &str) -> Option<Self> {
        BUNDLED.iter().copied().find(|known| known.name == name)
    }

    /// Reads it.
    ///
    /// # Errors
    /// None for the files as they are.
    pub fn read(self) -> Result<System, Diagnostics> {
        System::from_toml(&format!("{}.toml", self.name), self.toml)
    }
}
