//! Weathering and debris: how exact, how fast, and at what slope debris rests, beside plain methods that do the same.

pub mod brute_force;
pub mod combined;
pub mod debris;
pub mod rest_threshold;
mod site;
mod sweep;
pub mod tool;
