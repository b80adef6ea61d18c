import { HelperError } from '../../../../runtime/failure.ts'

/**
 * Compares the issuer of a discovery document with the one that is set. They have to be the same to the letter (OpenID Connect
 * Discovery 1.0, section 4.3): every token names the first, and who could answer for another one could sign in anybody.
 * @throws {HelperError} `not-configured` with the issuer to set, where the document names one.
 */
export function refuseOtherIssuer(published: unknown, issuer: string, name: string): void {
  if (published === issuer) return
  const text = typeof published === 'string' ? published.slice(0, 200) : undefined
  const message =
    text === undefined ? `${name} does not say which issuer it is` : `${name} is the issuer ${text}, not ${issuer}`
  throw new HelperError('not-configured', message, toHint(text, issuer))
}

function toHint(published: string | undefined, issuer: string): string {
  if (published === undefined) return 'correct issuer, or ask who runs the provider'
  // Entra's documents for several tenants name a template; every token names the tenant of its person.
  if (published.includes('{tenantid}'))
    return `set issuer to that of your tenant: ${published.replace('{tenantid}', 'TENANT-ID')}, with its ID in place of TENANT-ID; common, organizations and consumers stand for more than one`
  if (published.replace(/\/$/, '') === issuer.replace(/\/$/, ''))
    return `set issuer to ${published}, to the letter: the slash at the end counts`
  // Azure AD B2C's issuer names no policy, so that nothing answers below it.
  if (URL.parse(issuer)?.hostname.endsWith('.b2clogin.com'))
    return 'set the authorization URL and the token URL of the policy in place of issuer, or have the policy name itself in its issuer (tfp)'
  return `set issuer to ${published} if that is your organization's; otherwise ask who runs the provider`
}
