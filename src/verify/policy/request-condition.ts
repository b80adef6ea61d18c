import { isPatternMatch } from '../../runtime/text/star-pattern.ts'
import type { PolicyProblem } from './policy-finding.ts'

/**
 * A request as the gateway describes it. A fact is `undefined` if the gateway does not pass it, or if two servers could read it
 * differently; no pattern matches it then.
 */
export interface RequestFacts {
  /** In lower case, without a port. */
  readonly host?: string | undefined
  readonly method?: string | undefined
  /** Without the query, in the one spelling that every server reads alike. */
  readonly path?: string | undefined
  readonly model?: string | undefined
}

/** The facts if there is only a token, and no request of a gateway. */
export const unknownRequest: RequestFacts = {}

/** A rule's condition on the request: each listed fact must match one of its patterns. */
export type RequestCondition = { readonly [fact in keyof RequestFacts]?: readonly string[] | undefined }

/** A fact of a request that does not match, with the reason. */
export interface UnmetFact {
  readonly fact: keyof RequestFacts
  readonly why: typeof unknownFact | 'no accepted value'
}

const unknownFact = 'not passed by the gateway, or ambiguous'

/** Lists the facts that do not match; empty if the condition is met. `any` stands for a request that meets the condition. */
export function listUnmetFacts(condition: RequestCondition, request: RequestFacts | 'any'): UnmetFact[] {
  if (request === 'any') return []
  return requestFactNames.flatMap((fact): UnmetFact[] => {
    const [patterns, value] = [condition[fact], request[fact]]
    if (patterns === undefined) return []
    if (value === undefined) return [{ fact, why: unknownFact }]
    const isMet = patterns.some((pattern) => isPatternMatch(pattern, value))
    return isMet ? [] : [{ fact, why: 'no accepted value' }]
  })
}

const requestFactNames = ['host', 'method', 'path', 'model'] as const satisfies (keyof RequestFacts)[]

/** Normalizes facts from a gateway or a person; pure. */
export function parseRequestFacts(given: RequestFacts): RequestFacts {
  return {
    host: given.host === undefined ? undefined : parseRequestHost(given.host),
    method: parseWord(given.method, methodForm),
    path: given.path === undefined ? undefined : parseRequestPath(given.path),
    model: parseWord(given.model, modelForm),
  }
}

/** Normalizes a host; `undefined` for a text that two servers could read differently. */
export function parseRequestHost(host: string): string | undefined {
  return parseWord(host.toLowerCase().replace(/:\d{1,5}$/, ''), hostForm)
}

function parseWord(text: string | undefined, form: RegExp): string | undefined {
  return text !== undefined && text.length <= 255 && form.test(text) ? text : undefined
}

/** A name or an address without a final dot, which some servers ignore and others do not. */
const hostForm = /^([a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])$/
/** Methods are case-sensitive (RFC 9110, section 9.1). */
const methodForm = /^[A-Z][A-Z-]*$/
/** One word of visible ASCII without commas, so that it cannot be a list. */
const modelForm = /^[\x21-\x2b\x2d-\x7e]+$/

/** A longer path is ambiguous, because some gateways truncate it. Our decision. */
const longestPath = 4096

/**
 * Parses the path of a request without its query, in the one spelling that every server reads alike; `undefined` for any other, such as
 * `//v1`, `/a/../v1`, `/v1;x` or `/%76%31`: a server behind the gateway could take it for another path than the rules do. Of all
 * percent-encoded characters only `:` and `@` are decoded, because clients encode them in the names of models.
 */
function parseRequestPath(target: string): string | undefined {
  if (target.length > longestPath) return undefined
  const path = target.replace(/\?.*$/s, '').replaceAll(/%3a/gi, ':').replaceAll('%40', '@')
  return isPlainPath(path) ? path : undefined
}

/** The characters of RFC 3986, section 3.3, without percent-encoding and without `;`, at which some servers end a segment. */
const pathForm = /^\/[\w.~!$&'()*+,=:@/-]*$/

function isPlainPath(path: string): boolean {
  const segments = path.split('/').slice(1)
  return (
    pathForm.test(path) &&
    segments.every((name, at) => !/^\.+$/.test(name) && (name !== '' || at === segments.length - 1))
  )
}

/** Finds why no request can have a host that matches. */
export function validateHostPattern(pattern: string): PolicyProblem | undefined {
  if (/^[a-z0-9.*[\]:-]+$/.test(pattern) && !/[\].\w]:\d+$/.test(pattern.replace(/^\[.*\]$/, ''))) return undefined
  return reject('no host of a request matches it', 'write the name in lower case, without a port')
}

/** Finds why no request can have such a method. */
export function validateMethod(method: string): PolicyProblem | undefined {
  return methodForm.test(method)
    ? undefined
    : reject('no request has this method', 'write it as it is sent, such as POST')
}

/** Finds why no request can have a path that matches. */
export function validatePathPattern(pattern: string): PolicyProblem | undefined {
  if (isPlainPath(pattern)) return undefined
  return reject(
    'no path of a request matches it',
    'write a path that begins with /, without a query, and with : and @ as they are; nothing else may be percent-encoded',
  )
}

function reject(message: string, hint: string): PolicyProblem {
  return { code: 'invalid-value', message, hint }
}
