import type { Observation } from '../../../helper/diagnosis.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { createStreamFetch } from '../../../runtime/network/fetch/stream-fetch.ts'
import { describeSkew, toClockOffset } from '../../clock-offset.ts'
import type { AwsContext } from '../credentials/aws-credentials.ts'
import type { AwsService } from '../endpoints/aws-services.ts'
import { resolveEndpoint } from '../endpoints/resolve-endpoint.ts'
import { addProfileAuthority } from '../request/request-context.ts'
import type { ExaminedChain } from './examine-chain.ts'
import { listChain } from './explain-plan.ts'

/** How the chain was walked, and what the question for the caller has shown of the clock. */
interface Walked extends ExaminedChain {
  readonly callerOffsetMs: number | undefined
}

/** Compares this machine's clock with those of AWS STS and of AWS SSO, as their answers say, or the answer to an empty request. */
export async function describeClocks(walked: Walked, given: AwsContext): Promise<Observation[]> {
  const context = addProfileAuthority(given)
  const { plan } = context
  const sso = listChain(plan.source).find((source) => source.kind === 'sso')
  const known = walked.callerOffsetMs ?? findStsOffset(walked)
  const isSigned = walked.credentials?.clockOffsetMs !== undefined
  return [
    describeClock('AWS STS', known ?? (await fetchOffset('sts', plan.region, context)), isSigned),
    ...(sso === undefined
      ? []
      : [
          describeClock(
            'AWS SSO',
            walked.results.get(sso)?.clockOffsetMs ?? (await fetchOffset('sso', sso.region, context)),
            isSigned,
          ),
        ]),
  ]
}

function findStsOffset({ results }: Walked): number | undefined {
  return [...results].find(([{ kind }]) => kind === 'role' || kind === 'web-identity')?.[1].clockOffsetMs
}

/** A difference does no harm where AWS has told the time: then tokens are dated by it. */
function describeClock(service: string, offsetMs: number | undefined, isCorrected: boolean): Observation {
  if (offsetMs === undefined) return { status: 'unknown', text: `clock: the time of ${service} is not known` }
  const skew = describeSkew(offsetMs, `that of ${service}`)
  if (skew === undefined) return { status: 'good', text: `clock: this machine's agrees with that of ${service}` }
  const effect = isCorrected ? "; tokens are dated by AWS's" : '; AWS refuses what is signed more than five minutes off'
  return {
    status: isCorrected ? 'note' : 'bad',
    text: `clock: ${skew}${effect}`,
    hint: 'set the clock of this machine',
  }
}

/** Longer than an answer without work takes. */
const silenceSec = 10

/** The service's clock less this machine's, from the answer to a request that carries nothing; `undefined` without an answer. */
async function fetchOffset(
  service: AwsService,
  region: string,
  { host, call, plan }: AwsContext,
): Promise<number | undefined> {
  try {
    const { url } = resolveEndpoint({ service, region }, plan.endpoints)
    const sentAt = host.clock.now()
    const { headers, body } = await call.deadline.during('network', `the time of ${url.host}`, ({ signal }) =>
      createStreamFetch({ network: call.network, silenceSec })(url.href, { method: 'HEAD', signal }),
    )
    await body?.cancel()
    if (!headers.has('date')) return undefined
    const times = { date: headers.get('date'), age: headers.get('age') }
    return toClockOffset(times, { sentAt, receivedAt: host.clock.now() })
  } catch (error) {
    if (error instanceof HelperError) return undefined
    throw error
  }
}
