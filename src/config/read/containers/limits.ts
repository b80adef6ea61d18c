/** The largest document that is read, in bytes; our decision. */
export const maxBytes = 5 * 1024 * 1024

/** The most levels of objects and arrays that are read, in any container; our decision. */
export const maxDepth = 64
