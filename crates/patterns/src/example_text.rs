//! Examples as text: FENs or facts.

use kibitz_board::fen::Fen;
use kibitz_pal::Example;
use kibitz_prolog::{Constant, SymbolTable, Term, print_term, read_clauses};

use crate::concept_domain::ConceptDomain;
use crate::{ConceptError, PreparedConcept};

/// Reads examples; the first has this number in errors.
pub(crate) fn read_examples(
    number: usize,
    texts: &[String],
    domain: &ConceptDomain,
    symbols: &mut SymbolTable,
) -> Result<Vec<Example>, ConceptError> {
    let mut examples = Vec::new();
    let mut errors = Vec::new();
    for (example, text) in (number..).zip(texts) {
        match read_example(example, text, domain, symbols) {
            Ok(example) => examples.push(example),
            Err(error) => errors.push(error),
        }
    }
    ConceptError::all(errors)?;
    Ok(examples)
}

/// Reads an example from a FEN or from facts.
fn read_example(
    example: usize,
    text: &str,
    domain: &ConceptDomain,
    symbols: &mut SymbolTable,
) -> Result<Example, ConceptError> {
    let description = domain.description();
    let functor = symbols.name(description.name).to_owned();
    if !text.trim_start().starts_with(&format!("{functor}(")) {
        // Only chess positions can be written as a FEN: named pieces need not be chessmen.
        let ConceptDomain::Chess(chess) = domain else {
            return Err(ConceptError::Contents {
                example,
                reason: format!("{functor}(Name, File, Rank) facts are expected"),
            });
        };
        let error = |reason: String| ConceptError::Fen {
            example,
            fen: text.to_owned(),
            reason,
        };
        let fen: Fen = text
            .parse()
            .map_err(|e: kibitz_board::fen::ParseFenError| error(e.to_string()))?;
        let board = fen.into_setup().board;
        let pieces = board.occupied().into_iter();
        let found: Example = pieces
            .filter_map(|square| Some(chess.names().component(square, board.piece_at(square)?)))
            .collect();
        if found.is_empty() {
            return Err(error("the board is empty".to_owned()));
        }
        return Ok(found);
    }
    let n = domain.attributes().len();
    let mut found = Vec::new();
    let clauses = read_clauses(text, symbols).map_err(|errors| ConceptError::Contents {
        example,
        reason: errors.to_string(),
    })?;
    for clause in clauses {
        let error = |what: &str| ConceptError::Contents {
            example,
            reason: format!(
                "`{}`: {what}",
                kibitz_prolog::print_atom(&clause.head, symbols)
            ),
        };
        // Terms such as `square(File, Rank)` only group arguments, as the thesis prints them: the
        // attributes are counted without the grouping.
        let mut values = Vec::new();
        let mut arguments: Vec<&Term> = Vec::new();
        for arg in clause.head.args.iter() {
            match arg {
                Term::Compound(_, inner) => arguments.extend(inner.iter()),
                other => arguments.push(other),
            }
        }
        let shape = clause.head.name == description.name
            && clause.body.is_empty()
            // The position may follow as the last argument; it is ignored, since an example has
            // only one.
            && (arguments.len() == n || arguments.len() == n + 1);
        if !shape {
            return Err(error(match domain {
                ConceptDomain::Chess(_) => "contents(Side, Piece, square(File, Rank)) is expected",
                ConceptDomain::Placement(_) => "piece(Name, File, Rank) is expected",
            }));
        }
        for argument in &arguments[..n] {
            match argument {
                Term::Const(constant) => values.push(*constant),
                _ => return Err(error("constants are expected")),
            }
        }
        let on_board = |value: &Constant| matches!(value, Constant::Int(1..=8));
        if !values[n - 2..].iter().all(on_board) {
            return Err(error("file and rank are numbers from 1 to 8"));
        }
        if let ConceptDomain::Chess(chess) = domain
            && chess.names().piece(&values).is_none()
        {
            return Err(error(
                "the side is white or black, the piece pawn, knight, bishop, rook, queen or king",
            ));
        }
        found.push(values);
    }
    Ok(found)
}

impl PreparedConcept {
    /// An example as facts, in the form of [`Concept::examples`](crate::Concept::examples).
    pub fn example_text(&self, example: &Example) -> String {
        let description = self.domain().description();
        let state = description.args.len() - 1;
        let symbols = self.symbols();
        let fact = |component: &Vec<Constant>| {
            let described = description.map_vars(&mut |var| {
                let value = component.get(var.index());
                value.map_or(Term::Var(var), |value| Term::Const(*value))
            });
            let args = described.args[..state].iter();
            let args: Vec<String> = args
                .map(|arg| print_term(arg, symbols).to_string())
                .collect();
            format!("{}({}).", symbols.name(description.name), args.join(", "))
        };
        example.iter().map(fact).collect::<Vec<_>>().join(" ")
    }
}
