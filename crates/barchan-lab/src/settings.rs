//! Parameters of experiments: every one can be set to one value or a list, and is checked against its range.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

/// A parameter that an experiment takes: a number, or a list of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its name, with the unit.
    pub key: &'static str,
    /// What it means.
    pub about: &'static str,
    /// Used unless set.
    pub default: &'static [f64],
    /// Smallest and largest allowed value.
    pub range: (f64, f64),
    /// Whole numbers only.
    pub whole: bool,
    /// May be a list.
    pub list: bool,
}

/// The parameters of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    values: BTreeMap<&'static str, Vec<f64>>,
    set: BTreeSet<&'static str>,
}

/// What is wrong with a setting.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SettingsError {
    /// Not of the form key=value.
    #[error("--set {given}: expected key=value or key=value,value,…")]
    Form {
        /// What was given.
        given: String,
    },
    /// No such parameter.
    #[error("--set {key}: there is no such parameter; there are: {known}")]
    UnknownKey {
        /// What was given.
        key: String,
        /// What there is.
        known: String,
    },
    /// A list where one value is needed.
    #[error("--set {key}={given}: takes one value, not a list")]
    NoList {
        /// The parameter.
        key: &'static str,
        /// What was given.
        given: String,
    },
    /// A value that does not fit.
    #[error("--set {key}={value}: must be {kind} from {min} to {max}")]
    Value {
        /// The parameter.
        key: &'static str,
        /// What was given.
        value: String,
        /// Number or whole number.
        kind: &'static str,
        /// Smallest allowed.
        min: f64,
        /// Largest allowed.
        max: f64,
    },
}

impl Settings {
    /// The defaults of `parameters`, changed by `sets` of the form `key=value` or `key=value,value`.
    pub fn new<S: AsRef<str>>(parameters: &[Parameter], sets: &[S]) -> Result<Self, SettingsError> {
        let mut values: BTreeMap<_, _> =
            parameters.iter().map(|parameter| (parameter.key, parameter.default.to_vec())).collect();
        let mut set_keys = BTreeSet::new();
        for set in sets {
            let given = set.as_ref();
            let form = || SettingsError::Form { given: given.to_owned() };
            let (key, list) = given.split_once('=').ok_or_else(form)?;
            let parameter = parameters.iter().find(|p| p.key == key.trim()).ok_or_else(|| {
                let known = parameters.iter().map(|p| p.key).collect::<Vec<_>>().join(", ");
                SettingsError::UnknownKey { key: key.trim().to_owned(), known }
            })?;
            if !parameter.list && list.contains(',') {
                return Err(SettingsError::NoList { key: parameter.key, given: list.to_owned() });
            }
            let parsed = list.split(',').map(|item| parameter.parse(item.trim()));
            values.insert(parameter.key, parsed.collect::<Result<_, _>>()?);
            set_keys.insert(parameter.key);
        }
        Ok(Self { values, set: set_keys })
    }

    /// True when a parameter was set, be it to its default.
    pub fn is_set(&self, key: &str) -> bool {
        self.set.contains(key)
    }

    /// All values of a parameter. Asking for one that was not declared is a bug of the experiment.
    pub fn list(&self, key: &str) -> &[f64] {
        self.values.get(key).unwrap_or_else(|| panic!("parameter '{key}' was not declared"))
    }

    /// The first value of a parameter.
    pub fn number(&self, key: &str) -> f64 {
        self.list(key)[0]
    }

    /// The first value of a whole parameter.
    pub fn count(&self, key: &str) -> usize {
        self.number(key) as usize
    }

    /// As `--json` shows them: a number, or a list when there are several.
    pub fn to_json(&self) -> Value {
        let value = |list: &Vec<f64>| if list.len() == 1 { json!(list[0]) } else { json!(list) };
        self.values.iter().map(|(key, list)| ((*key).to_owned(), value(list))).collect()
    }
}

impl Parameter {
    fn parse(&self, text: &str) -> Result<f64, SettingsError> {
        let (min, max) = self.range;
        match text.parse::<f64>() {
            Ok(number) if (min..=max).contains(&number) && (!self.whole || number.fract() == 0.0) => {
                Ok(number)
            }
            _ => {
                let kind = if self.whole { "a whole number" } else { "a number" };
                Err(SettingsError::Value { key: self.key, value: text.to_owned(), kind, min, max })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMETERS: &[Parameter] = &[
        Parameter {
            key: "phi_deg",
            about: "",
            default: &[30.0],
            range: (0.0, 89.0),
            whole: false,
            list: false,
        },
        Parameter { key: "n", about: "", default: &[8.0, 16.0], range: (1.0, 64.0), whole: true, list: true },
    ];

    #[test]
    fn values_and_lists_are_read() {
        let settings = Settings::new(PARAMETERS, &["phi_deg=33", "n=4, 5"]).unwrap();
        assert_eq!(settings.number("phi_deg"), 33.0);
        assert_eq!(settings.list("n"), [4.0, 5.0]);
        assert!(settings.is_set("n") && !Settings::new(PARAMETERS, &["phi_deg=30"]).unwrap().is_set("n"));
        assert_eq!(settings.to_json(), json!({"phi_deg": 33.0, "n": [4.0, 5.0]}));
    }

    #[test]
    fn wrong_settings_name_key_value_and_range() {
        for (set, expected) in [
            ("phi_deg", "--set phi_deg: expected key=value"),
            ("phi=3", "--set phi: there is no such parameter; there are: phi_deg, n"),
            ("phi_deg=30,31", "--set phi_deg=30,31: takes one value"),
            ("phi_deg=90", "--set phi_deg=90: must be a number from 0 to 89"),
            ("phi_deg=NaN", "--set phi_deg=NaN: must be a number from 0 to 89"),
            ("n=1.5", "--set n=1.5: must be a whole number from 1 to 64"),
            ("n=", "--set n=: must be a whole number"),
        ] {
            let error = Settings::new(PARAMETERS, &[set]).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
