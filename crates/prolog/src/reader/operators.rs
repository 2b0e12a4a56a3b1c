/// Where an operator stands, and which side may hold an operator of equal priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fixity {
    /// Prefix; the argument binds more tightly.
    Fx,
    /// Prefix; the argument binds at least as tightly.
    Fy,
    /// Infix; both sides bind more tightly.
    Xfx,
    /// Infix, to the right.
    Xfy,
    /// Infix, to the left.
    Yfx,
}

/// Priority (1 to 1200, small binds tightly) and fixity of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Operator {
    /// 1 to 1200.
    pub(crate) priority: u16,
    /// Where it stands.
    pub(crate) fixity: Fixity,
}

/// The operators in force, prefix and infix apart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Operators {
    extra_prefix: Vec<(String, Operator)>,
    extra_infix: Vec<(String, Operator)>,
}

impl Operators {
    /// Declares an operator, as `:- op(priority, fixity, name)` does.
    pub(crate) fn declare(&mut self, name: &str, operator: Operator) {
        let list = match operator.fixity {
            Fixity::Fx | Fixity::Fy => &mut self.extra_prefix,
            Fixity::Xfx | Fixity::Xfy | Fixity::Yfx => &mut self.extra_infix,
        };
        list.retain(|(own, _)| own != name);
        list.push((name.to_owned(), operator));
    }

    /// The prefix operator of this name.
    pub(crate) fn prefix(&self, name: &str) -> Option<Operator> {
        if let Some((_, operator)) = self.extra_prefix.iter().find(|(own, _)| own == name) {
            return Some(*operator);
        }
        let (priority, fixity) = match name {
            ":-" | "?-" | "!-" => (1200, Fixity::Fx),
            "dynamic" | "discontiguous" | "table" | "initialization" => (1150, Fixity::Fx),
            "\\+" | "not" => (900, Fixity::Fy),
            "-" | "+" | "\\" => (200, Fixity::Fy),
            _ => return None,
        };
        Some(Operator { priority, fixity })
    }

    /// The infix operator of this name.
    pub(crate) fn infix(&self, name: &str) -> Option<Operator> {
        if let Some((_, operator)) = self.extra_infix.iter().find(|(own, _)| own == name) {
            return Some(*operator);
        }
        let (priority, fixity) = match name {
            ":-" | "-->" => (1200, Fixity::Xfx),
            ";" | "|" => (1100, Fixity::Xfy),
            "->" | "*->" => (1050, Fixity::Xfy),
            "," => (1000, Fixity::Xfy),
            "=" | "\\=" | "==" | "\\==" | "@<" | "@>" | "@=<" | "@>=" | "=.." | "is" | "=:="
            | "=\\=" | "<" | ">" | "=<" | ">=" | "#=" | "#\\=" | "#<" | "#>" | "#=<" | "#>=" => {
                (700, Fixity::Xfx)
            }
            "+" | "-" | "/\\" | "\\/" | "xor" => (500, Fixity::Yfx),
            "*" | "/" | "//" | "mod" | "rem" | "div" | "<<" | ">>" => (400, Fixity::Yfx),
            "**" => (200, Fixity::Xfx),
            "^" | ":" => (200, Fixity::Xfy),
            _ => return None,
        };
        Some(Operator { priority, fixity })
    }
}
