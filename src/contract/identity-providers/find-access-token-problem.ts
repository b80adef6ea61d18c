import { detectProviderFamily } from './detect-family.ts'
import type { FamilyName } from './family.ts'
import type { FindProblem, ProviderSettings } from './provider-settings.ts'

/** An access token that nobody but its issuer can read or check, where it is the one that the gateway gets. */
export const findAccessTokenProblem: FindProblem = (settings, name) => {
  const family = detectProviderFamily(settings)
  const why = settings.bearerTokenType === 'access_token' ? reasons[family.name]?.(settings) : undefined
  if (why === undefined) return undefined
  return {
    setting: 'bearerTokenType',
    code: 'access-token-unverifiable',
    message: `no gateway can check this access token: ${why.problem}`,
    hint: why.remedy(name('bearerTokenType')),
  }
}

interface Why {
  readonly problem: string
  readonly remedy: (setting: string) => string
}

const useIdToken = (setting: string) => `set ${setting} to id_token`

const reasons: Partial<Record<FamilyName, (settings: ProviderSettings) => Why | undefined>> = {
  entra: findGraphToken,
  'entra-external': findGraphToken,
  google: () => ({ problem: 'those of Google are opaque', remedy: useIdToken }),
  // The authorization server of the organization: "OAuth 2.0 and OpenID Connect overview" (Okta), access tokens of it are for Okta.
  okta: ({ issuer = '' }) =>
    /\/oauth2\/[^/]+/.test(issuer)
      ? undefined
      : {
          problem: "those of the organization's own authorization server are for Okta alone",
          remedy: (setting) => `set the issuer to one that ends in /oauth2/…, or ${setting} to id_token`,
        },
  auth0: ({ parameters }) =>
    parameters?.audience === undefined
      ? {
          problem: 'without the parameter audience those of Auth0 are opaque',
          remedy: (setting) =>
            parameters
              ? 'set the authorization parameter audience to the identifier of the API'
              : `set ${setting} to id_token, or a default audience in the settings of the tenant`,
        }
      : undefined,
  salesforce: () => ({ problem: 'those of Salesforce are opaque unless JWTs are switched on', remedy: useIdToken }),
}

/** Scopes of OpenID Connect and of Microsoft Graph bring a token for Microsoft Graph, which nobody else can verify. */
function findGraphToken({ scopes, issuer = '' }: ProviderSettings): Why | undefined {
  if (issuer.startsWith('https://sts.')) return undefined
  const others = (scopes ?? '').split(/\s+/).filter((scope) => scope !== '' && !ofOpenId.has(scope))
  if (scopes === undefined || others.some((scope) => !isOfGraph(scope))) return undefined
  return {
    problem: 'with these scopes it is for Microsoft Graph',
    remedy: (setting) => `add a scope of an API of your own, such as api://…/access, or set ${setting} to id_token`,
  }
}

const ofOpenId: ReadonlySet<string> = new Set(['openid', 'profile', 'email', 'offline_access'])

/** A scope without the name of its API is one of Graph's. */
function isOfGraph(scope: string): boolean {
  return /^https:\/\/graph\.microsoft\./.test(scope) || !/[/:]/.test(scope)
}
