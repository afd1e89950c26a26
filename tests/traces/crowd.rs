//! Many processes at once.

use super::{denied, house, ids, reason, recorded, report, store};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::time::Instant;

const PROCESSES: usize = 64;
const APPENDS: usize = 50;

#[test]
fn sixty_four_processes_make_one_chain_and_lose_nothing() {
    let house = house();
    fs::write(house.root().join("payload"), denied("")).unwrap();
    let begun = Instant::now();
    let mut said = Vec::new();
    std::thread::scope(|scope| {
        let run = || {
            let mut acknowledged = Vec::new();
            for _ in 0..APPENDS {
                let mut hook = house.command(&["pre-edit"]);
                hook.stdin(File::open(house.root().join("payload")).unwrap());
                let output = hook.stdout(Stdio::piped()).output().unwrap();
                let reason = reason(&output.stdout).unwrap();
                acknowledged.extend(recorded(&reason).unwrap_or_else(|| panic!("{reason}")));
            }
            acknowledged
        };
        let runs: Vec<_> = (0..PROCESSES).map(|_| scope.spawn(run)).collect();
        said.extend(runs.into_iter().flat_map(|run| run.join().unwrap()));
    });
    println!("{PROCESSES} x {APPENDS} appends: {:.1?}", begun.elapsed());
    let report = report(&house);
    assert!(report.is_intact(), "{:?}", report.problems);
    assert_eq!(report.tip.count, 3_200);
    let kept: BTreeSet<_> = ids(&house).into_iter().collect();
    assert_eq!(kept.len(), 3_200);
    assert_eq!(kept, said.into_iter().collect());
    if let Some(reference) = std::env::var_os("SOLVI_REFERENCE") {
        let verified = Command::new(reference).arg("verify").arg(store(&house)).output().unwrap();
        assert!(verified.status.success(), "{verified:?}");
    }
}
