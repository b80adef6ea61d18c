import {
  type HelperClient,
  hasDocument,
  hasOperations,
  hasRequest,
  isContextTold,
  isEndRead,
} from '../../../contract/client.ts'
import { isOfAwsKeys } from '../../../contract/output-format.ts'
import { renderMs } from '../../../runtime/values/duration.ts'
import { tokenFaults } from '../runs/parse-run-output.ts'
import { describeRun, findSameToken, hasKnownEnd, isHealthy } from '../runs/run.ts'
import {
  type CheckFacts,
  defineRules,
  describeUnknownEnd,
  fail,
  pass,
  type RuleResult,
  skip,
  validateHealth,
  warn,
} from './rule.ts'

/** Rules that clients other than the desktop client rely on. */
export const otherClientRules = defineRules({
  'client-output': {
    isFor: (client) => !hasDocument(client),
    proves: 'the client can read what it prints',
    needs: ['exit-status'],
    scenarios: ['background'],
    validate: ([run], { client }) => {
      const hint = `print what ${client.title} reads: the helpers of this suite do so with --format ${client.format}`
      if (!run?.output.ok) return fail(run?.output.ok === false ? run.output.message : describeRun(run), hint)
      if (run.output.fault) return fail(tokenFaults[run.output.fault].seen, tokenFaults[run.output.fault].hint)
      const { headers, token } = run.output
      return pass(`a credential of ${token.bytes} bytes${headers.length > 0 ? `, with ${headers.join(', ')}` : ''}`)
    },
  },
  'slow-notice': {
    isFor: ({ waiting }) => waiting.noticeSec !== undefined,
    proves: 'it ends before the client tells the person that it is slow',
    needs: ['client-output'],
    scenarios: ['background'],
    validate: (_, { allRuns, client }) => {
      const noticeMs = (client.waiting.noticeSec ?? 0) * 1000
      const healthy = allRuns.filter((run) => isHealthy(run) && run.isNetworkIntact)
      const slowest = healthy.toSorted((a, b) => b.durationMs - a.durationMs)[0]
      if (!slowest || slowest.durationMs < noticeMs) return pass(`at most ${renderMs(slowest?.durationMs ?? 0)}`)
      return warn(
        `it took ${renderMs(slowest.durationMs)} ${slowest.title}; past ${renderMs(noticeMs)} the person sees a notice`,
        'keep the token until shortly before its end, and find out what is slow',
      )
    },
  },
  'stated-end': {
    isFor: isEndRead,
    proves: 'it says when the credential ends, and does not say more than the token itself',
    needs: ['client-output'],
    scenarios: ['background'],
    validate: ([run], facts) => (run && isHealthy(run) ? validateEnd(run, facts) : skip('there is no credential')),
  },
  'runs-again': {
    isFor: (client) => !isContextTold(client),
    proves: 'run again, right after other runs, it prints a credential',
    needs: ['client-output'],
    scenarios: ['refresh'],
    validate: ([run]) =>
      validateHealth(run, 'obtain everything anew: what was used once may be refused the second time'),
  },
  'after-refusal': {
    isFor: (client) => !isContextTold(client) && isAskedAgain(client),
    proves: 'run again after a refusal, which nobody tells it, it has another credential',
    needs: ['runs-again'],
    scenarios: ['refresh'],
    validate: ([run], { allRuns, client, tokenLifeSec }) => {
      if (!run || !isHealthy(run)) return skip('there is no credential')
      const earlier = findSameToken(run, allRuns)
      if (!earlier) return pass('another credential than in the runs before')
      const seen = `the same credential as ${earlier.title}; ${client.title} does not say that one was refused`
      if (hasKnownEnd(run) || tokenLifeSec !== undefined) return pass(`${seen}, and it ends by itself`)
      return warn(
        describeUnknownEnd(seen),
        'if it ends by itself, say so with --token-life; otherwise obtain a new one in each run, as the helpers of this suite do with --cache none',
      )
    },
  },
  'other-servers': {
    isFor: hasRequest,
    proves: 'asked for another server, it gives no credential',
    needs: ['client-output'],
    scenarios: ['other-servers'],
    validate: ([run], { client }) => {
      if (!run || !isHealthy(run)) return pass('none for a server that is not its own')
      return warn(
        `it gave its credential ${run.title}: only the configuration of ${client.title} keeps it from others`,
        'read the server from the request, and answer only for your own, as the helpers of this suite do with --for-host',
      )
    },
  },
  'other-operations': {
    isFor: hasOperations,
    proves: 'it silently ignores what it is told to store, and operations that it does not know',
    needs: ['client-output'],
    scenarios: ['other-operations'],
    validate: (runs) => {
      const loud = runs.find(({ ended, output, stderrBytes }) => !isExit0(ended) || output.bytes > 0 || stderrBytes > 0)
      if (!loud) return pass(`${runs.length} operations`)
      return warn(
        isExit0(loud.ended) ? `it wrote something ${loud.title}` : describeRun(loud),
        'end with exit status 0 and print nothing for every operation but get',
      )
    },
  },
  erase: {
    isFor: hasOperations,
    proves: 'told that a credential was refused, it does not give the same one again',
    needs: ['client-output'],
    scenarios: ['after-erase'],
    validate: ([before, erase, after]) => {
      if (!before || !isHealthy(before) || !after) return skip('there was no credential to erase')
      if (erase && !isExit0(erase.ended))
        return fail(
          describeRun(erase),
          'read the request to its end, forget that credential and end with exit status 0',
        )
      if (!isHealthy(after)) return pass(describeRun(after))
      if (after.output.token.fingerprint !== before.output.token.fingerprint) return pass('another credential')
      return fail(
        'the same credential after an erase',
        'drop it from every cache, so that the next get obtains another',
      )
    },
  },
})

function isExit0(ended: { readonly how: string; readonly status?: number }): boolean {
  return ended.how === 'exited' && ended.status === 0
}

/** Returns whether the client runs a helper again after a refusal, but cannot report the refusal. */
function isAskedAgain({ refresh }: HelperClient): boolean {
  return refresh.afterRefusal === 'repeat' || refresh.afterRefusal === 'next-request'
}

/** Clocks differ, and ends are whole seconds. */
const toleratedMs = 60_000

function validateEnd(run: Parameters<typeof describeRun>[0] & object, { client }: CheckFacts): RuleResult {
  if (!isHealthy(run)) return skip('there is no credential')
  const { statedEnd, token } = run.output
  if (!statedEnd && !token.end && !isOfAwsKeys(client.format)) return skip('nothing says when it ends')
  if (!statedEnd)
    return warn(
      'it does not say when the credential ends',
      `say it: ${client.title} then asks again in time, instead of going on with one that has ended`,
    )
  const leftSec = Math.floor((statedEnd.at - run.endedAt) / 1000)
  if (leftSec <= 0)
    return fail(`it had ended ${-leftSec} s earlier (${statedEnd.source})`, 'print the end of this credential, in UTC')
  if (token.end && statedEnd.at > token.end.at + toleratedMs)
    return fail(
      `it is said to end ${Math.round((statedEnd.at - token.end.at) / 1000)} s after the token (${token.end.source})`,
      'state no later end than the token does',
    )
  return pass(`in ${leftSec} s (${statedEnd.source})`)
}
