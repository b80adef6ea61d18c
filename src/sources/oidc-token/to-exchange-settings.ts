import type { CommonOptions } from '../../helper/options/every-helper-options.ts'
import { findProblems, type Problem, toProblemError } from '../../runtime/failure.ts'
import { type ExchangeTarget, toTarget, validateTarget } from '../exchange/exchange-target.ts'
import type {
  EndpointSetting,
  ExchangeClient,
  ExchangeSettings,
  SecretLocation,
} from '../oauth/exchange/exchange-settings.ts'
import { parseSecureAddress } from '../oauth/exchange/parse-address.ts'
import { parseTokenType } from '../oauth/exchange/token-types.ts'
import type { ExchangeOptions } from './exchange-options.ts'
import { splitAtEquals } from './to-settings.ts'
import { validateExchange } from './validate-exchange.ts'

/** The exchange at the platform, which has its own form and rules. */
export interface PlatformExchange {
  readonly form: 'platform'
  readonly target: ExchangeTarget
  readonly reuse: ExchangeOptions['identity-reuse']
}

/**
 * The exchange that the options describe; `undefined` if the person's token itself is printed.
 * @throws {HelperError} `usage` or `not-configured` that names every option that is missing, superfluous or cannot be used.
 */
export function toExchangeSettings(
  options: ExchangeOptions & Pick<CommonOptions, 'header'>,
  program: string,
): ExchangeSettings | PlatformExchange | undefined {
  const { exchange: form } = options
  const problems = validateExchangeSettings(options, program)
  if (problems.length > 0) throw toProblemError(problems)
  if (form === undefined) return undefined
  return form === 'platform' ? toPlatform(options) : toGeneric(options, form)
}

/** Finds everything that is missing among the options of an exchange, or cannot be used. */
export function validateExchangeSettings(
  options: ExchangeOptions & Pick<CommonOptions, 'header'>,
  program: string,
): Problem[] {
  const { exchange: form } = options
  if (form === undefined) return validateExchange(options, program)
  const target = form === 'platform' ? validateTarget(options) : validateAddresses(options)
  return [...validateExchange(options, program), ...validateExchangeValues(options), ...target]
}

/** Finds addresses to which no secret may be sent. Like those of the provider, they are a misuse on every machine. */
function validateAddresses(options: ExchangeOptions): Problem[] {
  const problems = (['exchange-url', 'exchange-issuer'] as const).flatMap((setting) => {
    const text = options[setting]
    return text === undefined ? [] : findProblems(() => parseSecureAddress(text, setting))
  })
  return problems.map(({ message, hint }) => ({ kind: 'usage', message, hint }))
}

function toPlatform(options: ExchangeOptions & Pick<CommonOptions, 'header'>): PlatformExchange {
  const { 'base-url': baseUrl = '', organization = '', 'federation-rule': rule = '' } = options // validated above
  const target = toTarget({ ...options, 'base-url': baseUrl, organization, 'federation-rule': rule })
  return { form: 'platform', target, reuse: options['identity-reuse'] }
}

function toGeneric(options: ExchangeOptions, form: ExchangeSettings['form']): ExchangeSettings {
  const { 'exchange-issuer': issuer = '', 'exchange-requested-token-type': type } = options
  const shared = {
    subject: options['bearer-token-type'],
    endpoint: toEndpoint(options),
    client: toClient(options),
    resources: options['exchange-resource'],
    scope: options['exchange-scope'],
  }
  const parameters = options['exchange-parameter'].map(splitAtEquals)
  if (form === 'jwt-bearer') return { form, ...shared, parameters }
  if (form === 'token-exchange') {
    const requestedTokenType = type === undefined ? undefined : parseTokenType(type)
    return { form, ...shared, audiences: options['exchange-audience'], requestedTokenType, parameters }
  }
  const provider = { endpoint: toProviderEndpoint(options), client: toProviderClient(options) }
  return { form, ...shared, provider, issuer, audience: options['exchange-audience'][0] ?? issuer }
}

/** An exchange at the provider itself needs no separate address. */
function toEndpoint(options: ExchangeOptions): EndpointSetting {
  const { 'exchange-url': url, 'exchange-issuer': issuer } = options
  if (url !== undefined) return { url, setting: 'exchange-url' }
  if (issuer !== undefined) return { issuer, setting: 'exchange-issuer' }
  return toProviderEndpoint(options)
}

function toProviderEndpoint({ issuer, 'token-url': url = '' }: ExchangeOptions): EndpointSetting {
  return issuer === undefined ? { url, setting: 'token-url' } : { issuer, setting: 'issuer' }
}

function toClient(options: ExchangeOptions): ExchangeClient {
  const { 'exchange-secret-file': file, 'exchange-secret-variable': variable } = options
  const isProvider = options['exchange-url'] === undefined && options['exchange-issuer'] === undefined
  const id = options['exchange-client-id'] ?? (isProvider ? options['client-id'] : undefined)
  const authentication = options['exchange-client-auth']
  if (file !== undefined) return { id, authentication, secret: toLocation('file', file) }
  if (variable !== undefined) return { id, authentication, secret: toLocation('variable', variable) }
  return isProvider && id === options['client-id'] ? toProviderClient(options) : { id }
}

function toLocation(kind: SecretLocation['kind'], name: string): SecretLocation {
  return { kind, name, setting: `exchange-secret-${kind}` }
}

/** The client that the person signs in to. */
function toProviderClient(options: ExchangeOptions): ExchangeClient {
  const { 'client-id': id, 'client-secret-file': name, 'client-auth': authentication } = options
  if (name === undefined) return { id }
  return { id, authentication, secret: { kind: 'file', name, setting: 'client-secret-file' } }
}

/** Finds what is wrong with the values of single options. No message repeats a value. */
function validateExchangeValues(options: ExchangeOptions): Problem[] {
  return rules.flatMap((rule) => rule(options))
}

const rules: readonly ((options: ExchangeOptions) => readonly Problem[])[] = [
  function validateResources({ 'exchange-resource': resources }) {
    // RFC 8707, section 2.
    if (resources.every((text) => URL.canParse(text) && !text.includes('#'))) return []
    return [
      toUsage(
        'exchange-resource has a value that is not an address',
        'write it in full, without #, such as https://api.example.com',
      ),
    ]
  },

  function validateScope({ 'exchange-scope': scope }) {
    // RFC 6749, section 3.3.
    if (scope === undefined || /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(scope)) return []
    return [toUsage('exchange-scope has a character that no scope has', 'write the scopes with one space between them')]
  },

  function validateTokenType({ 'exchange-requested-token-type': type }) {
    if (type === undefined || parseTokenType(type) !== undefined) return []
    return [
      toUsage(
        'exchange-requested-token-type is not a type of token',
        'write access_token, jwt, id_token or the whole URI of the type',
      ),
    ]
  },

  function validateParameters({ 'exchange-parameter': texts }) {
    const names = texts.map((text) => /^([\w.-]+)=/.exec(text)?.[1])
    if (names.includes(undefined))
      return [toUsage('exchange-parameter has a value without a name', 'write each as NAME=VALUE')]
    const own = [...new Set(names)].filter((name) => name !== undefined && Object.hasOwn(ownParameters, name))
    return own.map((name) => toUsage(`exchange-parameter sets ${name}, which it may not set`, ownParameters[name!]!))
  },

  function validateSecret(options) {
    const { 'exchange-secret-file': file, 'exchange-secret-variable': variable, exchange } = options
    if (file !== undefined && variable !== undefined)
      return [toUsage('exchange-secret-file and exchange-secret-variable are both set', 'remove one of them')]
    const name = file === undefined ? 'exchange-secret-variable' : 'exchange-secret-file'
    const hasSecret = file !== undefined || variable !== undefined
    if (!hasSecret && options['exchange-client-auth'] !== undefined)
      return [
        toUsage(
          'exchange-client-auth is set, and no secret is',
          'set exchange-secret-file or exchange-secret-variable, or remove exchange-client-auth',
        ),
      ]
    const isElsewhere = options['exchange-url'] !== undefined || options['exchange-issuer'] !== undefined
    if (!hasSecret || exchange === 'id-jag' || !isElsewhere || options['exchange-client-id'] !== undefined) return []
    return [
      {
        kind: 'not-configured',
        message: `${name} is set, and exchange-client-id is not`,
        hint: 'set exchange-client-id to the client that the secret belongs to',
      },
    ]
  },
]

/** Parameters that the option may not set, and what to do instead. An argument may not hold a secret. */
const ownParameters: Readonly<Record<string, string>> = {
  audience: 'set exchange-audience',
  resource: 'set exchange-resource',
  scope: 'set exchange-scope',
  requested_token_type: 'set exchange-requested-token-type',
  client_id: 'set exchange-client-id',
  client_secret: 'set exchange-secret-file or exchange-secret-variable',
  ...Object.fromEntries(
    ['grant_type', 'subject_token', 'assertion', 'actor_token', 'client_assertion', 'client_assertion_type'].map(
      (name) => [name, `remove ${name}`],
    ),
  ),
}

function toUsage(message: string, hint: string): Problem {
  return { kind: 'usage', message, hint }
}
