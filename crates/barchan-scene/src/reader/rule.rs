//! Rules: what a value must be. A rule reads a value or says what it would have accepted.

use glam::{Vec2, Vec3};
use toml::de::DeValue;

use super::nearest;

/// What a value must be.
pub(crate) trait Rule {
    /// What it is read as.
    type Value;

    /// What is allowed, in words that follow "must be".
    fn allowed(&self) -> String;

    /// The value, or what is wrong with it.
    fn read(&self, value: &DeValue<'_>) -> Result<Self::Value, String>;

    /// The words for a value that is not allowed.
    fn refusal(&self) -> String {
        format!("must be {}", self.allowed())
    }
}

/// A number from `min` to `max`.
#[derive(Clone, Copy)]
pub(crate) struct Number {
    pub min: f64,
    pub max: f64,
}

impl Number {
    fn read_f64(&self, value: &DeValue<'_>) -> Result<f64, String> {
        let number = number_of(value).ok_or_else(|| self.refusal())?;
        // Not a number is in no range.
        if (self.min..=self.max).contains(&number) {
            return Ok(number);
        }
        Err(format!("must be {}", self.range()))
    }

    fn range(&self) -> String {
        format!("{} to {}", self.min, self.max)
    }
}

impl Rule for Number {
    type Value = f32;

    fn allowed(&self) -> String {
        format!("a number, {}", self.range())
    }

    fn read(&self, value: &DeValue<'_>) -> Result<f32, String> {
        self.read_f64(value).map(|number| number as f32)
    }
}

/// A time (s), kept in full precision.
pub(crate) struct Seconds(pub Number);

impl Rule for Seconds {
    type Value = f64;

    fn allowed(&self) -> String {
        self.0.allowed()
    }

    fn read(&self, value: &DeValue<'_>) -> Result<f64, String> {
        self.0.read_f64(value)
    }
}

/// A number, kept in full precision.
pub(crate) struct Exact(pub Number);

impl Rule for Exact {
    type Value = f64;

    fn allowed(&self) -> String {
        self.0.allowed()
    }

    fn read(&self, value: &DeValue<'_>) -> Result<f64, String> {
        self.0.read_f64(value)
    }
}

/// A whole number from `min` to `max`.
pub(crate) struct Whole {
    pub min: u64,
    pub max: u64,
}

impl Rule for Whole {
    type Value = u64;

    fn allowed(&self) -> String {
        format!("a whole number, {} to {}", self.min, self.max)
    }

    fn read(&self, value: &DeValue<'_>) -> Result<u64, String> {
        let DeValue::Integer(integer) = value else { return Err(self.refusal()) };
        u64::from_str_radix(integer.as_str(), integer.radix())
            .ok()
            .filter(|whole| (self.min..=self.max).contains(whole))
            .ok_or_else(|| self.refusal())
    }
}

/// Three numbers: a place, a size, angles about the axes.
pub(crate) struct Vector(pub Number);

impl Rule for Vector {
    type Value = Vec3;

    fn allowed(&self) -> String {
        format!("three numbers [x, y, z], each {}", self.0.range())
    }

    fn read(&self, value: &DeValue<'_>) -> Result<Vec3, String> {
        numbers(value, &self.0).map(Vec3::from_array).ok_or_else(|| self.refusal())
    }
}

/// Two numbers: a place or a size on the map.
pub(crate) struct Vector2(pub Number);

impl Rule for Vector2 {
    type Value = Vec2;

    fn allowed(&self) -> String {
        format!("two numbers [x, y], each {}", self.0.range())
    }

    fn read(&self, value: &DeValue<'_>) -> Result<Vec2, String> {
        numbers(value, &self.0).map(Vec2::from_array).ok_or_else(|| self.refusal())
    }
}

/// A list of `min` to `max` values that follow one rule.
pub(crate) struct List<R> {
    pub each: R,
    pub min: usize,
    pub max: usize,
}

impl<R: Rule> Rule for List<R> {
    type Value = Vec<R::Value>;

    fn allowed(&self) -> String {
        let count =
            if self.min == self.max { self.min.to_string() } else { format!("{} to {}", self.min, self.max) };
        format!("a list of {count}, each {}", self.each.allowed())
    }

    fn read(&self, value: &DeValue<'_>) -> Result<Vec<R::Value>, String> {
        let list = value.as_array().filter(|list| (self.min..=self.max).contains(&list.len()));
        let read = |(at, item): (usize, &toml::Spanned<DeValue<'_>>)| {
            self.each.read(item.get_ref()).map_err(|message| format!("item [{at}] {message}"))
        };
        list.ok_or_else(|| self.refusal())?.iter().enumerate().map(read).collect()
    }
}

/// True or false.
pub(crate) struct Flag;

impl Rule for Flag {
    type Value = bool;

    fn allowed(&self) -> String {
        "true or false".to_owned()
    }

    fn read(&self, value: &DeValue<'_>) -> Result<bool, String> {
        value.as_bool().ok_or_else(|| self.refusal())
    }
}

/// Text of 1 to `longest` characters.
pub(crate) struct Text {
    pub longest: usize,
}

impl Rule for Text {
    type Value = String;

    fn allowed(&self) -> String {
        format!("text of 1 to {} characters", self.longest)
    }

    fn read(&self, value: &DeValue<'_>) -> Result<String, String> {
        let fits = |text: &&str| !text.is_empty() && text.chars().count() <= self.longest;
        value.as_str().filter(fits).map(str::to_owned).ok_or_else(|| self.refusal())
    }
}

/// One of these words, each with what it stands for.
pub(crate) struct OneOf<'a, T>(pub &'a [(&'a str, T)]);

impl<T: Copy> Rule for OneOf<'_, T> {
    type Value = T;

    fn allowed(&self) -> String {
        let words: Vec<_> = self.0.iter().map(|(word, _)| format!("{word:?}")).collect();
        match words.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
            None => "nothing".to_owned(),
        }
    }

    fn read(&self, value: &DeValue<'_>) -> Result<T, String> {
        let word = value.as_str().ok_or_else(|| self.refusal())?;
        if let Some((_, meaning)) = self.0.iter().find(|(known, _)| *known == word) {
            return Ok(*meaning);
        }
        let meant = nearest(word, self.0.iter().map(|(known, _)| *known));
        Err(match meant {
            Some(meant) => format!("{}; did you mean {meant:?}?", self.refusal()),
            None => self.refusal(),
        })
    }
}

/// A float or integer as a number; `1` is as good as `1.0`.
fn number_of(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Float(float) => float.as_str().parse().ok(),
        DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().parse().ok(),
        DeValue::Integer(integer) => {
            u64::from_str_radix(integer.as_str(), integer.radix()).ok().map(|whole| whole as f64)
        }
        _ => None,
    }
}

/// Exactly `N` numbers that follow `rule`.
fn numbers<const N: usize>(value: &DeValue<'_>, rule: &Number) -> Option<[f32; N]> {
    let list = value.as_array().filter(|list| list.len() == N)?;
    let mut numbers = [0.0; N];
    for (number, item) in numbers.iter_mut().zip(list) {
        *number = rule.read(item.get_ref()).ok()?;
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<R: Rule>(rule: &R, text: &str) -> Result<R::Value, String> {
        rule.read(DeValue::parse(text).expect("TOML").get_ref())
    }

    #[test]
    fn numbers_are_numbers_in_range() {
        let rule = Number { min: 0.001, max: 100.0 };
        for (text, expected) in
            [("0.001", 0.001), ("7", 7.0), ("1_0.5", 10.5), ("0x10", 16.0), ("+1e2", 100.0)]
        {
            assert_eq!(read(&rule, text), Ok(expected), "{text}");
        }
        for text in ["-1", "0", "100.1", "nan", "inf", "-inf", "1e400", "9999999999999999999999"] {
            assert_eq!(read(&rule, text), Err("must be 0.001 to 100".to_owned()), "{text}");
        }
        for text in ["'1'", "true", "[1]", "{}", "1979-05-27"] {
            assert_eq!(read(&rule, text), Err("must be a number, 0.001 to 100".to_owned()), "{text}");
        }
    }

    #[test]
    fn whole_numbers_reach_to_their_ends() {
        let rule = Whole { min: 1, max: u64::MAX };
        assert_eq!(read(&rule, "18446744073709551615"), Ok(u64::MAX));
        for text in ["0", "18446744073709551616", "-1", "1.0", "'1'"] {
            assert!(read(&rule, text).is_err(), "{text}");
        }
    }

    #[test]
    fn vectors_have_their_length() {
        let rule = Vector(Number { min: -5.0, max: 5.0 });
        assert_eq!(read(&rule, "[1, -2.5, 3]"), Ok(Vec3::new(1.0, -2.5, 3.0)));
        for text in ["[1, 2]", "[1, 2, 3, 4]", "[1, 2, nan]", "[1, 2, 6]", "[1, 2, '3']", "1"] {
            assert_eq!(
                read(&rule, text),
                Err("must be three numbers [x, y, z], each -5 to 5".to_owned()),
                "{text}"
            );
        }
    }

    #[test]
    fn lists_name_the_item() {
        let rule = List { each: Number { min: 0.0, max: 1.0 }, min: 2, max: 3 };
        assert_eq!(read(&rule, "[0, 1]"), Ok(vec![0.0, 1.0]));
        assert_eq!(read(&rule, "[0, 7]"), Err("item [1] must be 0 to 1".to_owned()));
        assert_eq!(read(&rule, "[0]"), Err("must be a list of 2 to 3, each a number, 0 to 1".to_owned()));
    }

    #[test]
    fn choices_suggest() {
        let rule = OneOf(&[("ball", 1), ("box", 2), ("cone", 3)]);
        assert_eq!(read(&rule, "'box'"), Ok(2));
        assert_eq!(
            read(&rule, "'bal'"),
            Err(r#"must be "ball", "box" or "cone"; did you mean "ball"?"#.to_owned())
        );
        assert_eq!(read(&rule, "4"), Err(r#"must be "ball", "box" or "cone""#.to_owned()));
    }
}
