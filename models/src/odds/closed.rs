//! The one case that can be worked out by hand, as a check of everything else: two clients, exponential times.
//!
//! Each reads, thinks, and writes what it has made of what it read, whatever is there by then. A latency has the rate a, a think time the
//! rate c; the second client begins an exponential gap of rate g after the first. The first reads at the moment A₁ = U and writes at
//! B₁ = A₁ + W, where U is one latency and W a latency (the answer), a think time and a latency (the write); the second reads at
//! A₂ = G + U′ and writes at B₂ = A₂ + W′, all independent. An update is lost unless one has written before the other reads, and the two ways of that exclude each
//! other:
//!
//! - P(B₁ < A₂): the sum of a gap and a latency is longer than t with probability (a·e^(-gt) - g·e^(-at)) / (a - g), so with the
//!   transform B(s) = E e^(-s·B₁) = (a / (a + s))³ · c / (c + s) it is (a·B(g) - g·B(a)) / (a - g);
//! - P(B₂ < A₁): a latency is longer than t with probability e^(-at), so it is E e^(-a(G + U′ + W′)) = g / (g + a) · B(a).
//!
//! So p = 1 - (a·B(g) - g·B(a)) / (a - g) - g / (a + g) · B(a), and with 1 - B instead of B nothing cancels where p is small.

/// The probability that two clients lose an update, by the mean latency, think time and gap (in one unit of time). The gap must not
/// be as long as the latency.
pub fn two_clients(latency: f64, think: f64, gap: f64) -> f64 {
    let (a, c, g) = (1.0 / latency, 1.0 / think, 1.0 / gap);
    // 1 - B(s).
    let rest = |s: f64| -libm::expm1(-3.0 * libm::log1p(s / a) - libm::log1p(s / c));
    (a * rest(g) - g * rest(a)) / (a - g) - g / (a + g) * (1.0 - rest(a))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits() {
        // Clients that begin long after each other do not meet: p is the window over the gap, W without its last latency and U′.
        let p = two_clients(1.0, 50.0, 1e9);
        assert!((p * 1e9 - 52.0).abs() < 1.0, "{p}");
        // Long think times and no gap: always.
        assert!(two_clients(1e-9, 50.0, 1e-7) > 0.999_99);
        // No think time, as little gap: by hand, an update is saved when four latencies are over before one, 2 · (1/2)⁴ in the limit.
        assert!(
            (two_clients(1.0, 1e-12, 1e-9) - (1.0 - 2.0 * 0.125)).abs() < 1e-6,
            "{}",
            two_clients(1.0, 1e-12, 1e-9)
        );
    }
}
