import { tellNeutralNames } from '../../src/cli/config/vendor-warnings.ts'

/** The note of a command about neutral names; empty if a vendor file names a client. */
export let neutralNote = ''

tellNeutralNames({ tell: (text) => (neutralNote += text) })
