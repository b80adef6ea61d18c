import type { CommonOptions } from '../../helper/options/every-helper-options.ts'
import { toProblemError } from '../../runtime/failure.ts'
import { describeTarget, type ExchangeTarget, toTarget } from '../exchange/exchange-target.ts'
import type {
  EndpointSetting,
  ExchangeClient,
  ExchangeSettings,
  SecretLocation,
} from '../oauth/exchange/exchange-settings.ts'
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
 * Derives the exchange from the options; `undefined` if the person's token itself is printed.
 * @throws {HelperError} `usage` or `not-configured` that names every option that is missing, superfluous or cannot be used.
 */
export function toExchangeSettings(
  options: ExchangeOptions & Pick<CommonOptions, 'header'>,
  program: string,
): ExchangeSettings | PlatformExchange | undefined {
  const { exchange: form } = options
  const problems = validateExchange(options, program)
  if (problems.length > 0) throw toProblemError(problems)
  if (form === undefined) return undefined
  return form === 'platform' ? toPlatform(options) : toGeneric(options, form)
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

/** Derives the endpoint. An exchange at the person's own provider needs no address. */
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

/** Derives the client of the person's sign-in. */
function toProviderClient(options: ExchangeOptions): ExchangeClient {
  const { 'client-id': id, 'client-secret-file': name, 'client-auth': authentication } = options
  if (name === undefined) return { id }
  return { id, authentication, secret: { kind: 'file', name, setting: 'client-secret-file' } }
}

/** Describes an exchange, one line for each step, for `--explain`. */
export function describeExchange(settings: ExchangeSettings | PlatformExchange): string[] {
  switch (settings.form) {
    case 'platform':
      return [describeTarget(settings.target)]
    case 'token-exchange':
      return [
        `exchanged ${describeEndpoint(settings.endpoint)} (RFC 8693)${describeGoal([...settings.audiences, ...settings.resources])}`,
      ]
    case 'jwt-bearer':
      return [`exchanged ${describeEndpoint(settings.endpoint)} (RFC 7523)${describeGoal(settings.resources)}`]
    case 'id-jag':
      return [
        `exchanged ${describeEndpoint(settings.provider.endpoint)} for an ID-JAG${describeGoal([settings.audience])}`,
        `that exchanged ${describeEndpoint(settings.endpoint)} (RFC 7523)${describeGoal(settings.resources)}`,
      ]
  }
}

function describeEndpoint(endpoint: EndpointSetting): string {
  return 'url' in endpoint ? `at ${new URL(endpoint.url).host}` : `at the token endpoint of ${endpoint.issuer}`
}

function describeGoal(names: readonly string[]): string {
  return names.length === 0 ? '' : `, for ${names.join(', ')}`
}
