//! The tools that the checks need beyond Rust, and how they are had: from Debian's packages, as root, and from npm's.

use std::path::Path;
use std::process::Command;

use crate::checks::{stream, succeeds};

/// A package, how to see that it is there, and what needs it.
#[derive(Debug, PartialEq, Eq)]
pub struct Need {
    pub package: &'static str,
    pub from: Origin,
    /// A command that ends well when the package is there, in the folder that npm's packages go to.
    pub probe: &'static [&'static str],
    pub needed_by: &'static str,
}

/// Where a package comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Debian: for the whole machine.
    Debian,
    /// npm: into a folder of ours. Needs a Debian package above it in the list.
    Npm,
}

/// Everything that a test of ours starts and Rust does not bring along.
pub const NEEDS: &[Need] = &[
    Need {
        package: "gdal-bin",
        from: Origin::Debian,
        probe: &["gdalinfo", "--version"],
        needed_by: "crates/barchan-files/tests/it/gdal.rs: GDAL reads the heightmaps we write",
    },
    Need {
        package: "ffmpeg",
        from: Origin::Debian,
        probe: &["ffprobe", "-version"],
        needed_by: "crates/barchan-files/tests/it/video.rs: ffmpeg makes films, ffprobe looks into them",
    },
    Need {
        package: "assimp-utils",
        from: Origin::Debian,
        probe: &["assimp", "version"],
        needed_by: "crates/barchan-files/tests/it/model/other_programs.rs: Assimp reads the meshes we write",
    },
    NODE,
    NPM,
    CHROMIUM,
    Need {
        package: "gltf-validator@2.0.0-dev.3.10",
        from: Origin::Npm,
        probe: &["node", "-e", "require('gltf-validator')"],
        needed_by: "crates/barchan-files/tests/it/model/other_programs.rs: Khronos checks the glTF we write",
    },
];

/// What builds the page. Vite asks for 20.19, 22.12 or later.
pub const NODE: Need = Need {
    package: "nodejs",
    from: Origin::Debian,
    probe: &["node", "--eval", "process.exit(Number(process.versions.node.split('.')[0]) >= 20 ? 0 : 1)"],
    needed_by: "viewer: the bundle of the page is what its source builds",
};
pub const NPM: Need = Need {
    package: "npm",
    from: Origin::Debian,
    probe: &["npm", "--version"],
    needed_by: "viewer and the packages of npm: both come through it",
};
/// What the page is played in.
pub const CHROMIUM: Need = Need {
    package: "chromium",
    from: Origin::Debian,
    probe: &["chromium", "--version"],
    needed_by: "viewer/tests: a real browser plays in the sandbox",
};

/// Set for the tests when all tools are there: then a test must not leave itself out.
pub const REQUIRE_TOOLS: &str = "BARCHAN_REQUIRE_TOOLS";

impl Need {
    pub fn is_met(&self, tools: &Path) -> bool {
        self.probe.split_first().is_some_and(|(program, arguments)| {
            succeeds(Command::new(program).args(arguments).current_dir(tools))
        })
    }

    /// The line for the closing summary when the package could not be had.
    pub fn left_out(&self) -> String {
        let from = match self.from {
            Origin::Debian => "Debian",
            Origin::Npm => "npm",
        };
        format!("left out for want of the {from} package {}: {}", self.package, self.needed_by)
    }
}

/// Installs what is missing as far as we may, npm's packages into the folder `tools`, and returns what is still missing.
pub fn provide(needs: &'static [Need], tools: &Path) -> Vec<&'static Need> {
    if let Err(error) = std::fs::create_dir_all(tools) {
        eprintln!("cannot make the folder {}: {error}", tools.display());
    }
    let missing = unmet(needs.iter().collect(), tools);
    if missing.is_empty() {
        let packages: Vec<_> = needs.iter().map(|need| need.package).collect();
        eprintln!("there already: {}", packages.join(", "));
        return missing;
    }
    let from = |origin| missing.iter().copied().filter(move |need| need.from == origin).collect::<Vec<_>>();
    let (debian, npm) = (from(Origin::Debian), from(Origin::Npm));
    match Rights::ours() {
        _ if debian.is_empty() => {}
        Some(rights) => install(rights, &debian),
        None => eprintln!("no Debian packages: they take apt-get, and root or a sudo without password"),
    }
    if !npm.is_empty() {
        install_from_npm(tools, &npm);
    }
    let missing = unmet(missing, tools);
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

fn unmet(needs: Vec<&'static Need>, tools: &Path) -> Vec<&'static Need> {
    needs.into_iter().filter(|need| !need.is_met(tools)).collect()
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

fn install_from_npm(tools: &Path, missing: &[&Need]) {
    let mut npm = Command::new("npm");
    // Nothing that a package brings is run, and no folder above is taken for a project.
    npm.current_dir(tools).args(["install", "--prefix", ".", "--ignore-scripts", "--no-audit", "--no-fund"]);
    if let Err(reason) = stream(npm.args(missing.iter().map(|need| need.package))) {
        eprintln!("{reason}");
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

    const THERE: Need = Need {
        package: "rust",
        from: Origin::Debian,
        probe: &["rustc", "--version"],
        needed_by: "everything",
    };
    const ABSENT: Need = Need {
        package: "unobtainium",
        from: Origin::Npm,
        probe: &["no-such-program-anywhere"],
        needed_by: "tests/it/alchemy.rs",
    };
    const FAILING: Need = Need {
        package: "rust-nightly",
        from: Origin::Debian,
        probe: &["rustc", "--no-such-flag"],
        needed_by: "nothing",
    };

    #[test]
    fn probes_tell_what_is_there_from_what_is_not() {
        static NEEDS: [Need; 3] = [THERE, ABSENT, FAILING];
        assert_eq!(unmet(NEEDS.iter().collect(), &std::env::temp_dir()), [&ABSENT, &FAILING]);
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
        assert!(line.contains("npm package unobtainium") && line.contains("tests/it/alchemy.rs"), "{line}");
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
