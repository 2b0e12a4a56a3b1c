//! The signed arguments of mode declarations.

use kibitz_prolog::{
    Argument, Atom, Constant, Direction, Mode, Predicate, Symbol, SymbolTable, Term, print_term,
};

use super::issue::TaskError;
use super::source::{Source, as_name};

/// Most modes that one declaration may stand for.
const MAX_MODES: usize = 64;

/// The signed arguments of a template, from left to right.
#[derive(Default)]
pub(super) struct Leaves(pub(super) Vec<(Vec<Direction>, Symbol)>);

impl Leaves {
    /// A term of a template with variables for signed arguments.
    ///
    /// # Errors
    /// A name or variable that has no sign.
    pub(super) fn take<'t>(
        &mut self,
        term: &'t Term,
        symbols: &mut SymbolTable,
    ) -> Result<Term, &'t Term> {
        let sign = |name: Symbol, symbols: &SymbolTable| -> Option<Vec<Direction>> {
            Some(match symbols.name(name) {
                "+" => vec![Direction::In],
                "-" => vec![Direction::Out],
                "#" => vec![Direction::Constant],
                "-#" => vec![Direction::Out, Direction::Constant],
                _ => return None,
            })
        };
        match term {
            Term::Compound(name, args) if args.len() == 1 && sign(*name, symbols).is_some() => {
                // A compound type is a name as well.
                let kind = match &args[0] {
                    Term::Var(_) => return Err(term),
                    kind => as_name(kind)
                        .unwrap_or_else(|| symbols.intern(&print_term(kind, symbols).to_string())),
                };
                self.push(sign(*name, symbols).unwrap_or_default(), kind)
            }
            Term::Compound(name, args) => {
                let args = args.iter().map(|arg| match arg {
                    Term::Const(_) => Ok(arg.clone()),
                    arg => self.take(arg, symbols),
                });
                Ok(Term::compound(*name, args.collect::<Result<Vec<_>, _>>()?))
            }
            Term::Const(Constant::Symbol(name)) => match sign(*name, symbols) {
                Some(directions) => {
                    let any = symbols.intern("any");
                    self.push(directions, any)
                }
                None if *name == Symbol::NIL => Ok(term.clone()),
                None => Err(term),
            },
            Term::Const(_) => Ok(term.clone()),
            Term::Var(_) => Err(term),
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "the callers' type")]
    fn push<'t>(&mut self, directions: Vec<Direction>, kind: Symbol) -> Result<Term, &'t Term> {
        let var = u32::try_from(self.0.len()).map_or(Term::NIL, Term::var);
        self.0.push((directions, kind));
        Ok(var)
    }

    /// The modes that they stand for: with `-#` for an argument there are two, as an output and as a
    /// constant.
    pub(super) fn modes(
        &self,
        predicate: Predicate,
        recall: Option<u32>,
    ) -> Result<Vec<Mode>, String> {
        let mut choices: Vec<Vec<Argument>> = vec![Vec::with_capacity(self.0.len())];
        for (directions, kind) in &self.0 {
            if choices.len() * directions.len() > MAX_MODES {
                return Err("too many arguments that are both outputs and constants".to_owned());
            }
            choices = (choices.iter())
                .flat_map(|before| {
                    directions.iter().map(|&direction| {
                        let mut longer = before.clone();
                        longer.push(Argument {
                            direction,
                            kind: *kind,
                        });
                        longer
                    })
                })
                .collect();
        }
        let modes = choices.into_iter().map(|arguments| Mode {
            predicate,
            arguments,
            recall,
        });
        Ok(modes.collect())
    }
}

/// The error about an argument without a sign.
pub(super) fn unsigned(
    source: &Source<'_>,
    offset: usize,
    atom: &Atom,
    _: &Term,
    symbols: &SymbolTable,
) -> TaskError {
    let name = symbols.name(atom.name);
    let message = format!("a mode of {name} has an argument without + - or #");
    let help = "write +type for inputs, -type for outputs, #type for constants and -#type for both";
    source.unexpected(offset, message).help(help).into()
}
