//! The tools that the checks need beyond Rust, and how they are had: from Debian's packages, as root.

use std::process::Command;

use crate::checks::{stream, succeeds};

/// A Debian package, how to see that it is there, and what needs it.
#[derive(Debug, PartialEq, Eq)]
pub struct Need {
    pub package: &'static str,
    /// A command that ends well when the package is there.
    pub probe: &'static [&'static str],
    pub needed_by: &'static str,
}

/// Everything that a test of ours starts and Rust does not bring along.
pub const NEEDS: &[Need] = &[
    Need {
        package: "gdal-bin",
        probe: &["gdalinfo", "--version"],
        needed_by: "crates/barchan-files/tests/it/gdal.rs: GDAL reads the heightmaps we write",
    },
    NODE,
    NPM,
    CHROMIUM,
];

/// What builds the page. Vite asks for 20.19, 22.12 or later.
pub const NODE: Need = Need {
    package: "nodejs",
    probe: &["node", "--eval", "process.exit(Number(process.versions.node.split('.')[0]) >= 20 ? 0 : 1)"],
    needed_by: "viewer: the bundle of the page is what its source builds",
};
pub const NPM: Need = Need { package: "npm", probe: &["npm", "--version"], needed_by: NODE.needed_by };
/// What the page is played in.
pub const CHROMIUM: Need = Need {
    package: "chromium",
    probe: &["chromium", "--version"],
    needed_by: "viewer/tests: a real browser plays in the sandbox",
};

/// Set for the tests when all tools are there: then a test must not leave itself out.
pub const REQUIRE_TOOLS: &str = "BARCHAN_REQUIRE_TOOLS";

impl Need {
    pub fn is_met(&self) -> bool {
        self.probe
            .split_first()
            .is_some_and(|(program, arguments)| succeeds(Command::new(program).args(arguments)))
    }

    /// The line for the closing summary when the package could not be had.
    pub fn left_out(&self) -> String {
        format!("left out for want of the Debian package {}: {}", self.package, self.needed_by)
    }
}

/// Installs what is missing as far as we may, and returns what is still missing.
pub fn provide(needs: &'static [Need]) -> Vec<&'static Need> {
    let missing = unmet(needs.iter().collect());
    if missing.is_empty() {
        let packages: Vec<_> = needs.iter().map(|need| need.package).collect();
        eprintln!("there already: {}", packages.join(", "));
        return missing;
    }
    match Rights::ours() {
        Some(rights) => install(rights, &missing),
        None => eprintln!("not installing anything: that takes apt-get, and root or a sudo without password"),
    }
    let missing = unmet(missing);
    for need in &missing {
        eprintln!("{}", need.left_out());
    }
    missing
}

/// Missing tools fail the checks in CI. A developer may go on without.
pub fn verdict(missing: &[&Need], in_ci: bool) -> Result<(), String> {
    if missing.is_empty() || !in_ci {
        return Ok(());
    }
    let packages: Vec<_> = missing.iter().map(|need| need.package).collect();
    Err(format!("CI is set and these packages are missing: {}", packages.join(", ")))
}

/// Whether the environment says that this is CI.
pub fn in_ci() -> bool {
    std::env::var_os("CI").is_some_and(|value| !value.is_empty())
}

fn unmet(needs: Vec<&'static Need>) -> Vec<&'static Need> {
    needs.into_iter().filter(|need| !need.is_met()).collect()
}

/// How we may run apt-get.
#[derive(Debug, Clone, Copy)]
enum Rights {
    Root,
    Sudo,
}

impl Rights {
    fn ours() -> Option<Self> {
        if !succeeds(Command::new("apt-get").arg("--version")) {
            None
        } else if is_root() {
            Some(Self::Root)
        } else if succeeds(Command::new("sudo").args(["-n", "true"])) {
            Some(Self::Sudo)
        } else {
            None
        }
    }
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

fn install(rights: Rights, missing: &[&Need]) {
    for words in apt_commands(rights, missing) {
        // Even when the lists could not be renewed, the old ones may do: what counts is what is there after.
        if let Err(reason) = stream(Command::new(&words[0]).args(&words[1..])) {
            eprintln!("{reason}");
        }
    }
}

/// The command lines that install the packages: the lists are renewed once, first.
fn apt_commands(rights: Rights, missing: &[&Need]) -> [Vec<String>; 2] {
    let sudo = match rights {
        Rights::Root => "",
        Rights::Sudo => "sudo -n ",
    };
    // Fresh machines often run apt by themselves after boot: wait for the lock (s) rather than fail.
    let apt = format!("{sudo}env DEBIAN_FRONTEND=noninteractive apt-get --quiet -o DPkg::Lock::Timeout=120");
    let packages: Vec<_> = missing.iter().map(|need| need.package).collect();
    let install = format!("{apt} install --yes --no-install-recommends {}", packages.join(" "));
    [format!("{apt} update"), install].map(|line| line.split_whitespace().map(String::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const THERE: Need = Need { package: "rust", probe: &["rustc", "--version"], needed_by: "everything" };
    const ABSENT: Need = Need {
        package: "unobtainium",
        probe: &["no-such-program-anywhere"],
        needed_by: "tests/it/alchemy.rs",
    };
    const FAILING: Need =
        Need { package: "rust-nightly", probe: &["rustc", "--no-such-flag"], needed_by: "nothing" };

    #[test]
    fn probes_tell_what_is_there_from_what_is_not() {
        static NEEDS: [Need; 3] = [THERE, ABSENT, FAILING];
        assert_eq!(unmet(NEEDS.iter().collect()), [&ABSENT, &FAILING]);
    }

    #[test]
    fn missing_tools_fail_only_in_ci() {
        assert_eq!(verdict(&[], true), Ok(()));
        assert_eq!(verdict(&[&ABSENT], false), Ok(()));
        assert!(verdict(&[&ABSENT], true).unwrap_err().contains("unobtainium"));
    }

    #[test]
    fn what_is_left_out_names_package_and_tests() {
        let line = ABSENT.left_out();
        assert!(line.contains("unobtainium") && line.contains("tests/it/alchemy.rs"), "{line}");
    }

    #[test]
    fn apt_renews_its_lists_once_then_installs_all_and_never_asks() {
        let [update, install] = apt_commands(Rights::Root, &[&THERE, &ABSENT]).map(|words| words.join(" "));
        assert!(update.ends_with(" update"), "{update}");
        assert!(install.ends_with(" install --yes --no-install-recommends rust unobtainium"), "{install}");
        assert!(install.starts_with("env DEBIAN_FRONTEND=noninteractive apt-get "), "{install}");
        let [update, _] = apt_commands(Rights::Sudo, &[&ABSENT]).map(|words| words.join(" "));
        assert!(update.starts_with("sudo -n env "), "{update}");
    }
}
