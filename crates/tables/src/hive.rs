//! Columns in the names of folders: `year=2017/month=04/part-0.parquet`.

/// A column of a file that its folder names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Partition {
    pub(crate) key: String,
    /// `None` for the folder of records without a value.
    pub(crate) value: Option<String>,
}

/// The folder of records that have no value.
const ABSENT: &str = "__HIVE_DEFAULT_PARTITION__";

/// The columns that the folders of a file name, from the outermost inwards.
pub(crate) fn partitions(name: &str) -> Vec<Partition> {
    let folders = name.rsplit_once('/').map_or("", |(folders, _)| folders);
    let pairs = folders
        .split('/')
        .filter_map(|folder| folder.split_once('='));
    pairs
        .map(|(key, value)| Partition {
            key: unescaped(key),
            value: (value != ABSENT).then(|| unescaped(value)),
        })
        .collect()
}

/// A text whose bytes may be written as `%2F`; one that is no UTF-8 then stays as it stands.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let escaped = after.get(..2).filter(|_| *first == b'%');
        let escaped = escaped.and_then(|digits| std::str::from_utf8(digits).ok());
        if let Some(byte) = escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            bytes.push(byte);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_name_columns() {
        let of = |name| {
            let all = partitions(name).into_iter();
            all.map(|it| (it.key, it.value)).collect::<Vec<_>>()
        };
        let pair = |key: &str, value: &str| (key.to_owned(), Some(value.to_owned()));
        assert_eq!(of("part.parquet"), []);
        assert_eq!(
            of("data/year=2017/month=04/part=0.parquet"),
            [pair("year", "2017"), pair("month", "04")]
        );
        assert_eq!(of("who=A%2FB/x.csv"), [pair("who", "A/B")]);
        assert_eq!(of("who=50%/x.csv"), [pair("who", "50%")]);
        let absent = "who=__HIVE_DEFAULT_PARTITION__/x.csv";
        assert_eq!(of(absent), [("who".to_owned(), None)]);
    }
}
