// Signs a person in within this process, and shows the prompt on its stderr.

import { renderNotice } from '../../runtime/failure.ts'
import type { FileLock } from '../../runtime/files/file-lock.ts'
import type { SignInFlow, SignInParts } from './flow.ts'
import { attemptLock } from './progress/locks.ts'
import { type ShownPrompt, type SignInFiles, writeNote } from './progress/note.ts'
import { openPortClaim, readLastWaiting } from './progress/ports.ts'
import { readStop } from './progress/stop.ts'
import { runFlow } from './run-flow.ts'

/** The conditions of a sign-in in this process. */
export interface LocalSignIn {
  /** The files of the sign-in; `undefined` if they cannot be used, so that no other run can join. */
  readonly files: SignInFiles | undefined
  /** Whether an earlier sign-in does not suffice. */
  readonly needsNew: boolean
  /** The reason for which the wait for the person ends: the life of the provider's code, or the deadline of this run. */
  readonly limit: 'provider' | 'run'
  /** Acquires the lock of the sign-in; absent: only if it is free. */
  acquire?(files: SignInFiles): Promise<FileLock | undefined>
}

/**
 * Signs a person in within this process, with the prompt on its stderr. This is for a person's own command, and for a run that cannot start
 * a separate process.
 * @returns when the person was signed in; `undefined` if another process is already signing in.
 */
export async function attemptSignIn(
  flow: SignInFlow,
  parts: SignInParts,
  here: LocalSignIn,
): Promise<number | undefined> {
  const { files, needsNew, limit, acquire = ({ lock }) => attemptLock(lock) } = here
  const lock = files && (await acquire(files))
  if (files && !lock) return undefined
  let said: string | undefined
  return runFlow(flow, parts, {
    // Without the note, the messages of other runs contain less.
    record: (note) => (files ? writeNote(files, note).catch(() => undefined) : Promise.resolve()),
    tell: (prompt) => {
      const text = describePrompt(prompt, flow.subject)
      if (text !== said) parts.host.streams.stderr(renderNotice(parts.call.program, text))
      said = text
    },
    readLastWaiting: async () => (files ? readLastWaiting(files) : 0),
    readStop: async (own) => (files ? readStop(files, own) : undefined),
    ...(files && {
      openClaim: (port, own) =>
        openPortClaim(port, { files, own, subject: flow.subject, isWatched: true }, parts.host.clock.now),
    }),
    release: createRelease(lock),
    needsNew,
    limit,
    pagesMs: 0,
  })
}

/** Creates a function that releases a lock, and does nothing when it is called again. */
export function createRelease(lock: FileLock | undefined): () => Promise<void> {
  let held = lock
  return async () => {
    const released = held
    held = undefined
    await released?.release()
  }
}

/**
 * Renders the line on stderr that asks a person to sign in; it is written again if no browser could be started. The address is last,
 * because it is long.
 */
export function describePrompt({ address, userCode, opens, unopened }: ShownPrompt, subject: string): string {
  if (opens) {
    const code = userCode === undefined ? '' : ` and has to show the code ${userCode}`
    return `a browser opens for the sign-in to ${subject}${code}; if you see none, open: ${address}`
  }
  const step = userCode === undefined ? 'open' : `enter the code ${userCode} at`
  const why = unopened === undefined ? '' : `no browser could be started: ${unopened.problem}; `
  return `${why}to sign in to ${subject}, ${step}: ${address}`
}
