//! `playground`: pages that run the libraries in the browser.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail, ensure};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use kibitz_desk::{Answer, Desk};
use kibitz_lab::Exit;
use serde::Deserialize;

/// What the module is compiled for.
const TARGET: &str = "wasm32-unknown-unknown";

/// Brings it.
const COMMAND: &str = "rustup target add wasm32-unknown-unknown";

/// The folder of the pages within a report.
pub(crate) const FOLDER: &str = "playground";

/// Whether the pages can be built.
#[derive(Clone, Debug)]
pub(crate) enum PlaygroundBuild {
    /// They were.
    Pages(Pages),
    /// The compiler cannot make WebAssembly here; this command brings what is missing.
    Missing {
        /// The command.
        command: &'static str,
    },
}

/// The pages, by their names.
#[derive(Clone, Debug)]
pub(crate) struct Pages {
    files: Vec<(PathBuf, Vec<u8>)>,
    /// Bytes of the module, compressed.
    n_bytes: usize,
}

/// `playground`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The folder of the pages [default: target/kibitz/playground]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Arguments {
    /// Carries it out.
    pub(crate) fn run(&self, desk: &Desk) -> Answer {
        let folder = self.out.clone();
        let folder = folder.unwrap_or_else(|| desk.lab.state.join("playground"));
        let written = Pages::build(&desk.lab.root).and_then(|built| {
            if let PlaygroundBuild::Pages(pages) = &built {
                pages.write(&folder)?;
            }
            Ok(built)
        });
        let (out, err, exit) = match written {
            Ok(PlaygroundBuild::Pages(Pages { n_bytes, .. })) => {
                let index = folder.join("index.html");
                let said = format!("{}, with a module of {n_bytes} bytes\n", index.display());
                (said, String::new(), Exit::Done)
            }
            Ok(PlaygroundBuild::Missing { command }) => {
                let said = format!("error: this compiler makes no WebAssembly: `{command}`\n");
                (String::new(), said, Exit::Missing)
            }
            Err(error) => (String::new(), format!("error: {error:#}\n"), Exit::Failed),
        };
        Answer { out, err, exit }
    }
}

impl Pages {
    /// Compiles `kibitz-web` of the workspace at `root` and puts the pages together.
    ///
    /// A page from disk may read no other file, so the module is a script: compressed, in base64.
    ///
    /// # Errors
    /// The module does not compile, or a file cannot be read.
    pub(crate) fn build(root: &Path) -> anyhow::Result<PlaygroundBuild> {
        if !has_target(root)? {
            return Ok(PlaygroundBuild::Missing { command: COMMAND });
        }
        let module = compile(root)?;
        let module =
            fs::read(&module).with_context(|| format!("cannot read {}", module.display()))?;
        let mut packed = Vec::new();
        let (options, format) = (zopfli::Options::default(), zopfli::Format::Gzip);
        zopfli::compress(options, format, module.as_slice(), &mut packed)?;
        let script = format!(
            "// kibitz-web as WebAssembly: gzip, base64.\nconst KIBITZ_MODULE = \"{}\";\n",
            BASE64_STANDARD.encode(&packed)
        );
        let mut files = vec![(PathBuf::from("module.js"), script.into_bytes())];
        let pages = root.join("crates/web/pages");
        let unreadable = || format!("cannot read {}", pages.display());
        for page in fs::read_dir(&pages).with_context(unreadable)? {
            let page = page.with_context(unreadable)?;
            files.push((page.file_name().into(), fs::read(page.path())?));
        }
        Ok(PlaygroundBuild::Pages(Self {
            files,
            n_bytes: packed.len(),
        }))
    }

    /// Writes the pages into a folder.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(crate) fn write(&self, folder: &Path) -> anyhow::Result<()> {
        fs::create_dir_all(folder).with_context(|| format!("cannot write {}", folder.display()))?;
        for (name, bytes) in &self.files {
            let path = folder.join(name);
            fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }
}

/// Whether the compiler has the standard library for the target.
fn has_target(root: &Path) -> anyhow::Result<bool> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(rustc);
    command.current_dir(root);
    let command = command.args(["--print", "target-libdir", "--target", TARGET]);
    let asked = command.output().context("cannot start rustc")?;
    let folder = String::from_utf8_lossy(&asked.stdout);
    Ok(asked.status.success() && Path::new(folder.trim()).is_dir())
}

/// What Cargo says of a crate that it compiled.
#[derive(Deserialize)]
struct Artifact {
    #[serde(default)]
    filenames: Vec<PathBuf>,
}

/// Compiles the module; where it is.
fn compile(root: &Path) -> anyhow::Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root).env_remove("RUSTFLAGS");
    command.args(["rustc", "--quiet", "--package", "kibitz-web", "--lib"]);
    // No page asks what only programs ask.
    command.arg("--no-default-features");
    command.args([
        "--crate-type",
        "cdylib",
        "--profile",
        "web",
        "--target",
        TARGET,
    ]);
    command.args(["--message-format", "json-render-diagnostics"]);
    let done = command.stderr(Stdio::inherit()).output();
    let done = done.context("cannot start cargo")?;
    ensure!(
        done.status.success(),
        "kibitz-web does not compile for {TARGET}"
    );
    let said = String::from_utf8(done.stdout)?;
    let artifacts = said.lines().rev().map(serde_json::from_str::<Artifact>);
    for artifact in artifacts {
        let files = artifact?.filenames;
        let mut modules = files.into_iter();
        if let Some(module) = modules.find(|file| file.extension().is_some_and(|it| it == "wasm")) {
            return Ok(module);
        }
    }
    bail!("cargo names no module of kibitz-web")
}
