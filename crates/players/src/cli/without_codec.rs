//! `encode` and `decode` of a program that was built without the code.

use std::ffi::OsString;

use kibitz_text::{Diagnostic, Exit, Failure};

/// Any arguments: the answer to all is the same.
#[derive(Debug, clap::Args)]
pub(super) struct EncodeArguments {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _any: Vec<OsString>,
}

pub(super) type DecodeArguments = EncodeArguments;

pub(super) fn encode_games(_: &EncodeArguments) -> Result<Exit, Failure> {
    let why = "this program was built without its feature `codec`, which `encode` and `decode` need: \
               build it with `--features codec`";
    Err(Failure::new(Exit::Failed, Diagnostic::new(why)))
}

pub(super) fn decode_games(arguments: &DecodeArguments) -> Result<Exit, Failure> {
    encode_games(arguments)
}
