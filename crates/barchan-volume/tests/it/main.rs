//! Integration tests of barchan-volume, in one binary.

mod archive;
mod archive_history;
mod archive_looks;
mod boxes;
mod bubbles;
mod connect;
mod dense;
mod distance;
mod grid;
mod hulls;
mod mesh;
mod noise;
mod ray;
mod regions;
mod sample;
mod solids;
mod spans;
