import { HelperError } from '../../../../runtime/failure.ts'
import { describeRegistration } from './describe-registration.ts'
import { findVendorCode, type VendorCode } from './find-vendor-code.ts'
import { entraReasons } from './reasons/entra-reasons.ts'
import { hostedTexts } from './reasons/hosted-texts.ts'
import { installedTexts } from './reasons/installed-texts.ts'
import type { Reason, Refusal, RefusalContext, RefusalFacts } from './reasons/refusal.ts'
import { isRenewal } from './reasons/refusal.ts'
import { standardReasons } from './reasons/standard-reasons.ts'
import { renderProviderText } from './render-provider-text.ts'

/**
 * Why a provider refused a sign-in, its renewal or its end, and what to do. What a callback says in words is compared with known
 * sentences and never shown: whoever has the address can send it. What a token endpoint says is shown where we know no better.
 */
export function explainRefusal(refusal: Refusal, context: RefusalContext): HelperError {
  const facts = { refusal, context, registration: describeRegistration(context) }
  const vendor = findVendorCode(refusal.description)
  const known = findKnownReason(facts, vendor)
  const { kind, problem, hint } = known ?? findGeneralReason(facts, vendor)
  const said = known === undefined && refusal.where !== 'callback' ? renderProviderText(refusal.description) : ''
  const what = refusal.where === 'revocation' ? 'the sign-out from' : 'the sign-in to'
  return new HelperError(kind, `${what} ${context.subject} ${problem}${renderCode(vendor, refusal.error)}${said}`, hint)
}

const texts = [...hostedTexts, ...installedTexts]

/** A reason that says it all, so that the provider's own words add nothing. */
function findKnownReason(facts: RefusalFacts, { entra = '' }: VendorCode): Reason | undefined {
  const { status = 0, description = '', where } = facts.refusal
  if (status >= 500 || status === 429)
    return {
      kind: 'unavailable',
      problem: `cannot be completed now: the provider is busy or broken, HTTP ${status}`,
      hint: 'try again in a moment',
    }
  if (where === 'revocation') return undefined
  const reason = entraReasons.get(entra) ?? texts.find(([pattern]) => pattern.test(description))?.[1]
  return reason?.(facts)
}

function findGeneralReason(facts: RefusalFacts, { entra }: VendorCode): Reason {
  const reason = standardReasons.get(facts.refusal.error)
  if (facts.refusal.where === 'revocation')
    return reason === undefined ? endElsewhere : { ...reason(facts), kind: 'refused' }
  // A code of Entra ID that is in no table still says more than `invalid_grant`, and Microsoft explains it.
  if (reason && entra === undefined) return reason(facts)
  return {
    kind: reason?.(facts).kind ?? 'refused',
    problem: isRenewal(facts) ? 'cannot be renewed' : `was refused by ${facts.registration.provider}`,
    hint: describeLookup(facts.refusal, entra),
  }
}

/** Where the code is explained. A page that a callback names is not repeated: whoever has the address can send it. */
function describeLookup({ errorUri = '', where }: Refusal, entra: string | undefined): string {
  if (entra !== undefined) return `look up what it means: https://login.microsoftonline.com/error?code=${entra}`
  const url = where === 'callback' || errorUri.length > longestPage ? null : URL.parse(errorUri)
  const isPage = url?.protocol === 'https:' && url.username === ''
  return isPage ? `look up what it means: ${url.href}` : 'start again, or ask who runs the provider'
}

/** In characters. */
const longestPage = 200

const endElsewhere: Reason = {
  kind: 'refused',
  problem: 'was refused by the provider',
  hint: 'end the session at the provider, on its page of sessions',
}

/** A code that is in use looks like this; one of another form is not repeated. */
const shownCode = /^[\w.-]{1,60}$/

/** `access_denied` says nothing that the message does not. */
function renderCode({ shown }: VendorCode, error: string): string {
  const code = shown ?? (error === 'access_denied' || !shownCode.test(error) ? undefined : error)
  return code === undefined ? '' : ` (${code})`
}
