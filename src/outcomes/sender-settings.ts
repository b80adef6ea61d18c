import { parseObject } from '../runtime/values/json-value.ts'

/** The settings that a call gives to the process that sends outcomes, in an environment variable. */
export interface SenderSettings {
  /** The directory of the spool. */
  readonly directory: string
  /** In seconds: how long sending may take. */
  readonly seconds: number
  readonly version: string
  readonly systemLog: boolean
  readonly endpoint?: string | undefined
  readonly headersFile?: string | undefined
  /** Each `name=value`. */
  readonly resource: readonly string[]
  /** The URL of the proxy, which may hold a password. */
  readonly proxy?: string | undefined
  readonly noProxy?: string | undefined
  readonly ca?: string | undefined
}

/** The variable that holds the settings. */
export const settingsVariable = 'GATEPASS_OUTCOME_ORDER'

/** The first argument of the process that sends outcomes. Only a call starts it; without settings it does nothing. */
export const senderCommand = 'send-outcomes'

export function renderSenderSettings(settings: SenderSettings): string {
  return JSON.stringify(settings)
}

/** Parses the text of {@link renderSenderSettings}; `undefined` without such a text, for example if a person types the command. */
export function parseSenderSettings(text = ''): SenderSettings | undefined {
  const value = parseObject(text)
  const isWhole =
    typeof value?.directory === 'string' && typeof value.seconds === 'number' && Array.isArray(value.resource)
  return isWhole ? (value as unknown as SenderSettings) : undefined // only this program writes it
}
