import { existsSync } from 'node:fs'
import { accountPattern } from '../../../contract/aws/caller-identity.ts'
import { findKeyGateway } from '../../../contract/aws/keys.ts'
import { chooseSettings } from '../../../contract/identity-providers/choose-settings.ts'
import { detectProviderFamily, providerFamilies } from '../../../contract/identity-providers/detect-family.ts'
import { isEntraFamily } from '../../../contract/identity-providers/family.ts'
import { validateIssuer as findIssuerProblem } from '../../../contract/identity-providers/validate-provider.ts'
import { toOneLine } from '../../../runtime/failure.ts'
import { isPlainLoopback, isSecureAddress } from '../../../runtime/network/addresses.ts'
import { programName } from '../../../version.ts'
import { validateField } from '../../config/init/collect-helper.ts'
import { sharedWords } from '../../config/init/question.ts'
import { usualHelpers } from '../../helper-choices.ts'
import { type AnswerName, isNone, type SetupAnswers } from '../answers.ts'
import { examineIssuer } from '../examine-addresses.ts'
import {
  findHelper,
  hasOption,
  isAws,
  isOpenId,
  later,
  none,
  type SetupQuestion,
  type SetupSituation,
  toFullPath,
} from '../setup-question.ts'

/** People first type the names of providers: all of them use the same helper. */
const identityAliases: Readonly<Record<string, string>> = Object.fromEntries([
  ...Object.values(providerFamilies)
    .filter(({ name }) => name !== 'other')
    .flatMap(({ name, title }) => [name, title.toLowerCase()])
    .concat('oidc', 'openid', 'entra id', 'azure', 'azure-ad')
    .map((name) => [name, usualHelpers.openid] as const),
  ...['aws', 'bedrock'].map((name) => [name, usualHelpers.bedrock] as const),
])

/** The identities of people for the gateway, and how they sign in. */
export const identityQuestions: readonly SetupQuestion[] = [
  {
    name: 'identity',
    summary: `who people are to the gateway: a helper, external-idp or static (in doubt: ${programName} choose)`,
    words: 'Who are people to the gateway, and who renews',
    choices: ({ cli }) => ({
      ...Object.fromEntries([...cli.helpers].map(([name, { summary }]) => [name, summary])),
      ...kinds,
    }),
    fallback: ({ cli, answers: { 'base-url': baseUrl = '' } }) => {
      const isAwsHost = URL.canParse(baseUrl) && findKeyGateway(new URL(baseUrl).hostname) !== undefined
      const value = isAwsHost ? usualHelpers.bedrock : usualHelpers.openid
      return cli.helpers.has(value) ? { value } : undefined
    },
    aliases: identityAliases,
  },
  {
    name: 'api-key-file',
    summary: 'for static: a file that holds the key',
    words: sharedWords.apiKeyFile,
    applies: ({ answers }) => answers.identity === 'static',
    normalize: toFullPath,
    validate: (path) => (existsSync(path) ? undefined : `there is no file ${toOneLine(path)}`),
  },
  {
    name: 'issuer',
    summary: 'for OpenID: the issuer of the provider',
    words: 'Issuer of the identity provider',
    applies: isOpenId,
    validate: validateIssuer,
    examine: (issuer, { cli, answers }) => examineIssuer(cli.host, answers, issuer),
  },
  {
    name: 'client-id',
    summary: 'for OpenID: the client ID of the registration',
    words: 'Client ID of its registration there (later: the folder says how to register it)',
    applies: isOpenId,
    missingUntil: 'document',
    names: [later.value],
    fallback: () => later,
    validate: (clientId, { answers }) => validateEntraClientId(clientId, answers.issuer),
  },
  {
    name: 'scopes',
    summary: 'for OpenID: the scopes that make an access token for the gateway; none sends the ID token',
    words: "Scope of the gateway's API, such as api://…/access",
    told: ({ answers }) => [
      'With a scope people send an access token, whose audience is the gateway; with none the ID token, whose audience is the client.',
      `With this provider: ${detectProviderFamily(answers).gatewayToken.why}.`,
    ],
    applies: isOpenId,
    fallback: () => none,
    names: [none.value],
  },
  {
    name: 'refresh-token-store',
    summary: 'where the helper keeps the refresh token of a person: keychain, file or none',
    words: 'Where is the refresh token kept',
    choices: () => ({
      keychain:
        'sealed, with its key in the keychain of the system: nobody is asked until the provider ends the sign-in',
      file: 'encrypted, with its key in another file of the same user: the same, where desktops have no keychain',
      none: 'nowhere: people sign in again whenever a token ends, with most providers every hour',
    }),
    applies: (situation) => hasOption(situation, 'refresh-token-store'),
    fallback: () => ({ value: 'keychain' }),
  },
  {
    name: 'redirect-port',
    summary: 'for OpenID: the port of the redirect, where the provider compares it',
    applies: isOpenId,
    fallback: ({ answers }) => {
      const { redirectPort } = chooseSettings(answers)
      return redirectPort === undefined ? undefined : { value: String(redirectPort) }
    },
  },
  {
    name: 'key-header',
    summary: 'a header for a second credential: a key that each machine keeps',
    applies: (situation) => hasOption(situation, 'sign-in') && findHelper(situation) !== undefined,
    validate: (name) => (/^[\w-]+$/.test(name) ? undefined : 'expected the name of a header'),
  },
]

/** The rules of the check apply, except that a provider on this machine may use http, as helpers permit. */
async function validateIssuer(issuer: string, { cli }: SetupSituation): Promise<string | undefined> {
  const problem = findIssuerProblem({ issuer }, () => '--issuer')
  if (problem) return `${problem.message}; ${problem.hint}`
  const tenantProblem = URL.canParse(issuer) ? validateEntraTenant(issuer) : undefined
  if (tenantProblem !== undefined) return tenantProblem
  if (isPlainLoopback(issuer)) return undefined
  const credential = { kind: 'external-idp' as const, oidc: { issuer } }
  return validateField(cli, { inference: { provider: 'gateway', credential } }, 'inference.credential.oidc.issuer')
}

/** Identities that are kinds of credential of the document itself, not helpers. */
const kinds = {
  'external-idp': 'the client itself signs people in with an OpenID provider, and renews the sign-in',
  static: 'one API key for everybody, which stands in the document',
} as const

/** Entra ID gives every tenant and every registration an ID of this form (Microsoft Learn, "Find your tenant ID"). */
const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Returns the problem of the tenant in an issuer of Entra ID. A verified domain leads to the metadata of its tenant, but the metadata and
 * every token name the tenant by its ID, and the helper refuses another issuer than the given one.
 */
function validateEntraTenant(issuer: string): string | undefined {
  const { hostname, pathname } = new URL(issuer)
  const [tenant = ''] = pathname.split('/').filter((part) => part !== '')
  if (detectProviderFamily({ issuer }).name !== 'entra' || guid.test(tenant)) return undefined
  const shown = toOneLine(decodeURIComponent(tenant))
  if (/^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(shown))
    return `${shown} is a domain of the tenant, and every token names the tenant by its ID; open https://${hostname}/${shown}/v2.0/.well-known/openid-configuration and pass what stands there behind "issuer"`
  return `${JSON.stringify(shown)} is not the ID of a tenant; pass https://${hostname}/TENANT-ID/v2.0 with the tenant ID, which the overview of Entra ID shows`
}

/** Returns whether an issuer is a tenant of Entra ID, of either kind. */
export function isEntra(issuer: string | undefined): boolean {
  return isEntraFamily(detectProviderFamily({ issuer }).name)
}

/**
 * Returns the problem with the audience of an access token of version 2.0, whose issuer ends with the version: "In v2.0 tokens, this value
 * is always the client ID of the API" (Microsoft Learn, "Access token claims reference", aud).
 */
export function validateEntraAudience(
  audience: string,
  { issuer = '', scopes }: Pick<SetupAnswers, AnswerName>,
): string | undefined {
  if (!isEntra(issuer) || !/\/v2\.0\/?$/.test(issuer) || isNone(scopes) || guid.test(audience)) return undefined
  return 'tokens of version 2.0 name the API by the application (client) ID of its own registration, and never by its api:// URI; pass that ID, such as 22222222-3333-4444-5555-666666666666, or later'
}

/** The groups claim contains object IDs, except for synchronized groups (Microsoft Learn, "Configure group claims"). */
export function describeGroupNames(
  allow: string,
  issuer: string | undefined,
): { readonly message: string; readonly hint: string } | undefined {
  const group = /^groups=(.+)$/.exec(allow)?.[1]
  if (group === undefined || !isEntra(issuer) || guid.test(group)) return undefined
  return {
    message: toOneLine(
      `--allow groups=${group}: Entra ID writes the object IDs of cloud groups into tokens, and not their names`,
    ),
    hint: 'pass --allow groups=OBJECT-ID, or better a role of the application: --allow roles=llm-users',
  }
}

/** Returns the problem with the client ID of a registration with Entra ID. */
function validateEntraClientId(clientId: string, issuer: string | undefined): string | undefined {
  if (!isEntra(issuer) || guid.test(clientId)) return undefined
  return 'it is not the ID of a registration; pass the application (client) ID, which the overview of the app registration shows, such as 11111111-2222-3333-4444-555555555555'
}

/** The AWS identity of people, if the helper uses one. */
export const awsQuestions: readonly SetupQuestion[] = [
  {
    name: 'sso-start-url',
    summary: 'for AWS: the start URL of IAM Identity Center, for a profile to hand out; none if people have profiles',
    words: 'Start URL of IAM Identity Center, for a profile to hand out (none: people have profiles)',
    applies: isAws,
    fallback: () => none,
    names: [none.value],
    validate: (url) => (isSecureAddress(url) ? undefined : 'expected a URL with https://'),
  },
  {
    name: 'sso-region',
    summary: 'its region',
    words: 'Region of IAM Identity Center',
    applies: isSso,
    fallback: ({ answers: { 'base-url': baseUrl = '' } }) => {
      const gateway = URL.canParse(baseUrl) ? findKeyGateway(new URL(baseUrl).hostname) : undefined
      return gateway === undefined ? undefined : { value: gateway.region }
    },
    validate: (region) => (/^[a-z]+(-[a-z]+)+-\d$/.test(region) ? undefined : 'expected a region such as eu-central-1'),
  },
  {
    name: 'sso-account',
    summary: 'the AWS account in which people act',
    words: 'AWS account in which people act',
    applies: isSso,
    validate: (account) => (accountPattern.test(account) ? undefined : 'expected twelve digits'),
  },
  {
    name: 'sso-role',
    summary: 'the permission set that people have there',
    words: 'Permission set that people have there',
    applies: isSso,
    validate: (role) => (/^[\w+=,.@-]{1,32}$/.test(role) ? undefined : 'expected the name of a permission set'),
  },
  {
    name: 'gateway-audience',
    summary: 'for a token that names the gateway: the name by which the gateway knows itself (default: its host)',
    applies: (situation) => hasOption(situation, 'audience') && isAws(situation),
    fallback: ({ answers }) => {
      const host = URL.parse(answers['base-url'] ?? '')?.hostname
      return host === undefined ? undefined : { value: host }
    },
  },
]

function isSso(situation: SetupSituation): boolean {
  return isAws(situation) && !isNone(situation.answers['sso-start-url'])
}
