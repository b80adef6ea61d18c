import { ApiError } from '../../api/problem/api-error.ts'
import { type ExchangedToken, exchangeToken } from '../../api/token-exchange.ts'
import type { NetworkCall } from '../../helper/define-helper.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { isTransient, isUnsent, type Outcome, pauseMs } from '../../runtime/network/fetch/retry-policy.ts'
import type { Secret } from '../../runtime/secret.ts'
import { describeSkew, type Exchange, readOffset } from '../clock-offset.ts'
import type { IdentitySource } from '../identity/identity-source.ts'
import type { Jwt } from '../jwt.ts'
import { describeRefusal } from './describe-refusal.ts'
import type { ExchangeTarget } from './plan.ts'

/** An identity token that may be sent. */
export interface Assertion {
  readonly token: Secret
  readonly jwt: Jwt
  /** See `Judgement`. */
  readonly issuerAheadMs: number
}

export interface Exchanged {
  readonly token: ExchangedToken
  /** Epoch milliseconds by this machine's clock. */
  readonly sentAt: number
  /** The platform's clock less this machine's; 0 where they agree, or it did not tell. */
  readonly clockOffsetMs: number
  /** What is wrong with this machine's clock, in words. */
  readonly skew: string | undefined
}

export interface Failed {
  readonly failure: HelperError
  /** What may be sent in a second attempt: `same` only where nothing has left this machine. */
  readonly again: 'same' | 'fresh' | 'never'
  readonly pauseMs: number
}

/** Exchanges an identity token, in one attempt. @throws {HelperError} `late` */
export async function exchangeAssertion(
  { token: assertion, jwt, issuerAheadMs }: Assertion,
  source: IdentitySource,
  target: ExchangeTarget,
  { host, call }: { host: Pick<Host, 'clock'>; call: NetworkCall },
): Promise<Exchanged | Failed> {
  const { serviceAccountId, workspaceId } = target
  const request = {
    assertion,
    organizationId: target.organizationId,
    federationRuleId: target.federationRuleId,
    ...(serviceAccountId !== undefined && { serviceAccountId }),
    ...(workspaceId !== undefined && { workspaceId }),
  }
  let stage = 'connecting'
  let answer: Response | undefined
  const context = {
    baseUrl: target.baseUrl,
    network: call.network,
    report: (next: string) => {
      stage = next
    },
    onAnswer: (received: Response) => {
      answer = received
    },
  }
  const sentAt = host.clock.now()
  const validateClock = () => {
    const clockOffsetMs = offsetIn(answer, { sentAt, receivedAt: host.clock.now() })
    const skew = describeSkew(clockOffsetMs, "the platform's") ?? describeSkew(issuerAheadMs, "the identity provider's")
    return { clockOffsetMs, skew }
  }
  try {
    const token = await call.deadline.during(
      () => `the token exchange at ${target.who} (${stage})`,
      ({ signal }) => exchangeToken(request, { ...context, signal }),
    )
    return { token, sentAt, ...validateClock() }
  } catch (error) {
    if (!(error instanceof HelperError) || error.kind === 'late') throw error
    const { skew } = validateClock()
    const failure = error instanceof ApiError ? describeRefusal(error, { jwt, source, target, assertion, skew }) : error
    return { failure, ...validateRepetition(error, answer ? { response: answer } : { trouble: error }) }
  }
}

function validateRepetition(error: HelperError, outcome: Outcome): Omit<Failed, 'failure'> {
  if (isTransient(outcome)) {
    const isFresh = 'response' in outcome || !isUnsent(outcome.trouble)
    return { again: isFresh ? 'fresh' : 'same', pauseMs: pauseMs(outcome, 1) }
  }
  // What is refused may have been used before, or be too old already.
  const isRefused = error instanceof ApiError && (error.type === 'invalid_grant' || error.status === 401)
  return { again: isRefused ? 'fresh' : 'never', pauseMs: 0 }
}

function offsetIn(answer: Response | undefined, times: Exchange): number {
  if (!answer) return 0
  const { headers } = answer
  return readOffset({ date: headers.get('date'), age: headers.get('age') }, times)
}
