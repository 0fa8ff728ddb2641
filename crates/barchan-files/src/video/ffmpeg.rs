//! H.264 in MP4 through a pipe to ffmpeg.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use super::writer::VideoFormat;
use crate::atomic_write::NewFile;

/// What is kept of ffmpeg's complaints (bytes).
const MOST_COMPLAINTS: u64 = 2_000;
/// How long an ffmpeg that no longer listens may take to say why.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whether there is an ffmpeg that can be started.
pub fn ffmpeg_is_installed() -> bool {
    let mut command = Command::new("ffmpeg");
    command.arg("-version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// A film on its way through ffmpeg.
pub(super) struct Ffmpeg {
    // Dropped first: nobody writes into a file that is about to go.
    process: Process,
    file: NewFile,
}

impl Ffmpeg {
    pub fn start(path: &Path, format: VideoFormat) -> io::Result<Self> {
        let (file, handle) = NewFile::create(path)?;
        drop(handle);
        let process = Process::start(file.path(), format)?;
        Ok(Self { process, file })
    }

    pub fn add(&mut self, rgb: &[u8]) -> io::Result<()> {
        self.process.write(rgb)
    }

    pub fn finish(mut self) -> io::Result<()> {
        self.process.end(None)?;
        self.file.take_its_name()
    }
}

/// A running ffmpeg. Stopped when dropped.
struct Process {
    child: Child,
    /// Reads what ffmpeg complains about: a full pipe would stop it.
    complaints: Option<JoinHandle<String>>,
}

impl Process {
    fn start(path: &Path, format: VideoFormat) -> io::Result<Self> {
        let mut child = command(path, format).spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => io::Error::new(
                error.kind(),
                "ffmpeg is not installed, and .mp4 films need it; animated .png films do not",
            ),
            kind => io::Error::new(kind, format!("ffmpeg could not be started: {error}")),
        })?;
        let complaints =
            child.stderr.take().map(|stderr| std::thread::spawn(move || read_complaints(stderr)));
        Ok(Self { child, complaints })
    }

    fn write(&mut self, rgb: &[u8]) -> io::Result<()> {
        let Some(stdin) = &mut self.child.stdin else { return Err(io::ErrorKind::BrokenPipe.into()) };
        stdin.write_all(rgb).map_err(|error| match error.kind() {
            // Why it went says more than that the pipe broke.
            io::ErrorKind::BrokenPipe => match self.end(Some(PATIENCE)) {
                Err(reason) => reason,
                Ok(()) => io::Error::new(error.kind(), "ffmpeg ended before the film did"),
            },
            _ => error,
        })
    }

    /// Lets ffmpeg come to its end, for at most `patience`, and tells when that was not a good one.
    fn end(&mut self, patience: Option<Duration>) -> io::Result<()> {
        drop(self.child.stdin.take());
        let status = match patience {
            Some(patience) => self.wait_at_most(patience)?,
            None => self.child.wait()?,
        };
        let complaints = self.complaints.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        if status.success() {
            return Ok(());
        }
        let said = if complaints.is_empty() { String::new() } else { format!(": {complaints}") };
        Err(io::Error::other(format!("ffmpeg failed ({status}){said}")))
    }

    fn wait_at_most(&mut self, patience: Duration) -> io::Result<ExitStatus> {
        const NAP: Duration = Duration::from_millis(10);
        for _ in 0..patience.as_millis() / NAP.as_millis() {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            std::thread::sleep(NAP);
        }
        self.child.kill()?;
        self.child.wait()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // One that has ended cannot be stopped any more, and that is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Raw frames on its input, H.264 that every player knows in `path`.
fn command(path: &Path, format: VideoFormat) -> Command {
    // The word before the path keeps ffmpeg from taking a part of the name for a protocol or a flag.
    let mut output = OsString::from("file:");
    output.push(path);
    let (size, fps) = (format!("{}x{}", format.width, format.height), format.fps.to_string());
    let mut command = Command::new("ffmpeg");
    command.args(["-hide_banner", "-loglevel", "error", "-y"]);
    command.args(["-f", "rawvideo", "-pixel_format", "rgb24", "-video_size", &size, "-framerate", &fps]);
    command.args(["-i", "pipe:0", "-an", "-c:v", "libx264", "-preset", "veryfast", "-crf", "20"]);
    // Colours as players assume them for films of this kind, and said so in the file.
    command.args(["-vf", "scale=out_color_matrix=bt709:out_range=tv", "-pix_fmt", "yuv420p"]);
    command.args(["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"]);
    command.args(["-color_range", "tv", "-movflags", "+faststart", "-f", "mp4"]).arg(output);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// The beginning of what ffmpeg says, on one line.
fn read_complaints(mut stderr: ChildStderr) -> String {
    let mut bytes = Vec::new();
    // Complaints that cannot be read cannot be shown either.
    let _ = stderr.by_ref().take(MOST_COMPLAINTS).read_to_end(&mut bytes);
    let _ = io::copy(&mut stderr, &mut io::sink());
    String::from_utf8_lossy(&bytes).split_whitespace().collect::<Vec<_>>().join(" ")
}
