use overtake_models::sample::{Ended, Judge};
use overtake_models::scenarios;
use overtake_models::timed::{Timed, Timing, roomy, text};
use overtake_sim::world::{Engine, Reductions};

#[test]
fn try_it() {
    for name in ["predecessor lock", "wake-up taken for my turn", "predecessor lock, 1 crash and restart"] {
        let scenario = roomy(&scenarios::all().into_iter().find(|s| s.name() == name).unwrap());
        let world = scenario.world().unwrap();
        let mut engine = Engine::new(&world, Reductions::NONE);
        let mut judge = Judge::new(&mut engine, scenario.judged_by());
        let timed = Timed::new(Timing::default());
        let mut counts = std::collections::BTreeMap::new();
        let t = std::time::Instant::now();
        let mut steps = 0;
        for seed in 0..500 {
            let run = timed.run_timed(&mut engine, &mut judge, seed);
            steps += run.run.steps.len();
            let key = (format!("{:?}", run.run.ended), run.run.violated.map(|v| scenario.judged_by()[v].name));
            let c = counts.entry(key.clone()).or_insert(0);
            *c += 1;
            if *c == 1 {
                println!("{name} seed {seed} {key:?} used {:?} refused {:?}", run.used(), run.refused);
                println!("{}", text(&world, &run));
            }
            assert_ne!(run.run.ended, Ended::Error);
        }
        println!("{name}: {counts:?} {steps} steps {:?}", t.elapsed());
    }
}
