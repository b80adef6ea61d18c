// Records which token a process of the client gets, by `append-hand-out.ts`.

import { digestToken } from '../../runtime/digest.ts'
import { createCacheDirectory, locateCacheDirectory } from '../../runtime/files/private-files.ts'
import type { Host } from '../../runtime/host.ts'
import type { Call, MintedToken, Refresh } from '../define-helper.ts'
import { appendHandOut, toHandOutKind } from './append-hand-out.ts'
import { type EntryLocation, nameCacheStep } from './cache-files.ts'

/**
 * Records that the client's process gets a token, so that a later refresh can be classified as refused or expired. If the record cannot be
 * written, the process counts as one that has no token yet.
 */
export async function recordHandOut(host: Host, { call, request, served, refresh }: HandedCall): Promise<void> {
  // A process that repeats the same refresh has a record already.
  if (refresh?.isRepeated) return
  const kind = toHandOutKind(call.context, refresh?.cause)
  const { program, key } = request
  const location = { directory: locateCacheDirectory(host), program, key }
  // The token is digested while the file is opened.
  const handOut = async () => ({ kind, digest: served.expiresAt && digestToken(served.token) })
  const append = () => appendHandOut(location, host.clock, Promise.resolve().then(handOut))
  const stage = nameCacheStep('writing', location)
  await call.deadline
    .shorten(longestSec)
    .during('cache', stage, () =>
      append().catch(async () => {
        // With `--cache none` the directory may not exist yet.
        await createCacheDirectory(location.directory)
        await append()
      }),
    )
    .catch(() => undefined)
}

/** A token that is about to be printed, and the call that asked for it. */
interface HandedCall {
  readonly call: Call
  readonly request: Pick<EntryLocation, 'program' | 'key'>
  readonly served: Pick<MintedToken, 'token' | 'expiresAt'>
  readonly refresh: Refresh | undefined
}

/** In seconds. A disk that does not respond must not delay the token. */
const longestSec = 1
