//! Triples from files: tab-separated, CSV or N-Triples, plain or compressed.

use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use kibitz_text::{Decompressor, Diagnostic, Exit, Failure, separator_line};
use oxttl::NTriplesParser;

use crate::fields::{
    CsvRecord, Mistake, csv_fields, end_of_statement, is_header, three, without_brackets,
};
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

/// Triples that were read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TripleFile {
    /// The triples, in the order of the file.
    pub triples: Vec<Triple>,
    /// The first line, if it names the columns, as in `head,relation,tail`; it is not a triple.
    pub header: Option<[String; 3]>,
}

/// Reads a file of triples: with the ending `.csv` as CSV, with `.nt` as N-Triples, otherwise as
/// three fields separated by tabs. Zstandard, gzip and bzip2 are recognized by the first bytes.
///
/// The file is read once, line by line. A first line of CSV or of fields separated by tabs that has
/// the usual names of the columns, in any case, is a header.
///
/// # Errors
/// The file cannot be read, a line does not hold a triple, or the triples would take more memory
/// than `limit`.
pub fn read_triples(
    path: &Path,
    vocabulary: &mut Vocabulary,
    limit: MemoryLimit,
) -> Result<TripleFile, Failure> {
    let input = opened(path, "triples")?;
    let mut source = Source::new(path.display().to_string(), vocabulary, limit);
    let read = match syntax(path) {
        Syntax::Csv => source.read_lines(input, Source::csv),
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
) -> Result<TripleFile, Failure> {
    let mut source = Source::new(name.to_owned(), vocabulary, limit);
    let read = source.read_lines(input, Source::tabs);
    source.finish(read)
}

/// The text of a file of `contents`, plain or decompressed.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn opened(path: &Path, contents: &str) -> Result<Box<dyn BufRead>, Failure> {
    if path == Path::new("-") {
        let message = format!("`-` is not a file; expected a file of {contents}");
        return Err(Failure::usage(message).with_note("standard input is not read"));
    }
    let unreadable = |error: io::Error| Failure::unreadable(path, &error);
    let file = File::open(path).map_err(unreadable)?;
    if file.metadata().map_err(unreadable)?.is_dir() {
        let message = format!(
            "{} is a folder; expected a file of {contents}",
            path.display()
        );
        return Err(Failure::new(Exit::Missing, Diagnostic::new(message)));
    }
    decompressed(file).map_err(unreadable)
}

/// The text of a file, plain or decompressed.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn decompressed(file: impl Read + 'static) -> io::Result<Box<dyn BufRead>> {
    let reader = Decompressor::new(file)?;
    Ok(Box::new(BufReader::with_capacity(1 << 16, reader)))
}

fn syntax(path: &Path) -> Syntax {
    let is_packed = |ending: &str| ["gz", "zst", "bz2"].contains(&ending);
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
    /// What separates the fields of CSV, once its first line has been read.
    separator: Option<char>,
    found: TripleFile,
}

/// The content of one line.
enum ParsedLine {
    Nothing,
    Triple(Triple),
    /// A quoted field goes on in the next line; where it begins.
    OpenQuote(usize),
}

/// Bytes of lines at most that a quoted field may join.
const MAX_QUOTED: usize = 1 << 16;

/// The text of the bytes of lines, of which the first has this number.
///
/// # Errors
/// The bytes are not UTF-8, or are those of a binary file.
pub(crate) fn utf8<'b>(name: &str, bytes: &'b [u8], number: usize) -> Result<&'b str, Failure> {
    let text = std::str::from_utf8(bytes);
    let valid = text.map_or_else(|error| error.valid_up_to(), str::len);
    let (at, message) = match (bytes[..valid].iter().position(|byte| *byte == 0), text) {
        (None, Ok(text)) => return Ok(text),
        (None, Err(_)) => (valid, "not UTF-8"),
        (Some(at), _) => (at, "a NUL byte: the file is binary or has another encoding"),
    };
    let lossy = String::from_utf8_lossy(bytes);
    let mistake = Mistake {
        message: message.to_owned(),
        span: at..at + 1,
        label: "expected text in UTF-8".to_owned(),
    };
    Err(mistake.at(name, number, lossy.trim_end()))
}

impl<'v> Source<'v> {
    fn new(name: String, vocabulary: &'v mut Vocabulary, limit: MemoryLimit) -> Self {
        Self {
            name,
            vocabulary,
            limit,
            name_bytes: 0,
            separator: None,
            found: TripleFile::default(),
        }
    }

    fn finish(self, read: Result<(), ReadError>) -> Result<TripleFile, Failure> {
        match read {
            Ok(()) => Ok(self.found),
            Err(ReadError::Io(error)) => Err(Failure::unreadable(&self.name, &error)),
            Err(ReadError::Failed(failure)) => Err(failure),
        }
    }

    fn read_lines(
        &mut self,
        mut input: impl BufRead,
        parse: fn(&mut Self, &str) -> Result<ParsedLine, Mistake>,
    ) -> Result<(), ReadError> {
        let mut bytes = Vec::new();
        let mut n_lines = 0;
        loop {
            bytes.clear();
            if input.read_until(b'\n', &mut bytes)? == 0 {
                return Ok(());
            }
            n_lines += 1;
            let number = n_lines;
            loop {
                let mut line = utf8(&self.name, &bytes, number)?;
                if number == 1 {
                    line = line.strip_prefix('\u{feff}').unwrap_or(line);
                }
                line = line.strip_suffix('\n').unwrap_or(line);
                line = line.strip_suffix('\r').unwrap_or(line);
                if line.is_empty() {
                    break;
                }
                let start = match parse(self, line) {
                    Ok(ParsedLine::Nothing) => break,
                    Ok(ParsedLine::Triple(triple)) => {
                        self.add(triple)?;
                        break;
                    }
                    Ok(ParsedLine::OpenQuote(start)) => start,
                    Err(mistake) => return Err(mistake.at(&self.name, number, line).into()),
                };
                let is_too_long = bytes.len() > MAX_QUOTED;
                if is_too_long || input.read_until(b'\n', &mut bytes)? == 0 {
                    let text = utf8(&self.name, &bytes, number)?;
                    let mistake = Mistake {
                        message: "the quoted field does not end".to_owned(),
                        span: start..start + 1,
                        label: "expected another `\"` after this one".to_owned(),
                    };
                    return Err(mistake.at(&self.name, number, text).into());
                }
                n_lines += 1;
            }
        }
    }

    fn add(&mut self, triple: Triple) -> Result<(), Failure> {
        if self.found.triples.len() >= MAX_TRIPLES {
            let message = format!("{} holds more than {MAX_TRIPLES} triples", self.name);
            return Err(Failure::failed(message));
        }
        self.found.triples.push(triple);
        // Names are only counted now and then: this is called for every line.
        if self.found.triples.len().is_multiple_of(4096) {
            let vocabulary = &*self.vocabulary;
            let n_names = vocabulary.n_entities() + vocabulary.n_relations();
            let names = n_names * BYTES_PER_NAME + self.name_bytes;
            let bytes = names + self.found.triples.len() * BYTES_PER_TRIPLE;
            if bytes > self.limit.0 {
                let message = format!(
                    "the graph in {} does not fit into {}: {} triples were read",
                    self.name,
                    self.limit,
                    self.found.triples.len()
                );
                let failure = Failure::failed(message);
                return Err(failure.with_note("raise the limit with --memory-limit MIB"));
            }
        }
        Ok(())
    }

    /// The triple of a row of three fields, unless the row is the header.
    fn row(&mut self, fields: [&str; 3]) -> ParsedLine {
        let is_first = self.found.triples.is_empty() && self.found.header.is_none();
        if is_first && is_header(fields) {
            self.found.header = Some(fields.map(str::to_owned));
            return ParsedLine::Nothing;
        }
        ParsedLine::Triple(self.triple(fields))
    }

    fn triple(&mut self, fields: [&str; 3]) -> Triple {
        let before = self.vocabulary.n_entities();
        let triple = self.vocabulary.triple(fields[0], fields[1], fields[2]);
        if self.vocabulary.n_entities() > before {
            self.name_bytes += fields[0].len().max(fields[2].len());
        }
        triple
    }

    fn tabs(&mut self, line: &str) -> Result<ParsedLine, Mistake> {
        let mut at = 0;
        let fields = line.split('\t').map(|field| {
            let start = at;
            at += field.len() + 1;
            (start, Cow::Borrowed(field))
        });
        let fields = three(line, fields, '\t')?;
        Ok(self.row(fields.each_ref().map(AsRef::as_ref)))
    }

    fn csv(&mut self, record: &str) -> Result<ParsedLine, Mistake> {
        let separator = if let Some(separator) = self.separator {
            separator
        } else {
            let said = separator_line(record.as_bytes()).flatten();
            let separator = *self.separator.insert(said.map_or(',', char::from));
            if said.is_some() {
                return Ok(ParsedLine::Nothing);
            }
            separator
        };
        let fields = match csv_fields(record, separator)? {
            CsvRecord::Whole(fields) => fields,
            CsvRecord::OpenQuote(start) => return Ok(ParsedLine::OpenQuote(start)),
        };
        let fields = three(record, fields.into_iter(), separator)?;
        Ok(self.row(fields.each_ref().map(AsRef::as_ref)))
    }

    fn n_triples(&mut self, line: &str) -> Result<ParsedLine, Mistake> {
        let mut parser = NTriplesParser::new().for_slice(line);
        match parser.next() {
            None => Ok(ParsedLine::Nothing),
            Some(Ok(triple)) => {
                let end = end_of_statement(line);
                let rest = line[end..].trim_start();
                if !rest.is_empty() && !rest.starts_with('#') {
                    return Err(Mistake {
                        message: "text after the dot".to_owned(),
                        span: line.len() - rest.len()..line.len(),
                        label: "expected a comment or the end of the line: one triple per line"
                            .to_owned(),
                    });
                }
                let [head, tail] = [triple.subject.to_string(), triple.object.to_string()];
                let relation = triple.predicate.into_string();
                let [head, tail] = [&head, &tail].map(|name| without_brackets(name));
                Ok(ParsedLine::Triple(self.triple([head, &relation, tail])))
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
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn bzip2_is_read_as_the_text_that_it_holds() {
        let text = "ann\tmarried\tbob\n";
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        let packed = encoder.finish().unwrap();
        let mut read = String::new();
        let mut reader = decompressed(io::Cursor::new(packed)).unwrap();
        reader.read_to_string(&mut read).unwrap();
        assert_eq!(read, text);
        let csv = [syntax(Path::new("a.csv.bz2")), syntax(Path::new("a.CSV"))];
        assert_eq!(csv, [Syntax::Csv; 2]);
    }

    #[test]
    fn quoted_fields_are_those_of_csv() {
        let names = |text: &str| {
            let mut vocabulary = Vocabulary::default();
            let mut source =
                Source::new("x.csv".to_owned(), &mut vocabulary, MemoryLimit::default());
            let read = source.read_lines(text.as_bytes(), Source::csv);
            let n = source.finish(read).map_err(|failure| failure.to_string())?;
            let entities = vocabulary.entity_names().map(str::to_owned);
            Ok::<_, String>((n.triples.len(), entities.collect::<Vec<_>>()))
        };
        let two = ["a,\"b", "c\nd"].map(str::to_owned).to_vec();
        assert_eq!(names("\"a,\"\"b\",r,\"c\nd\"\n"), Ok((1, two)));
        let plain = ["5\"", "x"].map(str::to_owned).to_vec();
        assert_eq!(names("\u{feff}5\",r,x\r\n\r\n"), Ok((1, plain)));
        let said = names("\u{feff}sep=;\r\n5\";r;x\r\n");
        assert_eq!(said, names("5\",r,x\n"));
        let few = names("sep=;\na;r,b\n").unwrap_err();
        assert!(
            few.contains("x.csv:2:1") && few.contains("separated by `;`"),
            "{few}"
        );
        let open = names("a,r,b\na,r,\"b\nc\n").unwrap_err();
        assert!(open.contains("x.csv:2:5"), "{open}");
        let after = names("\"a\nb\",r,\"b\"x\n").unwrap_err();
        assert!(after.contains("x.csv:2:9"), "{after}");
    }
}
