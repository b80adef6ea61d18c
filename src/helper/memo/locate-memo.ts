import type { Host } from '../../runtime/host.ts'
import { digestFingerprint } from '../../runtime/private/fingerprint.ts'
import { locateCacheDirectory } from '../../runtime/private/locate-cache.ts'
import type { EntryLocation } from '../cache/directory.ts'
import { memoFormat } from './call-memo.ts'

/** A program, and the digest of its code: what one has found out is not for another. */
export interface ProgramBuild {
  readonly program: string
  readonly build: string
}

/** Where the memo of calls with these arguments is. Arguments are no secret: every user of the machine can read them. */
export function locateMemo(host: Host, { program, build }: ProgramBuild): EntryLocation {
  const { argv, home, platform, machineDirectory, runtimeVersion } = host
  const facts = [memoFormat, program, build, argv, home, platform, machineDirectory, runtimeVersion]
  return { directory: locateCacheDirectory(host), program, key: digestFingerprint(JSON.stringify(facts)) }
}
