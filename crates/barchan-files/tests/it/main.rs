//! Integration tests: files as a user meets them, good and broken.

mod gdal;
mod heightmap;
mod heightmap_broken;
mod heightmap_tiff;
mod largest_allocation;
mod mesh;
mod mutate;
mod tiff_builder;
mod world_file;
