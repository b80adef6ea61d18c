import type { CommonOptions } from '../../../helper/options/table.ts'
import { type ExchangeTarget, resolveTarget } from '../../exchange/target.ts'
import { parseSecureAddress } from '../../oauth/exchange/parse-address.ts'
import type {
  ClientSettings,
  EndpointSetting,
  ExchangeSettings,
  SecretLocation,
} from '../../oauth/exchange/settings.ts'
import { parseTokenType } from '../../oauth/exchange/token-types.ts'
import type { ExchangeOptions } from './exchange-options.ts'
import { toProblemError } from './problem.ts'
import { validateExchange } from './validate-exchange.ts'
import { validateExchangeValues } from './validate-exchange-values.ts'

/** The exchange at the platform, in its own form and under its own rules. */
export interface PlatformSettings {
  readonly form: 'platform'
  readonly target: ExchangeTarget
  readonly reuse: ExchangeOptions['identity-reuse']
}

/**
 * How the options want the person's token exchanged; `undefined` where it is printed itself.
 * @throws {HelperError} `usage` or `not-configured` that names every option that is missing, superfluous or cannot be used.
 */
export function toExchangeSettings(
  options: ExchangeOptions & Pick<CommonOptions, 'header'>,
  program: string,
): ExchangeSettings | PlatformSettings | undefined {
  const { exchange: form } = options
  const problems = [
    ...validateExchange(options, program),
    ...(form === undefined ? [] : validateExchangeValues(options)),
  ]
  if (problems.length > 0) throw toProblemError(problems)
  if (form === undefined) return undefined
  return form === 'platform' ? toPlatform(options) : toGeneric(options, form)
}

function toPlatform(options: ExchangeOptions & Pick<CommonOptions, 'header'>): PlatformSettings {
  const { 'base-url': baseUrl = '', organization = '', 'federation-rule': rule = '' } = options // validated above
  const target = resolveTarget({ ...options, 'base-url': baseUrl, organization, 'federation-rule': rule })
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

/** What is sent to the provider itself needs no address of its own. */
function toEndpoint(options: ExchangeOptions): EndpointSetting {
  const { 'exchange-url': url, 'exchange-issuer': issuer } = options
  if (url !== undefined) return validateAddress({ url, setting: 'exchange-url' })
  if (issuer !== undefined) return validateAddress({ issuer, setting: 'exchange-issuer' })
  return toProviderEndpoint(options)
}

function toProviderEndpoint({ issuer, 'token-url': url = '' }: ExchangeOptions): EndpointSetting {
  return issuer === undefined ? { url, setting: 'token-url' } : { issuer, setting: 'issuer' }
}

/** @throws {HelperError} for an address to which nothing secret may go. */
function validateAddress(endpoint: EndpointSetting): EndpointSetting {
  parseSecureAddress('url' in endpoint ? endpoint.url : endpoint.issuer, endpoint.setting)
  return endpoint
}

function toClient(options: ExchangeOptions): ClientSettings {
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
function toProviderClient(options: ExchangeOptions): ClientSettings {
  const { 'client-id': id, 'client-secret-file': name, 'client-auth': authentication } = options
  if (name === undefined) return { id }
  return { id, authentication, secret: { kind: 'file', name, setting: 'client-secret-file' } }
}

function splitAtEquals(text: string): readonly [name: string, value: string] {
  const at = text.indexOf('=')
  return [text.slice(0, at), text.slice(at + 1)]
}
