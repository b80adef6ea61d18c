import { describeExchange, mergeChecks } from '../../client/doctor/describe-exchange.ts'
import type { ExchangeCheck } from '../../client/doctor/exchange-check.ts'
import { validateExchange } from '../../client/doctor/validate-exchange.ts'
import type { Part } from '../../client/examination.ts'
import { clockSkewSec } from '../../gateway/federation/verify-assertion.ts'
import { isUsedAssertion } from '../../helper/mint/used-assertions.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { createStreamFetch } from '../../runtime/network/fetch/stream-fetch.ts'
import type { NetworkSettings } from '../../runtime/network/settings.ts'
import { locateCacheDirectory } from '../../runtime/private/locate-cache.ts'
import { parseJwt } from '../../runtime/tokens/jwt.ts'
import { toleratedSkewSec } from '../../sources/clock-offset.ts'
import { digestAssertion } from '../../sources/exchange/exchange-once.ts'
import { shortestLeftSec } from '../../sources/exchange/validate-assertion.ts'
import type { Cli } from '../cli.ts'
import type { Attempt, RepeatedCall } from './attempt.ts'
import { compareWithRules } from './rules.ts'

/**
 * Explains why a helper that exchanges an identity token got no token: the helper obtains one once more, which is sent
 * nowhere, and what that says is compared with the settings, with both clocks and, where `db` names the state of a
 * gateway, with its rules. Nothing for another helper, or where the helper's own message says all there is.
 */
export async function examineExchange(
  cli: Cli,
  { program, call, diagnosis }: RepeatedCall,
  db: string | undefined,
): Promise<Part[]> {
  if (!diagnosis.exchange) return []
  const tried = { program, call, attempt: diagnosis.exchange }
  const own = validateExchange(await collectFacts(tried, cli.host))
  const known = db === undefined ? [] : await compareWithRules(db, cli.host, tried)
  const checks = mergeChecks(own, known)
  const isConclusive = ({ what, status }: ExchangeCheck) => status === 'unmet' || (what === 'clock' && status === 'met')
  return known.length > 0 || checks.some(isConclusive) ? [describeExchange(checks)] : []
}

async function collectFacts({ attempt, call, program }: Attempt, host: Host) {
  const { assertion, supply, reuse, baseUrl, ...settings } = attempt
  const text = assertion.reveal()
  const platform = await fetchTime(baseUrl, call.network)
  return {
    ...{ platform, here: host.clock.now(), skewSec: clockSkewSec, shortestLeftSec, longestAheadSec: toleratedSkewSec },
    ...{ bytes: Buffer.byteLength(text), jwt: parseJwt(text), settings, supply },
    use: reuse === 'never' && (await wasExchangedHere(text, host, program)) ? 'exchanged' : 'unknown',
  } as const
}

/** A record that cannot be read says nothing here: the helper has said so. */
async function wasExchangedHere(text: string, host: Host, program: string): Promise<boolean> {
  const place = { directory: locateCacheDirectory(host), program, key: digestAssertion(text) }
  return isUsedAssertion(place).catch(() => false)
}

/** Longer than an answer without work takes. */
const silenceSec = 10

/** The platform's clock in epoch milliseconds, from the answer to a request that carries nothing. */
async function fetchTime(baseUrl: string, network: NetworkSettings): Promise<number | undefined> {
  try {
    const { headers, body } = await createStreamFetch({ network, silenceSec })(baseUrl, { method: 'GET' })
    await body?.cancel()
    // The date of an answer from a cache is that of its making (RFC 9111, section 5.1).
    const date = headers.has('age') ? Number.NaN : Date.parse(headers.get('date') ?? '')
    return Number.isNaN(date) ? undefined : date
  } catch (error) {
    if (error instanceof HelperError) return undefined
    throw error
  }
}
