//! What an attacker tries, one file per kind, through the binary.

mod bytes;
mod doctor;
mod environment;
mod escapes;
mod fetching;
mod history;
mod leaks;
mod leaks_everywhere;
mod links;
mod old_lines;
#[cfg(unix)]
mod ordinary;
mod paths;
mod projects;
mod protected_files;
mod records;
mod rules_file;
mod secrets;
mod unknown_tools;
