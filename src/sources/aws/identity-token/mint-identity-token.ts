// Folder: the helper that prints an identity token of AWS STS, or exchanges it.

import type { Call, MintCall, MintedToken, NetworkCall } from '../../../helper/define-helper.ts'
import type { Host } from '../../../runtime/host.ts'
import { toClaimFacts } from '../../../runtime/tokens/claim-facts.ts'
import { selectTexts } from '../../../runtime/values/json-value.ts'
import type { WorkloadPlan } from '../../exchange/plan-workload.ts'
import type { WebIdentity } from '../../identity/aws-web-identity.ts'
import { fetchWebIdentity } from '../../identity/fetch-aws-web-identity.ts'
import { nameAwsToken } from '../../identity/prepare-aws.ts'
import type { AwsPlan } from '../credentials/credential-source.ts'
import { tellAwsSkew, toAwsFacts } from '../credentials/credentials.ts'
import type { IdentityTokenPlan } from './plan-identity-token.ts'

/** Mints an identity token, or the access token for which the platform exchanges it. */
export async function mintIdentityToken(
  setup: IdentitySetup,
  call: MintCall,
  plan: IdentityTokenPlan,
): Promise<MintedToken> {
  const { request, aws, exchange } = plan
  if (exchange) return mintByExchange(setup, call, plan, exchange)
  const identity = await fetchIdentity(setup, call, plan)
  tellSkew(identity, call)
  const { token, claims, expiresAt, clockOffsetMs, longestLifeSec } = identity
  const { iss: issuer, sub: subject } = claims
  const name = nameAwsToken(aws.region)
  return {
    token,
    expiresAt: new Date(expiresAt.getTime() - clockOffsetMs),
    clockOffsetMs,
    shortenedBy: request.lifeSec < longestLifeSec ? 'lifetime' : undefined,
    facts: {
      ...toIdentityFacts(identity, aws),
      ...selectTexts({ issuer, subject }),
      ...toClaimFacts(claims, call.wantedFacts, name),
    },
  }
}

/** The parts of the machine that a mint uses: the host, and the PATH for a `credential_process`. */
interface IdentitySetup {
  readonly host: Host
  readonly path: string | undefined
}

async function mintByExchange(
  setup: IdentitySetup,
  call: MintCall,
  plan: IdentityTokenPlan,
  exchange: WorkloadPlan,
): Promise<MintedToken> {
  const { mintWorkloadToken } = await import('../../exchange/mint-workload-token.ts')
  let identity: WebIdentity | undefined
  const obtain = async (networkCall: NetworkCall) => {
    identity = await fetchIdentity(setup, networkCall, plan)
    return identity.token
  }
  const minted = await mintWorkloadToken(setup.host, call, { ...exchange, source: { ...exchange.source, obtain } })
  return { ...minted, facts: { ...(identity && toIdentityFacts(identity, plan.aws)), ...minted.facts } }
}

/** The facts that the token itself has, for which AWS is not asked. */
const tokenFacts: readonly string[] = ['account', 'role']

function fetchIdentity({ host, path }: IdentitySetup, given: NetworkCall, { request, aws }: IdentityTokenPlan) {
  const wantedFacts = new Set([...(given.wantedFacts ?? [])].filter((fact) => !tokenFacts.includes(fact)))
  return fetchWebIdentity(request, { host, call: { ...given, wantedFacts }, plan: aws, path })
}

/** Collects the facts of the credentials and of the ARN in the token, which has the role of a session. */
function toIdentityFacts({ credentials, claims }: WebIdentity, aws: AwsPlan): Record<string, string> {
  const subject = String(claims.sub)
  const [, account, role] = /^arn:[\w-]+:(?:iam|sts)::(\d+):(?:role\/(?:.*\/)?([^/]+)$)?/.exec(subject) ?? []
  return { ...toAwsFacts(credentials, aws), ...selectTexts({ account, role }) }
}

/** Warns of a wrong clock, unless AWS was asked for the credentials too, because that request has warned. */
function tellSkew({ clockOffsetMs, credentials }: WebIdentity, call: Call): void {
  if (credentials.clockOffsetMs !== undefined) return
  tellAwsSkew(clockOffsetMs, call)
}
