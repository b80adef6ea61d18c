/** Nothing is read beyond this. Our decision. */
export const maxBytes = 5 * 1024 * 1024

/** Levels of objects and arrays, in any container. Our decision. */
export const maxDepth = 64
