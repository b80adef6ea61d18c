import { detectProviderFamily } from './detect-family.ts'
import type { FindProblem } from './provider-settings.ts'

/** An issuer is compared with the one in the metadata and in each token, character by character (OpenID Connect Discovery 1.0, section 4.3). */
export const findIssuerProblem: FindProblem = (settings, name) => {
  const { issuer } = settings
  if (issuer === undefined || !URL.canParse(issuer)) return undefined
  if (metadataPath.test(issuer))
    return {
      setting: 'issuer',
      code: 'issuer-inexact',
      message: 'it is the address of the metadata, which begins with the issuer',
      hint: `remove ${metadataPath.exec(issuer)?.[0]} from ${name('issuer')}`,
    }
  return detectProviderFamily(settings).name === 'entra' ? findEntraProblem(settings, name) : undefined
}

const metadataPath = /\/\.well-known\/(openid-configuration|oauth-authorization-server)\/?$/

/** Microsoft Learn, "OpenID Connect on the Microsoft identity platform": tenants, versions, and the issuer in their metadata. */
const findEntraProblem: FindProblem = ({ issuer = '' }, name) => {
  const { hostname, pathname } = new URL(issuer)
  const [tenant, version] = pathname.split('/').filter((part) => part !== '')
  if (/^(common|organizations|consumers)$/.test(tenant ?? ''))
    return {
      setting: 'issuer',
      code: 'issuer-of-any-tenant',
      message: 'it names no tenant, and every token names one: whoever compares them refuses the token',
      hint: `put the ID of the tenant into ${name('issuer')} instead of ${tenant}`,
    }
  if (hostname.startsWith('sts.') || version === 'v2.0') return undefined
  return {
    setting: 'issuer',
    code: 'issuer-inexact',
    message:
      'without /v2.0 the metadata there name another issuer (https://sts.windows.net/…), and the sign-in is refused',
    hint: `set ${name('issuer')} to https://${hostname}/${tenant ?? 'TENANT'}/v2.0`,
  }
}
