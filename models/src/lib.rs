//! Scenarios, properties and searches.
