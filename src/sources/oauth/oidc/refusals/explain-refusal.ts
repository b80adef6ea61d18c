// Folder: explaining a provider's refusal by its codes and sentences, with a hint.

import { detectProviderFamily } from '../../../../contract/identity-providers/detect-family.ts'
import { type ProviderFamily, toRegisteredRedirect } from '../../../../contract/identity-providers/family.ts'
import { isErrorCode } from '../../../../contract/oauth-names.ts'
import { HelperError, toOneLine } from '../../../../runtime/failure.ts'
import { againHint, isBusyStatus } from '../../../../runtime/network/network-failure.ts'
import { askProviderHint } from '../../flow.ts'
import { entraReasons } from './entra-reasons.ts'
import { providerTexts } from './provider-texts.ts'
import {
  endElsewhereHint,
  isRenewal,
  type ProviderRefusal,
  type Reason,
  type RefusalContext,
  type RefusalFacts,
} from './refusal.ts'
import { standardReasons } from './standard-reasons.ts'

/**
 * Explains why a provider refused a sign-in, its renewal or its end, and what to do. The description of a callback is compared with known
 * sentences and never shown, because anybody who has the address can send it. The description of a token endpoint is shown if no
 * better explanation is known.
 */
export function explainRefusal(refusal: ProviderRefusal, context: RefusalContext): HelperError {
  const facts = { refusal, context, registration: toRegistration(context) }
  const vendor = parseVendorCode(refusal.description)
  const known = findKnownReason(facts, vendor)
  const { kind, problem, hint } = known ?? chooseGeneralReason(facts, vendor)
  const said = known === undefined && refusal.where !== 'callback' ? renderProviderText(refusal.description) : ''
  const what = refusal.where === 'revocation' ? 'the sign-out from' : 'the sign-in to'
  return new HelperError(kind, `${what} ${context.subject} ${problem}${renderCode(vendor, refusal.error)}${said}`, hint)
}

/** The error code of Microsoft in a description. */
interface VendorCode {
  /** The number in `AADSTS…`. */
  readonly entra?: string
  /** The whole code, as messages show it. */
  readonly shown?: string
}

/** Collects the texts for hints about how a sign-in is registered with its provider. */
function toRegistration(context: RefusalContext): RefusalFacts['registration'] {
  const family = detectProviderFamily(context)
  return {
    provider: family.title,
    registerRedirect: describeRedirectHint(context, family),
    makePublic: family.publicSetting,
    audience: family.audience,
  }
}

function describeRedirectHint({ redirectUri, clientId }: RefusalContext, family: ProviderFamily): string {
  if (family.redirectSetting === undefined)
    return `${family.publicSetting}, which needs no redirect URI, and use its ID`
  const uri = redirectUri === undefined ? 'the redirect URI' : `exactly ${toRegisteredRedirect(redirectUri, family)}`
  return `register ${uri} ${family.redirectSetting}, for the client ${clientId}`
}

/** Parses the code with which a description of Entra ID or AD FS begins. The pattern matches nothing else. */
function parseVendorCode(description = ''): VendorCode {
  const [, entra] = /\bAADSTS(\d{5,8})\b/.exec(description) ?? []
  if (entra !== undefined) return { entra, shown: `AADSTS${entra}` }
  const [shown] = /\bMSIS\d{4,5}\b/.exec(description) ?? []
  return shown === undefined ? {} : { shown }
}

/** Finds a reason that is complete, so that the provider's own words add nothing. */
function findKnownReason(facts: RefusalFacts, { entra = '' }: VendorCode): Reason | undefined {
  const { status = 0, description = '', where } = facts.refusal
  if (isBusyStatus(status))
    return {
      kind: 'unavailable',
      problem: `cannot be completed now: the provider is busy or broken, HTTP ${status}`,
      hint: againHint,
    }
  if (where === 'revocation') return undefined
  const reason = entraReasons.get(entra) ?? providerTexts.find(([pattern]) => pattern.test(description))?.[1]
  return reason?.(facts)
}

function chooseGeneralReason(facts: RefusalFacts, { entra }: VendorCode): Reason {
  const reason = standardReasons.get(facts.refusal.error)
  if (facts.refusal.where === 'revocation')
    return reason === undefined ? endElsewhere : { ...reason(facts), kind: 'refused' }
  // A code of Entra ID outside of the tables still has more meaning than `invalid_grant`, and Microsoft's page explains it.
  if (reason && entra === undefined) return reason(facts)
  return {
    kind: reason?.(facts).kind ?? 'refused',
    problem: isRenewal(facts) ? 'cannot be renewed' : `was refused by ${facts.registration.provider}`,
    hint: describeLookup(facts.refusal, entra),
  }
}

/** Describes the page that explains the code. A page in a redirect is not repeated, because anybody who has the address can send it. */
function describeLookup({ errorUri = '', where }: ProviderRefusal, entra: string | undefined): string {
  if (entra !== undefined) return `look up what it means: https://login.microsoftonline.com/error?code=${entra}`
  const url = where === 'callback' || errorUri.length > longestPage ? null : URL.parse(errorUri)
  const isPage = url?.protocol === 'https:' && url.username === ''
  return isPage ? `look up what it means: ${url.href}` : askProviderHint
}

/** In characters: the longest address of a page. Our decision. */
const longestPage = 200

const endElsewhere: Reason = {
  kind: 'refused',
  problem: 'was refused by the provider',
  hint: endElsewhereHint,
}

/** Renders the description of a token endpoint as the end of a message: one line, bounded, without tokens; empty if there is none. */
function renderProviderText(description: string | undefined): string {
  const line = toOneLine((description ?? '').replace(longWord, '[…]'))
  if (line === '') return ''
  const shown = line.length > longestText ? `${line.slice(0, longestText)}…` : line
  return `; it says: ${shown.replace(/[.\s]+$/, '')}`
}

/** Renders the code of a refusal; empty for `access_denied`, because the message has the same meaning. */
function renderCode({ shown }: VendorCode, error: string): string {
  const code = shown ?? (error === 'access_denied' || !isErrorCode(error) ? undefined : error)
  return code === undefined ? '' : ` (${code})`
}

/** In characters: how much of a provider's own text is shown. Our decision. */
const longestText = 200

/** A word that looks like a token or a code that was sent, which must not be in a log. Ids with hyphens, which support asks for, stay. */
const longWord = /[A-Za-z0-9+/=_.~-]{41,}/g
