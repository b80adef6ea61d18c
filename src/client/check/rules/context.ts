import { isTold } from '../../../contract/clients/client-traits.ts'
import { describeRun, isHealthy, renderMs } from '../runs/run.ts'
import { chooseWaitHint } from './choose-wait-hint.ts'
import { defineRules, fail, pass, skip, warn } from './rule.ts'
import { findSameToken, hasKnownEnd } from './same-token.ts'

/** What it does in each context of the client. */
export const contextRules = defineRules({
  'no-browser': {
    proves: 'it opens no browser in a silent context',
    needs: ['recursion'],
    scenarios: ['background', 'silent-contexts'],
    validate: (_, { allRuns, platform }) => {
      if (platform === 'win32') return skip('decoy browsers work on Linux and macOS only')
      const opening = allRuns.find(({ mayPrompt, browsers }) => !mayPrompt && browsers.length > 0)
      if (!opening) return pass('no decoy browser was called')
      return fail(
        `it called ${opening.browsers[0]} ${opening.title}`,
        'open a browser in the context interactive only; elsewhere fail with a message that says how to sign in',
      )
    },
  },
  'every-context': {
    isFor: isTold,
    proves: 'it prints a token in every context, unknown ones included',
    needs: ['headers', 'no-browser'],
    scenarios: ['silent-contexts', 'interactive'],
    validate: (runs) => {
      const asking = runs.find((run) => !isHealthy(run) && run.mayPrompt && run.browsers.length > 0)
      const broken = runs.find((run) => !isHealthy(run) && run !== asking)
      if (broken)
        return fail(
          describeRun(broken),
          'treat every context but interactive alike: print a token, or fail at once with a message',
        )
      if (asking) return pass('a token in every silent context; in the context interactive it asks a person to sign in')
      return pass(`${runs.length} contexts`)
    },
  },
  'refresh-in-time': {
    isFor: isTold,
    proves: 'in mid-session-refresh it ends before the client gives up',
    needs: ['headers'],
    scenarios: ['refresh'],
    validate: ([run], { refreshSec }) => {
      if (!run || run.ended.how === 'timeout')
        return fail(
          describeRun(run),
          chooseWaitHint(
            run,
            `a client waits ${refreshSec} s there, whatever timeoutSec says: bound every wait, the keychain's too`,
          ),
        )
      if (run.durationMs > refreshSec * 500)
        return warn(
          `it took ${renderMs(run.durationMs)} of the ${refreshSec} s that a client waits`,
          'find out what is slow: a bad network makes it slower',
        )
      return pass(`it ended after ${renderMs(run.durationMs)}`)
    },
  },
  'refresh-works': {
    isFor: isTold,
    proves: 'it prints a token in mid-session-refresh, right after other runs',
    needs: ['refresh-in-time'],
    scenarios: ['refresh'],
    validate: ([run]) =>
      run && isHealthy(run)
        ? pass(describeRun(run))
        : fail(
            describeRun(run),
            'obtain everything anew there: an assertion or a code that was used once is refused the second time',
          ),
  },
  'refresh-fresh': {
    isFor: isTold,
    proves: 'in mid-session-refresh it prints a new token, not the one that was refused',
    needs: ['refresh-works'],
    scenarios: ['refresh'],
    validate: ([run], { allRuns, tokenLifeSec }) => {
      if (!run || !isHealthy(run)) return skip('there is no token')
      const earlier = findSameToken(run, allRuns)
      if (!earlier) return pass('another token than in the runs before')
      const seen = `the same token as ${earlier.title}`
      if (!hasKnownEnd(run) && tokenLifeSec === undefined)
        return warn(
          `${seen}, and nothing says when it ends`,
          'if it can expire or be revoked, obtain a new one there; say with --token-life how long it lives',
        )
      return fail(
        seen,
        'do not serve the cache in mid-session-refresh: the client asks because that very token was refused',
      )
    },
  },
})
