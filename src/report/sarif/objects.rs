//! The objects of SARIF that a report uses, with the standard's names.

use crate::domain::Verdict;
use serde::Serialize;

/// `sarifLog`.
#[derive(Serialize)]
pub struct Log<'a> {
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    pub version: &'static str,
    pub runs: [Run<'a>; 1],
}

/// `run`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Run<'a> {
    pub tool: Tool<'a>,
    pub invocations: [Invocation<'a>; 1],
    pub original_uri_base_ids: BaseIds,
    pub column_kind: &'static str,
    pub results: Vec<SarifResult<'a>>,
    pub properties: RunBag<'a>,
}

/// The `propertyBag` of a run: what was checked.
#[derive(Serialize)]
pub struct RunBag<'a> {
    pub subject: &'a str,
    /// Which rules evaluated.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub rules: String,
}

/// `tool`.
#[derive(Serialize)]
pub struct Tool<'a> {
    pub driver: Driver<'a>,
}

/// `toolComponent`.
#[derive(Serialize)]
pub struct Driver<'a> {
    pub name: &'static str,
    pub version: &'a str,
    pub rules: Vec<Descriptor<'a>>,
}

/// `reportingDescriptor`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Descriptor<'a> {
    pub id: &'a str,
    pub short_description: Message,
    pub full_description: Message,
    pub help: Message,
    pub default_configuration: Configuration,
}

/// `reportingConfiguration`.
#[derive(Serialize)]
pub struct Configuration {
    pub level: &'static str,
}

/// `message` and `multiformatMessageString`.
#[derive(Serialize)]
pub struct Message {
    pub text: String,
}

/// `run.originalUriBaseIds`.
#[derive(Serialize)]
pub struct BaseIds {
    #[serde(rename = "SRCROOT")]
    pub srcroot: BaseId,
}

/// The `artifactLocation` of a root whose place is not told.
#[derive(Serialize)]
pub struct BaseId {
    pub description: Message,
}

/// `invocation`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Invocation<'a> {
    pub execution_successful: bool,
    pub tool_execution_notifications: Vec<Notification<'a>>,
}

/// `notification`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Notification<'a> {
    pub level: &'static str,
    pub message: Message,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<Location<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub associated_rule: Option<RuleId<'a>>,
}

/// `reportingDescriptorReference`.
#[derive(Serialize)]
pub struct RuleId<'a> {
    pub id: &'a str,
}

/// `result`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SarifResult<'a> {
    pub rule_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_index: Option<usize>,
    pub level: &'static str,
    pub message: Message,
    pub locations: [Location<'a>; 1],
    pub partial_fingerprints: Fingerprints,
    pub properties: ResultBag<'a>,
}

/// `result.partialFingerprints`: the same value under a name of our own and under the one name
/// that GitHub reads.
#[derive(Serialize)]
pub struct Fingerprints {
    #[serde(rename = "solviHook/v1")]
    pub own: String,
    #[serde(rename = "primaryLocationLineHash")]
    pub line: String,
}

/// The `propertyBag` of a result.
#[derive(Serialize)]
pub struct ResultBag<'a> {
    pub verdict: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<&'a str>,
}

/// `location`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Location<'a> {
    pub physical_location: Physical<'a>,
}

/// `physicalLocation`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Physical<'a> {
    pub artifact_location: Artifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<Region<'a>>,
}

/// `artifactLocation`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Artifact {
    pub uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri_base_id: Option<&'static str>,
}

/// `region`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Region<'a> {
    pub start_line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<Snippet<'a>>,
}

/// `artifactContent`.
#[derive(Serialize)]
pub struct Snippet<'a> {
    pub text: &'a str,
}
