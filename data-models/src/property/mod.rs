//! What scenarios on data are judged by: one property, or one family, in a file.

mod groups;

pub use groups::*;
pub use overtake_models::property::*;
