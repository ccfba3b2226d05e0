//! How a cost grows: the straight line through its logarithms.

use super::Measurement;

/// `y = factor * x ^ exponent`, by least squares over the logarithms of both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// 0: the cost does not grow; 1: in proportion; 2: with the square.
    pub exponent: f64,
    /// The cost at 1.
    pub factor: f64,
    /// Share of the variance that the line explains; 1 where there is none.
    pub explained: f64,
}

/// The fit to the points above 0; `None` for fewer than two different places.
pub fn fit(points: &[(f64, f64)]) -> Option<Fit> {
    let logs: Vec<(f64, f64)> =
        points.iter().filter(|(x, y)| *x > 0.0 && *y > 0.0).map(|(x, y)| (libm::log(*x), libm::log(*y))).collect();
    let n = logs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let sum = |of: &dyn Fn(f64, f64) -> f64| logs.iter().map(|p| of(p.0 - x, p.1 - y)).sum::<f64>();
    let (xx, xy, yy) = (sum(&|dx, _| dx * dx), sum(&|dx, dy| dx * dy), sum(&|_, dy| dy * dy));
    if logs.len() < 2 || xx <= 0.0 {
        return None;
    }
    let exponent = xy / xx;
    let left = sum(&|dx, dy| (dy - exponent * dx) * (dy - exponent * dx));
    let explained = if yy > 1e-12 { 1.0 - left / yy } else { 1.0 };
    Some(Fit { exponent, factor: libm::exp(y - exponent * x), explained })
}

/// How a cost grows with the number of contenders: the fit from five contenders on, where a way of growing can be seen,
/// through the measurements that are not [short](Measurement::is_short).
pub fn growth(measured: &[Measurement], of: impl Fn(&Measurement) -> f64) -> Option<Fit> {
    let counts = measured.iter().filter(|m| m.contenders >= 5 && !m.is_short());
    fit(&counts.map(|m| (m.contenders as f64, of(m))).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_law_is_found_again() {
        let points: Vec<(f64, f64)> = [1.0f64, 2.0, 5.0, 10.0, 100.0].map(|x| (x, 3.0 * x * x)).to_vec();
        let fit = fit(&points).expect("a fit");
        assert!((fit.exponent - 2.0).abs() < 1e-9 && (fit.factor - 3.0).abs() < 1e-9, "{fit:?}");
        assert!(fit.explained > 0.999_999);
    }

    #[test]
    fn noise_is_not_explained() {
        let fit = fit(&[(1.0, 1.0), (2.0, 9.0), (4.0, 1.0), (8.0, 9.0)]).expect("a fit");
        assert!(fit.explained < 0.5, "{fit:?}");
    }

    #[test]
    fn too_few_points_have_no_fit() {
        assert_eq!(fit(&[(1.0, 1.0), (1.0, 2.0)]), None);
        assert_eq!(fit(&[(1.0, 1.0), (2.0, 0.0)]), None);
    }

    #[test]
    fn what_does_not_grow_has_exponent_zero() {
        let fit = fit(&[(1.0, 4.0), (10.0, 4.0)]).expect("a fit");
        assert_eq!((fit.exponent, fit.explained), (0.0, 1.0));
    }
}
