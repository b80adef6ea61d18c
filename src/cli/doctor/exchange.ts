import { describeExchange, mergeChecks } from '../../client/doctor/describe-exchange.ts'
import type { Part } from '../../client/doctor/examination.ts'
import type { ExchangeCheck } from '../../client/doctor/exchange-check.ts'
import { validateExchange } from '../../client/doctor/validate-exchange.ts'
import { findHelper } from '../../config/check/find-helper.ts'
import type { HelperScriptCredential } from '../../config/document.ts'
import { clockSkewSec } from '../../gateway/federation/verify-assertion.ts'
import { cacheDirectory } from '../../helper/cache/directory.ts'
import type { NetworkCall } from '../../helper/define-helper.ts'
import { isUsedAssertion } from '../../helper/mint/used-assertions.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { streamFetch } from '../../runtime/network/fetch/stream-fetch.ts'
import { toleratedSkewSec } from '../../sources/clock-offset.ts'
import { digestAssertion } from '../../sources/exchange/exchange-once.ts'
import { shortestLeftSec } from '../../sources/exchange/validate-assertion.ts'
import { parseJwt } from '../../sources/jwt.ts'
import type { Cli } from '../cli.ts'
import { thisSystem } from '../this-system.ts'
import { obtainAgain, type Tried, workloadHelper } from './assertion.ts'
import { compareWithRules } from './rules.ts'

/**
 * Explains why `workload-token` got no token: asks its source once more for an identity token, which is sent nowhere, and
 * compares what that says with the settings, with both clocks and, where `db` names the state of a gateway, with its
 * rules. Nothing for another helper, or where the helper's own words say all there is.
 */
export async function examineExchange(
  { host }: Cli,
  credential: HelperScriptCredential,
  db: string | undefined,
): Promise<Part[]> {
  const found = findHelper(credential, thisSystem(host.platform), (name) => name === workloadHelper)
  if (!found) return []
  const tried = await obtainAgain(host, credential, found.args)
  if (!tried) return []
  const own = validateExchange(await factsOf(tried, host))
  const known = db === undefined ? [] : await compareWithRules(db, host, tried)
  const checks = mergeChecks(own, known)
  const isConclusive = ({ what, status }: ExchangeCheck) => status === 'unmet' || (what === 'clock' && status === 'met')
  return known.length > 0 || checks.some(isConclusive) ? [describeExchange(checks)] : []
}

async function factsOf({ assertion, plan, options, call }: Tried, host: Host) {
  const text = assertion.reveal()
  const { organizationId, federationRuleId, serviceAccountId, workspaceId, baseUrl } = plan.target
  const { audience, identity } = options
  const platform = await askTime(baseUrl, call)
  return {
    ...{ platform, here: host.clock.now(), skewSec: clockSkewSec, shortestLeftSec, longestAheadSec: toleratedSkewSec },
    bytes: Buffer.byteLength(text),
    jwt: parseJwt(text),
    settings: { organizationId, federationRuleId, serviceAccountId, workspaceId, audience },
    supply: lying.has(identity ?? '') ? 'stored' : 'created',
    use: plan.reuse === 'never' && (await wasExchangedHere(text, host)) ? 'exchanged' : 'unknown',
  } as const
}

/** What the helper remembers, if its memory can be read; where it cannot, the helper has said so. */
async function wasExchangedHere(text: string, host: Host): Promise<boolean> {
  const place = { directory: cacheDirectory(host), program: workloadHelper, key: digestAssertion(text) }
  return isUsedAssertion(place).catch(() => false)
}

/** Sources that hand out what somebody else renews. */
const lying = new Set(['file', 'variable', 'kubernetes'])

/** Longer than an answer without work takes. */
const silenceSec = 10

/** The platform's clock, from an answer to a question that carries nothing. */
async function askTime(baseUrl: string, { network }: NetworkCall): Promise<number | undefined> {
  try {
    const { headers, body } = await streamFetch({ network, silenceSec })(baseUrl, { method: 'GET' })
    await body?.cancel()
    const date = headers.has('age') ? Number.NaN : Date.parse(headers.get('date') ?? '')
    return Number.isNaN(date) ? undefined : date
  } catch (error) {
    if (error instanceof HelperError) return undefined // unseen
    throw error
  }
}
