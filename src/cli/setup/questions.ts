import { isAbsolute, posix, win32 } from 'node:path'
import { chooseTtlSec } from '../../config/render/create-document.ts'
import { findKeyGateway } from '../../contract/aws/keys.ts'
import { chooseSettings } from '../../contract/identity-providers/choose-settings.ts'
import { detectProviderFamily } from '../../contract/identity-providers/detect-family.ts'
import { validateIssuer as findIssuerProblem } from '../../contract/identity-providers/provider-settings.ts'
import type { AnyHelper } from '../../helper/define-helper.ts'
import { toOneLine } from '../../runtime/failure.ts'
import { isLoopback } from '../../runtime/network/loopback.ts'
import { knownClients } from '../../vendor/known-clients.ts'
import { isNeutral } from '../../vendor.ts'
import { validateDestination } from '../ask-to-run.ts'
import { usualHelpers } from '../choose/choices.ts'
import type { Cli } from '../cli.ts'
import { validateField, validateTtl } from '../config/init/helper-script.ts'
import { recipes } from '../gateway/verifier/command.ts'
import { type AnswerName, type SetupAnswers, splitList } from './answers.ts'
import { examineGateway, examineIssuer, type Sight } from './examine.ts'
import { managementTools, systems } from './management.ts'

/** The world, and the answers so far. */
export interface AnsweredSetup {
  readonly cli: Cli
  readonly answers: SetupAnswers
}

/** What a question may depend on. */
export interface SetupSituation extends AnsweredSetup {
  /** Whether a certificate was not trusted when an address was tried. */
  readonly isUntrusted: boolean
}

/** One question to an administrator, which an option answers as well. */
export interface SetupQuestion {
  readonly name: AnswerName
  /** For the help of the option. */
  readonly summary: string
  /** The question, without its mark; absent for an answer that is an option alone. */
  readonly words?: string
  /** What either answer means, a line each. */
  readonly told?: (situation: SetupSituation) => readonly string[]
  /** The accepted words, each with what it stands for; a person may also type the number of its line. */
  readonly choices?: (situation: SetupSituation) => Readonly<Record<string, string>>
  readonly takes?: 'several'
  /** Whether the answer has a meaning here; it has everywhere by default. */
  readonly applies?: (situation: SetupSituation) => boolean
  /** Whether it is asked for where it applies; it is by default, if it has words. */
  readonly isAsked?: (situation: SetupSituation) => boolean
  readonly fallback?: (situation: SetupSituation) => { readonly value: string; readonly words?: string } | undefined
  readonly validate?: (answer: string, situation: SetupSituation) => Promise<string | undefined> | string | undefined
  /** Tries the answer over the network. */
  readonly examine?: (answer: string, situation: SetupSituation) => Promise<Sight>
}

/** Identities that are no helper of the suite: kinds of credential of the document itself. */
const kinds = {
  'external-idp': 'the client itself signs people in with an OpenID provider, and renews the sign-in',
  static: 'one API key for everybody, which stands in the document',
} as const

/** The helper of the answers; `undefined` where the client needs none. */
export function findHelper({ cli, answers }: AnsweredSetup): AnyHelper | undefined {
  return cli.helpers.get(answers.identity ?? '')
}

/** Whether people sign in with an OpenID provider. */
export function isOpenId(situation: AnsweredSetup): boolean {
  return situation.answers.identity === 'external-idp' || hasOption(situation, 'client-id')
}

function hasOption(situation: AnsweredSetup, name: string): boolean {
  return Object.hasOwn(findHelper(situation)?.options ?? {}, name)
}

/** Whether the helper proves an AWS identity, which a verifier has AWS confirm. */
export function isAwsProof(situation: AnsweredSetup): boolean {
  return hasOption(situation, 'audience-header')
}

const isAws = (situation: SetupSituation) => hasOption(situation, 'profile')
const isSso = (situation: SetupSituation) => isAws(situation) && !isNone(situation.answers['sso-start-url'])
const isVerified = (situation: SetupSituation) => isOpenId(situation) || isAwsProof(situation)

/** Whether an answer says that there is nothing. */
export function isNone(answer: string | undefined): boolean {
  return answer === undefined || answer === 'none'
}

const none = { value: 'none' }
const neutral = 'in-force'

/** Every question, in the order in which they are asked. */
export const questions: readonly SetupQuestion[] = [
  {
    name: 'client',
    summary: 'the client that people use: a known one (gatepass vendor list), or a vendor file',
    words: 'Which client do people use, a known one or a vendor file',
    told: () => knownClients.map(({ name, title }) => `${name}: ${title}`),
    fallback: () => (isNeutral ? { value: knownClients[0]!.name } : { value: neutral, words: 'the one in force' }),
  },
  {
    name: 'proxy',
    summary: 'the HTTP proxy of the desktops, or none',
    words: 'HTTP proxy of the desktops',
    told: () => ['A client that starts from a dock has no proxy variables: it is written into the machine’s file.'],
    fallback: () => none,
    validate: validateProxy,
  },
  {
    name: 'base-url',
    summary: 'the full URL of the gateway',
    words: 'Full URL of the gateway',
    validate: (baseUrl, { cli }) => {
      const problem = validateDestination(baseUrl)
      if (problem) return `it ${problem.message}; ${problem.hint}`
      return validateField(cli, { inference: { provider: 'gateway', baseUrl } }, 'inference.baseUrl')
    },
    examine: (baseUrl, { cli, answers }) => examineGateway(cli.host, answers, baseUrl),
  },
  {
    name: 'ca',
    summary: 'the PEM file of your own certificate authority on the desktops, or none',
    words: 'PEM file of your own certificate authority on the desktops, such as that of a proxy that opens TLS',
    // A proxy may open TLS; without one, and with certificates that are trusted here, nothing hints at an authority.
    isAsked: ({ answers, isUntrusted }) => isUntrusted || !isNone(answers.proxy),
    fallback: () => none,
    validate: (path) => (isNone(path) || isFullPath(path) ? undefined : 'expected a full path'),
  },
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
  },
  {
    name: 'api-key-file',
    summary: 'for static: a file that holds the key',
    words: 'File that holds the API key',
    applies: ({ answers }) => answers.identity === 'static',
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
    words: 'Client ID of its registration there (the folder says how to register it)',
    applies: isOpenId,
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
  {
    name: 'sso-start-url',
    summary: 'for AWS: the start URL of IAM Identity Center, for a profile to hand out; none if people have profiles',
    words: 'Start URL of IAM Identity Center, for a profile to hand out (none: people have profiles)',
    applies: isAws,
    fallback: () => none,
    validate: (url) => (isNone(url) || isWebAddress(url) ? undefined : 'expected a URL with https://'),
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
    validate: (account) => (/^\d{12}$/.test(account) ? undefined : 'expected twelve digits'),
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
  {
    name: 'ttl',
    summary: 'for how many seconds the client keeps a token',
    words: 'For how many seconds may the client keep a token',
    applies: (situation) => findHelper(situation) !== undefined,
    // A helper with a suggestion renews by itself, whatever the life of its tokens.
    isAsked: (situation) => findHelper(situation)?.suggestedTtlSec === undefined,
    fallback: (situation) => ({ value: String(chooseTtl(situation)) }),
    validate: validateTtl,
  },
  {
    name: 'systems',
    summary: `the systems of the desktops: ${systems.join(', ')}`,
    words: 'Systems of the desktops, with commas between them',
    takes: 'several',
    choices: () => ({ linux: 'Linux', macos: 'macOS', windows: 'Windows' }),
    fallback: () => ({ value: systems.join(',') }),
  },
  {
    name: 'management',
    summary: `what hands the files out: ${Object.keys(managementTools).join(', ')}`,
    words: 'Management tools, with commas between them',
    takes: 'several',
    choices: ({ answers }) =>
      Object.fromEntries(
        Object.entries(managementTools)
          .filter(([, { exports }]) => splitList(answers.systems).some((system) => Object.hasOwn(exports, system)))
          .map(([name, { summary }]) => [name, summary]),
      ),
    fallback: () => ({ value: 'files' }),
  },
  {
    name: 'outcomes',
    summary: 'who is told how calls end: none, system, or the https address of a collector (OTLP)',
    words: 'Who is told how calls end: none, system (its log), or the https address of a collector',
    applies: (situation) => findHelper(situation) !== undefined,
    fallback: () => ({ value: 'system' }),
    validate: (answer) =>
      answer === 'none' || answer === 'system' || isWebAddress(answer)
        ? undefined
        : 'expected none, system or a URL with https://',
  },
  {
    name: 'recipe',
    summary: `the gateway's software, for which a verifier with its policy is written: ${Object.keys(recipes).join(', ')}, or none`,
    words: 'Software of your gateway, if Gatepass shall verify the tokens for it',
    choices: () => ({
      none: 'the gateway verifies tokens itself',
      ...Object.fromEntries(Object.keys(recipes).map((name) => [name, 'with the verifier beside it'])),
    }),
    applies: isVerified,
    fallback: () => none,
  },
  {
    name: 'audience',
    summary: 'the audience (aud) of the access token, as the policy compares it',
    words: 'Audience (aud) of the access token; Entra ID writes the client ID of the API there',
    applies: (situation) => isOpenId(situation) && !isNone(situation.answers.recipe),
    isAsked: ({ answers }) => !isNone(answers.scopes),
    fallback: ({ answers }) => {
      if (isNone(answers.scopes)) return { value: answers['client-id'] ?? '' }
      const api = /^api:\/\/([0-9a-f-]{36})\//i.exec(answers.scopes ?? '')?.[1]
      return api === undefined ? undefined : { value: api }
    },
  },
  {
    name: 'allow',
    summary: 'who may pass: CLAIM=PATTERN, everyone, or for AWS account numbers',
    words: 'Who may pass',
    told: (situation) =>
      isAwsProof(situation)
        ? ['AWS accounts, with commas between them.']
        : [
            'CLAIM=PATTERN, such as groups=llm-users; or everyone to whom the provider gives a token for this audience.',
          ],
    applies: (situation) => isVerified(situation) && !isNone(situation.answers.recipe),
    fallback: (situation) => {
      const account = situation.answers['sso-account']
      if (isAwsProof(situation)) return account === undefined ? undefined : { value: account }
      return { value: 'everyone' }
    },
    validate: validateAllow,
  },
  { name: 'client-version', summary: 'the oldest release of the client in use, such as 2.110.0' },
  {
    name: 'command',
    summary: 'where the helper is on macOS and Linux (default: /opt/gatepass/NAME)',
    applies: (situation) => findHelper(situation) !== undefined,
    validate: (path) => (posix.isAbsolute(path) ? undefined : 'expected a full path'),
  },
  {
    name: 'command-windows',
    summary: String.raw`where it is on Windows (default: C:\Program Files\Gatepass\NAME.exe)`,
    applies: (situation) => findHelper(situation) !== undefined,
    validate: (path) => (win32.isAbsolute(path) ? undefined : 'expected a full path'),
  },
  {
    name: 'identifier',
    summary: 'reverse domain name of the configuration profile of macOS',
    validate: (name) =>
      /^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/.test(name)
        ? undefined
        : 'expected letters, digits and hyphens with dots between them',
  },
  { name: 'organization', summary: 'who that profile says it is from' },
]

function chooseTtl(situation: SetupSituation): number {
  const { suggestedTtlSec, longestLifeSec } = findHelper(situation) ?? {}
  return suggestedTtlSec ?? chooseTtlSec(longestLifeSec)
}

function isWebAddress(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname)))
}

function isFullPath(path: string): boolean {
  return isAbsolute(path) || win32.isAbsolute(path)
}

function validateProxy(text: string): string | undefined {
  if (isNone(text)) return undefined
  const url = URL.parse(text)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return 'expected a URL such as http://proxy.example:3128'
  return url.username === '' && url.password === ''
    ? undefined
    : 'it has a user name or a password, which everybody could read in the machine’s file'
}

/** By the rules of the check, except that a provider on this machine may be tried over http, as helpers allow. */
async function validateIssuer(issuer: string, { cli }: SetupSituation): Promise<string | undefined> {
  const problem = findIssuerProblem({ issuer }, () => '--issuer')
  if (problem) return `${problem.message}; ${problem.hint}`
  if (URL.parse(issuer)?.protocol === 'http:' && isWebAddress(issuer)) return undefined
  const credential = { kind: 'external-idp' as const, oidc: { issuer } }
  return validateField(cli, { inference: { provider: 'gateway', credential } }, 'inference.credential.oidc.issuer')
}

function validateAllow(answer: string, situation: SetupSituation): string | undefined {
  if (isAwsProof(situation)) {
    const accounts = splitList(answer)
    return accounts.length > 0 && accounts.every((account) => /^\d{12}$/.test(account))
      ? undefined
      : 'expected account numbers of twelve digits, with commas between them'
  }
  return answer === 'everyone' || /^[^=\s]+=.+$/.test(answer) ? undefined : 'expected CLAIM=PATTERN or everyone'
}

/** What is wrong with an answer; `undefined` for a good one. */
export async function validateAnswer(
  question: SetupQuestion,
  answer: string,
  situation: SetupSituation,
): Promise<string | undefined> {
  if (answer === '') return 'an answer is needed'
  const words = question.choices && Object.keys(question.choices(situation))
  const unknown = words && (question.takes ? splitList(answer) : [answer]).find((word) => !words.includes(word))
  if (unknown !== undefined) return toOneLine(`there is no ${JSON.stringify(unknown)}; expected ${words?.join(', ')}`)
  return question.validate?.(answer, situation)
}
