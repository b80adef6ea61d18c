import { digestFingerprint } from '../../runtime/files/fingerprint.ts'
import { locateCacheDirectory } from '../../runtime/files/private-files.ts'
import type { Host } from '../../runtime/host.ts'
import type { EntryLocation } from '../cache/directory.ts'
import { memoFormat } from './call-memo.ts'

/** A program, and the digest of its code: a memo of one build is never used by another. */
export interface ProgramBuild {
  readonly program: string
  readonly build: string
}

/** Locates the memo of calls with these arguments. Arguments are not secret: every user of the machine can read them. */
export function locateMemo(host: Host, { program, build }: ProgramBuild): EntryLocation {
  const { argv, home, platform, machineDirectory, runtimeVersion } = host
  const facts = [memoFormat, program, build, argv, home, platform, machineDirectory, runtimeVersion]
  return { directory: locateCacheDirectory(host), program, key: digestFingerprint(JSON.stringify(facts)) }
}

/** The beginning of a call, which precedes the loading of its program. */
export interface Beginning {
  /** The place of the memo that the call may write. */
  readonly memo: EntryLocation
  /** The answer that is being written, where that failed or takes long. */
  readonly printing?: {
    readonly written: Promise<void>
    readonly clientTimeoutSec: number
    /** Tells operations of it, where they are to be told. */
    readonly spool?: (() => Promise<void>) | undefined
  }
}
