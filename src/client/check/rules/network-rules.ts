import { renderMs } from '../../../runtime/values/duration.ts'
import { describeRun, findSameToken, type HealthyRun, isHealthy, type Run } from '../runs/run.ts'
import {
  type CheckFacts,
  chooseHint,
  decoySystems,
  defineRules,
  fail,
  pass,
  type RuleResult,
  skip,
  warn,
} from './rule.ts'

/** Rules about a helper whose network fails, or that is behind a proxy. */
export const networkRules = defineRules({
  'network-dead': {
    proves: 'without a network it prints a good token, or fails with a message and nothing on stdout',
    needs: ['refresh-works'],
    scenarios: ['network-dead', 'refresh'],
    validate: ([run, refresh], facts) => validateWithoutNetwork(run, refresh, facts),
  },
  'network-hanging': {
    proves: 'with a network that says nothing it ends in time, in the same way',
    needs: ['refresh-works'],
    scenarios: ['network-hanging', 'refresh'],
    validate: ([run, refresh], facts) => validateWithoutNetwork(run, refresh, facts),
  },
  'network-proxy': {
    proves: 'with proxy variables set it connects through the proxy',
    needs: ['refresh-works'],
    scenarios: ['network-dead', 'network-hanging'],
    validate: (runs, { platform }) => {
      if (platform !== 'linux') return skip('connections are watched on Linux only')
      const past = runs.find(({ remotes }) => remotes.length > 0)
      if (past)
        return fail(
          `it connected to ${past.remotes[0]} past the proxy ${past.title}`,
          'honour HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in upper and lower case, for every request',
        )
      const count = runs.reduce((sum, { proxyConnections }) => sum + proxyConnections, 0)
      return count > 0 ? pass('it used the proxy') : skip('no connection of it was seen')
    },
  },
})

function validateWithoutNetwork(run: Run | undefined, refresh: Run | undefined, facts: CheckFacts): RuleResult {
  const waitHint = 'bound every request, and fail with a message before the client kills it'
  if (!run || run.ended.how === 'timeout') return fail(describeRun(run), chooseHint(run, waitHint))
  if (isHealthy(run)) return validateToken(run, refresh, facts)
  if (run.ended.how !== 'exited' || run.ended.status === 0)
    return fail(describeRun(run), 'on failure, end by yourself with an exit status other than 0')
  if (run.output.bytes > 0)
    return fail(
      `it failed with ${run.output.bytes} bytes on stdout ${run.title}`,
      'on failure print nothing on stdout: messages belong on stderr',
    )
  if (!/[a-z]{3}/i.test(run.stderr))
    return fail(describeRun(run), 'say on stderr what could not be reached and what to do')
  if (/^Traceback |^\s+at .+:\d+:\d+\)?$/m.test(run.stderr))
    return warn(
      `it failed with a stack trace ${run.title}`,
      'say in a sentence what could not be reached and what to do',
    )
  return pass(describeRun(run))
}

/** A token that never changes may be correct. If it changes with a network, then the same token without a network is an old one. */
function validateToken(run: HealthyRun, refresh: Run | undefined, { allRuns }: CheckFacts): RuleResult {
  const earlier = findSameToken(run, allRuns)
  const isOld = earlier && refresh && isHealthy(refresh) && !findSameToken(refresh, allRuns)
  if (!isOld) return pass(describeRun(run))
  return fail(
    `the same token as ${earlier.title}, ${run.title}`,
    'where no new token can be obtained in mid-session-refresh, fail with a message: the old one was refused',
  )
}

/** Rules about runs that affect each other: in parallel, and after one was killed. */
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
        chooseHint(
          first,
          'take a lock that nobody deletes, read the stored state again under it, and only then renew and write',
        ),
      )
    },
  },
  'parallel-browser': {
    proves: 'ten runs at once open at most one browser',
    needs: ['parallel-runs'],
    scenarios: ['parallel', 'after-parallel'],
    validate: (runs, { platform }) => {
      if (platform === 'win32') return skip(decoySystems)
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
          chooseHint(
            broken,
            'write beside the target and rename; use locks that the system drops with the process, not files',
          ),
        )
      if (killed.length === 0) return skip('it ended before it was killed')
      return pass(`killed at ${killed.map(({ limitMs }) => renderMs(limitMs)).join(', ')}`)
    },
  },
})
