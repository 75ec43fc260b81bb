// How truth is stored.

/** 0 or 1: SQLite has no booleans. */
export type Bit = number
