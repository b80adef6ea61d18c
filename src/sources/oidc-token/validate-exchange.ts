import type { Problem } from '../../runtime/failure.ts'
import { type ExchangeForm, type ExchangeOptions, exchangeForms, hasValue } from './exchange-options.ts'

/** Finds options that the form does not take, and options that it needs. */
export function validateExchange(options: ExchangeOptions, program: string): Problem[] {
  const { exchange: form } = options
  const set = Object.entries(formsByOption).filter(([name]) => hasValue(options[name as keyof typeof formsByOption])) // names of the table
  if (form === undefined) return set.map(([name]) => toUnusedOption(name))
  const foreign = set.filter(([, forms]) => !(forms as readonly string[]).includes(form))
  return [...foreign.map(([name, forms]) => toForeign(name, form, forms)), ...validateNeeds(options, form, program)]
}

/** The forms that take each option. The options of the platform may be set for other helpers too, so they are not listed. */
const formsByOption = {
  'exchange-url': ['token-exchange', 'jwt-bearer', 'id-jag'],
  'exchange-issuer': ['token-exchange', 'jwt-bearer', 'id-jag'],
  'exchange-audience': ['token-exchange', 'id-jag'],
  'exchange-resource': ['token-exchange', 'jwt-bearer', 'id-jag'],
  'exchange-scope': ['token-exchange', 'jwt-bearer', 'id-jag'],
  'exchange-requested-token-type': ['token-exchange'],
  'exchange-parameter': ['token-exchange', 'jwt-bearer'],
  'exchange-client-id': ['token-exchange', 'jwt-bearer', 'id-jag'],
  'exchange-secret-file': ['token-exchange', 'jwt-bearer', 'id-jag'],
  'exchange-secret-variable': ['token-exchange', 'jwt-bearer', 'id-jag'],
  'exchange-client-auth': ['token-exchange', 'jwt-bearer', 'id-jag'],
} as const satisfies Partial<Record<keyof ExchangeOptions, readonly ExchangeForm[]>>

function toUnusedOption(name: string): Problem {
  return {
    kind: 'usage',
    message: `${name} is set, and exchange is not`,
    hint: `set exchange to ${exchangeForms.join(', ')}, or remove ${name}`,
  }
}

function toForeign(name: string, form: ExchangeForm, forms: readonly ExchangeForm[]): Problem {
  return {
    kind: 'usage',
    message: `${name} is not for exchange ${form}`,
    hint: `remove ${name}, or set exchange to ${forms.join(' or ')}`,
  }
}

function validateNeeds(options: ExchangeOptions, form: ExchangeForm, program: string): Problem[] {
  const { 'exchange-url': url, 'exchange-issuer': issuer } = options
  if (form === 'platform') return validatePlatformNeeds(options, program)
  const isTwofold = form !== 'id-jag' && url !== undefined && issuer !== undefined
  if (isTwofold)
    return [
      {
        kind: 'usage',
        message: 'exchange-url and exchange-issuer are both set',
        hint: 'remove exchange-url: the metadata of exchange-issuer names its token endpoint',
      },
    ]
  if (form === 'jwt-bearer' && url === undefined && issuer === undefined)
    return [
      toMissing('exchange is jwt-bearer, and neither exchange-url nor exchange-issuer is set', 'one of them', program),
    ]
  return form === 'id-jag' ? validateIdJagNeeds(options, program) : []
}

function validatePlatformNeeds(options: ExchangeOptions, program: string): Problem[] {
  const names = ['base-url', 'organization', 'federation-rule'] as const
  const missing = names.filter((name) => options[name] === undefined)
  if (missing.length === 0) return []
  const list = missing.join(', ').replace(/, ([^,]+)$/, ' and $1')
  const message = `exchange is platform, and ${list} ${missing.length === 1 ? 'is' : 'are'} not set`
  return [toMissing(message, list, program)]
}

function validateIdJagNeeds(options: ExchangeOptions, program: string): Problem[] {
  const problems: Problem[] = []
  if (options['exchange-issuer'] === undefined)
    problems.push(toMissing('exchange is id-jag, and exchange-issuer is not set', 'exchange-issuer', program))
  if (options['bearer-token-type'] !== 'id_token')
    problems.push({
      kind: 'usage',
      message: 'exchange is id-jag, and bearer-token-type is access_token',
      hint: 'set bearer-token-type to id_token: an ID-JAG is issued for an ID token',
    })
  if (options['exchange-audience'].length > 1)
    problems.push({
      kind: 'usage',
      message: 'exchange is id-jag, and exchange-audience is set more than once',
      hint: 'set it once, or remove it: an ID-JAG is for one authorization server',
    })
  return problems
}

function toMissing(message: string, what: string, program: string): Problem {
  return { kind: 'not-configured', message, hint: `set ${what} by argument, variable or file; see: ${program} --help` }
}
