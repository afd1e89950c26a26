//! Many processes at once.

use super::{denied, house, ids, reason, recorded, report, store};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

const PROCESSES: usize = 64;
const APPENDS: usize = 50;

#[test]
fn sixty_four_processes_make_one_chain_and_lose_nothing() {
    let house = house();
    fs::write(house.root().join("payload"), denied("")).unwrap();
    let begun = Instant::now();
    let (mut said, refused) = (Vec::new(), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let run = || {
            let mut acknowledged = Vec::new();
            while acknowledged.len() < APPENDS {
                let mut hook = house.command(&["pre-edit"]);
                hook.stdin(File::open(house.root().join("payload")).unwrap());
                let output = hook.stdout(Stdio::piped()).output().unwrap();
                let reason = reason(&output.stdout).unwrap();
                if let Some(ids) = recorded(&reason) {
                    acknowledged.extend(ids);
                } else {
                    // On a machine that is busy enough even this is no loss: it is said.
                    assert!(reason.contains("is locked by another process"), "{reason}");
                    refused.fetch_add(1, Ordering::Relaxed);
                }
            }
            acknowledged
        };
        let runs: Vec<_> = (0..PROCESSES).map(|_| scope.spawn(run)).collect();
        said.extend(runs.into_iter().flat_map(|run| run.join().unwrap()));
    });
    let refused = refused.into_inner();
    println!(
        "{PROCESSES} x {APPENDS} appends: {:.1?}, of which {refused} had to be tried again",
        begun.elapsed()
    );
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
