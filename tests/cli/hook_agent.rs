//! `git sq hook session-start` and its like: what coding agents' hooks say, and what they hear.
