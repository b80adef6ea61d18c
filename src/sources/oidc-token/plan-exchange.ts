// Plans the exchange of a person's token, with its rules for options; `to-exchange-settings.ts` derives the settings and describes them.

import type { CommonOptions } from '../../helper/options/every-helper-options.ts'
import type { Problem } from '../../runtime/failure.ts'
import { hasValue } from '../../runtime/values/json-value.ts'
import type { ExchangeSettings } from '../oauth/exchange/exchange-settings.ts'
import { type ExchangeOptions, exchangeOptions } from './exchange-options.ts'
import type { PlatformExchange } from './to-exchange-settings.ts'

/** The exchange of a person's token. */
export interface ExchangePlan {
  readonly settings: ExchangeSettings | PlatformExchange
  /** The plan's steps, for `--explain`. */
  readonly steps: readonly string[]
}

/** The options that only an exchange has; see `ExchangeOption`. */
const names = Object.keys(exchangeOptions).filter((name) => name.startsWith('exchange')) as (keyof ExchangeOptions)[] // keys of the table

/**
 * Plans the exchange of the person's token; `undefined` if the person's token itself is printed.
 * @throws {HelperError} that names every option that is missing, superfluous or cannot be used.
 */
export async function planExchange(
  options: ExchangeOptions & Pick<CommonOptions, 'header'>,
  program: string,
): Promise<ExchangePlan | undefined> {
  if (!names.some((name) => hasValue(options[name]))) return undefined
  const { describeExchange, toExchangeSettings } = await import('./to-exchange-settings.ts')
  const settings = toExchangeSettings(options, program)
  return settings && { settings, steps: describeExchange(settings) }
}

/** Finds the options of an exchange that are missing or cannot be used. */
export async function validateExchangeOptions(
  options: ExchangeOptions & Pick<CommonOptions, 'header'>,
  program: string,
): Promise<Problem[]> {
  if (!names.some((name) => hasValue(options[name]))) return []
  const { validateExchange } = await import('./validate-exchange.ts')
  return validateExchange(options, program)
}
