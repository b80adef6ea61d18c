import { isLoopback } from '../../../runtime/network/loopback.ts'
import type { OidcTokenOptions } from './options.ts'
import type { Problem } from './problem.ts'

const endpoints = ['authorization-url', 'token-url', 'device-authorization-url'] as const

/** What is wrong with the options that say where the provider is. */
export function validateProvider(options: OidcTokenOptions, program: string): Problem[] {
  return [...validateChoice(options, program), ...validateAddresses(options)]
}

/** An issuer, or both addresses: one of both kinds could be of another provider. */
function validateChoice(options: OidcTokenOptions, program: string): Problem[] {
  const set = endpoints.filter((name) => options[name] !== undefined)
  if (options.issuer !== undefined) return set.map(toSuperfluous)
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

function toSuperfluous(name: string): Problem {
  return {
    kind: 'usage',
    message: `issuer and ${name} are both set`,
    hint: `leave out ${name}: the issuer tells where its endpoints are`,
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
    const problem = text === undefined ? undefined : findAddressProblem(name, text)
    return problem === undefined ? [] : [{ kind: 'usage' as const, ...problem }]
  })
}

function findAddressProblem(name: string, text: string): Omit<Problem, 'kind'> | undefined {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    return {
      message: `${name} is not a web address that can be used`,
      hint: `write it in full and without a name or password, such as https://id.example.com`,
    }
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return {
      message: `${name} names ${url.hostname} over plain http, where anybody on the way could take the sign-in`,
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
