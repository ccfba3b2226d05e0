//! What scenarios on data are judged by: one property, or one family, in a file.

pub use overtake_models::property::*;
