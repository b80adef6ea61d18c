import { renderCount } from '../../../client/fleet/report/render-count.ts'
import type { Terminal } from '../../terminal.ts'
import type { Progress } from './count-calls.ts'

/** A terminal shows no more than a person reads. */
const pauseMs = 200

/** Shows how far the reading of the logs has come, on one line that is replaced. */
export function createProgressLine({ showProgress }: Pick<Terminal, 'showProgress'>): (progress: Progress) => void {
  let shownAt = 0
  return ({ file, files, calls }) => {
    if (Date.now() - shownAt < pauseMs) return
    shownAt = Date.now()
    showProgress(`file ${renderCount(file)} of ${renderCount(files)}, ${renderCount(calls)} calls`)
  }
}
