import { createSystemHost, endProcess, type Host } from '../../runtime/host.ts'
import { answerFromMemo } from './answer-from-memo.ts'
import { type Beginning, locateMemo, type ProgramBuild } from './locate-memo.ts'
import { patienceMs, waitAtMost } from './wait-at-most.ts'

/** The first lines of a helper: answers a call from its memo, or has the program loaded that does everything. */
export async function answerOrLoad(
  { program, build, argv }: ProgramBuild & Pick<Host, 'argv'>,
  load: (beginning: Beginning) => void,
): Promise<void> {
  const host = { ...createSystemHost(), argv }
  const memo = locateMemo(host, { program, build })
  const answer = await waitAtMost(answerFromMemo(host, memo), patienceMs)
  if (!answer) return load({ memo })
  const written = host.streams.stdout(answer.text)
  if (await waitAtMost(hasSucceeded(written), patienceMs)) {
    await waitAtMost(answer.recorded, patienceMs)
    if (answer.spool) await waitAtMost(hasSucceeded(answer.spool()), patienceMs)
    return endProcess(0, 'finished')
  }
  const { clientTimeoutSec, spool } = answer
  load({ memo, printing: { written, clientTimeoutSec, spool } })
}

function hasSucceeded(work: Promise<void>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  )
}
