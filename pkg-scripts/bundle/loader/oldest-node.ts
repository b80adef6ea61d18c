// Folder: the first lines of a packed program, which load its pieces.

/** The oldest Node that runs a bundle, as esbuild names it. The folder `oldest-node/` holds what the sources may use of it. */
export const oldestNode = 'node22.13'
