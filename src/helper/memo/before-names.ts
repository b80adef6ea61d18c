// The functions that a program runs before it has read the names of its client. They are bundled as one file; see `prepare-names.ts` of the
// loader.
export { readNames } from '../../runtime/read-names.ts'
export { readCallSec } from './client-timeout.ts'
