// The version as a constant: package.json lies elsewhere for the sources than for the bundle. A test keeps both the same.

export const VERSION = '0.1.0'
