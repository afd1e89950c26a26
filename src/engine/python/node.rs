//! How a node of the syntax tree is read.

use tree_sitter::Node;

/// Returns the text of a node.
pub fn slice<'a>(node: Node<'_>, text: &'a str) -> &'a str {
    text.get(node.byte_range()).unwrap_or("")
}

/// Returns the named children of a node, without comments.
pub fn named_children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| child.kind() != "comment").collect()
}

/// Takes the parentheses off an expression.
pub fn bare(mut node: Node<'_>) -> Node<'_> {
    while node.kind() == "parenthesized_expression" {
        let Some(inner) = named_children(node).first().copied() else { break };
        node = inner;
    }
    node
}
