import { describeRun, isHealthy, renderMs } from '../runs/run.ts'
import { defineRules, fail, pass, skip, warn } from './rule.ts'

/** What runs do to one another, at once and after one was killed. */
export const concurrencyRules = defineRules({
  'parallel-runs': {
    proves: 'ten runs at once all succeed, and so does the next one',
    needs: ['every-context', 'refresh-works'],
    scenarios: ['parallel', 'after-parallel'],
    validate: (runs) => {
      const broken = runs.filter((run) => !isHealthy(run))
      const [first] = broken
      if (!first) return pass(`${runs.length} tokens`)
      return fail(
        `${broken.length} of ${runs.length} runs failed; ${describeRun(first)}`,
        'take a lock that nobody deletes, read the stored state again under it, and only then renew and write',
      )
    },
  },
  'parallel-browser': {
    proves: 'ten runs at once open at most one browser',
    needs: ['parallel-runs'],
    scenarios: ['parallel', 'after-parallel'],
    validate: (runs, { platform }) => {
      if (platform === 'win32') return skip('decoy browsers work on Linux and macOS only')
      const calls = runs.flatMap(({ browsers }) => browsers)
      if (calls.length <= 1) return pass(calls.length === 0 ? 'no browser was called' : 'one browser was called')
      return warn(
        `a browser was called ${calls.length} times`,
        'sign in under the lock: whoever waited finds the new session',
      )
    },
  },
  'after-kill': {
    proves: 'after a SIGKILL in the middle the next run works',
    needs: ['parallel-runs'],
    scenarios: ['after-kill'],
    validate: (runs) => {
      const killed = runs.filter(({ purpose, ended }) => purpose === 'killed' && ended.how === 'timeout')
      const broken = runs.find((run) => run.purpose === 'observed' && !isHealthy(run))
      if (broken)
        return fail(
          describeRun(broken),
          'write beside the target and rename; use locks that the system drops with the process, not files',
        )
      if (killed.length === 0) return skip('it ended before it was killed')
      return pass(`killed at ${killed.map(({ limitMs }) => renderMs(limitMs)).join(', ')}`)
    },
  },
})
