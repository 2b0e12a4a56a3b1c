//! "Did you mean": the known name nearest to a misspelled one.

/// The candidate most similar to `name`, if one is similar enough to be meant.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let lower = name.to_lowercase();
    (candidates.into_iter())
        .map(|known| {
            let similarity = strsim::normalized_damerau_levenshtein(&lower, &known.to_lowercase());
            (similarity, known)
        })
        .filter(|(similarity, _)| *similarity >= 0.5)
        .max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)))
        .map(|(_, known)| known)
}

/// ``did you mean `x`?``, or the known names if none is near and they are few.
pub(crate) fn suggestion(name: &str, known: &[&str]) -> String {
    match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() || known.len() > 12 => String::new(),
        None => format!("known: {}", known.join(", ")),
    }
}
