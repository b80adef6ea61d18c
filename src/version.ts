import manifest from '../package.json' with { type: 'json' }

/** The version of the suite, as `package.json` states it when the suite is built. */
export const version: string = manifest.version

declare const BUILD_COMMIT: string | undefined

/** The commit of the build; `unknown` if the suite runs from source or was built without git. */
export const commit: string = typeof BUILD_COMMIT === 'undefined' ? 'unknown' : BUILD_COMMIT

/** The command's name, in messages and scripts. */
export const programName = 'gatepass'
