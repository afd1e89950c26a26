//! Protected files reached by other names: links, hard links, `/proc`, settings folders elsewhere.
