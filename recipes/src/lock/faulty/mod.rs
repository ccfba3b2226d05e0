//! Spoilt.
