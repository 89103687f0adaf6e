//! Questions: read from requests, passed to the workers, their answers as they come; and what the paths share for it.

pub(in crate::http) mod answer_schemas;
pub(in crate::http) mod archive;
pub(in crate::http) mod describe;
pub(in crate::http) mod drawing;
pub(in crate::http) mod events;
pub(in crate::http) mod in_flight;
pub(in crate::http) mod jobs;
pub(in crate::http) mod match_files;
pub(in crate::http) mod question;
pub(in crate::http) mod question_schemas;
pub(in crate::http) mod state;
pub(in crate::http) mod submission;
