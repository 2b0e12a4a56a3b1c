//! The command `graph`.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

/// A folder in which to type.
struct Folder(TempDir);

const FAMILY: &str = "\
ann\tmarried\tbob
bob\tmarried\tann
cas\tmarried\tdan
dan\tmarried\tcas
eve\tmarried\tfay
ann\tlives\toslo
bob\tlives\toslo
cas\tlives\trome
dan\tlives\trome
eve\tlives\trome
gus\tlives\toslo
ann\tspeaks\tnorwegian
bob\tspeaks\tnorwegian
cas\tspeaks\titalian
dan\tspeaks\titalian
";

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Exit code and both streams.
    fn typed(&self, line: &str) -> String {
        let program = env!("CARGO_BIN_EXE_kibitz-ilp");
        let output = Command::new(program)
            .arg("graph")
            .args(line.split(' '))
            .args(["--threads", "1"])
            .current_dir(self.0.path())
            .output()
            .unwrap();
        format!(
            "$ graph {line}\nexit {}\n{}{}\n",
            output.status.code().unwrap_or(-1),
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        )
    }

    fn all(&self, lines: &[&str]) -> String {
        lines.iter().map(|line| self.typed(line)).collect()
    }
}

const TEST: &str = "fay\tmarried\teve\neve\tspeaks\titalian\n";

#[test]
fn rules_are_learned_applied_and_explained() {
    let folder = Folder::new(&[("train.tsv", FAMILY), ("valid.tsv", ""), ("test.tsv", TEST)]);
    let said = folder.all(&[
        "learn train.tsv --out rules.tsv",
        "predict rules.tsv train.tsv --query fay married ? --query eve speaks ? --query ? speaks oslo",
        "evaluate rules.tsv train.tsv valid.tsv test.tsv --by-relation",
        "explain rules.tsv train.tsv eve speaks italian",
        "explain rules.tsv train.tsv eve speaks norwegian",
        "stats train.tsv test.tsv",
    ]);
    insta::assert_snapshot!(said);
    insta::assert_snapshot!(fs::read_to_string(folder.path("rules.tsv")).unwrap());
}

#[test]
fn other_forms_of_output() {
    let folder = Folder::new(&[("train.tsv", FAMILY), ("valid.tsv", ""), ("test.tsv", TEST)]);
    let mut said = folder.typed("learn train.tsv --out rules.pl --max-path 2 --format json");
    for format in ["json", "csv"] {
        for line in [
            "predict rules.pl train.tsv --query eve speaks ? --show 1",
            "evaluate rules.pl train.tsv valid.tsv test.tsv",
            "explain rules.pl train.tsv eve speaks italian --show 1",
            "stats train.tsv test.tsv",
        ] {
            said += &folder.typed(&format!("{line} --format {format}"));
        }
    }
    insta::assert_snapshot!(said);
}

/// Prolog and `AnyBURL`'s lines hold the same rules.
#[test]
fn both_syntaxes_give_the_same_ranks() {
    let folder = Folder::new(&[("train.tsv", FAMILY), ("valid.tsv", ""), ("test.tsv", TEST)]);
    folder.all(&[
        "learn train.tsv --out rules.tsv",
        "learn train.tsv --out rules.pl",
    ]);
    let ranks = |rules: &str| {
        let line = format!("evaluate {rules} train.tsv valid.tsv test.tsv --by-relation");
        folder.typed(&line).split_once('\n').unwrap().1.to_owned()
    };
    assert!(
        ranks("rules.tsv").starts_with("exit 0\n"),
        "{}",
        ranks("rules.tsv")
    );
    assert_eq!(ranks("rules.tsv"), ranks("rules.pl"));
    let read = fs::read_to_string(folder.path("rules.tsv")).unwrap();
    assert_eq!(
        read.lines().count(),
        fs::read_to_string(folder.path("rules.pl"))
            .unwrap()
            .lines()
            .count()
    );
}

/// The ranks are those of a plain program in Python, where that is installed.
#[test]
fn ranks_are_those_of_the_reference() {
    let mut parts = [String::new(), String::new(), String::new()];
    for relation in 0..5_usize {
        for head in 0..11_usize {
            for tail in 0..11_usize {
                let at = head * 11 + tail;
                let is_near = (head + relation) % 4 == tail % 4;
                let noise = (at * at * 7 + relation * 13 + head * 5) % 11;
                if head != tail && noise < if is_near { 8 } else { 2 } {
                    let part = match at % 12 {
                        3 => 2,
                        7 => 1,
                        _ => 0,
                    };
                    let triple = format!("e{head}\tr{relation}\te{tail}\n");
                    parts[part].push_str(&triple);
                }
            }
        }
    }
    let [train, valid, test] = &parts;
    let folder = Folder::new(&[
        ("train.tsv", train),
        ("valid.tsv", valid),
        ("test.tsv", test),
    ]);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../graph/scripts/reference.py");
    folder.typed("learn train.tsv --out rules.tsv --max-path 2");
    let reference = Command::new("python3")
        .arg(script)
        .args(["rules.tsv", "train.tsv", "valid.tsv", "test.tsv"])
        .current_dir(folder.0.path())
        .output();
    let Ok(reference) = reference else { return };
    let expected = String::from_utf8_lossy(&reference.stdout);
    let said = folder.typed("evaluate rules.tsv train.tsv valid.tsv test.tsv");
    let both = said.lines().find(|line| line.starts_with("both")).unwrap();
    let found: Vec<&str> = both.split_whitespace().skip(2).collect();
    assert_eq!(found.join(" "), expected.trim(), "{said}");
    assert!(!expected.is_empty());
}

/// CSV, N-Triples and compressed files hold the same graph.
#[test]
fn every_form_of_input_gives_the_same_rules() {
    let folder = Folder::new(&[("train.tsv", FAMILY)]);
    let csv = format!("head,relation,tail\n{}", FAMILY.replace('\t', ","));
    let lines = FAMILY.lines().map(|line| {
        let names: Vec<String> = line
            .split('\t')
            .map(|name| format!("<http://a/{name}>"))
            .collect();
        format!("{} .\n", names.join(" "))
    });
    let triples: String = lines.collect();
    fs::write(folder.path("train.csv"), csv).unwrap();
    fs::write(folder.path("train.nt"), format!("# a comment\n{triples}")).unwrap();
    let file = fs::File::create(folder.path("train.tsv.gz")).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(file, flate2::Compression::default());
    gzip.write_all(FAMILY.as_bytes()).unwrap();
    gzip.finish().unwrap();
    let packed = zstd::encode_all(FAMILY.as_bytes(), 3).unwrap();
    fs::write(folder.path("train.tsv.zst"), &packed).unwrap();
    // A skippable frame of four bytes before it, as `pzstd` writes it.
    let mut skipped = vec![0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4];
    skipped.extend(&packed);
    fs::write(folder.path("pzstd.tsv.zst"), skipped).unwrap();
    let rules = |train: &str| {
        let said = folder.typed(&format!("learn {train} --out rules.tsv"));
        assert!(said.contains("exit 0"), "{said}");
        fs::read_to_string(folder.path("rules.tsv")).unwrap()
    };
    let plain = rules("train.tsv");
    for other in [
        "train.csv",
        "train.tsv.gz",
        "train.tsv.zst",
        "pzstd.tsv.zst",
    ] {
        assert_eq!(rules(other), plain, "{other}");
    }
    assert_eq!(rules("train.nt").replace("http://a/", ""), plain);
}

#[test]
fn bad_input_is_refused_or_reported() {
    let folder = Folder::new(&[
        ("train.tsv", FAMILY),
        ("two.tsv", "ann\tmarried\tbob\nann\tmarried\n"),
        ("four.tsv", "ann\tmarried\tbob\tcas\n"),
        ("spaces.tsv", "ann married bob\n"),
        ("relation.tsv", "ann\t\tbob\n"),
        ("empty.tsv", ""),
        ("two.csv", "ann,married,bob\nann,\"mar\nried\"\n"),
        ("bad.nt", "<http://a/a> <http://a/b> c .\n"),
        ("repeated.tsv", "a\tr\tb\na\tr\tb\nb\tr\ta\n"),
        (
            "leaked.tsv",
            "ann\tmarried\tbob\nzoe\tmarried\tbob\nann\tknows\tbob\n",
        ),
        ("rules.tsv", "6\t4\t0.5\tmarried(X,Y) <= married(Y,X)\n"),
        ("short.tsv", "6\t4\tmarried(X,Y) <= married(Y,X)\n"),
        ("cross.tsv", "6\t4\t0.5\tmarried(X,Y) <= lives(A,B)\n"),
        ("more.tsv", "4\t6\t1.5\tmarried(X,Y) <= married(Y,X)\n"),
        (
            "foreign.tsv",
            "6\t4\t0.5\tknows(X,Y) <= married(Y,X)\n6\t4\t0.5\tmarried(X,X) <= lives(X,A)\n",
        ),
        ("bad.pl", "married(A,B) :- married(B,A).\n"),
        ("worse.pl", "married(A,B) :- married(B,A)).  % 4 of 6\n"),
        (
            "after.nt",
            "<e:a> <e:b> <e:c> . # fine\n<e:a> <e:b> <e:d> . <e:d> <e:e> <e:f> .\n",
        ),
        ("quoted.csv", "ann,married,bob\nann,married,\"bo\"b\n"),
        ("open.csv", "ann,married,\"bob\ncas,married,dan\n"),
        ("binary.tsv", "\u{7f}ELF\0\0"),
        (
            "binary-rules.tsv",
            "6\t4\t0.5\tmarried(X,Y) <= married(Y,\0)\n",
        ),
        (
            "three.tsv",
            "5\t4\t0.8\tmarried(X,Y) <= married(Y,X)\n5\tfour\t0.8\tlives(X,Y) <= married(X,Y)\n\
             5\t4\t0.8\tlives(X,Y) <= married(X,A)\n5\t4\tx\tlives(X,Y) <= married(X,Y)\n",
        ),
        (
            "again.tsv",
            "5\t4\t0.8\tmarried(X,Y) <= married(Y,X)\n5\t3\t0.6\tmarried(X,Y) <= married(Y,X)\n",
        ),
    ]);
    fs::write(folder.path("latin.tsv"), b"ann\tmarried\tb\xf6b\n").unwrap();
    let said = folder.all(&[
        "stats two.tsv",
        "stats four.tsv",
        "stats spaces.tsv",
        "stats relation.tsv",
        "stats empty.tsv",
        "stats two.csv",
        "stats bad.nt",
        "stats latin.tsv",
        "stats trian.tsv",
        "stats .",
        "stats repeated.tsv",
        "evaluate rules.tsv train.tsv empty.tsv leaked.tsv",
        "evaluate rules.tsv train.tsv empty.tsv empty.tsv",
        "evaluate short.tsv train.tsv empty.tsv leaked.tsv",
        "evaluate cross.tsv train.tsv empty.tsv leaked.tsv",
        "evaluate more.tsv train.tsv empty.tsv leaked.tsv",
        "evaluate bad.pl train.tsv empty.tsv leaked.tsv",
        "evaluate worse.pl train.tsv empty.tsv leaked.tsv",
        "explain foreign.tsv train.tsv ann married bob",
        "predict rules.tsv train.tsv --query anne married ?",
        "predict rules.tsv train.tsv --query ann maried ?",
        "predict rules.tsv train.tsv --query ann married bob",
        "stats after.nt",
        "stats quoted.csv",
        "stats open.csv",
        "stats binary.tsv",
        "stats -",
        "predict binary-rules.tsv train.tsv --query ann married ?",
        "predict three.tsv train.tsv --query ann married ?",
        "predict again.tsv train.tsv --query fay married ?",
        "predict empty.tsv train.tsv --query fay married ?",
        "predict . train.tsv --query fay married ?",
        "predict rulse.tsv train.tsv --query fay married ?",
        "learn train.tsv --out missing/rules.tsv",
        "learn train.tsv --out .",
        "learn train.tsv --out -",
        "learn train.tsv --out rules2.tsv --valid empty.tsv",
        "learn train.tsv --out rules2.tsv --memory-limit 0",
        "learn train.tsv --out rules2.tsv --max-path 6",
    ]);
    insta::assert_snapshot!(said);
}

/// A graph that is too large for the limit ends with a message, not with the memory.
#[test]
fn the_memory_limit_is_kept() {
    let folder = Folder::new(&[]);
    let mut file = fs::File::create(folder.path("large.tsv")).unwrap();
    for i in 0..20_000 {
        writeln!(file, "entity{i}\tnext\tentity{}", i + 1).unwrap();
    }
    drop(file);
    let said = folder.typed("stats large.tsv --memory-limit 1");
    insta::assert_snapshot!(said);
    assert!(
        folder
            .typed("stats large.tsv --memory-limit 64")
            .contains("exit 0")
    );
}

/// Longer paths are only taken where they rank validation triples better.
#[test]
fn a_validation_set_chooses_the_paths() {
    let folder = Folder::new(&[("train.tsv", FAMILY), ("valid.tsv", "fay\tmarried\teve\n")]);
    insta::assert_snapshot!(folder.typed("learn train.tsv --valid valid.tsv --out rules.tsv"));
}

#[test]
fn a_time_limit_keeps_the_rules_so_far() {
    let folder = Folder::new(&[("train.tsv", FAMILY)]);
    insta::assert_snapshot!(folder.typed("learn train.tsv --out rules.tsv --time-limit 0"));
    assert_eq!(fs::read_to_string(folder.path("rules.tsv")).unwrap(), "");
    folder.typed("learn train.tsv --out rules.pl --time-limit 0");
    let rules = fs::read_to_string(folder.path("rules.pl")).unwrap();
    assert_eq!(
        rules,
        "% The search ended early: the time limit was reached.\n"
    );
    let said = folder.typed("learn train.tsv --out rules.tsv --time-limit 0 --format csv");
    assert!(said.contains("the time limit was reached"), "{said}");
}

/// Steps that do not suffice are a sample: an ordinary end, but not a complete search.
#[test]
fn spent_steps_are_reported() {
    let folder = Folder::new(&[("train.tsv", FAMILY)]);
    let line = "learn train.tsv --out rules.tsv --max-path 1 --steps";
    let remark = "cyclic rules of 1 literal are from a sample: \
                  the steps did not suffice for 15 triples of 3 relations\n";
    for format in ["text", "csv"] {
        let said = folder.typed(&format!("{line} 0 --format {format}"));
        assert!(said.contains("exit 0\n") && said.contains(remark), "{said}");
    }
    let said = folder.typed(&format!("{line} 0 --format json"));
    for part in [
        "exit 0\n",
        "\"complete\": false",
        "\"ended\": null",
        "\"left_out\": 15",
        "\"relations\": 3",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let said = folder.typed(&format!("{line} 1000 --format json"));
    assert!(said.contains("\"complete\": true"), "{said}");
    assert!(said.contains("\"samples\": []"), "{said}");
}

/// More threads than any machine has are refused: starting them would take forever.
#[test]
fn the_number_of_threads_is_bounded() {
    let folder = Folder::new(&[("train.tsv", FAMILY)]);
    for threads in ["0", "1025", "20000"] {
        let program = env!("CARGO_BIN_EXE_kibitz-ilp");
        let output = Command::new(program)
            .args(["graph", "stats", "train.tsv", "--threads", threads])
            .current_dir(folder.0.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("is not in 1..=1024"), "{said}");
    }
}

/// The file of rules is whole or as it was, and never one that is read.
#[cfg(unix)]
#[test]
fn files_are_not_lost() {
    let names = "x,y\tnear\ta\nx,y\tnear\tb\n(z)\tnear\ta\n";
    let folder = Folder::new(&[
        ("train.tsv", FAMILY),
        ("valid.tsv", "fay\tmarried\teve\n"),
        ("comma.tsv", names),
        ("brackets.tsv", "a\tis(b)\tc\n"),
        ("old.tsv", "old\n"),
    ]);
    std::os::unix::fs::symlink("train.tsv", folder.path("link.tsv")).unwrap();
    let said = folder.all(&[
        "learn train.tsv --out train.tsv",
        "learn train.tsv --out link.tsv",
        "learn link.tsv --out ./train.tsv",
        "learn train.tsv --valid valid.tsv --out valid.tsv",
        "learn comma.tsv --out old.tsv",
        "learn brackets.tsv --out old.tsv",
    ]);
    insta::assert_snapshot!(said);
    let text = |name: &str| fs::read_to_string(folder.path(name)).unwrap();
    assert_eq!(text("train.tsv"), FAMILY);
    assert_eq!(text("valid.tsv"), "fay\tmarried\teve\n");
    assert_eq!(text("old.tsv"), "old\n");
    // A name that no rule has does not matter; a link stays a link, to new rules.
    std::os::unix::fs::symlink("old.tsv", folder.path("new.tsv")).unwrap();
    let said = folder.typed("learn comma.tsv --out new.tsv --min-support 3");
    assert!(said.contains("exit 0"), "{said}");
    assert_eq!(text("old.tsv"), "");
    assert!(folder.path("new.tsv").is_symlink());
    let names = fs::read_dir(folder.0.path()).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let left: Vec<String> = names.filter(|name| name.contains("partial")).collect();
    assert_eq!(left, Vec::<String>::new());
}

#[test]
fn the_first_line_may_name_the_columns() {
    let folder = Folder::new(&[
        ("lower.csv", "head,relation,tail\nann,married,bob\n"),
        (
            "upper.csv",
            "\u{feff}Subject,Predicate,Object\nann,married,bob\n",
        ),
        ("upper.tsv", "Head\tRelation\tTail\nann\tmarried\tbob\n"),
        ("second.tsv", "ann\tmarried\tbob\nhead\trelation\ttail\n"),
    ]);
    let said = folder.all(&[
        "stats lower.csv",
        "stats upper.csv",
        "stats upper.tsv",
        "stats second.tsv",
    ]);
    insta::assert_snapshot!(said);
}

/// What is left out, and why, is reported.
#[test]
fn omissions_are_reported() {
    let folder = Folder::new(&[
        ("train.tsv", FAMILY),
        ("loops.tsv", &format!("{FAMILY}ann\tlikes\tann\n")),
        ("valid.tsv", "fay\tmarried\teve\ngus\tspeaks\tnorwegian\n"),
        ("test.tsv", TEST),
        (
            "sampled.pl",
            "married(A,B) :- married(B,A).  % 4 of 5, sampled\n",
        ),
        ("rules.tsv", "5\t4\t0.8\tmarried(X,Y) <= married(Y,X)\n"),
    ]);
    let said = folder.all(&[
        "learn loops.tsv --out loops-rules.tsv",
        "learn train.tsv --valid train.tsv --out chosen.tsv",
        "predict rules.tsv train.tsv --query ann married ? --query ? married oslo",
        "predict rules.tsv train.tsv --query fay married ? --show 0",
        "predict rules.tsv train.tsv --query ann married ? --format json",
        "explain sampled.pl train.tsv fay married eve",
        "explain sampled.pl train.tsv fay married eve --format csv",
        "explain rules.tsv train.tsv fay married eve --format csv",
        "stats train.tsv valid.tsv test.tsv",
        "evaluate rules.tsv train.tsv valid.tsv test.tsv --format csv",
        "evaluate rules.tsv train.tsv test.tsv test.tsv",
    ]);
    insta::assert_snapshot!(said);
}
