//! What the server answers to.

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router, middleware};
use glam::Vec3;
use serde::Deserialize;
use serde_json::json;

use super::server::Shared;
use super::{downloads, guard, page, socket};
use crate::sandbox::pick;
use crate::{message, scenes};

/// Everything the server answers to on `port`.
pub fn router(shared: Arc<Shared>, port: u16) -> Router {
    Router::new()
        .route("/", get(page::index))
        .route("/{*path}", get(page::asset))
        .route("/socket", get(socket::open))
        .route("/api/scenes", get(scene_list))
        .route("/api/world", get(world))
        .route("/api/height", get(height))
        .route("/scenes/{picture}", get(downloads::scene_picture))
        .route("/download/world.barchan", get(downloads::world_file))
        .route("/download/mesh.glb", get(downloads::mesh))
        .route("/download/picture.png", get(downloads::picture))
        .layer(DefaultBodyLimit::max(0))
        .layer(middleware::from_fn_with_state(port, guard::guard))
        .with_state(shared)
}

/// An answer that says what is wrong.
pub fn error(status: StatusCode, problem: impl std::fmt::Display) -> Response {
    (status, Json(json!({ "error": problem.to_string() }))).into_response()
}

async fn scene_list() -> Response {
    Json(scenes::menu()).into_response()
}

async fn world(State(shared): State<Arc<Shared>>) -> Response {
    let viewers = shared.viewers();
    match shared.engine.ask(move |sandbox| message::world(sandbox, viewers)).await {
        Ok(world) => Json(world).into_response(),
        Err(problem) => error(StatusCode::SERVICE_UNAVAILABLE, problem),
    }
}

#[derive(Deserialize)]
struct Column {
    x: f32,
    y: f32,
}

async fn height(State(shared): State<Arc<Shared>>, Query(column): Query<Column>) -> Response {
    if !(column.x.abs() <= 1e5 && column.y.abs() <= 1e5) {
        return error(StatusCode::BAD_REQUEST, "x and y must be within ±100,000");
    }
    let asked = shared.engine.ask(move |sandbox| {
        let world = sandbox.world();
        let top = barchan_surface::TopSurface::extent(world).map_or(0, |extent| extent.max.z);
        let above = (top as f32 + 1.0) * world.ground().voxel_size_m();
        let hit = pick(world, Vec3::new(column.x, column.y, above), Vec3::NEG_Z);
        let material = hit.and_then(|hit| world.materials().get(hit.material)).map(|m| m.name.clone());
        json!({ "height_m": hit.map(|hit| hit.point_m.z), "material": material })
    });
    match asked.await {
        Ok(answer) => Json(answer).into_response(),
        Err(problem) => error(StatusCode::SERVICE_UNAVAILABLE, problem),
    }
}
