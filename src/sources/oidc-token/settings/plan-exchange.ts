import type { CommonOptions } from '../../../helper/options/table.ts'
import type { ExchangeSettings } from '../../oauth/exchange/settings.ts'
import { type ExchangeOptions, exchangeOptions } from './exchange-options.ts'
import type { PlatformSettings } from './to-exchange-settings.ts'

/** How a person's token is exchanged. */
export interface ExchangePlan {
  readonly settings: ExchangeSettings | PlatformSettings
  /** The same in words, for `--explain`. */
  readonly steps: readonly string[]
}

/** The options that are for an exchange alone; those of the platform may be set for other helpers too. */
const names = Object.keys(exchangeOptions).filter((name) => name.startsWith('exchange')) as (keyof ExchangeOptions)[] // its own keys

/**
 * How the options want the person's token exchanged; `undefined` where it is printed itself.
 * @throws {HelperError} that names every option that is missing, superfluous or cannot be used.
 */
export async function planExchange(
  options: ExchangeOptions & Pick<CommonOptions, 'header'>,
  program: string,
): Promise<ExchangePlan | undefined> {
  if (!names.some((name) => hasValue(options[name]))) return undefined
  // Loaded here, because only an exchange needs it.
  const { toExchangeSettings } = await import('./to-exchange-settings.ts')
  const settings = toExchangeSettings(options, program)
  const { describeExchange } = await import('./describe-exchange.ts')
  return settings && { settings, steps: describeExchange(settings) }
}

function hasValue(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0)
}
