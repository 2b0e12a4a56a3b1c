//! The names that a file declares, whether their entries can be read or not.

use std::collections::BTreeSet;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The names of variables and operating regions: a mistake in a declaration does not make the name
/// unknown.
pub(super) fn declared(root: &Spanned<DeTable<'_>>) -> BTreeSet<String> {
    let root = root.get_ref();
    let variables = root
        .get("variables")
        .and_then(|entry| entry.get_ref().as_table());
    let variables = variables.into_iter().flat_map(DeTable::keys);
    let regions = root
        .get("regions")
        .and_then(|entry| entry.get_ref().as_array());
    let regions = regions.into_iter().flat_map(|regions| regions.iter());
    let regions = regions.filter_map(|region| {
        let name = region.get_ref().as_table()?.get("name")?;
        match name.get_ref() {
            DeValue::String(name) => Some(name.to_string()),
            _ => None,
        }
    });
    variables
        .map(|name| name.get_ref().to_string())
        .chain(regions)
        .collect()
}
