import { type FailureKind, HelperError } from '../../../runtime/failure.ts'
import { describeSkew } from '../../clock-offset.ts'
import { describeService, describeSignIn, type LoginSite } from './login-site.ts'

interface Refusal {
  readonly kind: FailureKind
  readonly message: string
  readonly hint: string
}

/** What the reasons mean with which the service denies tokens. Its published model, 2023-01-01, `OAuth2ErrorCode`. */
const refusals: Readonly<Record<string, (site: LoginSite) => Refusal>> = {
  TOKEN_EXPIRED: (site) => ({
    kind: 'sign-in-required',
    message: `${describeSignIn(site)} has ended`,
    hint: site.renewalHint,
  }),
  AUTHCODE_EXPIRED: (site) => ({
    kind: 'sign-in-required',
    message: `${describeSignIn(site)} took too long: AWS no longer accepts its code`,
    hint: site.renewalHint,
  }),
  USER_CREDENTIALS_CHANGED: (site) => ({
    kind: 'sign-in-required',
    message: `${describeSignIn(site)} has ended, because the password of ${site.session} or its permissions have changed`,
    hint: site.renewalHint,
  }),
  INSUFFICIENT_PERMISSIONS: (site) => ({
    kind: 'refused',
    message: `AWS does not allow ${site.session} the console sign-in for programs, which profile "${site.profile}" needs`,
    hint: 'have the AWS managed policy SignInLocalDevelopmentAccess attached to that identity',
  }),
}

/**
 * A refusal of the service in words. What has no known reason is repeated only where it looks like one.
 * @param clockOffsetMs AWS's clock less this machine's: a proof that is dated wrong is refused as malformed.
 */
export function toRefusal(
  answer: { reason: unknown; status: number; clockOffsetMs: number },
  site: LoginSite,
): HelperError {
  const { reason, status, clockOffsetMs } = answer
  const code = typeof reason === 'string' && /^\w{1,60}$/.test(reason) ? reason : undefined
  const known = code !== undefined && Object.hasOwn(refusals, code) ? refusals[code]?.(site) : undefined
  if (known) return new HelperError(known.kind, known.message, known.hint)
  const detail = [code, `HTTP ${status}`].filter(Boolean).join(', ')
  const message = `${describeService(site)} refused ${describeSignIn(site)} (${detail})`
  const skew = describeSkew(clockOffsetMs, "AWS's")
  if (skew !== undefined) return new HelperError('refused', `${message}: ${skew}`, 'set the clock of this machine')
  return new HelperError('refused', message, site.renewalHint)
}
