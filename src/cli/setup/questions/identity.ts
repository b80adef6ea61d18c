import { existsSync } from 'node:fs'
import { findKeyGateway } from '../../../contract/aws/keys.ts'
import { chooseSettings } from '../../../contract/identity-providers/choose-settings.ts'
import { detectProviderFamily, providerFamilies } from '../../../contract/identity-providers/detect-family.ts'
import { validateIssuer as findIssuerProblem } from '../../../contract/identity-providers/provider-settings.ts'
import { toOneLine } from '../../../runtime/failure.ts'
import { usualHelpers } from '../../choose/choices.ts'
import { validateField } from '../../config/init/helper-script.ts'
import { examineIssuer } from '../examine-addresses.ts'
import {
  findHelper,
  hasOption,
  isOpenId,
  isWebAddress,
  later,
  none,
  type SetupQuestion,
  type SetupSituation,
  toFullPath,
} from '../setup-question.ts'
import { validateEntraClientId, validateEntraTenant } from './entra.ts'

/** Providers by name are what a person tries first: people of each of them sign in with one helper. */
const identityAliases: Readonly<Record<string, string>> = Object.fromEntries([
  ...Object.values(providerFamilies)
    .filter(({ name }) => name !== 'other')
    .flatMap(({ name, title }) => [name, title.toLowerCase()])
    .concat('oidc', 'openid', 'entra id', 'azure', 'azure-ad')
    .map((name) => [name, usualHelpers.openid] as const),
  ...['aws', 'bedrock'].map((name) => [name, usualHelpers.bedrock] as const),
])

/** The identities that people have for the gateway, and how they sign in. */
export const identityQuestions: readonly SetupQuestion[] = [
  {
    name: 'identity',
    summary: 'who people are to the gateway: a helper, external-idp or static (in doubt: gatepass choose)',
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
    words: 'File that holds the API key',
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
    missingUntil: 'the document and its exports',
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

/** By the rules of the check, except that a provider on this machine may be tried over http, as helpers allow. */
async function validateIssuer(issuer: string, { cli }: SetupSituation): Promise<string | undefined> {
  const problem = findIssuerProblem({ issuer }, () => '--issuer')
  if (problem) return `${problem.message}; ${problem.hint}`
  const tenantProblem = URL.canParse(issuer) ? validateEntraTenant(issuer) : undefined
  if (tenantProblem !== undefined) return tenantProblem
  if (URL.parse(issuer)?.protocol === 'http:' && isWebAddress(issuer)) return undefined
  const credential = { kind: 'external-idp' as const, oidc: { issuer } }
  return validateField(cli, { inference: { provider: 'gateway', credential } }, 'inference.credential.oidc.issuer')
}

/** Identities that are not helpers of the suite: kinds of credential of the document itself. */
const kinds = {
  'external-idp': 'the client itself signs people in with an OpenID provider, and renews the sign-in',
  static: 'one API key for everybody, which stands in the document',
} as const
