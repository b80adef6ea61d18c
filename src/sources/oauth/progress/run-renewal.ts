// Renews a sign-in in the process that outlives its run; `wait-for-renewal.ts` waits for it.

import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { NetworkCall } from '../../../helper/define-helper.ts'
import type { HelperError } from '../../../runtime/failure.ts'
import { createCacheDirectory, locateCacheDirectory } from '../../../runtime/files/private-files.ts'
import { type Host, observeProcessId } from '../../../runtime/host.ts'
import { attemptLock, checkHeld, waitForLock } from './locks.ts'
import { locateSignInFiles, readNote, type SignInFiles, type SignInNote, writeNote } from './note.ts'
import { findRenewalCaller } from './to-detached-environment.ts'

/** Opens the files by which runs and the process that renews for them find each other; `undefined` if they cannot be used. */
export async function openRenewalFiles(
  id: string,
  host: Pick<Host, 'env' | 'home' | 'platform'>,
): Promise<SignInFiles | undefined> {
  try {
    const files = locateSignInFiles(await createCacheDirectory(locateCacheDirectory(host)), id, 'renewal')
    await checkHeld(files.lock)
    return files
  } catch {
    return undefined // the directory belongs to another user, or the file system has no locks
  }
}

interface RenewingProcess {
  readonly host: Pick<Host, 'clock' | 'env' | 'home' | 'platform'>
  readonly call: Pick<NetworkCall, 'deadline'>
}

/** In milliseconds: how long the reason of a failed renewal stays for the waiting runs. Our decision. */
const noteKeptMs = 3_000

/**
 * Renews a sign-in within this process while no other process does. The note has its stage and its failure for the waiting runs. Its files
 * are removed afterwards.
 * @param renew Returns why the provider did not renew it. If it throws, the note has no failure, and the waiting runs renew the sign-in
 * themselves.
 */
export async function runRenewal(
  id: string,
  { host, call }: RenewingProcess,
  renew: () => Promise<HelperError | undefined>,
): Promise<void> {
  const files = await openRenewalFiles(id, host)
  const lock = files && (await waitForLock(files.lock))
  if (!lock) return // another process renews it
  const note = { pid: observeProcessId(), since: host.clock.now(), request: findRenewalCaller(host.env) }
  // If the disk is full, the runs get no note, and each tries by itself.
  const tell = (text: SignInNote) => writeNote(files, text).catch(() => undefined)
  let failure: HelperError | undefined
  try {
    await tell(note)
    const endTelling = startTelling(call, (stage) => tell({ ...note, stage }))
    failure = await renew().finally(endTelling)
    if (failure) await tell({ ...note, ended: { at: host.clock.now(), failure } })
  } finally {
    // A leftover note belongs to a process that has ended, which its readers detect.
    if (!failure) await rm(files.note, { force: true }).catch(() => undefined)
    await lock.release()
  }
  if (failure) await removeLater(files)
}

/** In milliseconds: the interval at which the stage is written. A run waits for at least a second. */
const tellingPauseMs = 100

/** Writes the stage to the note when it has changed for long enough to matter. @returns a function that stops this. */
function startTelling(
  { deadline }: RenewingProcess['call'],
  tell: (stage: string | undefined) => Promise<void>,
): () => Promise<void> {
  let told: string | undefined
  let telling: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    const stage = deadline.describeStage()
    if (stage === told) return
    told = stage
    telling = telling.then(() => tell(stage))
  }, tellingPauseMs)
  return () => {
    clearInterval(timer)
    return telling
  }
}

async function removeLater(files: SignInFiles): Promise<void> {
  await sleep(noteKeptMs)
  const lock = await attemptLock(files.lock)
  try {
    if (lock && (await readNote(files))?.pid === observeProcessId()) await rm(files.note, { force: true })
  } finally {
    await lock?.release()
  }
}
