//! Integration tests: files as a user meets them, good and broken.

mod gdal;
mod heightmap;
mod heightmap_broken;
mod heightmap_tiff;
mod largest_allocation;
mod material_map;
mod mesh;
mod model;
mod mutate;
mod tiff_builder;
mod tools;
mod video;
mod world_file;
