//! What can be wrong with a patch, and what was expected in its place?

/// Why a text cannot be read as a patch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the patch: {problem}")]
pub struct PatchError {
    /// The line, counted from 1; one past the last when the text ends too early.
    pub line: usize,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong with a line of a patch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// There is text, and no file in it.
    #[error("expected a unified diff, and found no file that is changed")]
    NoDiff,
    /// A merge against all of its parents at once.
    #[error(
        "expected a diff between two versions, and found a combined one, as git shows for a \
         merge; make it against one parent, with `git diff FIRST SECOND` or `git show -m`"
    )]
    Combined,
    /// A hunk before any name.
    #[error("expected the names of a file before its first hunk")]
    NoFile,
    /// `diff --git` with names that cannot be told apart, and no other line that names the file.
    #[error("expected the two names of one file after `diff --git`")]
    Names,
    /// A name between quotes that are not closed, or with an escape that git does not write.
    #[error("expected a quoted name as git writes it")]
    Quotes,
    /// A path that leaves the project.
    #[error("expected a path inside the project, and found `{0}`")]
    Path(String),
    /// Two lines that do not name the same file, or do not do the same to it.
    #[error("expected `{expected}`, as the lines before it say")]
    Contradiction {
        /// What would fit.
        expected: String,
    },
    /// `---` without `+++`.
    #[error("expected `+++ ` and the new name of the file")]
    NoNewName,
    /// No hunk where one must be, or its head is malformed.
    #[error("expected the head of a hunk, `@@ -LINE,COUNT +LINE,COUNT @@`")]
    Head,
    /// A hunk that begins before the last one ended.
    #[error("expected a hunk below the one before it")]
    Order,
    /// A hunk that ends before its counts are reached.
    #[error("expected {old} more old and {new} more new lines of this hunk")]
    Short {
        /// Lines of the old file that are missing.
        old: usize,
        /// Lines of the new file that are missing.
        new: usize,
    },
    /// A hunk that goes on after its counts are reached.
    #[error("expected the end of the hunk, whose lines are complete by the counts in its head")]
    Long,
    /// A line of a file or of its head that ends with the text.
    #[error("expected the line before to end with a line end; the patch is cut off")]
    Line,
    /// A line of a file below its last one.
    #[error("expected no more lines of a file whose last line has no line end")]
    Ended,
    /// A hunk that changes nothing.
    #[error("expected an added or a removed line in this hunk")]
    Unchanged,
    /// A mode that is not an octal number.
    #[error("expected the mode of a file, such as `100644`")]
    Mode,
    /// Something else in place of a binary patch, or one that is cut off or damaged.
    #[error("expected `literal SIZE` or `delta SIZE` and all lines of a binary patch")]
    Binary,
    /// The text ends where something must follow.
    #[error("expected what changes in the file before the end of the patch")]
    Cut,
}
