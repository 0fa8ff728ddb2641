//! The archive: how long edits take, how much memory scenes take, and whether any version is ever another one than it was.

mod dag_edit;
mod dag_history;
mod dag_memory;
mod smooth_ball;
mod terrain;
mod world_speed;

pub use dag_edit::EXPERIMENT as EDIT;
pub use dag_history::EXPERIMENT as HISTORY;
pub use dag_memory::EXPERIMENT as MEMORY;
