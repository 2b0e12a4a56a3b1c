//! Triples from files: tab-separated, CSV or N-Triples, plain or compressed.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use kibitz_text::{Diagnostic, Exit, Failure, Location};
use oxttl::NTriplesParser;

use crate::graph::MAX_TRIPLES;
use crate::names::{Triple, Vocabulary};

/// The form of a file of triples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Syntax {
    /// Three fields with tabs between them, nothing quoted.
    Tabs,
    Csv,
    NTriples,
}

/// Bytes that the triples of a file and their names may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLimit(pub usize);

impl Default for MemoryLimit {
    /// 2 GiB.
    fn default() -> Self {
        Self(2 << 30)
    }
}

impl fmt::Display for MemoryLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} MiB", self.0 >> 20)
    }
}

/// Bytes that a triple takes while a graph is built from it, its names not counted: itself and its
/// two edges, twice.
const BYTES_PER_TRIPLE: usize = 64;
/// Bytes that a name takes in addition to its text.
const BYTES_PER_NAME: usize = 72;

/// Reads a file of triples: with the ending `.csv` as CSV, with `.nt` as N-Triples, otherwise as
/// three fields separated by tabs. Gzip and Zstandard are recognized by the first bytes.
///
/// The file is read once, line by line.
///
/// # Errors
/// The file cannot be read, a line does not hold a triple, or the triples would take more memory
/// than `limit`.
pub fn read_triples(
    path: &Path,
    vocabulary: &mut Vocabulary,
    limit: MemoryLimit,
) -> Result<Vec<Triple>, Failure> {
    let unreadable = |error: io::Error| Failure::unreadable(path, &error);
    let file = File::open(path).map_err(unreadable)?;
    if file.metadata().map_err(unreadable)?.is_dir() {
        let message = format!("{} is a folder; expected a file of triples", path.display());
        return Err(Failure::new(Exit::Missing, Diagnostic::new(message)));
    }
    let input = decompressed(file).map_err(unreadable)?;
    let mut source = Source::new(path.display().to_string(), vocabulary, limit);
    let read = match syntax(path) {
        Syntax::Csv => source.read_csv(input),
        Syntax::Tabs => source.read_lines(input, Source::tabs),
        Syntax::NTriples => source.read_lines(input, Source::n_triples),
    };
    source.finish(read)
}

/// Reads triples of three fields separated by tabs from something called `name`.
///
/// # Errors
/// See [`read_triples`].
pub fn read_tabs(
    name: &str,
    input: impl BufRead,
    vocabulary: &mut Vocabulary,
    limit: MemoryLimit,
) -> Result<Vec<Triple>, Failure> {
    let mut source = Source::new(name.to_owned(), vocabulary, limit);
    let read = source.read_lines(input, Source::tabs);
    source.finish(read)
}

/// The text of a file, plain or decompressed.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn decompressed(file: impl Read + 'static) -> io::Result<Box<dyn BufRead>> {
    let mut file = BufReader::with_capacity(1 << 16, file);
    let start = file.fill_buf()?;
    if start.starts_with(&[0x1f, 0x8b]) {
        return Ok(Box::new(BufReader::new(
            flate2::bufread::MultiGzDecoder::new(file),
        )));
    }
    // A frame, or a skippable frame (RFC 8878, section 3.1.2), with which `pzstd` begins.
    if let [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] = start {
        let decoder = zstd::Decoder::with_buffer(file)?;
        return Ok(Box::new(BufReader::with_capacity(1 << 16, decoder)));
    }
    Ok(Box::new(file))
}

fn syntax(path: &Path) -> Syntax {
    let is_packed = |ending: &str| ["gz", "zst"].contains(&ending);
    let ending = |path: &Path| {
        path.extension()
            .map(|it| it.to_string_lossy().to_ascii_lowercase())
    };
    let ending = match ending(path) {
        Some(packed) if is_packed(&packed) => {
            path.file_stem().and_then(|stem| ending(Path::new(stem)))
        }
        plain => plain,
    };
    match ending.as_deref() {
        Some("csv") => Syntax::Csv,
        Some("nt") => Syntax::NTriples,
        _ => Syntax::Tabs,
    }
}

enum ReadError {
    Io(io::Error),
    Failed(Failure),
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Failure> for ReadError {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// A file that is being read.
struct Source<'v> {
    name: String,
    vocabulary: &'v mut Vocabulary,
    limit: MemoryLimit,
    name_bytes: usize,
    triples: Vec<Triple>,
}

/// An error in a line, and its bytes.
struct Mistake {
    message: String,
    span: std::ops::Range<usize>,
    label: String,
}

impl<'v> Source<'v> {
    fn new(name: String, vocabulary: &'v mut Vocabulary, limit: MemoryLimit) -> Self {
        Self {
            name,
            vocabulary,
            limit,
            name_bytes: 0,
            triples: Vec::new(),
        }
    }

    fn finish(self, read: Result<(), ReadError>) -> Result<Vec<Triple>, Failure> {
        match read {
            Ok(()) => Ok(self.triples),
            Err(ReadError::Io(error)) => Err(Failure::unreadable(&self.name, &error)),
            Err(ReadError::Failed(failure)) => Err(failure),
        }
    }

    fn read_lines(
        &mut self,
        mut input: impl BufRead,
        parse: fn(&mut Self, &str) -> Result<Option<Triple>, Mistake>,
    ) -> Result<(), ReadError> {
        let mut bytes = Vec::new();
        for number in 1.. {
            bytes.clear();
            if input.read_until(b'\n', &mut bytes)? == 0 {
                break;
            }
            let line = self.text(&bytes, number)?;
            let line = line.strip_suffix('\n').unwrap_or(line);
            let mut line = line.strip_suffix('\r').unwrap_or(line);
            if number == 1 {
                line = line.strip_prefix('\u{feff}').unwrap_or(line);
            }
            if line.is_empty() {
                continue;
            }
            match parse(self, line) {
                Ok(None) => {}
                Ok(Some(triple)) => self.add(triple)?,
                Err(mistake) => return Err(self.mistake(number, line, mistake).into()),
            }
        }
        Ok(())
    }

    fn text<'b>(&self, bytes: &'b [u8], number: usize) -> Result<&'b str, Failure> {
        std::str::from_utf8(bytes).map_err(|error| {
            let at = error.valid_up_to();
            let lossy = String::from_utf8_lossy(bytes);
            let mistake = Mistake {
                message: "not UTF-8".to_owned(),
                span: at..at + 1,
                label: "expected text in UTF-8".to_owned(),
            };
            self.mistake(number, lossy.trim_end(), mistake)
        })
    }

    fn mistake(&self, number: usize, line: &str, mistake: Mistake) -> Failure {
        let mut location = Location::new(self.name.as_str(), line, mistake.span);
        if let Some(excerpt) = &mut location.excerpt {
            excerpt.line = number;
        }
        Diagnostic::new(mistake.message)
            .at(location)
            .with_label(mistake.label)
            .into()
    }

    fn add(&mut self, triple: Triple) -> Result<(), Failure> {
        if self.triples.len() >= MAX_TRIPLES {
            let message = format!("{} holds more than {MAX_TRIPLES} triples", self.name);
            return Err(Failure::failed(message));
        }
        self.triples.push(triple);
        // Names are only counted now and then: this is called for every line.
        if self.triples.len().is_multiple_of(4096) {
            let vocabulary = &*self.vocabulary;
            let n_names = vocabulary.n_entities() + vocabulary.n_relations();
            let names = n_names * BYTES_PER_NAME + self.name_bytes;
            let bytes = names + self.triples.len() * BYTES_PER_TRIPLE;
            if bytes > self.limit.0 {
                let message = format!(
                    "the graph in {} does not fit into {}: {} triples were read",
                    self.name,
                    self.limit,
                    self.triples.len()
                );
                let failure = Failure::failed(message);
                return Err(failure.with_note("raise the limit with --memory-limit MIB"));
            }
        }
        Ok(())
    }

    fn triple(&mut self, fields: [&str; 3]) -> Triple {
        let before = self.vocabulary.n_entities();
        let triple = self.vocabulary.triple(fields[0], fields[1], fields[2]);
        if self.vocabulary.n_entities() > before {
            self.name_bytes += fields[0].len().max(fields[2].len());
        }
        triple
    }

    fn tabs(&mut self, line: &str) -> Result<Option<Triple>, Mistake> {
        let mut fields = [""; 3];
        let mut n = 0;
        let mut at = 0;
        for field in line.split('\t') {
            if n == 3 {
                return Err(Mistake {
                    message: "more than three fields".to_owned(),
                    span: at..line.len(),
                    label: EXPECTED.to_owned(),
                });
            }
            fields[n] = field;
            if field.is_empty() {
                return Err(empty(n, at));
            }
            n += 1;
            at += field.len() + 1;
        }
        if n < 3 {
            return Err(Mistake {
                message: format!(
                    "{} instead of three",
                    kibitz_text::counted(n, "field", "fields")
                ),
                span: 0..line.len(),
                label: EXPECTED.to_owned(),
            });
        }
        Ok(Some(self.triple(fields)))
    }

    fn n_triples(&mut self, line: &str) -> Result<Option<Triple>, Mistake> {
        let mut parser = NTriplesParser::new().for_slice(line);
        match parser.next() {
            None => Ok(None),
            Some(Ok(triple)) => {
                let [head, tail] = [triple.subject.to_string(), triple.object.to_string()];
                let relation = triple.predicate.into_string();
                let [head, tail] = [&head, &tail].map(|name| without_brackets(name));
                Ok(Some(self.triple([head, &relation, tail])))
            }
            Some(Err(error)) => {
                let at = error.location();
                let byte = |column: u64| {
                    let mut places = line.char_indices();
                    places.nth(column as usize).map_or(line.len(), |(at, _)| at)
                };
                Err(Mistake {
                    message: error.message().to_owned(),
                    span: byte(at.start.column)..byte(at.end.column),
                    label: "expected a triple of N-Triples".to_owned(),
                })
            }
        }
    }

    fn read_csv(&mut self, input: impl Read) -> Result<(), ReadError> {
        let mut reader = csv::ReaderBuilder::new();
        let mut reader = reader.has_headers(false).flexible(true).from_reader(input);
        let mut record = csv::ByteRecord::new();
        loop {
            match reader.read_byte_record(&mut record) {
                Ok(false) => return Ok(()),
                Ok(true) => {}
                Err(error) => return Err(ReadError::Io(io::Error::other(error))),
            }
            let number = record.position().map_or(0, csv::Position::line) as usize;
            let joined = record.iter().collect::<Vec<_>>().join(&b","[..]);
            let line = self.text(&joined, number)?.to_owned();
            let mut fields = [""; 3];
            let mut at = 0;
            for (place, field) in fields.iter_mut().enumerate() {
                let Some(bytes) = record.get(place) else {
                    break;
                };
                *field = self.text(bytes, number)?;
                if field.is_empty() {
                    return Err(self.mistake(number, &line, empty(place, at)).into());
                }
                at += field.len() + 1;
            }
            if record.len() != 3 {
                let n = record.len();
                let mistake = Mistake {
                    message: format!(
                        "{} instead of three",
                        kibitz_text::counted(n, "field", "fields")
                    ),
                    span: 0..line.len(),
                    label: "expected head, relation and tail, separated by commas".to_owned(),
                };
                return Err(self.mistake(number, &line, mistake).into());
            }
            let is_head = HEADS
                .iter()
                .any(|head| head.iter().zip(fields).all(|(a, b)| *a == b));
            if number == 1 && is_head {
                continue;
            }
            let triple = self.triple(fields);
            self.add(triple)?;
        }
    }
}

/// First lines of CSV files that name the columns.
const HEADS: [[&str; 3]; 2] = [
    ["head", "relation", "tail"],
    ["subject", "predicate", "object"],
];

const EXPECTED: &str = "expected head, relation and tail, separated by tabs";

fn empty(place: usize, at: usize) -> Mistake {
    let name = ["head", "relation", "tail"][place];
    Mistake {
        message: format!("the {name} is empty"),
        span: at..at,
        label: "expected a name".to_owned(),
    }
}

fn without_brackets(name: &str) -> &str {
    let inner = name
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'));
    inner.unwrap_or(name)
}
