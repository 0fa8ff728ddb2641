//! Material maps: pixels, colours and the legend beside them.

use std::fs;
use std::io::Cursor;

use barchan_files::write_material_map;
use barchan_sim::material::{MOST_MATERIALS, MaterialId, Materials};
use barchan_surface::TopSurface;
use glam::IVec2;

/// 3 x 2 columns: the southern row sand, loam and nothing, the northern one sand.
fn top() -> TopSurface {
    let [sand, loam] = [Some(MaterialId(0)), Some(MaterialId(5))];
    TopSurface {
        origin: IVec2::ZERO,
        width: 3,
        height: 2,
        voxel_size_m: 0.5,
        heights_m: vec![1.0, 1.0, f32::NAN, 1.0, 1.0, 1.0],
        materials: vec![sand, loam, None, sand, sand, sand],
    }
}

#[test]
fn pixels_are_materials_north_up_and_the_legend_names_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("materials.png");
    let materials = Materials::builtin();
    let legend = write_material_map(&path, &top(), &materials).unwrap();
    assert_eq!(legend, folder.path().join("materials.csv"));

    let bytes = fs::read(&path).unwrap();
    let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; 6];
    reader.next_frame(&mut pixels).unwrap();
    assert_eq!(pixels, [0, 0, 0, 0, 5, 255]);
    let palette = reader.info().palette.as_ref().unwrap();
    assert_eq!(palette[15..18], materials[MaterialId(5)].color);
    assert_eq!(reader.info().trns.as_ref().map(|opacity| (opacity[0], opacity[255])), Some((255, 0)));

    let [r, g, b] = materials[MaterialId(0)].color;
    let text = fs::read_to_string(legend).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[0], "pixel,material,phase,red,green,blue,columns,area_m2");
    assert_eq!(lines[1], format!("0,dry_sand,soil,{r},{g},{b},4,1"));
    assert!(lines[2].starts_with("5,loam,soil,") && lines[2].ends_with(",1,0.25"), "{text}");
    assert_eq!(lines[3..], ["255,,none,0,0,0,1,0.25"]);
}

#[test]
fn other_endings_are_refused_and_as_many_materials_as_a_world_holds_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let error =
        write_material_map(&folder.path().join("map.tif"), &top(), &Materials::builtin()).unwrap_err();
    assert!(error.to_string().ends_with("expected a file ending among png, found `tif`"), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    let base = Materials::builtin()[MaterialId(0)].clone();
    let many = (0..MOST_MATERIALS).map(|i| base.variant(format!("m{i}"), base.color)).collect();
    let many = Materials::new(many).unwrap();
    write_material_map(&folder.path().join("map.png"), &top(), &many).unwrap();
    let legend = fs::read_to_string(folder.path().join("map.csv")).unwrap();
    assert!(legend.lines().count() > 1, "{legend}");
}
