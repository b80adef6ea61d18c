import { attemptSignIn, createRelease } from './attempt-sign-in.ts'
import { startHolder } from './detached/start-holder.ts'
import { detectStep, parseAfter } from './detached/to-detached-environment.ts'
import type { SignInFlow } from './flow.ts'
import { openFiles } from './open-files.ts'
import type { SignInParts } from './parts.ts'
import { readLastWaiting } from './progress/beat.ts'
import { waitForLock } from './progress/locks.ts'
import { isEndedAfter, readNote, writeNote } from './progress/note.ts'
import type { SignInFiles } from './progress/sign-in-files.ts'
import { runFlow } from './run-flow.ts'
import { waitForSignIn } from './wait-for-sign-in.ts'

/**
 * The command by which a helper signs in: of a person, who waits for it, or of a run, which does not (see `detectStep`).
 * @throws {HelperError} how it ended.
 */
export async function runSignIn(flow: SignInFlow, parts: SignInParts): Promise<void> {
  const step = detectStep(parts.host.env)
  const files = await openFiles(flow, parts)
  if (step && files) return step === 'start' ? startHolder(parts.host, files) : holdDetached(flow, parts, files)
  const at = await attemptSignIn(flow, parts, { files, needsNew: true, limit: 'provider' })
  // Another process was first.
  if (at === undefined) await waitForSignIn(flow, parts)
}

/** In milliseconds, for how long a person who goes back in the browser still finds the last page. */
const pagesMs = 60_000

/** Signs in for the runs that wait. Nobody sees what it prints. */
async function holdDetached(flow: SignInFlow, parts: SignInParts, files: SignInFiles): Promise<void> {
  const after = parseAfter(parts.host.env)
  const lock = await waitForLock(files.lock)
  if (!lock) return // another process signs in
  const release = createRelease(lock)
  try {
    if (await isDoneMeanwhile(flow, parts, { files, after })) return
    await runFlow(flow, parts, {
      record: (note) => writeNote(files, note),
      tell: () => {},
      readLastWaiting: () => readLastWaiting(files),
      ...{ release, pagesMs },
      needsNew: after !== undefined,
      limit: 'provider',
    })
  } finally {
    await release()
  }
}

async function isDoneMeanwhile(
  flow: SignInFlow,
  { host }: SignInParts,
  { files, after }: { readonly files: SignInFiles; readonly after: number | undefined },
): Promise<boolean> {
  if (after === undefined) return flow.isSignedIn()
  const note = await readNote(files)
  return note !== undefined && !note.ended?.failure && isEndedAfter(note, after, host.clock.now())
}
