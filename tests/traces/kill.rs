//! Writers that are killed at any moment. `SOLVI_KILLS=1000` kills more than the usual hundred.

use super::{denied, house, ids, reason, recorded, report, store};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// Numbers that look random.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

#[test]
fn no_acknowledged_decision_is_lost_to_a_kill() {
    let kills: usize = std::env::var("SOLVI_KILLS").map_or(100, |kills| kills.parse().unwrap());
    let seed = SystemTime::UNIX_EPOCH.elapsed().unwrap().subsec_nanos();
    println!("seed {seed}");
    let mut dice = Dice(u64::from(seed) | 1 << 40);
    let house = house();
    // A long record is longer in the writing.
    fs::write(house.root().join("long"), denied(&"k".repeat(300_000))).unwrap();
    fs::write(house.root().join("short"), denied("")).unwrap();
    let start = |payload: &str| {
        let mut hook = house.command(&["pre-edit"]);
        hook.stdin(File::open(house.root().join(payload)).unwrap());
        hook.stdout(Stdio::piped()).spawn().unwrap()
    };
    let end = |child: Child| reason(&child.wait_with_output().unwrap().stdout);
    // How long one takes when nothing is in its way.
    let whole = (0..5).map(|_| {
        let begun = Instant::now();
        assert!(recorded(&end(start("long")).unwrap()).is_some());
        begun.elapsed().min(Duration::from_millis(80))
    });
    let whole = u64::try_from(whole.min().unwrap().as_micros()).unwrap();

    let mut acknowledged = BTreeSet::from_iter(ids(&house));
    let (mut earlier, mut early, mut torn) = (fs::read(store(&house)).unwrap(), 0, 0);
    for kill in 0..kills {
        let mut victim = start(if kill % 4 == 0 { "short" } else { "long" });
        let bystander = (kill % 5 == 0).then(|| start("short"));
        std::thread::sleep(Duration::from_micros(dice.below(whole * 3 / 2)));
        victim.kill().unwrap();
        for child in [Some(victim), bystander].into_iter().flatten() {
            match end(child) {
                Some(reason) => acknowledged.extend(recorded(&reason).unwrap()),
                None => early += 1,
            }
        }
        let now = fs::read(store(&house)).unwrap();
        assert!(now.starts_with(&earlier), "what was written before kill {kill} is still there");
        torn += usize::from(now.len() > earlier.len() && now.last() != Some(&b'\n'));
        earlier = now;
    }
    acknowledged.extend(recorded(&end(start("short")).unwrap()).unwrap());
    let kept: BTreeSet<_> = ids(&house).into_iter().collect();
    let lost: Vec<_> = acknowledged.difference(&kept).collect();
    assert!(lost.is_empty(), "{lost:?}");
    let report = report(&house);
    println!(
        "{kills} kills: {early} before the reply, {torn} within a line; {} acknowledged, {} kept",
        acknowledged.len(),
        kept.len(),
    );
    // The line that a kill left stays, with a record of it. The bystander may have ended a line at
    // once.
    assert_eq!(report.problems, []);
    let interrupted = usize::try_from(report.interrupted).unwrap();
    assert!((torn..=kills).contains(&interrupted), "{torn}: {report:?}");
    let verified = house.run(&["verify"], "");
    assert_eq!(verified.status, Some(0), "{}", verified.stdout);
    assert_eq!(verified.stdout.contains("recovered ("), interrupted > 0, "{}", verified.stdout);
    assert_eq!(report.tip.count, u64::try_from(kept.len()).unwrap());
}
