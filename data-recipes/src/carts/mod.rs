//! Examples from the talk's code base: carts with coupons, payments and points.

pub mod coupon;
pub mod payment;
pub mod points;

/// The carts.
pub const CARTS: &str = "carts";
