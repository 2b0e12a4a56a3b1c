//! Rules from a knowledge graph beside AnyBURL: learned and applied on one thread.

use std::{
    env, fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use kibitz_graph::{
    Applier, ApplySettings, Graph, LearnSettings, Measures, MemoryLimit, Rank, Side, Triple,
    Vocabulary, learn, ranks, read_triples,
};
use serde::Deserialize;

use super::{Answer, SECONDS, SkippedComparison, Workload};
use crate::machine::{peak_memory_mib, processor_seconds};
use crate::process;

/// Where AnyBURL's jar is.
const JAR: &str = "ANYBURL_JAR";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Params {
    /// Folder with `train.tsv`, `valid.tsv` and `test.tsv`, below that of `--data`; each may be
    /// compressed by zstd.
    graph: String,
    /// Literals in a body without constants at most, of both programs.
    max_path: usize,
    /// How long AnyBURL learns.
    anyburl_seconds: u64,
}

pub(crate) struct GraphRules {
    params: Params,
    vocabulary: Vocabulary,
    train: Vec<Triple>,
    valid: Vec<Triple>,
    test: Vec<Triple>,
}

impl GraphRules {
    pub(crate) fn prepare(params: Params, data: Option<&Path>) -> anyhow::Result<Self> {
        let Some(data) = data else {
            return Err(SkippedComparison(format!(
                "needs {} in the folder of --data",
                params.graph
            ))
            .into());
        };
        let folder = data.join(&params.graph);
        let mut vocabulary = Vocabulary::default();
        let mut read = |name: &str| -> anyhow::Result<Vec<Triple>> {
            let plain = folder.join(format!("{name}.tsv"));
            let packed = folder.join(format!("{name}.tsv.zst"));
            let path = if plain.is_file() { plain } else { packed };
            if !path.is_file() {
                return Err(SkippedComparison(format!("{} is not there", path.display())).into());
            }
            Ok(read_triples(&path, &mut vocabulary, MemoryLimit::default())?.triples)
        };
        let (train, valid, test) = (read("train")?, read("valid")?, read("test")?);
        Ok(Self {
            params,
            vocabulary,
            train,
            valid,
            test,
        })
    }

    fn kibitz(&self) -> anyhow::Result<Answer> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
        pool.install(|| {
            let before = processor_seconds();
            let start = Instant::now();
            let graph = Graph::new(self.train.clone());
            let settings = LearnSettings {
                max_path: self.params.max_path,
                ..LearnSettings::default()
            };
            let rules = learn(&graph, &settings, &|| false, &|| {}).rules;
            let applier = Applier::new(&graph, &rules);
            let known = self.train.iter().chain(&self.valid).chain(&self.test);
            let known = known.copied().collect();
            let n_entities = self.vocabulary.n_entities();
            let apply = ApplySettings::default();
            let ranked = ranks(&applier, &self.test, &known, n_entities, &apply, &|| {});
            let spent = before.zip(processor_seconds()).map(|(a, b)| b - a);
            let seconds = spent.unwrap_or_else(|| start.elapsed().as_secs_f64());
            Ok(answer(seconds, &Measures::of(&ranked), peak_memory_mib()))
        })
    }

    fn anyburl(&self) -> anyhow::Result<Answer> {
        let missing = || format!("needs java, and AnyBURL-23-1.jar at ${JAR}");
        let Some(jar) = env::var_os(JAR)
            .map(PathBuf::from)
            .filter(|jar| jar.is_file())
        else {
            return Err(SkippedComparison(missing()).into());
        };
        let folder = tempfile::tempdir()?;
        let path = |name: &str| folder.path().join(name).display().to_string();
        for (name, triples) in [
            ("train", &self.train),
            ("valid", &self.valid),
            ("test", &self.test),
        ] {
            fs::write(path(name), self.text(triples))?;
        }
        let seconds = self.params.anyburl_seconds;
        let learn = format!(
            "PATH_TRAINING = {}\nPATH_OUTPUT = {}\nSNAPSHOTS_AT = {seconds}\n\
             MAX_LENGTH_CYCLIC = {}\nWORKER_THREADS = 1\n",
            path("train"),
            path("rules"),
            self.params.max_path
        );
        let apply = format!(
            "PATH_TRAINING = {}\nPATH_VALID = {}\nPATH_TEST = {}\nPATH_RULES = {}-{seconds}\n\
             PATH_OUTPUT = {}\nTOP_K_OUTPUT = 100\nWORKER_THREADS = 1\n",
            path("train"),
            path("valid"),
            path("test"),
            path("rules"),
            path("ranked")
        );
        let (mut spent, mut memory) = (0.0, None::<f64>);
        for (class, settings) in [("Learn", learn), ("Apply", apply)] {
            fs::write(path(class), settings)?;
            let arguments = [
                "-XX:ActiveProcessorCount=1".to_owned(),
                "-cp".to_owned(),
                jar.display().to_string(),
                format!("de.unima.ki.anyburl.{class}"),
                path(class),
            ];
            let limit = Duration::from_secs(20 * 60 + seconds);
            let run = process::run("java", &arguments, None, limit, &missing())?;
            spent += run.processor_seconds.unwrap_or(run.seconds);
            memory = run
                .memory_mib
                .map(|mib| mib.max(memory.unwrap_or(0.0)))
                .or(memory);
        }
        let text = fs::read_to_string(path("ranked")).context("AnyBURL ranked nothing")?;
        let ranked = self.ranked(&text)?;
        Ok(answer(spent, &Measures::of(&ranked), memory))
    }

    fn text(&self, triples: &[Triple]) -> String {
        let name = |entity| self.vocabulary.entity_name(entity);
        let line = |t: &Triple| {
            let relation = self.vocabulary.relation_name(t.relation);
            format!("{}\t{relation}\t{}\n", name(t.head), name(t.tail))
        };
        triples.iter().map(line).collect()
    }

    /// The ranks of AnyBURL's candidates: three lines for each triple, the triple itself, heads and
    /// tails with their confidences; known answers are left out already. An answer that is not among
    /// them has the mean rank of the others.
    fn ranked(&self, text: &str) -> anyhow::Result<Vec<Rank>> {
        let lines: Vec<&str> = text.lines().collect();
        let mut ranks = Vec::new();
        for three in lines.chunks(3) {
            let [triple, heads, tails] = three else {
                bail!("AnyBURL's ranking ends early: {three:?}");
            };
            let names: Vec<&str> = triple.split(' ').collect();
            let [head, relation, tail] = names[..] else {
                bail!("AnyBURL ranks no triple: {triple}");
            };
            let known = |name| self.vocabulary.known_entity(name);
            let relation = self.vocabulary.known_relation(relation);
            let (Some(head), Some(relation), Some(tail)) = (known(head), relation, known(tail))
            else {
                bail!("AnyBURL ranks an unknown triple: {triple}");
            };
            for (asked, line) in [(Side::Head, heads), (Side::Tail, tails)] {
                let answer = if asked == Side::Head { head } else { tail };
                let name = self.vocabulary.entity_name(answer);
                let line = line
                    .split_once(": ")
                    .map_or("", |(_, candidates)| candidates);
                let candidates: Vec<&str> = line.split('\t').step_by(2).collect();
                let place = candidates.iter().position(|candidate| *candidate == name);
                let n_others = self.vocabulary.n_entities() - candidates.len();
                let rank = match place {
                    Some(place) => place as f64 + 1.0,
                    None => candidates.len() as f64 + (n_others + 1) as f64 / 2.0,
                };
                ranks.push(Rank {
                    triple: Triple {
                        head,
                        relation,
                        tail,
                    },
                    asked,
                    rank,
                });
            }
        }
        Ok(ranks)
    }
}

fn answer(seconds: f64, measures: &Measures, memory_mib: Option<f64>) -> Answer {
    let [one, _, ten] = measures.hits;
    let mut answer = Answer::from([
        (SECONDS.to_owned(), seconds),
        ("mrr".to_owned(), measures.mrr),
        ("hits-1".to_owned(), one),
        ("hits-10".to_owned(), ten),
    ]);
    answer.extend(memory_mib.map(|mib| ("memory-mib".to_owned(), mib)));
    answer
}

impl Workload for GraphRules {
    fn unit(&self) -> &'static str {
        "test triples"
    }

    fn n_items(&self) -> u64 {
        self.test.len() as u64
    }

    fn run(&self, engine: &str) -> anyhow::Result<Answer> {
        match engine {
            "kibitz" => self.kibitz(),
            "anyburl" => self.anyburl(),
            _ => bail!("kibitz and anyburl are known"),
        }
    }
}
