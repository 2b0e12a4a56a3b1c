//! Markdown as far as it matters here: prose, code, links and comments.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// A stretch of a Markdown text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Running text.
    Prose(Range<usize>),
    /// `<!-- … -->`.
    Comment(Range<usize>),
    /// Code, or the target of a link.
    Code,
}

impl Part {
    /// The same stretch of a text that has `n` more bytes before it.
    pub(super) fn moved(self, n: usize) -> Self {
        let moved = |at: Range<usize>| at.start + n..at.end + n;
        match self {
            Self::Prose(at) => Self::Prose(moved(at)),
            Self::Comment(at) => Self::Comment(moved(at)),
            Self::Code => Self::Code,
        }
    }
}

static SPECIAL: LazyLock<Regex> = LazyLock::new(|| {
    let code = r"(?ms:^```.*?(?:^```|\z))|`[^`\n]*`";
    let link = r"\]\([^)\n]*\)|<https?:[^>\n]*>";
    #[allow(clippy::unwrap_used, reason = "a constant pattern, covered by tests")]
    Regex::new(&format!(r"(?<comment>(?s:<!--.*?-->))|{code}|{link}")).unwrap()
});

/// The parts of a text, in order.
pub(super) fn parts(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut end = 0;
    for found in SPECIAL.captures_iter(text) {
        let whole = found.get_match();
        if whole.start() > end {
            parts.push(Part::Prose(end..whole.start()));
        }
        parts.push(match found.name("comment") {
            Some(comment) => Part::Comment(comment.range()),
            None => Part::Code,
        });
        end = whole.end();
    }
    if end < text.len() {
        parts.push(Part::Prose(end..text.len()));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_links_are_no_prose() {
        let text = "a `1` <!-- value: `x` --> [b](2.md)\n```text\n<!-- 3 -->\n```\nc <https://d/4>";
        let prose: Vec<&str> = parts(text)
            .into_iter()
            .filter_map(|part| match part {
                Part::Prose(at) => Some(&text[at]),
                _ => None,
            })
            .collect();
        assert_eq!(prose, ["a ", " ", " [b", "\n", "\nc "]);
        let is_comment = |part: &&Part| matches!(part, Part::Comment(_));
        assert_eq!(parts(text).iter().filter(is_comment).count(), 1);
    }
}
