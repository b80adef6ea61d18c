import { createSystemHost, endProcess, type Host } from '../../runtime/host.ts'
import type { Beginning } from '../memo/beginning.ts'
import { locateMemo, type ProgramBuild } from '../memo/locate-memo.ts'
import { answerFromMemo } from './answer-from-memo.ts'

/** In milliseconds. A disk or a reader that does not respond is waited for by the program, which has a deadline and words for it. */
const patienceMs = 100

/** The first lines of a helper: answers a call from its memo, or has the program loaded that does everything. */
export async function answerOrLoad(
  { program, build, argv }: ProgramBuild & Pick<Host, 'argv'>,
  load: (beginning: Beginning) => void,
): Promise<void> {
  const host = { ...createSystemHost(), argv }
  const memo = locateMemo(host, { program, build })
  const answer = await resolveInTime(answerFromMemo(host, memo))
  if (!answer) return load({ memo })
  const written = host.streams.stdout(answer.text, 'finished')
  if (await resolveInTime(succeeds(written))) return endProcess(0, 'finished')
  load({ memo, printing: { written, clientTimeoutSec: answer.clientTimeoutSec } })
}

/** `undefined` where it takes longer. */
async function resolveInTime<T>(work: Promise<T>): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), patienceMs)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}

function succeeds(work: Promise<void>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  )
}
