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
    let fence = r"(?m:^(?:[ \t]|>|[-*+] |\d+[.)] )*(?<fence>`{3,}|~{3,}))";
    let link = r"\]\([^)\n]*\)|<https?:[^>\n]*>";
    #[allow(clippy::unwrap_used, reason = "a constant pattern, covered by tests")]
    Regex::new(&format!(
        r"(?<comment>(?s:<!--.*?-->))|{fence}|(?<ticks>`+)|{link}"
    ))
    .unwrap()
});

/// The parts of a text, in order.
pub(super) fn parts(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let (mut at, mut prose) = (0, 0);
    while let Some(found) = SPECIAL.captures_at(text, at) {
        let whole = found.get_match();
        let (end, part) = if let Some(comment) = found.name("comment") {
            (comment.end(), Part::Comment(comment.range()))
        } else if let Some(fence) = found.name("fence").filter(|it| is_fence(text, it.range())) {
            (end_of_block(text, fence.range()), Part::Code)
        } else if let Some(ticks) = found.name("fence").or(found.name("ticks")) {
            let Some(end) = end_of_code(text, ticks.range()) else {
                // Backticks that nothing closes are prose.
                at = ticks.end();
                continue;
            };
            (end, Part::Code)
        } else {
            (whole.end(), Part::Code)
        };
        if whole.start() > prose {
            parts.push(Part::Prose(prose..whole.start()));
        }
        parts.push(part);
        (at, prose) = (end, end);
    }
    if prose < text.len() {
        parts.push(Part::Prose(prose..text.len()));
    }
    parts
}

/// Whether a run of backticks or tildes at the beginning of a line begins a block: no backtick follows in
/// the line of a fence of backticks.
fn is_fence(text: &str, at: Range<usize>) -> bool {
    let rest = text[at.end..].lines().next().unwrap_or_default();
    text[at].starts_with('~') || !rest.contains('`')
}

/// Where a block of code ends: behind the next line with a fence of the same kind and at least that length.
fn end_of_block(text: &str, fence: Range<usize>) -> usize {
    let (mark, n) = (&text[fence.start..=fence.start], fence.len());
    let mut end = fence.end;
    for (idx, line) in text[fence.end..].split_inclusive('\n').enumerate() {
        end += line.len();
        let bare = line.trim_matches([' ', '\t', '\r', '\n', '>']);
        let is_closing = bare.len() >= n && bare.replace(mark, "").is_empty();
        if idx > 0 && is_closing {
            // The line break is prose again.
            return end - usize::from(line.ends_with('\n'));
        }
    }
    text.len()
}

/// Where code in a line ends: behind the next run of as many backticks, in the same paragraph.
fn end_of_code(text: &str, ticks: Range<usize>) -> Option<usize> {
    let rest = &text[ticks.end..];
    let paragraph = rest.find("\n\n").map_or(rest, |end| &rest[..end]);
    let mut at = 0;
    while let Some(start) = paragraph[at..].find('`').map(|found| at + found) {
        let run = &paragraph[start..];
        let n = run.len() - run.trim_start_matches('`').len();
        if n == ticks.len() {
            return Some(ticks.end + start + n);
        }
        at = start + n;
    }
    None
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

    #[test]
    fn markers_in_code_are_no_markers() {
        let marker = "5<!-- value: tables -->";
        for code in [
            format!("`{marker}`"),
            format!("`` `{marker}` ``"),
            format!("`one\nline {marker} and another`"),
            format!("```text\n{marker}\n```"),
            format!("````text\n```\n{marker}\n```\n````"),
            format!("~~~\n{marker}\n~~~"),
            format!("1. item\n\n   ```text\n   {marker}\n   ```\n"),
            format!("- ```text\n  {marker}\n  ```\n"),
            format!("> ```\n> {marker}\n> ```\n"),
            format!("```text\n{marker}\n"),
        ] {
            let text = format!("Before.\n\n{code}");
            let is_comment = |part: &Part| matches!(part, Part::Comment(_));
            assert!(!parts(&text).iter().any(is_comment), "{text}");
            let closed = format!("{code}\n\n{marker}");
            let n = parts(&closed).iter().filter(|it| is_comment(it)).count();
            let is_open = code.ends_with("-->\n");
            assert_eq!(n, usize::from(!is_open), "{closed}");
        }
        for text in [
            format!("a ` alone, {marker}\n\nand ` another"),
            format!("`` two and one ` {marker}"),
        ] {
            let is_comment = |part: &Part| matches!(part, Part::Comment(_));
            assert!(parts(&text).iter().any(is_comment), "{text}");
        }
    }
}
