//! Which modes count for a target.

use kibitz_prolog::{Mode, Predicate, Symbol, SymbolTable};

use super::example_targets::TargetDeclaration;
use super::issue::{Issue, IssueKind};
use super::modes::FileContents;
use super::source::{Source, show};

impl FileContents {
    /// Drops the body modes that no determination of the target names; without determinations, those
    /// of the target that may be meant for heads.
    pub(super) fn keep_determined(
        &mut self,
        target: Predicate,
        targets: &[Predicate],
        main: &Source<'_>,
        symbols: &SymbolTable,
    ) {
        let own = (self.determinations.iter()).filter(|(head, _)| *head == target);
        let determined: Vec<Predicate> = own.map(|(_, body)| *body).collect();
        let without = self.without_mode(&determined, target, main, symbols);
        self.remarks.extend(without);
        if self.determinations.is_empty() {
            // Where heads have modes of their own, one for bodies asks for recursion.
            let keeps = !self.heads.is_empty();
            self.bodies.retain(|mode| keeps || mode.predicate != target);
            return;
        }
        let templates = &self.templates;
        let is_determined = |mode: &Mode| {
            // What is built in needs none.
            let shown = templates
                .shown(mode.predicate)
                .map(|literal| literal.atom.predicate());
            let is_equality = shown.is_some_and(|own| own.name == Symbol::EQUALS);
            is_equality || determined.contains(&shown.unwrap_or(mode.predicate))
        };
        // One that another target uses is used.
        let used = self.determinations.iter();
        let used = used.filter(|(head, _)| targets.contains(head));
        let mut told: Vec<Predicate> = vec![target];
        told.extend(used.map(|(_, body)| *body));
        let misspelled = determined.is_empty().then(|| {
            let declared = self.declared.iter();
            let declared = declared.filter(|own| own.by == "determination");
            TargetDeclaration::nearest(declared, target, symbols)
        });
        let misspelled = misspelled.flatten();
        for mode in self.bodies.iter().filter(|mode| !is_determined(mode)) {
            if !told.contains(&mode.predicate) {
                told.push(mode.predicate);
                let (name, head) = (show(mode.predicate, symbols), show(target, symbols));
                let issue = Issue::new(
                    main.name,
                    IssueKind::Unexpected(format!(
                        "{name} has a mode but no determination, and is not used"
                    )),
                );
                let help = format!("add determination({head},{name})");
                let misspelled = misspelled.clone();
                self.remarks.push(issue.help(misspelled.unwrap_or(help)));
            }
        }
        self.bodies.retain(|mode| is_determined(mode));
    }

    /// A warning for each predicate with a determination that has no mode.
    fn without_mode(
        &self,
        determined: &[Predicate],
        target: Predicate,
        main: &Source<'_>,
        symbols: &SymbolTable,
    ) -> Vec<Issue> {
        let modes = || self.bodies.iter().map(|mode| self.shown(mode.predicate));
        let has_mode = |own: &Predicate| *own == target || modes().any(|mode| mode == *own);
        let without = determined.iter().filter(|own| !has_mode(own));
        let issue = |own: &Predicate| {
            let shown = show(*own, symbols);
            let message = format!("{shown} has a determination but no mode, and is not used");
            let issue = Issue::new(main.name, IssueKind::Unexpected(message));
            let others = modes().filter(|mode| mode.arity == own.arity);
            let others = others.map(|mode| symbols.name(mode.name));
            let near = kibitz_text::near(symbols.name(own.name), others);
            let help = "add a modeb declaration for it".to_owned();
            issue.help(kibitz_text::did_you_mean(&near).unwrap_or(help))
        };
        without.map(issue).collect()
    }

    /// The predicate as the file names it.
    pub(super) fn shown(&self, predicate: Predicate) -> Predicate {
        let literal = self.templates.shown(predicate);
        literal.map_or(predicate, |literal| literal.atom.predicate())
    }
}
