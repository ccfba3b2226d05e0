//! The chapter says what its numbers say.

use super::*;
use overtake_models::odds::{Compared, growth, methods, twice_the_clients};

/// Each method's interval holds the truth, plain runs at 1e-4 among them; and the chapter has the same numbers.
#[test]
fn every_interval_of_the_table_holds_the_closed_form() {
    let rows: Vec<Compared> = methods(Effort::Quick).expect("answers");
    let chapter = overtake_models::odds::chapter("report", Effort::Quick).expect("a chapter");
    for row in &rows {
        assert!((row.chain / row.form - 1.0).abs() < 1e-9, "{row:?}");
        // Where times are exponential the companion is the truth.
        assert!((row.race.value / row.form - 1.0).abs() < 1e-9, "{row:?}");
        assert!(row.split.covers(row.form), "{row:?}");
        assert!(row.plain.is_none_or(|plain| plain.covers(row.form)), "{row:?}");
    }
    let at = |form: f64| rows.iter().find(|row| (row.form / form - 1.0).abs() < 0.01).expect("a row");
    let plain = at(1e-4).plain.expect("plain runs at 1e-4");
    assert!(plain.runs == 1_000_000 && (60..150).contains(&plain.hits), "{plain:?}");
    assert!(plain.low < at(1e-4).split.high && at(1e-4).split.low < plain.high, "{:?}", at(1e-4));
    assert!(at(1e-9).plain.is_none());
    for estimate in rows.iter().flat_map(|row| [Some(row.race), Some(row.split), row.plain]).flatten() {
        let cell = format!("{:.3e} ({:.2e} to {:.2e})", estimate.value, estimate.low, estimate.high);
        assert!(chapter.markdown.contains(&cell), "{cell}:\n{}", chapter.markdown);
    }
    for part in [
        "factor of 100",
        "= 0.2",
        "1.000000e-9 | 1.000000e-9",
        "instead of 2 there are 6.0 times as many",
        "12 and 2 here",
        "odds-growth.svg",
    ] {
        assert!(chapter.markdown.contains(part), "{part}:\n{}", chapter.markdown);
    }
    assert_eq!(chapter.pictures.len(), 1);
}

/// Twice the clients at one cart make six times the incidents where there were two, as n(n - 1) says.
#[test]
fn twice_the_clients_make_six_times_the_incidents() {
    let points = growth().expect("incidents");
    let (few, many, times) = twice_the_clients(&points).expect("two and four");
    assert_eq!((few, many), (2.0, 4.0));
    assert!((times - 6.0).abs() < 0.01, "{times}");
    for (clients, incidents) in &points {
        let pairs = clients * (clients - 1.0) / 2.0;
        assert!((incidents / points[0].1 / pairs - 1.0).abs() < 1e-3, "{points:?}");
    }
}
