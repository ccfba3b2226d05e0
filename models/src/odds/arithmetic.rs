//! From the probability of one case to incidents in a month: the arithmetic of the slide on Murphy's law
//! (seed 3: Murphy's law; semantics §7.5).

/// Days in a month, here.
pub const DAYS_A_MONTH: u64 = 30;

/// What happens how often.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traffic {
    /// Things that the race is about: carts, groups, documents.
    pub things: f64,
    /// Runs at each of them in a month.
    pub runs: f64,
    /// Similar cases: places in the programs with the same mistake.
    pub cases: f64,
}

impl Traffic {
    /// Runs in a month, all together.
    pub fn events(&self) -> f64 {
        self.things * self.runs * self.cases
    }

    /// Incidents to be expected in a month, where each run goes wrong with that probability.
    pub fn incidents(&self, probability: f64) -> f64 {
        self.events() * probability
    }
}

/// The probability of at least one incident, where that many are expected: incidents are independent, so their number is
/// Poisson.
pub fn at_least_one(expected: f64) -> f64 {
    -libm::expm1(-expected)
}

/// The least and the most incidents of a month that are not among the 2.5 % rarest on their side: where that many are expected,
/// 95 % of all months (or more, since incidents are whole) lie between.
pub fn months(expected: f64) -> (u64, u64) {
    const TAIL: f64 = 0.025;
    if expected > 1e6 {
        // The square root of a Poisson number varies by a half, whatever its mean (Anscombe 1948).
        let (root, spread) = (libm::sqrt(expected), 1.959_963_984_540_054 / 2.0);
        return (((root - spread) * (root - spread)) as u64, libm::ceil((root + spread) * (root + spread)) as u64);
    }
    let (mut number, mut below, mut low) = (0u64, 0.0, None);
    loop {
        let log = number as f64 * libm::log(expected) - expected - libm::lgamma(number as f64 + 1.0);
        below += if expected > 0.0 { libm::exp(log) } else { 1.0 };
        if low.is_none() && below > TAIL {
            low = Some(number);
        }
        if below >= 1.0 - TAIL {
            return (low.unwrap_or(number), number);
        }
        number += 1;
    }
}

/// The slide: its numbers, and what follows from them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slide {
    /// Chance for one particular case: one in a thousand million.
    pub chance: f64,
    /// A hundred similar cases, 500,000 carts, 20 events each.
    pub traffic: Traffic,
    /// "And for each 100,000 carts?"
    pub more_carts: f64,
    /// What the slide answers: "+20".
    pub claimed: f64,
}

impl Slide {
    /// Murphy's slide.
    pub const MURPHY: Self = Self {
        chance: 1e-9,
        traffic: Traffic { things: 500_000.0, runs: 20.0, cases: 100.0 },
        more_carts: 100_000.0,
        claimed: 20.0,
    };

    /// Incidents in a month: 1.
    pub fn incidents(&self) -> f64 {
        self.traffic.incidents(self.chance)
    }

    /// How many more for so many more carts: 0.2.
    pub fn more(&self) -> f64 {
        Traffic { things: self.more_carts, ..self.traffic }.incidents(self.chance)
    }

    /// By which factor the slide's second line is off: 100.
    pub fn off_by(&self) -> f64 {
        self.claimed / self.more()
    }

    /// The slide's lines, each with what is right or wrong with it.
    pub fn lines(&self) -> Vec<String> {
        let Traffic { things, runs, cases } = self.traffic;
        let (things, more) = (thousands(things), thousands(self.more_carts));
        vec![
            format!(
                "{cases} cases × {things} carts × {runs} events × {:.0e} = {:.1} a month: right",
                self.chance,
                self.incidents()
            ),
            format!(
                "\"+{} for each {more} carts\": wrong by a factor of {:.0}; {cases} × {more} × {runs} × {:.0e} = {:.1}",
                self.claimed,
                self.off_by(),
                self.chance,
                self.more()
            ),
            "\"20 times, 40 times, 80 times\": more carts add in proportion, they do not double; what grows faster is more \
             people at one cart: n of them meet in n(n - 1) ways, so twice as many make more than four times the incidents"
                .into(),
            format!(
                "one incident a month to be expected is no incident in {:.0} % of all months",
                100.0 * (1.0 - at_least_one(self.incidents()))
            ),
        ]
    }
}

/// `500,000`.
fn thousands(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slide_is_right_once_and_wrong_once() {
        let slide = Slide::MURPHY;
        assert!((slide.incidents() - 1.0).abs() < 1e-12);
        assert!((slide.more() - 0.2).abs() < 1e-12);
        assert!((slide.off_by() - 100.0).abs() < 1e-9);
        let lines = slide.lines();
        assert!(lines[0].contains("100 cases × 500,000 carts × 20 events × 1e-9 = 1.0 a month: right"), "{lines:?}");
        assert!(lines[1].contains("factor of 100") && lines[1].contains("= 0.2"), "{lines:?}");
        assert!(lines[2].contains("n(n - 1)") && lines[2].contains("more than four times"), "{lines:?}");
        let ways = |n: f64| n * (n - 1.0);
        assert!((2..1000).map(f64::from).all(|n| ways(2.0 * n) > 4.0 * ways(n)));
        assert!(lines[3].contains("37 %"), "{lines:?}");
    }

    #[test]
    fn months_are_poisson() {
        assert_eq!(months(0.0), (0, 0));
        // Tables of the Poisson distribution: 1 → 0.368, 0.736, 0.920, 0.981; 10 → 0.0103 up to 3, 0.0293 up to 4,
        // 0.9730 up to 16, 0.9857 up to 17.
        assert_eq!(months(1.0), (0, 3));
        assert_eq!(months(10.0), (4, 17));
        assert_eq!(months(0.01), (0, 0));
        let (low, high) = months(1e8);
        assert!(low.abs_diff(99_980_401) < 10 && high.abs_diff(100_019_601) < 10, "{low} {high}");
        assert!((at_least_one(1.0) - 0.632_120_558_828_557_7).abs() < 1e-12);
    }
}
