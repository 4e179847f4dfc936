//! What users see: the real program in real repositories.

mod ritual;
