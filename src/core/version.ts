// The version as a constant, because sources and bundle find package.json at different paths. A test compares both.

export const VERSION = '0.1.0'
