import { ApiError } from '../../api/problem/api-error.ts'
import { type ExchangedToken, exchangeToken } from '../../api/token-exchange.ts'
import type { NetworkCall } from '../../helper/define-helper.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { isTransient, isUnsent, type Outcome } from '../../runtime/network/fetch/retry-policy.ts'
import type { Secret } from '../../runtime/secret.ts'
import type { Jwt } from '../../runtime/tokens/jwt.ts'
import { describeSkew, type RequestTimes, toClockOffset } from '../clock-offset.ts'
import type { IdentitySource } from '../identity/identity-source.ts'
import { describeRefusal, isRefusedAssertion } from './describe-refusal.ts'
import type { ExchangeTarget } from './target.ts'

/** An identity token that is valid as far as this machine can tell, and may be sent (RFC 7523, section 2.1). */
export interface Assertion {
  readonly token: Secret
  readonly jwt: Jwt
  /** See `AssertionResult`. */
  readonly issuerAheadMs: number
  /** When an earlier run sent it and did not learn whether that used it, in milliseconds since the epoch. */
  readonly sentBefore?: number | undefined
}

/** An access token, with what the exchange showed about this machine's clock. */
export interface Exchanged {
  readonly token: ExchangedToken
  /** Epoch milliseconds by this machine's clock. */
  readonly sentAt: number
  /** The platform's clock less this machine's, in milliseconds; 0 where they agree, or the answer has no date. */
  readonly clockOffsetMs: number
  /** What is wrong with this machine's clock, in words; `undefined` where nothing is. */
  readonly skew: string | undefined
}

/** An exchange that failed, with what another attempt may send. */
export interface Failed {
  readonly failure: HelperError
  /**
   * The assertion of another attempt: `same` only where nothing has left this machine, because one may be valid for one use;
   * after a refusal a fresh one, once.
   */
  readonly again: 'same' | 'fresh' | 'fresh once' | 'never'
  /** How the request ended, for the pause; `undefined` where another attempt need not wait. */
  readonly outcome: Outcome | undefined
}

/** Exchanges an identity token, in one attempt. @throws {HelperError} `late` */
export async function exchangeAssertion(
  { token: assertion, jwt, issuerAheadMs, sentBefore }: Assertion,
  source: IdentitySource,
  target: ExchangeTarget,
  { host, call }: { host: Pick<Host, 'clock'>; call: NetworkCall },
): Promise<Exchanged | Failed> {
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
  const compareClocks = () => {
    const clockOffsetMs = findClockOffset(answer, { sentAt, receivedAt: host.clock.now() })
    const skew = describeSkew(clockOffsetMs, "the platform's") ?? describeSkew(issuerAheadMs, "the identity provider's")
    return { clockOffsetMs, skew }
  }
  try {
    const token = await call.deadline.during(
      'network',
      () => `the token exchange at ${target.host} (${stage})`,
      ({ signal }) => exchangeToken(toRequest(assertion, target), { ...context, signal }),
    )
    return { token, sentAt, ...compareClocks() }
  } catch (error) {
    if (!(error instanceof HelperError) || error.kind === 'late') throw error
    const { skew } = compareClocks()
    const sent = { jwt, source, target, assertion, skew, sentBefore }
    const failure = error instanceof ApiError ? describeRefusal(error, sent) : error
    return { failure, ...findRetry(error, answer ? { response: answer } : { error }) }
  }
}

function toRequest(assertion: Secret, target: ExchangeTarget) {
  const { organizationId, federationRuleId, serviceAccountId, workspaceId } = target
  return {
    ...{ assertion, organizationId, federationRuleId },
    ...(serviceAccountId !== undefined && { serviceAccountId }),
    ...(workspaceId !== undefined && { workspaceId }),
  }
}

function findRetry(error: HelperError, outcome: Outcome): Omit<Failed, 'failure'> {
  if (isTransient(outcome)) {
    const isSent = 'response' in outcome || !isUnsent(outcome.error)
    return { again: isSent ? 'fresh' : 'same', outcome }
  }
  // A refused assertion may have been used before or be too old, and a new one may be accepted.
  const again = error instanceof ApiError && isRefusedAssertion(error) ? 'fresh once' : 'never'
  return { again, outcome: undefined }
}

function findClockOffset(answer: Response | undefined, times: RequestTimes): number {
  if (!answer) return 0
  const { headers } = answer
  return toClockOffset({ date: headers.get('date'), age: headers.get('age') }, times)
}
