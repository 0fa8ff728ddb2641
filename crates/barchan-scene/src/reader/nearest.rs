//! The name that was probably meant.

/// Longer words are not compared: nobody means them.
const LONGEST: usize = 64;

/// The candidate that is nearest to `word`, if one is near enough to be worth a suggestion.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.is_empty() || word.len() > LONGEST {
        return None;
    }
    let ranked = candidates.into_iter().map(|candidate| (distance(word, candidate), candidate));
    let (edits, candidate) = ranked.min()?;
    let longer = word.len().max(candidate.len());
    // A name without its unit (`radius`) is further off than its letters say.
    let is_start = word.len() >= 3 && candidate.starts_with(word);
    (edits <= longer.div_ceil(3) || is_start).then_some(candidate)
}

/// Letters to insert, delete or replace to make one word of the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(!x.eq_ignore_ascii_case(y));
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_what_is_near_and_nothing_else() {
        let keys = ["radius_m", "center_m", "gravity_m_s2", "kind"];
        for (word, expected) in [
            ("radius", Some("radius_m")),
            ("raduis_m", Some("radius_m")),
            ("centre_m", Some("center_m")),
            ("gravity", Some("gravity_m_s2")),
            ("KIND", Some("kind")),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, keys), expected, "{word:?}");
        }
        assert_eq!(nearest(&"x".repeat(100), keys), None);
        assert_eq!(nearest("kind", []), None);
    }

    #[test]
    fn counts_edits() {
        for (a, b, expected) in
            [("", "abc", 3), ("abc", "abc", 0), ("ac", "abc", 1), ("axc", "abc", 1), ("kitten", "sitting", 3)]
        {
            assert_eq!(distance(a, b), expected, "{a} {b}");
        }
    }
}
