//! What a Python text calls and defines, and under which names.
//!
//! A [`Module`] is read once and holds only what rules ask for: calls, functions, and what its
//! names stand for. It comes from a parser that recovers from errors, so a text that does not
//! parse still shows the calls that can be made out, and [`Module::flaw`] says what is missing.
//! The look is syntactic: nothing is imported, evaluated or followed through a call's result.

mod alias;
mod bound;
mod forms;
mod literal;
mod module;
mod name;
mod node;
mod parse;
mod pattern;
mod repair;
mod source;
mod torn;
mod walk;

pub use alias::{Names, Reach};
pub use literal::Truth;
pub use module::{Arguments, Call, Flaw, Function, Module};
pub use pattern::{CallPattern, identifier};
pub use source::{folded, is_part, is_piece, is_python, not_decoded, source};
pub use torn::looks_torn;
