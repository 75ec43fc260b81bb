// The version as a constant: reading package.json would cost every start. A test keeps both the same.

export const VERSION = '0.1.0'
