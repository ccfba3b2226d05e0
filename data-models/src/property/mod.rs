//! What scenarios on data are judged by: one property, or one family, in a file.

mod display;
mod groups;
mod ledger;
mod linearizable;
mod read_your_writes;

pub use display::*;
pub use groups::*;
pub use ledger::{
    Ledger, amount_of, at_most_one_effect, document_store, ledger, no_cycle_of_waits, no_duplicates, number,
};
pub use linearizable::*;
pub use overtake_models::property::*;
pub use read_your_writes::*;
