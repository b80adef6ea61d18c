// Parses one value of a document by the rule of its field.

import { validateHeader, validateHeaderSet } from '../contract/client-headers.ts'
import { isLoopback } from '../runtime/network/addresses.ts'
import { describeType, isObject } from '../runtime/values/json-value.ts'
import { joinPath } from '../runtime/values/position.ts'
import { type Field, textFormats, type ValueRule } from './field.ts'
import { createFinding, type Finding } from './finding.ts'
import { parseJsonValue } from './read/json.ts'

/** The encoding of values. `managed`: as text, in the form of management tools, or as a number of the registry. */
export type Encoding = 'native' | 'managed'

/** Parses one raw value by its field's rule. @param path How the file spells the field. */
export function parseValue(rule: ValueRule, raw: unknown, encoding: Encoding, path: string): CheckedValue {
  const native = encoding === 'managed' ? parseManaged(rule, raw, path) : { value: raw, findings: [] }
  if (native.value === undefined) return native
  const validated = validateNative(rule, native.value, path)
  return { value: validated.value, findings: [...native.findings, ...validated.findings] }
}

/** Parses managed text to the native value that it represents. Any other value stays unchanged, for the rule to validate. */
export function parseManaged(rule: ValueRule, raw: unknown, path: string): CheckedValue {
  switch (rule.type) {
    case 'boolean':
      return { value: managedBooleans.get(String(raw).toLowerCase()) ?? raw, findings: [] }
    case 'integer':
    case 'number':
      return { value: typeof raw === 'string' && /^-?\d{1,17}$/.test(raw) ? Number(raw) : raw, findings: [] }
    case 'text-list':
    case 'header-map':
    case 'object':
      return typeof raw === 'string' ? parseInnerJson(raw, path) : { value: raw, findings: [] }
    case 'text':
      return { value: raw, findings: [] }
  }
}

const managedBooleans = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

function parseInnerJson(text: string, path: string): CheckedValue {
  const { value, findings } = parseJsonValue(text)
  if (value !== undefined) {
    return {
      value,
      findings: findings.map((inner) => ({
        ...inner,
        path: inner.path.startsWith('[') ? `${path}${inner.path}` : `${path}.${inner.path}`,
      })),
    }
  }
  const problem = findings[0]!
  return reject('invalid-value', path, `expected one JSON text, but ${problem.message}`, problem.hint)
}

function validateNative(rule: ValueRule, value: unknown, path: string): CheckedValue {
  switch (rule.type) {
    case 'text':
      return validateText(rule, value, path)
    case 'integer':
    case 'number':
      return validateNumber(rule, value, path)
    case 'boolean':
      return typeof value === 'boolean' ? accept(value) : rejectType('true or false', value, path)
    case 'text-list':
      return validateList(rule, value, path)
    case 'header-map':
      return validateHeaders(value, path)
    case 'object':
      return isObject(value) ? accept(value) : rejectType('an object', value, path)
  }
}

function validateText(rule: ValueRule & { type: 'text' }, value: unknown, path: string): CheckedValue {
  if (typeof value !== 'string') return rejectType('text', value, path)
  if (value.length < (rule.minLength ?? 0))
    return reject('invalid-value', path, 'it is empty', 'set it, or remove the field')
  if (rule.choices && !rule.choices.includes(value)) {
    const choices = rule.choices.map((choice) => `"${choice}"`).join(', ')
    return reject(
      'invalid-value',
      path,
      'the client does not know this value',
      `use ${rule.choices.length > 1 ? 'one of ' : ''}${choices}`,
    )
  }
  if (rule.format === undefined) return accept(value)
  const { pattern, problem, hint } = textFormats[rule.format]
  const isFit = new RegExp(pattern).test(value) && (rule.format !== 'uri' || URL.canParse(value))
  return isFit ? accept(value) : reject('invalid-value', path, problem, hint)
}

function validateNumber(rule: ValueRule & { type: 'integer' | 'number' }, value: unknown, path: string): CheckedValue {
  if (typeof value !== 'number' || (rule.type === 'integer' && Number.isFinite(value) && !Number.isInteger(value))) {
    return rejectType(rule.type === 'integer' ? 'a whole number' : 'a number', value, path)
  }
  const problem = rule.type === 'integer' ? validateInteger(rule, value) : validateBound(rule, value)
  return problem === undefined
    ? accept(value)
    : reject('out-of-range', path, `expected ${problem}`, `set ${problem}, or remove the field`)
}

function validateInteger({ min, max }: { min: number; max: number }, value: number): string | undefined {
  return value >= min && value <= max ? undefined : `a whole number from ${min} to ${max}`
}

function validateBound({ above, constant }: { above?: number; constant?: number }, value: number): string | undefined {
  if (constant !== undefined) return value === constant ? undefined : `the number ${constant}`
  return Number.isFinite(value) && (above === undefined || value > above) ? undefined : `a number above ${above}`
}

/**
 * Validates a list of arguments. One bad argument makes the whole list invalid, because the others would mean something else without it.
 */
function validateList(rule: ValueRule & { type: 'text-list' }, value: unknown, path: string): CheckedValue {
  if (!Array.isArray(value)) return rejectType('an array of text', value, path)
  const allowed = new RegExp(rule.itemPattern)
  for (const [index, item] of value.entries()) {
    const at = `${path}[${index}]`
    if (typeof item !== 'string') return rejectType('text', item, at)
    if (item.length > rule.itemMaxLength)
      return reject(
        'out-of-range',
        at,
        `it is longer than ${rule.itemMaxLength} characters`,
        'put long values in a file that the helper reads',
      )
    if (!allowed.test(item))
      return reject(
        'invalid-value',
        at,
        'it has a double quote, a percent sign or a control character',
        "remove that character, or set the option in the helper's own configuration file",
      )
  }
  return accept(value)
}

/** Validates headers one by one, because each works without the others. */
function validateHeaders(value: unknown, path: string): CheckedValue {
  if (!isObject(value)) return rejectType('an object', value, path)
  const findings: Finding[] = []
  const good = Object.entries(value).filter(([name, text]) => {
    const at = joinPath(path, name)
    if (typeof text !== 'string') findings.push(...rejectType('text', text, at).findings)
    const problem = typeof text === 'string' ? validateHeader(name, text) : undefined
    if (problem)
      findings.push(
        createFinding(
          'header-refused',
          at,
          problem,
          'remove it: these headers are for routing, credentials come from the credential source',
        ),
      )
    return typeof text === 'string' && problem === undefined
  })
  const problems = validateHeaderSet(good as [string, string][])
  findings.push(
    ...problems.map((problem) =>
      createFinding('header-refused', path, problem, 'keep one spelling of each header, and only the headers you need'),
    ),
  )
  return { value: Object.fromEntries(good), findings }
}

/** The result of parsing a raw value. */
interface CheckedValue {
  /** `undefined` when no part of it can be used. */
  readonly value: unknown
  readonly findings: readonly Finding[]
}

/** Makes the result for a value that is used unchanged. */
function accept(value: unknown): CheckedValue {
  return { value, findings: [] }
}

/** Makes the result for a value of another type. The message names the type that was found, never the value. */
function rejectType(expected: string, found: unknown, path: string): CheckedValue {
  return reject(
    'wrong-type',
    path,
    `expected ${expected}, found ${describeType(found)}`,
    `write ${expected}, or remove the field`,
  )
}

/** Makes the result for a value of which no part can be used. */
function reject(
  code: 'wrong-type' | 'out-of-range' | 'invalid-value',
  path: string,
  message: string,
  hint: string,
): CheckedValue {
  return { value: undefined, findings: [createFinding(code, path, message, hint)] }
}

/** The kinds of credential that authorize the fetch of a document. */
export const servedAuthentications = ['server-issued-credential', 'external-idp', 'none'] as const

/** The delivery of a document by a server. */
export interface Served {
  /** The URL of the endpoint that answered. */
  readonly url: string
  /** The credential that authorized the fetch. After a fetch with an external identity provider, no origin is pinned. */
  readonly authentication: (typeof servedAuthentications)[number]
}

/** Validates a well-formed URL by the rules of the client's documentation. */
export function validateUrl(
  field: Field,
  value: string,
  path: string,
  served: Served | undefined,
): Finding | undefined {
  const url = new URL(value)
  const userInformation = validateUserInformation(url, path)
  if (userInformation) return userInformation
  if (served && isLoopback(url.hostname)) {
    return createFinding(
      'url-loopback-served',
      path,
      'a served document cannot point to this machine',
      'use the address that users reach the gateway by',
    )
  }
  if (served && field.pin && served.authentication !== 'external-idp' && url.origin !== new URL(served.url).origin) {
    const origin = new URL(served.url).origin
    return createFinding(
      'url-origin-pinned',
      path,
      `its origin is ${url.origin}, but the document was served by ${origin}`,
      `use a URL that begins with ${origin}/`,
    )
  }
  return undefined
}

/** Validates that a URL has no user name and no password: no client sends them (RFC 3986 section 3.2.1 deprecates them). */
export function validateUserInformation({ username, password }: URL, path: string): Finding | undefined {
  if (username === '' && password === '') return undefined
  return createFinding('url-user-information', path, 'the URL carries a user name or password', removeUserHint)
}

/** The hint for a URL with a user name or password. */
export const removeUserHint = 'remove everything between // and @'
