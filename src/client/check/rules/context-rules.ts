import { isContextTold } from '../../../contract/client.ts'
import { renderMs } from '../../../runtime/values/duration.ts'
import type { TokenClaims } from '../runs/parse-run-output.ts'
import {
  describeRun,
  findSameToken,
  type HealthyRun,
  hasKnownEnd,
  isHealthy,
  isSameToken,
  type Run,
} from '../runs/run.ts'
import {
  chooseHint,
  decoySystems,
  defineRules,
  describeUnknownEnd,
  fail,
  pass,
  skip,
  validateHealth,
  warn,
} from './rule.ts'

/** Rules about a helper's behaviour in each context of the client. */
export const contextRules = defineRules({
  'no-browser': {
    proves: 'it opens no browser in a silent context',
    needs: ['recursion'],
    scenarios: ['background', 'silent-contexts'],
    validate: (_, { allRuns, platform }) => {
      if (platform === 'win32') return skip(decoySystems)
      const opening = allRuns.find(({ mayPrompt, browsers }) => !mayPrompt && browsers.length > 0)
      if (!opening) return pass('no decoy browser was called')
      return fail(
        `it called ${opening.browsers[0]} ${opening.title}`,
        'open a browser in the context interactive only; elsewhere fail with a message that says how to sign in',
      )
    },
  },
  'every-context': {
    isFor: isContextTold,
    proves: 'it prints a token in every context, unknown ones included',
    needs: ['headers', 'no-browser'],
    scenarios: ['silent-contexts', 'interactive'],
    validate: (runs) => {
      const asking = runs.find((run) => !isHealthy(run) && run.mayPrompt && run.browsers.length > 0)
      const broken = runs.find((run) => !isHealthy(run) && run !== asking)
      if (broken)
        return fail(
          describeRun(broken),
          chooseHint(
            broken,
            'treat every context but interactive alike: print a token, or fail at once with a message',
          ),
        )
      if (asking) return pass('a token in every silent context; in the context interactive it asks a person to sign in')
      return pass(`${runs.length} contexts`)
    },
  },
  'refresh-in-time': {
    isFor: isContextTold,
    proves: 'in mid-session-refresh it ends before the client gives up',
    needs: ['headers'],
    scenarios: ['refresh'],
    validate: ([run], { refreshSec }) => {
      if (!run || run.ended.how === 'timeout')
        return fail(
          describeRun(run),
          chooseHint(
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
    isFor: isContextTold,
    proves: 'it prints a token in mid-session-refresh, right after other runs',
    needs: ['refresh-in-time'],
    scenarios: ['refresh'],
    validate: ([run]) =>
      validateHealth(
        run,
        'obtain everything anew there: an assertion or a code that was used once is refused the second time',
      ),
  },
  'refresh-fresh': {
    isFor: isContextTold,
    proves: 'in mid-session-refresh it prints a new token, not the one that was refused',
    needs: ['refresh-works'],
    scenarios: ['refresh', 'refusal'],
    validate: ([run, , refusal], { allRuns, tokenLifeSec }) => {
      if (!run || !isHealthy(run)) return skip('there is no token')
      const earlier = findSameToken(run, allRuns)
      if (!earlier) return pass('another token than in the runs before')
      if (!refusal) return skip('the refusal of its token was not tried')
      if (isTurnedDown(refusal)) return pass('the same token after the ttl, and none after a refusal')
      if (isHealthy(refusal) && !findSameToken(refusal, allRuns))
        return pass('the same token after the ttl, and another one after a refusal')
      const seen = `the same token as ${earlier.title}`
      if (!hasKnownEnd(run) && tokenLifeSec === undefined)
        return warn(
          describeUnknownEnd(seen),
          'if it can expire or be revoked, obtain a new one there; say with --token-life how long it lives',
        )
      return fail(
        seen,
        'do not serve the cache in mid-session-refresh: the client asks because that very token was refused',
      )
    },
  },
})

/** Returns whether it ended by itself without a token, and wrote the reason. */
function isTurnedDown({ ended, stderr }: Run): boolean {
  return ended.how === 'exited' && ended.status !== 0 && stderr.trim() !== ''
}

/** Rules that compare a helper's tokens: a refused token does not return, and no token is for another person. */
export const historyRules = defineRules({
  'refused-again': {
    isFor: isContextTold,
    proves: 'a token that was refused is not printed again after the refresh that follows',
    needs: ['refresh-works'],
    scenarios: ['refusal'],
    validate: ([held, refusal, again]) => {
      if (!held || !isHealthy(held) || !refusal || !again) return skip('there was no token that could be refused')
      if (isHealthy(refusal) && isSameToken(refusal, held))
        return skip('the refresh printed the same token; the rule refresh-fresh says whether it may')
      if (!isHealthy(again)) return pass('none after the refusal')
      if (!isSameToken(again, held)) return pass('another token after the refusal')
      return fail(
        `the token that was refused came back ${again.title}`,
        'drop a token from every cache once mid-session-refresh is asked for it, and store the new one in its place',
      )
    },
  },
  'stale-offline': {
    isFor: isContextTold,
    proves: 'without a network it prints no token that is older than those of before',
    needs: ['network-dead', 'network-hanging'],
    scenarios: ['background', 'network-dead', 'network-hanging', 'refresh'],
    validate: ([first, dead, hanging], { allRuns }) => {
      if (!first || !isHealthy(first) || !dead || !isHealthy(dead) || !hanging || !isHealthy(hanging))
        return pass('no token in one of the refreshes without a network')
      if (!isSameToken(dead, hanging)) return pass('two tokens in two refreshes without a network')
      const online = allRuns.filter(isHealthy).filter(({ isNetworkIntact }) => isNetworkIntact)
      const known = online.find((run) => isSameToken(run, dead))
      if (known) return pass(`the token that it printed ${known.title}`)
      if (computeEnd(dead) > computeEnd(first)) return pass(`a token that ends later than the one ${first.title}`)
      return fail(
        'two refreshes without a network printed one token, which no run with a network printed',
        'keep no token of an earlier day: where none can be obtained, fail with a message',
      )
    },
  },
  'same-identity': {
    isFor: isContextTold,
    proves: 'a token of a silent context has the subject and the audience of one that a person started',
    needs: ['every-context', 'refresh-works'],
    scenarios: ['interactive', 'silent-contexts', 'refresh'],
    validate: ([interactive], { allRuns }) => {
      if (!interactive || !isHealthy(interactive)) return skip('no token in the context interactive')
      const claims = interactive.output.claims
      if (!claims || (claims.sub ?? claims.aud) === undefined) return skip('its tokens state neither sub nor aud')
      for (const run of allRuns.filter(isHealthy).filter(({ mayPrompt }) => !mayPrompt)) {
        const name = (['sub', 'aud'] as const).find((each) => run.output.claims?.[each] !== claims[each])
        if (name !== undefined)
          return fail(
            `${describeClaim(name, run.output.claims)} ${run.title}, ${describeClaim(name, claims)} in the context interactive`,
            'use the same account and the same request in every context; where a person has to sign in, fail with a message',
          )
      }
      return pass(`the same ${Object.keys(claims).join(' and ')} in every context`)
    },
  },
})

/** Computes the stated end of a run's token, in epoch milliseconds; 0 if nothing states it. */
function computeEnd({ output: { token, statedEnd } }: HealthyRun): number {
  return token.end?.at ?? statedEnd?.at ?? 0
}

function describeClaim(name: keyof TokenClaims, claims: TokenClaims | undefined): string {
  const value = claims?.[name]
  return value === undefined ? `no ${name}` : `the ${name} ${value.slice(0, 80)}`
}
