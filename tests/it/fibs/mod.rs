//! `gammond fibs` against the server of `fibs_server`.

mod process;
