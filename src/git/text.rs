//! What git keeps in place of a file's own content.

/// Tells whether a text is the pointer that Git LFS stores in place of a file.
pub(super) fn is_lfs_pointer(text: &str) -> bool {
    text.len() < 1024
        && ["version https://git-lfs.github.com/spec/", "version https://hawser.github.com/spec/"]
            .iter()
            .any(|start| text.starts_with(start))
        && text.lines().any(|line| line.starts_with("oid sha256:"))
        && text.lines().any(|line| line.starts_with("size "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_of_lfs_is_known_by_its_lines() {
        let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n";
        assert!(is_lfs_pointer(pointer));
        assert!(!is_lfs_pointer("version https://git-lfs.github.com/spec/v1\n"));
        assert!(!is_lfs_pointer(&format!("{pointer}{}", "x".repeat(2000))));
    }
}
