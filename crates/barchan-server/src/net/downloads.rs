//! Files made on demand: the world, its surface, pictures. Each is made on a thread of its own from a copy of the world.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use barchan_files::model::{Model, encode_glb};
use barchan_files::picture::encode_png;
use barchan_scene::{BuildOptions, RunPlan, builtin_names, load, write_world};
use barchan_sim::World;
use barchan_surface::mesh::{MeshOptions, whole_mesh};
use barchan_surface::{View, picture as take_picture};
use glam::Vec3;
use serde::Deserialize;

use super::routes::error;
use super::server::Shared;

/// Size of the pictures in the menu of scenes (pixels).
const MENU_PICTURE: [usize; 2] = [320, 180];
/// Largest picture (pixels).
const LARGEST_PICTURE: [usize; 2] = [1920, 1080];
/// Memory that a scene may take while its picture is made (bytes).
const PICTURE_MEMORY: u64 = 2 << 30;

/// `GET /download/world.barchan`.
pub async fn world_file(State(shared): State<Arc<Shared>>) -> Response {
    let made = from_world(&shared, |world, plan| {
        let mut bytes = Vec::new();
        write_world(&mut bytes, world, plan).map_err(|error| error.to_string())?;
        Ok(bytes)
    });
    download(made.await, "application/octet-stream", "world.barchan")
}

/// `GET /download/mesh.glb`.
pub async fn mesh(State(shared): State<Arc<Shared>>) -> Response {
    let made = from_world(&shared, |world, _| {
        let ground = whole_mesh(world, MeshOptions { closed: true, ..MeshOptions::default() });
        let mut bytes = Vec::new();
        encode_glb(&mut bytes, &Model::of_world(world, ground)).map_err(|error| error.to_string())?;
        Ok(bytes)
    });
    download(made.await, "model/gltf-binary", "mesh.glb")
}

/// What a picture shows; the whole world in 1280x720 unless said otherwise.
#[derive(Deserialize)]
pub struct Wish {
    eye: Option<String>,
    target: Option<String>,
    width: Option<usize>,
    height: Option<usize>,
    fov_deg: Option<f32>,
}

/// `GET /download/picture.png`.
pub async fn picture(State(shared): State<Arc<Shared>>, Query(wish): Query<Wish>) -> Response {
    let made = from_world(&shared, move |world, _| {
        let mut view = View::whole(world);
        view.eye_m = point("eye", wish.eye.as_deref())?.unwrap_or(view.eye_m);
        view.target_m = point("target", wish.target.as_deref())?.unwrap_or(view.target_m);
        let degrees = wish.fov_deg.unwrap_or(view.opening.to_degrees());
        if !(5.0..=120.0).contains(&degrees) {
            return Err(format!("fov_deg = {degrees} is outside 5 to 120"));
        }
        view.opening = degrees.to_radians();
        let size = [wish.width.unwrap_or(1280), wish.height.unwrap_or(720)];
        for ((key, side), most) in ["width", "height"].into_iter().zip(size).zip(LARGEST_PICTURE) {
            if !(16..=most).contains(&side) {
                return Err(format!("{key} = {side} is outside 16 to {most}"));
            }
        }
        png(world, &view, size)
    });
    download(made.await, "image/png", "picture.png")
}

/// `GET /scenes/NAME.png`. Made when it is asked for the first time, one after the other.
pub async fn scene_picture(State(shared): State<Arc<Shared>>, Path(file): Path<String>) -> Response {
    let known =
        file.strip_suffix(".png").and_then(|name| builtin_names().into_iter().find(|known| *known == name));
    let Some(name) = known else {
        return error(StatusCode::NOT_FOUND, "there is no scene of this name");
    };
    let mut pictures = shared.scene_pictures.lock().await;
    if !pictures.contains_key(name) {
        match tokio::task::spawn_blocking(move || paint_scene(name)).await {
            Ok(Ok(bytes)) => drop(pictures.insert(name, bytes.into())),
            Ok(Err(problem)) => return error(StatusCode::INTERNAL_SERVER_ERROR, problem),
            Err(problem) => return error(StatusCode::INTERNAL_SERVER_ERROR, problem),
        }
    }
    let bytes = pictures[name].clone();
    ([(CONTENT_TYPE, "image/png"), (CACHE_CONTROL, "max-age=3600")], bytes).into_response()
}

fn paint_scene(name: &str) -> Result<Vec<u8>, String> {
    let scene = load(name).map_err(|error| error.to_string())?;
    let options = BuildOptions { memory_limit_bytes: PICTURE_MEMORY };
    let (world, _) = scene.build(&options).map_err(|error| error.to_string())?;
    png(&world, &View::whole(&world), MENU_PICTURE)
}

fn png(world: &World, view: &View, size: [usize; 2]) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    encode_png(&mut bytes, &take_picture(world, view, size)).map_err(|error| error.to_string())?;
    Ok(bytes)
}

/// `X,Y,Z` (m).
fn point(key: &str, text: Option<&str>) -> Result<Option<Vec3>, String> {
    let Some(text) = text else { return Ok(None) };
    let numbers: Vec<f32> = text.split(',').filter_map(|number| number.trim().parse().ok()).collect();
    match numbers[..] {
        [x, y, z] if numbers.iter().all(|number| number.abs() <= 1e5) => Ok(Some(Vec3::new(x, y, z))),
        _ => Err(format!("{key} = {text} is not three numbers within ±100,000")),
    }
}

/// Works on a copy of the world, away from steps and clients.
async fn from_world(
    shared: &Shared,
    make: impl FnOnce(&World, &RunPlan) -> Result<Vec<u8>, String> + Send + 'static,
) -> Result<Vec<u8>, (StatusCode, String)> {
    let unavailable = |problem: String| (StatusCode::SERVICE_UNAVAILABLE, problem);
    // One at a time: each may take all cores for a while.
    let _turn = shared.downloads.lock().await;
    let asked = shared.engine.ask(|sandbox| (sandbox.world().clone(), sandbox.plan().clone())).await;
    let (world, plan) = asked.map_err(|problem| unavailable(problem.to_string()))?;
    match tokio::task::spawn_blocking(move || make(&world, &plan)).await {
        Ok(made) => made.map_err(|problem| (StatusCode::BAD_REQUEST, problem)),
        Err(problem) => Err(unavailable(problem.to_string())),
    }
}

fn download(made: Result<Vec<u8>, (StatusCode, String)>, kind: &'static str, name: &str) -> Response {
    match made {
        Ok(bytes) => {
            let disposition = format!("attachment; filename=\"{name}\"");
            let headers = [
                (CONTENT_TYPE, kind.to_owned()),
                (CONTENT_DISPOSITION, disposition),
                (CACHE_CONTROL, "no-store".to_owned()),
            ];
            (headers, bytes).into_response()
        }
        Err((status, problem)) => error(status, problem),
    }
}
