use crate::term::Clause;

/// A shorter clause that still covers no negative example.
///
/// `admits_negative` tells whether a clause covers a negative example. Literals are kept from the
/// left: the shortest prefix of the body that keeps negatives out is found, its last literal is
/// needed and moves to the front, and the search goes on until all literals of the prefix have been
/// shown to be needed in this way; then single literals are tried for removal once more. A clause that
/// covers a negative example to begin with is returned unchanged.
///
/// # Source
/// Muggleton and Feng 1990 (negative-based reduction); Morales 1992, section 4.5.2.1.
pub fn negatively_reduced(
    clause: &Clause,
    mut admits_negative: impl FnMut(&Clause) -> bool,
) -> Clause {
    if admits_negative(clause) {
        return clause.clone();
    }
    let with_body = |body: &[crate::Literal]| Clause {
        head: clause.head.clone(),
        body: body.to_vec(),
    };
    let mut body = clause.body.clone();
    let mut needed = 0;
    loop {
        // The shortest prefix that includes all needed literals: longer ones admit less.
        let (mut low, mut high) = (needed, body.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if admits_negative(&with_body(&body[..middle])) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        body.truncate(low);
        if low == needed {
            break;
        }
        let last = body.remove(low - 1);
        body.insert(0, last);
        needed += 1;
    }
    let mut i = body.len();
    while i > 0 {
        i -= 1;
        let mut shorter = body.clone();
        shorter.remove(i);
        if !admits_negative(&with_body(&shorter)) {
            body = shorter;
        }
    }
    with_body(&body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SymbolTable, print_clause, read_clause};

    #[test]
    fn a_minimal_set_of_literals_stays() {
        let mut symbols = SymbolTable::new();
        let clause = read_clause("p :- a, b, c, d, e", &mut symbols).expect("valid");
        // Negatives stay out as long as b and d are both there.
        let (b, d) = (symbols.intern("b"), symbols.intern("d"));
        let reduced = negatively_reduced(&clause, |c| {
            ![b, d]
                .iter()
                .all(|name| c.body.iter().any(|l| l.atom.name == *name))
        });
        assert_eq!(print_clause(&reduced, &symbols).to_string(), "p :- b, d.");
        let reduced = negatively_reduced(&clause, |_| true);
        assert_eq!(reduced, clause);
        let reduced = negatively_reduced(&clause, |_| false);
        assert!(reduced.body.is_empty());
    }
}
