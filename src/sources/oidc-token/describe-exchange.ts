import { describeTarget } from '../exchange/exchange-target.ts'
import type { EndpointSetting, ExchangeSettings } from '../oauth/exchange/exchange-settings.ts'
import type { PlatformExchange } from './to-exchange-settings.ts'

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
