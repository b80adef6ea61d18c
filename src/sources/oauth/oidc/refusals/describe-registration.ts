import { detectProviderFamily } from '../../../../contract/identity-providers/detect-family.ts'
import type { ProviderFamily } from '../../../../contract/identity-providers/family.ts'
import { toRegisteredRedirect } from '../../../../contract/identity-providers/to-registered-redirect.ts'
import type { RefusalContext, RefusalFacts } from './reasons/refusal.ts'

/** Where and how a sign-in is registered with its provider, as hints say it. */
export function describeRegistration(context: RefusalContext): RefusalFacts['registration'] {
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
