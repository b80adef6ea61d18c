import manifest from '../package.json' with { type: 'json' }

/** The version of the suite. */
export const version: string = manifest.version
