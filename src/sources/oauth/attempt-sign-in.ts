import { renderNotice } from '../../runtime/failure.ts'
import type { FileLock } from '../../runtime/private/file-lock.ts'
import { describePrompt } from './describe-prompt.ts'
import type { SignInFlow } from './flow.ts'
import type { SignInParts } from './parts.ts'
import { readLastWaiting } from './progress/beat.ts'
import { attemptLock } from './progress/locks.ts'
import { writeNote } from './progress/note.ts'
import type { SignInFiles } from './progress/sign-in-files.ts'
import { runFlow } from './run-flow.ts'

/** How a sign-in in this process goes on. */
export interface Here {
  /** `undefined` where they cannot be used: then nobody can join. */
  readonly files: SignInFiles | undefined
  readonly needsNew: boolean
  readonly limit: 'provider' | 'run'
}

/**
 * Signs in in this very process, with the prompt on its stderr: for a person's own command, and where no process of its own can be
 * started.
 * @returns since when it is done; `undefined` where another process signs in already.
 */
export async function attemptSignIn(flow: SignInFlow, parts: SignInParts, here: Here): Promise<number | undefined> {
  const { files, needsNew, limit } = here
  const lock = files && (await attemptLock(files.lock))
  if (files && !lock) return undefined
  let isTold = false
  return runFlow(flow, parts, {
    record: (note) => (files ? writeNote(files, note).catch(() => undefined) : Promise.resolve()),
    tell: (prompt) => {
      if (!isTold) parts.host.streams.stderr(renderNotice(parts.call.program, describePrompt(prompt, flow.subject)))
      isTold = true
    },
    readLastWaiting: async () => (files ? readLastWaiting(files) : 0),
    release: createRelease(lock),
    ...{ needsNew, limit },
    pagesMs: 0,
  })
}

/** Releases a lock once. */
export function createRelease(lock: FileLock | undefined): () => Promise<void> {
  let rest = lock
  return async () => {
    const held = rest
    rest = undefined
    await held?.release()
  }
}
