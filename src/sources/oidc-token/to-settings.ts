// Derives the provider and the registration from the options of a helper that signs people in, and validates them.

import { type Problem, toProblemError } from '../../runtime/failure.ts'
import { isSecureAddress, unusableAddress, validateWebAddress } from '../../runtime/network/addresses.ts'
import type { OidcSettings } from '../oauth/oidc/oidc-settings.ts'
import type { OidcTokenOptions } from './oidc-token-options.ts'

/**
 * Derives the provider and the registration from the options.
 * @throws {HelperError} `usage` or `not-configured` that names every option that is missing or cannot be used.
 */
export function toOidcSettings(options: OidcTokenOptions, program: string): OidcSettings {
  const problems = validateSettings(options, program)
  if (problems.length > 0) throw toProblemError(problems)
  return {
    clientId: options['client-id'],
    clientSecretFile: options['client-secret-file'],
    clientAuth: options['client-auth'],
    issuer: options.issuer,
    authorizationUrl: options['authorization-url'],
    tokenUrl: options['token-url'],
    deviceAuthorizationUrl: options['device-authorization-url'],
    revocationUrl: options['revocation-url'],
    bearerTokenType: options['bearer-token-type'],
    scopes: options.scopes,
    // A refresh token that is not stored is not requested, because people would have to consent to it.
    appendOfflineAccess: options['append-offline-access'] && options['refresh-token-store'] !== 'none',
    resource: options.resource,
    redirectPort: options['redirect-port'],
    redirectHost: options['redirect-host'],
    redirectPath: options['redirect-path'],
    additionalRedirectReferrerHosts: splitHosts(options['additional-redirect-referrer-hosts'] ?? ''),
    responseMode: options['response-mode'],
    parameters: Object.fromEntries(options['authorization-parameter'].map(splitAtEquals)),
  }
}

/** Finds the options of the provider and the registration that are missing or cannot be used. */
export function validateSettings(options: OidcTokenOptions, program: string): Problem[] {
  return [...validateChoice(options, program), ...validateAddresses(options), ...rules.flatMap((rule) => rule(options))]
}

/** Splits a text at the first equals sign. A text without one has been refused before. */
export function splitAtEquals(text: string): [name: string, value: string] {
  const at = text.indexOf('=')
  return [text.slice(0, at), text.slice(at + 1)]
}

const endpoints = ['authorization-url', 'token-url', 'device-authorization-url', 'revocation-url'] as const

/** Finds a wrong choice between the issuer and both addresses. If all were set, they could name different providers. */
function validateChoice(options: OidcTokenOptions, program: string): Problem[] {
  const set = endpoints.filter((name) => options[name] !== undefined)
  if (options.issuer !== undefined) return set.map(toRedundant)
  const missing = endpoints.slice(0, 2).filter((name) => options[name] === undefined)
  if (missing.length === 0) return validateDevice(options)
  const [only] = set
  const message =
    only === undefined
      ? 'issuer must be set, or authorization-url and token-url'
      : `${only} is set, and ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} not`
  const hint =
    only === undefined
      ? `set it by argument, variable or file; see: ${program} --help`
      : `set ${missing.join(' and ')} too, or issuer in place of all addresses`
  return [{ kind: 'not-configured', message, hint }]
}

function toRedundant(name: string): Problem {
  return {
    kind: 'usage',
    message: `issuer and ${name} are both set`,
    hint: `remove ${name}: the issuer tells where its endpoints are`,
  }
}

function validateDevice(options: OidcTokenOptions): Problem[] {
  if (options['sign-in'] !== 'device' || options['device-authorization-url'] !== undefined) return []
  return [
    {
      kind: 'not-configured',
      message: 'sign-in is device, and neither issuer nor device-authorization-url says where a code is given',
      hint: 'set device-authorization-url, or sign-in to browser',
    },
  ]
}

function validateAddresses(options: OidcTokenOptions): Problem[] {
  return (['issuer', ...endpoints] as const).flatMap((name) => {
    const text = options[name]
    const problem = text === undefined ? undefined : validateAddress(name, text)
    return problem === undefined ? [] : [{ kind: 'usage' as const, ...problem }]
  })
}

function validateAddress(name: string, text: string): Omit<Problem, 'kind'> | undefined {
  const url = URL.parse(text)
  if (!url || validateWebAddress(url))
    return {
      message: `${name} ${unusableAddress}`,
      hint: `write it in full and without a name or password, such as https://id.example.com`,
    }
  if (!isSecureAddress(url))
    return {
      message: `${name} names ${url.hostname} over plain http, where anybody on the network could take the sign-in`,
      hint: `write https:// into ${name}`,
    }
  if (url.hash || (name === 'issuer' && url.search))
    return { message: `${name} has a part behind its path`, hint: `end ${name} before the first ? or #` }
  if (name === 'issuer' && url.pathname.includes('/.well-known/'))
    return {
      message: 'issuer is the address of the configuration of a provider, not of the provider',
      hint: 'end issuer before /.well-known/',
    }
  return undefined
}

/** The rules for the options of the request, and for the way back of the browser. */
const rules: readonly ((options: OidcTokenOptions) => readonly Problem[])[] = [
  function validateScopes({ scopes, 'bearer-token-type': type }) {
    if (scopes === undefined && type === 'access_token')
      return [
        {
          kind: 'not-configured',
          message: 'bearer-token-type is access_token, and scopes is not set',
          hint: "set scopes to the scope of the gateway's API, because an access token without one is valid for no service",
        },
      ]
    if (scopes === undefined) return []
    const names = scopes.split(/ +/).filter(Boolean)
    return names.every(isScope)
      ? []
      : [toUsage('scopes has a character that no scope has', 'write the scopes with spaces between them')]
  },

  function validateSecret({ 'client-secret-file': file, 'client-auth': authentication }) {
    if (file !== undefined || authentication === undefined) return []
    return [toUsage('client-auth is set, and no secret is', 'set client-secret-file, or remove client-auth')]
  },

  function validateRedirectPath({ 'redirect-path': path }) {
    if (path === undefined || isPath(path)) return []
    return [
      toUsage(
        'redirect-path is not the path of an address',
        'write it as it is registered, from the slash after host and port on, such as /callback',
      ),
    ]
  },

  function validateReferrerHosts({ 'additional-redirect-referrer-hosts': hosts }) {
    if (hosts === undefined || splitHosts(hosts).every((host) => /^[\w-]+(\.[\w-]+)*$/.test(host))) return []
    return [
      toUsage(
        'additional-redirect-referrer-hosts has a value that is not a host name',
        'write names such as login.example.com, without https:// and with spaces between them',
      ),
    ]
  },

  function validateAuthorization({ 'authorization-parameter': texts }) {
    const option = { name: 'authorization-parameter', reason: 'which each sign-in sets itself' }
    const problems = validateParameters(option, texts, ownParameters)
    const names = texts.map(parseParameterName)
    const isTwice = !names.includes(undefined) && new Set(names).size < names.length
    return isTwice
      ? [...problems, toUsage('authorization-parameter has two values with the same name', 'write each name once')]
      : problems
  },
]

/** Returns whether a text is one scope (RFC 6749, section 3.3). */
export function isScope(text: string): boolean {
  return /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(text)
}

/**
 * Finds parameters without a name, and those that an option may not set.
 * @param taken The names that it may not set, with the hint for each.
 */
export function validateParameters(
  option: { readonly name: string; readonly reason: string },
  texts: readonly string[],
  taken: Readonly<Record<string, string>>,
): Problem[] {
  const names = new Set(texts.map(parseParameterName))
  if (names.has(undefined)) return [toUsage(`${option.name} has a value without a name`, 'write each as NAME=VALUE')]
  return [...names].flatMap((name = '') =>
    Object.hasOwn(taken, name) ? [toUsage(`${option.name} sets ${name}, ${option.reason}`, taken[name]!)] : [],
  )
}

function parseParameterName(text: string): string | undefined {
  return /^([\w.-]+)=/.exec(text)?.[1]
}

/** Parameters of the request that the option may not set, and what to do instead. */
const ownParameters: Readonly<Record<string, string>> = {
  client_id: 'set client-id',
  client_secret: 'set client-secret-file',
  scope: 'set scopes',
  resource: 'set resource',
  response_mode: 'set response-mode',
  redirect_uri: 'set redirect-host, redirect-port and redirect-path',
  ...Object.fromEntries(
    ['response_type', 'state', 'nonce', 'code_challenge', 'code_challenge_method', 'request', 'request_uri'].map(
      (name) => [name, `remove ${name}`],
    ),
  ),
}

/** Splits host names into the form of the document's field. */
function splitHosts(text: string): string[] {
  return text.split(/\s+/).filter(Boolean)
}

/** Returns whether a browser would write this path in the same way. */
function isPath(text: string): boolean {
  return URL.parse(`http://127.0.0.1${text}`)?.pathname === text
}

/** Creates the problem of an option that is wrong on every machine. */
export function toUsage(message: string, hint: string): Problem {
  return { kind: 'usage', message, hint }
}
