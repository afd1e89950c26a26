//! How do paths and messages have to be spelled in SARIF?

use crate::domain::byte_name;
use std::fmt::Write;

/// Returns the relative URI reference of a path below the project's root.
///
/// A colon is escaped too: in a first segment it would end a scheme.
pub fn relative(path: &str) -> String {
    encoded(path, b"/-._~!$&'()*+,;=@")
}

/// Returns the `file` URI of an absolute path, on Windows with its drive.
pub fn absolute(path: &str) -> String {
    let root = if path.starts_with('/') { "" } else { "/" };
    format!("file://{root}{}", encoded(path, b"/-._~!$&'()*+,;=@:"))
}

fn encoded(path: &str, plain: &[u8]) -> String {
    let mut uri = String::with_capacity(path.len());
    for &byte in byte_name::bytes(path).iter() {
        if byte.is_ascii_alphanumeric() || plain.contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

/// Returns a plain text as a message spells it: braces, which would be places for arguments,
/// are doubled, and a bracket before a parenthesis, which would make a link, is escaped.
pub fn message(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}").replace("](", "\\](")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_a_uri_whatever_its_name() {
        assert_eq!(relative("src/a b#%?.py"), "src/a%20b%23%25%3F.py");
        assert_eq!(relative(&byte_name::text(b"caf\xe9")), "caf%E9");
        assert_eq!(relative("mailto:x/名"), "mailto%3Ax/%E5%90%8D");
        assert_eq!(absolute("/etc/my hosts"), "file:///etc/my%20hosts");
        assert_eq!(absolute("C:/x"), "file:///C:/x");
    }

    #[test]
    fn a_message_holds_neither_arguments_nor_links() {
        assert_eq!(message("{0} [a](1) [b]"), "{{0}} [a\\](1) [b]");
    }
}
