import type { CommonOptions } from '../../helper/options/every-helper-options.ts'
import type { OptionRow } from '../../helper/options/option-table.ts'
import { describeSetting, type Problem, validateReading } from '../../runtime/failure.ts'
import { hasValue } from '../../runtime/values/json-value.ts'
import { validateTarget } from '../exchange/exchange-target.ts'
import { parseSecureAddress } from '../oauth/exchange/parse-address.ts'
import { parseTokenType } from '../oauth/exchange/token-types.ts'
import { type ExchangeForm, type ExchangeOptions, exchangeForms, exchangeOptions } from './exchange-options.ts'
import { isScope, toUsage, validateParameters } from './to-settings.ts'

/** Finds the options of an exchange that are missing, not for its form, or cannot be used. No message repeats a value. */
export function validateExchange(options: ExchangeOptions & Pick<CommonOptions, 'header'>, program: string): Problem[] {
  const { exchange: form } = options
  const set = optionNames.filter((name) => hasValue(options[name]))
  if (form === undefined) return set.map(toUnusedOption)
  return [
    ...set.flatMap((name) => (rules[name].forms.includes(form) ? [] : toForeign(name, form))),
    ...validateNeeds(options, form, program),
    ...optionNames.flatMap((name) => rules[name].validate?.(options) ?? []),
    ...(form === 'platform' ? validateTarget(options) : validateAddresses(options)),
  ]
}

/** The options that only an exchange has. Other helpers may use the options of the platform too. */
type ExchangeOption = Extract<keyof typeof exchangeOptions, `exchange-${string}`>

/** The forms that take an option, and the rule for its value. */
interface ExchangeRule {
  readonly forms: readonly ExchangeForm[]
  readonly validate?: (options: ExchangeOptions) => Problem[]
}

const atServers = exchangeForms.filter((form) => form !== 'platform')

const rules: Readonly<Record<ExchangeOption, ExchangeRule>> = {
  'exchange-url': { forms: atServers },
  'exchange-issuer': { forms: atServers },
  'exchange-audience': { forms: ['token-exchange', 'id-jag'] },
  'exchange-resource': { forms: atServers, validate: validateResources },
  'exchange-scope': { forms: atServers, validate: validateScope },
  'exchange-requested-token-type': { forms: ['token-exchange'], validate: validateTokenType },
  'exchange-parameter': { forms: ['token-exchange', 'jwt-bearer'], validate: validateMore },
  'exchange-client-id': { forms: atServers },
  'exchange-secret-file': { forms: atServers, validate: validateSecret },
  'exchange-secret-variable': { forms: atServers },
  'exchange-client-auth': { forms: atServers },
}

const optionNames = Object.keys(rules) as ExchangeOption[] // the keys of a constant

function validateResources({ 'exchange-resource': resources }: ExchangeOptions): Problem[] {
  // RFC 8707, section 2.
  if (resources.every((text) => URL.canParse(text) && !text.includes('#'))) return []
  return [
    toUsage(
      'exchange-resource has a value that is not an address',
      'write it in full, without #, such as https://api.example.com',
    ),
  ]
}

function validateScope({ 'exchange-scope': scope }: ExchangeOptions): Problem[] {
  if (scope === undefined || scope.split(' ').every(isScope)) return []
  return [toUsage('exchange-scope has a character that no scope has', 'write the scopes with one space between them')]
}

function validateTokenType({ 'exchange-requested-token-type': type }: ExchangeOptions): Problem[] {
  if (type === undefined || parseTokenType(type) !== undefined) return []
  return [
    toUsage(
      'exchange-requested-token-type is not a type of token',
      'write access_token, jwt, id_token or the whole URI of the type',
    ),
  ]
}

function validateMore({ 'exchange-parameter': texts }: ExchangeOptions): Problem[] {
  return validateParameters({ name: 'exchange-parameter', reason: 'which it may not set' }, texts, ownParameters)
}

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

function validateSecret(options: ExchangeOptions): Problem[] {
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
}

function toUnusedOption(name: string): Problem {
  return toUsage(
    `${name} is set, and exchange is not`,
    `set exchange to ${exchangeForms.join(', ')}, or remove ${name}`,
  )
}

function toForeign(name: ExchangeOption, form: ExchangeForm): Problem {
  return toUsage(
    `${name} is not for exchange ${form}`,
    `remove ${name}, or set exchange to ${rules[name].forms.join(' or ')}`,
  )
}

function validateNeeds(options: ExchangeOptions, form: ExchangeForm, program: string): Problem[] {
  const { 'exchange-url': url, 'exchange-issuer': issuer } = options
  const required = validateRequired(options, form, program)
  if (form === 'platform') return required
  if (form === 'id-jag') return [...required, ...validateIdJagNeeds(options)]
  if (url !== undefined && issuer !== undefined)
    return [
      toUsage(
        'exchange-url and exchange-issuer are both set',
        'remove exchange-url: the metadata of exchange-issuer names its token endpoint',
      ),
    ]
  if (form === 'token-exchange' || url !== undefined || issuer !== undefined) return []
  return [
    toMissing('exchange is jwt-bearer, and neither exchange-url nor exchange-issuer is set', 'one of them', program),
  ]
}

/** Finds the options that are missing and that their rows require with this form. */
function validateRequired(options: ExchangeOptions, form: ExchangeForm, program: string): Problem[] {
  const values: Readonly<Record<string, unknown>> = options
  const required = Object.entries<OptionRow>(exchangeOptions).filter(([, row]) =>
    row.requiredWith?.exchange?.includes(form),
  )
  const missing = required.map(([name]) => name).filter((name) => values[name] === undefined)
  if (missing.length === 0) return []
  const list = missing.join(', ').replace(/, ([^,]+)$/, ' and $1')
  const message = `exchange is ${form}, and ${list} ${missing.length === 1 ? 'is' : 'are'} not set`
  return [toMissing(message, list, program)]
}

function validateIdJagNeeds(options: ExchangeOptions): Problem[] {
  const problems: Problem[] = []
  if (options['bearer-token-type'] !== 'id_token')
    problems.push(
      toUsage(
        'exchange is id-jag, and bearer-token-type is access_token',
        'set bearer-token-type to id_token: an ID-JAG is issued for an ID token',
      ),
    )
  if (options['exchange-audience'].length > 1)
    problems.push(
      toUsage(
        'exchange is id-jag, and exchange-audience is set more than once',
        'set it once, or remove it: an ID-JAG is for one authorization server',
      ),
    )
  return problems
}

function toMissing(message: string, what: string, program: string): Problem {
  return { kind: 'not-configured', message, hint: describeSetting(program, what) }
}

/** Finds addresses to which no secret may be sent, which are a misuse on every machine. */
function validateAddresses(options: ExchangeOptions): Problem[] {
  const problems = (['exchange-url', 'exchange-issuer'] as const).flatMap((setting) => {
    const text = options[setting]
    return text === undefined ? [] : validateReading(() => parseSecureAddress(text, setting))
  })
  return problems.map(({ message, hint }) => ({ kind: 'usage', message, hint }))
}
