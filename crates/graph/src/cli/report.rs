//! What the commands print: text, JSON, CSV.

use std::fmt::Write as _;

use kibitz_text::{Exit, Failure, counted, print};
use serde_json::{Value, json};

use super::Format;
use crate::prolog_text::SAMPLED;
use crate::{
    Candidate, CountedRule, Firing, Fit, Measures, Query, Rank, RelationStats, RuleSyntax, Side,
    Triple, Vocabulary, by_relation, prolog_text,
};

/// What rules predict for a query.
pub(super) struct Answer {
    pub(super) query: Query,
    /// The best candidates, as many as are shown.
    pub(super) candidates: Vec<Candidate>,
    /// Candidates that were found.
    pub(super) n_found: usize,
    /// Predicted entities that are left out, as they make a triple of the graph.
    pub(super) n_known: usize,
}

pub(super) fn answers(
    answers: &[Answer],
    rules: &[CountedRule],
    vocabulary: &Vocabulary,
    format: Format,
) -> Result<(), Failure> {
    let asked = |query: &Query| {
        let known = vocabulary.entity_name(query.known).to_owned();
        let relation = vocabulary.relation_name(query.relation).to_owned();
        match query.asked {
            Side::Head => ["?".to_owned(), relation, known],
            Side::Tail => [known, relation, "?".to_owned()],
        }
    };
    let best = |candidate: &Candidate| {
        let place = candidate.rules.first().copied().unwrap_or_default();
        prolog_text(&rules[place as usize].rule, vocabulary)
    };
    match format {
        Format::Text => {
            let mut text = String::new();
            for answer in answers {
                let _ = writeln!(text, "{}", asked(&answer.query).join(" "));
                let known = counted(answer.n_known, "is", "are");
                let _ = match (answer.n_found, answer.n_known) {
                    (0, 0) => writeln!(text, "  no rule predicts an entity"),
                    (0, _) => writeln!(
                        text,
                        "  every predicted entity is known from the triples: {known} left out"
                    ),
                    (n, _) if answer.candidates.is_empty() => {
                        let entities = counted(n, "entity", "entities");
                        writeln!(text, "  {entities}, none shown")
                    }
                    _ => Ok(()),
                };
                for candidate in &answer.candidates {
                    let name = vocabulary.entity_name(candidate.entity);
                    let _ = writeln!(
                        text,
                        "  {:.4}  {name}  by {}",
                        candidate.score,
                        best(candidate)
                    );
                }
            }
            print(&text)
        }
        Format::Json => {
            let one = |answer: &Answer| {
                let candidates: Vec<Value> = answer
                    .candidates
                    .iter()
                    .map(|candidate| {
                        json!({
                            "entity": vocabulary.entity_name(candidate.entity),
                            "score": candidate.score,
                            "rules": candidate.rules.len(),
                            "best": best(candidate),
                        })
                    })
                    .collect();
                json!({
                    "query": asked(&answer.query),
                    "candidates": candidates,
                    "found": answer.n_found,
                    "left_out": answer.n_known,
                })
            };
            json_object(&Value::Array(answers.iter().map(one).collect()))
        }
        Format::Csv => {
            let header = [
                "head", "relation", "tail", "rank", "entity", "score", "best",
            ];
            let rows = answers.iter().flat_map(|answer| {
                answer
                    .candidates
                    .iter()
                    .enumerate()
                    .map(move |(place, candidate)| {
                        let mut row = asked(&answer.query).to_vec();
                        row.push((place + 1).to_string());
                        row.push(vocabulary.entity_name(candidate.entity).to_owned());
                        row.push(candidate.score.to_string());
                        row.push(best(candidate));
                        row
                    })
            });
            csv_table(header.map(str::to_owned).to_vec(), rows)
        }
    }
}

/// `fit` is that of the ranked triples, with how many of them the validation set has.
pub(super) fn ranks(
    ranks: &[Rank],
    (fit, n_in_valid): (Fit, usize),
    vocabulary: &Vocabulary,
    by_each: bool,
    format: Format,
) -> Result<(), Failure> {
    let sided = |ranks: &[Rank], side| Measures::of(ranks.iter().filter(|rank| rank.asked == side));
    let mut rows: Vec<(String, Measures)> = vec![
        ("both".to_owned(), Measures::of(ranks)),
        ("heads".to_owned(), sided(ranks, Side::Head)),
        ("tails".to_owned(), sided(ranks, Side::Tail)),
    ];
    if by_each {
        let each = by_relation(ranks).into_iter();
        rows.extend(
            each.map(|(relation, measures)| {
                (vocabulary.relation_name(relation).to_owned(), measures)
            }),
        );
    }
    match format {
        Format::Text => {
            let width = rows
                .iter()
                .map(|row| row.0.chars().count())
                .max()
                .unwrap_or(0);
            let mut text = format!(
                "{:width$}  {:>7}  MRR     Hits@1  Hits@3  Hits@10\n",
                "", "ranks"
            );
            for (name, m) in &rows {
                let [one, three, ten] = m.hits;
                let _ = writeln!(
                    text,
                    "{name:width$}  {:>7}  {:.4}  {one:.4}  {three:.4}  {ten:.4}",
                    m.n, m.mrr
                );
            }
            print(&text)
        }
        Format::Json => {
            let object = |m: &Measures| json!({"ranks": m.n, "mrr": m.mrr, "hits_1": m.hits[0], "hits_3": m.hits[1], "hits_10": m.hits[2]});
            let mut all = serde_json::Map::new();
            for (name, measures) in &rows[..3] {
                all.insert(name.clone(), object(measures));
            }
            let mut test = fit_object(&fit);
            test["in_valid"] = n_in_valid.into();
            all.insert("test".to_owned(), test);
            if by_each {
                let each = rows[3..].iter().map(|(name, m)| (name.clone(), object(m)));
                all.insert("relations".to_owned(), Value::Object(each.collect()));
            }
            json_object(&Value::Object(all))
        }
        Format::Csv => {
            let header = [
                "ranked",
                "ranks",
                "mrr",
                "hits_1",
                "hits_3",
                "hits_10",
                "test_triples",
                "test_repeated",
                "test_leaked",
                "test_unknown_entities",
                "test_unknown_relations",
                "test_in_valid",
            ];
            let test = [
                fit.triples,
                fit.repeated,
                fit.leaked,
                fit.unknown_entities,
                fit.unknown_relations,
                n_in_valid,
            ];
            let rows = rows.into_iter().map(|(name, m)| {
                let mut row = vec![name, m.n.to_string(), m.mrr.to_string()];
                row.extend(m.hits.map(|hits| hits.to_string()));
                row.extend(test.map(|n| n.to_string()));
                row
            });
            csv_table(header.map(str::to_owned).to_vec(), rows)
        }
    }
}

pub(super) fn firings(
    firings: &[Firing<'_>],
    is_known: bool,
    syntax: RuleSyntax,
    shown: usize,
    vocabulary: &Vocabulary,
    format: Format,
) -> Result<(), Failure> {
    let names = |triple: &Triple| {
        let [head, tail] = [triple.head, triple.tail].map(|e| vocabulary.entity_name(e).to_owned());
        [
            head,
            vocabulary.relation_name(triple.relation).to_owned(),
            tail,
        ]
    };
    // AnyBURL's lines do not say whether counts are those of a sample.
    let sampled = |firing: &Firing<'_>| match syntax {
        RuleSyntax::AnyBurl => None,
        RuleSyntax::Prolog => Some(!firing.rule.counts.is_exact),
    };
    match format {
        Format::Text => {
            let mut text = String::new();
            if is_known {
                text += "the graph has this triple\n";
            }
            let n = counted(firings.len(), "rule predicts", "rules predict");
            let _ = writeln!(text, "{n} it");
            for firing in firings.iter().take(shown) {
                let counts = firing.rule.counts;
                let clause = prolog_text(&firing.rule.rule, vocabulary);
                let _ = writeln!(
                    text,
                    "{:.4}  {clause}  % {} of {}{}",
                    firing.rule.strength(),
                    counts.support,
                    counts.body,
                    if counts.is_exact { "" } else { SAMPLED }
                );
                for triple in &firing.grounding {
                    let _ = writeln!(text, "          {}", names(triple).join(" "));
                }
            }
            print(&text)
        }
        Format::Json => {
            let one = |firing: &Firing<'_>| {
                json!({
                    "rule": prolog_text(&firing.rule.rule, vocabulary),
                    "score": firing.rule.strength(),
                    "confidence": firing.rule.counts.confidence(),
                    "support": firing.rule.counts.support,
                    "body": firing.rule.counts.body,
                    "sampled": sampled(firing),
                    "grounding": firing.grounding.iter().map(names).collect::<Vec<_>>(),
                })
            };
            let shown: Vec<Value> = firings.iter().take(shown).map(one).collect();
            json_object(&json!({"known": is_known, "firing": firings.len(), "rules": shown}))
        }
        Format::Csv => {
            let header = [
                "rule",
                "score",
                "confidence",
                "support",
                "body",
                "sampled",
                "grounding",
            ];
            let rows = firings.iter().take(shown).map(|firing| {
                let grounding: Vec<String> = firing
                    .grounding
                    .iter()
                    .map(|triple| names(triple).join(" "))
                    .collect();
                vec![
                    prolog_text(&firing.rule.rule, vocabulary),
                    firing.rule.strength().to_string(),
                    firing.rule.counts.confidence().to_string(),
                    firing.rule.counts.support.to_string(),
                    firing.rule.counts.body.to_string(),
                    sampled(firing).map_or_else(String::new, |sampled| sampled.to_string()),
                    grounding.join("; "),
                ]
            });
            csv_table(header.map(str::to_owned).to_vec(), rows)
        }
    }
}

/// The triples that two files have in common.
pub(super) struct Overlap {
    pub(super) files: [String; 2],
    pub(super) n_triples: usize,
}

pub(super) fn stats(
    n_entities: usize,
    relations: &[RelationStats],
    (splits, overlaps): (&[(String, Fit)], &[Overlap]),
    vocabulary: &Vocabulary,
    format: Format,
) -> Result<(), Failure> {
    let name = |stats: &RelationStats| vocabulary.relation_name(stats.relation).to_owned();
    let n_triples: usize = relations.iter().map(|stats| stats.triples).sum();
    let known: Vec<&RelationStats> = relations.iter().filter(|stats| stats.triples > 0).collect();
    match format {
        Format::Text => {
            let mut text = format!(
                "{}, {}, {}\n",
                counted(n_triples, "triple", "triples"),
                counted(n_entities, "entity", "entities"),
                counted(known.len(), "relation", "relations")
            );
            let width = known
                .iter()
                .map(|stats| name(stats).chars().count())
                .max()
                .unwrap_or(0);
            let _ = writeln!(text, "{:width$}  triples    heads    tails  symmetric", "");
            for stats in &known {
                let _ = writeln!(
                    text,
                    "{:width$}  {:>7}  {:>7}  {:>7}  {:>9}",
                    name(stats),
                    stats.triples,
                    stats.heads,
                    stats.tails,
                    stats.symmetric
                );
            }
            for (path, fit) in splits {
                let _ = writeln!(
                    text,
                    "{path}: {}, {} in the graph, {} with unknown entities, {} with unknown relations",
                    counted(fit.triples, "triple", "triples"),
                    fit.leaked,
                    fit.unknown_entities,
                    fit.unknown_relations
                );
            }
            print(&text)
        }
        Format::Json => {
            let relation = |stats: &&RelationStats| {
                json!({
                    "relation": name(stats),
                    "triples": stats.triples,
                    "heads": stats.heads,
                    "tails": stats.tails,
                    "symmetric": stats.symmetric,
                })
            };
            let split = |(path, fit): &(String, Fit)| {
                let mut split = fit_object(fit);
                split["file"] = path.as_str().into();
                split
            };
            let overlap =
                |overlap: &Overlap| json!({"files": overlap.files, "triples": overlap.n_triples});
            json_object(&json!({
                "triples": n_triples,
                "entities": n_entities,
                "relations": known.iter().map(relation).collect::<Vec<_>>(),
                "splits": splits.iter().map(split).collect::<Vec<_>>(),
                "overlaps": overlaps.iter().map(overlap).collect::<Vec<_>>(),
            }))
        }
        Format::Csv => {
            let header = ["relation", "triples", "heads", "tails", "symmetric"];
            let rows = known.iter().map(|stats| {
                let numbers = [stats.triples, stats.heads, stats.tails, stats.symmetric];
                let mut row = vec![name(stats)];
                row.extend(numbers.map(|n| n.to_string()));
                row
            });
            csv_table(header.map(str::to_owned).to_vec(), rows)
        }
    }
}

fn fit_object(fit: &Fit) -> Value {
    json!({
        "triples": fit.triples,
        "repeated": fit.repeated,
        "leaked": fit.leaked,
        "unknown_entities": fit.unknown_entities,
        "unknown_relations": fit.unknown_relations,
    })
}

pub(super) fn json_object(value: &Value) -> Result<(), Failure> {
    print(&format!("{value:#}\n"))
}

pub(super) fn csv_table(
    header: Vec<String>,
    rows: impl Iterator<Item = Vec<String>>,
) -> Result<(), Failure> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let unwritable = |error: String| {
        let diagnostic = kibitz_text::Diagnostic::new(format!("cannot write CSV: {error}"));
        Failure::new(Exit::Unwritable, diagnostic)
    };
    for row in std::iter::once(header).chain(rows) {
        writer
            .write_record(row)
            .map_err(|error| unwritable(error.to_string()))?;
    }
    let bytes = writer
        .into_inner()
        .map_err(|error| unwritable(error.to_string()))?;
    print(&String::from_utf8_lossy(&bytes))
}
