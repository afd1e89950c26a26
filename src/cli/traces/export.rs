//! `traces export`: the records of a store for other programs, one at a time.

use super::{csv, otlp};
use crate::cli::failure::Failure;
use crate::cli::filters::Times;
use crate::cli::world::World;
use crate::cli::{defaults, pen, redaction, verify};
use crate::engine::redaction::Redactor;
use crate::store::stored::{Kind, Stored};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// How much is written at once.
const PIECE: usize = 64 << 10;

/// Write the records of a store for other programs
///
/// All files of a store that was rotated are read, oldest first, and no more than one record is
/// held at a time. Lines that are no records are passed over: `verify` tells them.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    solvi-hook traces export --format csv --since 7d > week.csv\n  \
    solvi-hook traces export --format otlp-json --since 2026-01-01 --until 2026-02-01\n\n\
    Exit status: 0 the records are written, 2 the store cannot be read.")]
pub struct Args {
    /// The store [default: .solvi/traces/hooks.jsonl of the project]
    #[arg(value_name = "STORE")]
    store: Option<PathBuf>,
    /// How records are written
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Jsonl)]
    format: Format,
    #[command(flatten)]
    times: Times,
    /// The project's folder [default: the repository that this folder is in]
    #[arg(long, value_name = "DIR", alias = "root")]
    project: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// The lines of the store as they are
    Jsonl,
    /// A table for spreadsheets; cells that would be formulas begin with an apostrophe
    Csv,
    /// Log records of OpenTelemetry as JSON
    OtlpJson,
}

/// Runs the sub-command.
pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    let root = defaults::recorded(args.project.as_deref(), world);
    let (path, name) = verify::store(args.store.as_deref(), &root, world)?;
    let span = args.times.span(world);
    let within = |record: &Stored| span.holds(record);
    let redactor = world.secrets.redactor(None, &root, world);
    // The output of other sub-commands is held until it is whole; this may be gigabytes.
    let mut out = BufWriter::with_capacity(PIECE, Out);
    match write(&path, &name, args.format, within, &redactor, &mut out) {
        Ok(()) => Ok(0),
        // Whoever closed the pipe has read enough.
        Err(Trouble::Out(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(0),
        Err(Trouble::Out(error)) => Err(error.into()),
        Err(Trouble::Store(failure)) => Err(failure),
    }
}

/// Standard output.
struct Out;

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        pen::write_out(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

enum Trouble {
    Out(io::Error),
    Store(Failure),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Out(error)
    }
}

fn write(
    path: &Path,
    name: &str,
    format: Format,
    within: impl Fn(&Stored) -> bool,
    redactor: &Redactor,
    out: &mut dyn Write,
) -> Result<(), Trouble> {
    let unreadable = |why: &dyn std::fmt::Display| Trouble::Store(verify::unreadable(name, why));
    let opened = verify::open(path, name).map_err(Trouble::Store)?;
    match format {
        Format::Jsonl => {}
        Format::Csv => out.write_all(csv::HEADER.as_bytes())?,
        Format::OtlpJson => out.write_all(otlp::begin().as_bytes())?,
    }
    let mut first = true;
    for (_, mut snapshot) in opened {
        while let Some(line) = snapshot.lines.next_line().map_err(|error| unreadable(&error))? {
            let Ok(record) = Stored::parse(line.bytes) else { continue };
            let kind = record.kind();
            if !within(&record) || (kind == Kind::Segment && format != Format::Jsonl) {
                continue;
            }
            let masked = redaction::record(&record, line.bytes, redactor);
            match format {
                Format::Jsonl => {
                    match &masked {
                        Some(masked) => out.write_all(masked.line().as_bytes())?,
                        None => out.write_all(line.bytes)?,
                    }
                    out.write_all(b"\n")?;
                }
                Format::Csv => csv::write(masked.as_ref().unwrap_or(&record), word(kind), out)?,
                Format::OtlpJson => {
                    let before = if first { "" } else { ",\n" };
                    let record = masked.as_ref().unwrap_or(&record);
                    write!(out, "{before}{}", otlp::record(record, word(kind)))?;
                }
            }
            first = false;
        }
    }
    if format == Format::OtlpJson {
        out.write_all(otlp::END.as_bytes())?;
    }
    Ok(out.flush()?)
}

/// Returns the word for what a record is about.
fn word(kind: Kind<'_>) -> &str {
    match kind {
        Kind::Decision => "decision",
        Kind::Written => "written",
        Kind::Summary => "summary",
        Kind::Redaction => "redaction",
        Kind::Teach => "teach",
        Kind::Segment => "segment",
        Kind::Recovery => "recovery",
        Kind::Other(other) => other,
    }
}
