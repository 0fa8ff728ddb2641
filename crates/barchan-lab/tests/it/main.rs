//! Integration tests of the experiments: every one at a size that takes no time, for its rows, books and plots.

mod experiments;
