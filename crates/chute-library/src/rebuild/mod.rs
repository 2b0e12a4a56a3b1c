//! Rebuilding the embedded games from the archive that they were selected from.
//!
//! [`rebuild`] reads the archive once, selects each set of games by its rule, writes it in normal form,
//! and enters it in `data/manifest.toml`. The same archive gives the same bytes; [`verify`] proves it
//! without writing. The sets are the games of two players (`player_sets`) and the game library of the
//! CHUTE thesis (`library`).

mod library;
mod normal_form;
mod player_sets;
#[cfg(test)]
mod tests;

use std::{
    fmt::Write as _,
    fs::{self, File},
    io::{self, Read},
    path::Path,
};

use anyhow::{Context, Result, bail, ensure};
use kibitz_board::{
    Game,
    open::{self, Decompressor},
    pgn::{self, Policy},
};
use kibitz_lab::{DataEntry, HashOf, Manifest};
use library::LibraryBuilder;
use player_sets::{PLAYER_SETS, PlayerSetBuilder};
use regex::Regex;

/// Name of the archive's entry in the manifest.
const ARCHIVE: &str = "gnuchess-book";

/// BLAKE3 hash of the archive's text, decompressed.
const ARCHIVE_BLAKE3: &str = "0c67af24cf6e650359108e43a3639417d88aa94c2505ef0d785ca4d774b3f71f";

/// Length of the archive's text, decompressed, in bytes.
const ARCHIVE_BYTES: u64 = 85_712_190;

const SOURCE: &str = "\
Source: the file book_1.02.pgn of the Debian source package gnuchess-book 1.02 \
(`apt-get source gnuchess-book`), 145,716 games, SHA-256 \
33f5d31528f3c93c18adffa7a222b9b9d6097c2ae231147de2048acff5e06583.";

const LICENSE: &str = "\
Public domain, as the copyright file of the Debian package says; scores of games are facts.";

/// Selects the sets of games called `names`, or all if there are none, from the archive, and
/// writes them with their entries in the manifest below the folder `root`.
///
/// # Errors
///
/// A name is unknown, the archive cannot be read or is not the one the rules are for, or a file
/// cannot be written.
pub fn rebuild(archive: &Path, root: &Path, names: &[String]) -> Result<String> {
    let folder = root.join("data");
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let mut manifest = Manifest::read(root)?;
    let (report, sets) = recompute(archive, &folder, &manifest, names)?;
    for set in sets {
        let path = folder.join(&set.entry.path);
        fs::write(&path, set.bytes).with_context(|| format!("cannot write {}", path.display()))?;
        manifest.entries.insert(set.name.to_owned(), set.entry);
    }
    manifest.entries.insert(ARCHIVE.to_owned(), archive_entry());
    manifest.write(root)?;
    Ok(report)
}

/// Selects the sets of games as [`rebuild`] does, and compares them with the files and entries
/// below the folder `root`.
///
/// # Errors
///
/// As [`rebuild`], and if a file or entry differs.
pub fn verify(archive: &Path, root: &Path, names: &[String]) -> Result<String> {
    let folder = root.join("data");
    let manifest = Manifest::read(root)?;
    let (report, sets) = recompute(archive, &folder, &manifest, names)?;
    let changed: Vec<&str> = sets
        .iter()
        .filter(|set| !set.is_unchanged)
        .map(|set| set.name)
        .collect();
    ensure!(
        changed.is_empty(),
        "differs from what the archive gives: {}; `data rebuild` regenerates it",
        changed.join(", ")
    );
    Ok(report)
}

/// A set of games as the archive gives it.
struct RecomputedGames {
    /// Its name, and that of its entry in the manifest.
    name: &'static str,
    entry: DataEntry,
    bytes: Vec<u8>,
    /// Whether the file and its entry were as they are now before.
    is_unchanged: bool,
}

/// The sets, and remarks on them.
fn recompute(
    archive: &Path,
    folder: &Path,
    manifest: &Manifest,
    names: &[String],
) -> Result<(String, Vec<RecomputedGames>)> {
    let known = || {
        let player_sets = PLAYER_SETS.iter().map(|set| set.name);
        player_sets.chain([library::NAME])
    };
    if let Some(name) = names
        .iter()
        .find(|&name| known().all(|known| known != name))
    {
        bail!(
            "unknown data set `{name}`: known are {}",
            known().collect::<Vec<_>>().join(", ")
        );
    }
    let mut builders = known()
        .filter(|set| names.is_empty() || names.iter().any(|name| name == set))
        .map(|name| Ok((name, builder(name)?)))
        .collect::<Result<Vec<_>>>()?;
    let n_games = read_archive(archive, |game| {
        for (_, builder) in &mut builders {
            builder.offer(game);
        }
    })?;
    let mut report = format!("archive: {n_games} games\n");
    let mut sets = Vec::new();
    for (name, builder) in builders {
        let (games, counts) = builder.finish()?;
        let mut bytes = Vec::new();
        pgn::write_games(&mut bytes, &games)?;
        let entry = set_entry(name, &bytes);
        let is_unchanged = manifest.entries.get(name) == Some(&entry)
            && fs::read(folder.join(&entry.path)).is_ok_and(|present| present == bytes);
        let state = if is_unchanged { "unchanged" } else { "changed" };
        writeln!(report, "{name}: {state}, {} bytes, {counts}", entry.bytes)?;
        sets.push(RecomputedGames {
            name,
            entry,
            bytes,
            is_unchanged,
        });
    }
    Ok((report, sets))
}

/// Selects one set of games from those it is offered.
trait GameSet {
    /// Takes `game` if it may belong to the set.
    fn offer(&mut self, game: &Game);

    /// The games of the set, and the number of records dropped on the way to it.
    fn finish(self: Box<Self>) -> Result<(Vec<Game>, String)>;
}

/// The builder of the set called `name`.
fn builder(name: &str) -> Result<Box<dyn GameSet>> {
    Ok(match PLAYER_SETS.iter().find(|set| set.name == name) {
        Some(set) => Box::new(PlayerSetBuilder::new(set)?),
        None => Box::new(LibraryBuilder::default()),
    })
}

/// Whether none of the words that `not_serious` finds stands in the site, the event, or the name of a
/// player.
fn is_serious(game: &Game, not_serious: &Regex) -> bool {
    let tags = game.tags();
    let texts = [&tags.site, &tags.event, &tags.white, &tags.black];
    texts.iter().all(|text| !not_serious.is_match(text))
}

/// Hands every game of the archive to `take`, and checks that it is the archive.
fn read_archive(path: &Path, mut take: impl FnMut(&Game)) -> Result<u64> {
    let mut reader = HashingReader::new(open::open(path)?);
    let mut games = pgn::read_games(path.display().to_string(), &mut reader, Policy::strict());
    for game in games.by_ref() {
        take(&game?);
    }
    let n_games = games.into_tally().n_games;
    let hash = reader.hasher.finalize().to_hex();
    ensure!(
        hash.as_str() == ARCHIVE_BLAKE3,
        "{} is not the archive that the rules are for: expected {ARCHIVE_BYTES} bytes with the \
         BLAKE3 hash {ARCHIVE_BLAKE3}, found {} with {hash}",
        path.display(),
        reader.n_bytes,
    );
    Ok(n_games)
}

/// The manifest's entry for a set.
fn set_entry(name: &str, bytes: &[u8]) -> DataEntry {
    let rule = if name == library::NAME {
        "library"
    } else {
        "player_sets.rs"
    };
    DataEntry {
        path: format!("{name}.pgn").into(),
        external: false,
        blake3: blake3::hash(bytes),
        blake3_of: HashOf::File,
        bytes: bytes.len() as u64,
        origin: format!("Selected by rule (crates/chute-library/src/rebuild/{rule}). {SOURCE}"),
        license: LICENSE.to_owned(),
        rebuild: Some(format!("cargo xtask data rebuild --archive PATH {name}")),
        notes: None,
    }
}

/// The manifest's entry for the archive, which is too large to be part of the project.
fn archive_entry() -> DataEntry {
    DataEntry {
        path: "gnuchess-book-1.02.pgn.zst".into(),
        external: true,
        blake3: blake3::Hash::from_hex(ARCHIVE_BLAKE3).expect("64 hexadecimal digits"),
        blake3_of: HashOf::Decompressed,
        bytes: ARCHIVE_BYTES,
        origin: format!(
            "{SOURCE} The file may be compressed with zstd or not; hash and length are those of \
             its text."
        ),
        license: LICENSE.to_owned(),
        rebuild: Some("apt-get source gnuchess-book".to_owned()),
        notes: None,
    }
}

/// A reader that hashes the bytes it reads.
struct HashingReader {
    reader: Decompressor<File>,
    hasher: blake3::Hasher,
    n_bytes: u64,
}

impl HashingReader {
    fn new(reader: Decompressor<File>) -> HashingReader {
        HashingReader {
            reader,
            hasher: blake3::Hasher::new(),
            n_bytes: 0,
        }
    }
}

impl Read for HashingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n_read = self.reader.read(buffer)?;
        self.hasher.update(&buffer[..n_read]);
        self.n_bytes += n_read as u64;
        Ok(n_read)
    }
}
