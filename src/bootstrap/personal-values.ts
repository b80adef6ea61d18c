import { validateHeader } from '../contract/client-headers.ts'
import { limits } from '../contract/limits.ts'
import { HelperError } from '../runtime/failure.ts'
import { isClaim, toClaimFacts } from '../runtime/tokens/claim-facts.ts'
import { parseClaimPath } from '../runtime/tokens/claim-path.ts'
import { renderTemplate, splitWanted } from '../runtime/tokens/header-facts.ts'
import type { Claims } from '../runtime/tokens/jwt.ts'
import { isObject, type RawObject } from '../runtime/values/json-value.ts'
import { joinPath } from '../runtime/values/position.ts'

/** A text of a document that a claim of the person, or a secret of the server, completes. */
export interface PersonalValue {
  readonly path: readonly (string | number)[]
  readonly text: string
  /** The names in the braces: `claims.email`, `secret.NAME`. */
  readonly facts: readonly string[]
}

/** Lists every text of a document with a claim or a secret in braces; other braces are plain text. */
export function listPersonalValues(value: unknown, path: PersonalValue['path'] = []): PersonalValue[] {
  if (typeof value === 'string') {
    const facts = listFacts(value).filter(isFilledHere)
    return facts.length === 0 ? [] : [{ path, text: value, facts }]
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => listPersonalValues(item, [...path, index]))
  return isObject(value)
    ? Object.entries(value).flatMap(([key, member]) => listPersonalValues(member, [...path, key]))
    : []
}

function listFacts(text: string): string[] {
  return splitWanted([{ name: '', value: text }]).first
}

/** The prefix of a server secret's name in braces. */
export const secretPrefix = 'secret.'

function isFilledHere(fact: string): boolean {
  return isClaim(fact) || fact.startsWith(secretPrefix)
}

/** A text that cannot be filled in for any person. */
interface PersonalProblem {
  /** The path of the text, as findings spell it. */
  readonly path: string
  readonly problem: string
}

/**
 * Finds the texts of a document that cannot be filled in for any person.
 * @param secrets The names of the server's secrets; any name is accepted if absent, because a check does not know the server.
 */
export function validatePersonalValues(
  values: readonly PersonalValue[],
  secrets?: ReadonlySet<string>,
): PersonalProblem[] {
  return values.flatMap((value) => {
    const problem = validatePersonalValue(value, secrets)
    return problem === undefined ? [] : [{ path: renderPath(value.path), problem }]
  })
}

function validatePersonalValue(
  { facts, path }: PersonalValue,
  secrets: ReadonlySet<string> | undefined,
): string | undefined {
  const broken = facts.find((fact) => isClaim(fact) && parseClaimPath(fact) === undefined)
  if (broken !== undefined) return `{${broken}} is not the name of a claim`
  if (facts.some(isClaim) && !isForClaims(path))
    return 'a claim can fill in only headers and attributes, because anywhere else it could name a program or a server'
  const unknown = facts.find(
    (fact) => fact.startsWith(secretPrefix) && secrets?.has(fact.slice(secretPrefix.length)) === false,
  )
  return unknown === undefined ? undefined : `{${unknown}} names no secret of this server`
}

/** Returns whether a path leads to a member of an object whose name ends with "headers" or "attributes". */
function isForClaims(path: PersonalValue['path']): boolean {
  const [parent, key] = path.slice(-2)
  return typeof key === 'string' && typeof parent === 'string' && /(headers|attributes)$/i.test(parent)
}

/** A copy of a document with all values filled in. */
interface FilledDocument {
  readonly document: RawObject
  /** The texts that were filled in, in the order of the values. */
  readonly texts: readonly string[]
}

/**
 * Fills in the values for one person.
 * @param secrets The secrets by name.
 * @throws {HelperError} `not-configured` for a claim that the token lacks, or a text that the place does not permit.
 */
export function withPersonalValues(
  document: RawObject,
  values: readonly PersonalValue[],
  { claims, secrets }: { readonly claims: Claims; readonly secrets: ReadonlyMap<string, string> },
): FilledDocument {
  const facts = toFacts(values, claims, secrets)
  const copy = structuredClone(document)
  const texts = values.map(({ path, text }) => {
    const filled = renderTemplate({ name: renderPath(path), value: text }, facts)
    refuseText(path, filled)
    setAt(copy, path, filled)
    return filled
  })
  return { document: copy, texts }
}

/** Returns the texts of all names; a name that is not filled in here keeps its braces. */
function toFacts(
  values: readonly PersonalValue[],
  claims: Claims,
  secrets: ReadonlyMap<string, string>,
): Record<string, string> {
  const wanted = new Set(values.flatMap(({ text }) => listFacts(text)))
  const others = [...wanted].filter((fact) => !isFilledHere(fact)).map((fact) => [fact, `{${fact}}`] as const)
  return Object.fromEntries([
    ...others,
    ...Object.entries(toClaimFacts(claims, wanted, 'the token')),
    ...secrets.entries().map(([name, secret]) => [`${secretPrefix}${name}`, secret] as const),
  ])
}

/**
 * Refuses a text that the place does not permit.
 * @throws {HelperError} `not-configured`; the message does not repeat the text.
 */
function refuseText(path: PersonalValue['path'], text: string): void {
  const [parent, name] = path.slice(-2)
  const isHeader = /headers$/i.test(String(parent)) && typeof name === 'string'
  const problem = isHeader ? validateHeader(name, text) : validateText(text)
  if (problem === undefined) return
  throw new HelperError(
    'not-configured',
    `${renderPath(path)}: ${problem}`,
    'take another claim in this place, or have the provider correct the claim',
  )
}

function validateText(text: string): string | undefined {
  if (!text.isWellFormed() || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(text))
    return 'the text has a control character or a line break'
  const isTooLong = Buffer.byteLength(text) > limits.headerValueBytes
  return isTooLong ? `the text is longer than ${limits.headerValueBytes} bytes` : undefined
}

/** Renders the path of a value, as findings spell it. */
export function renderPath(path: PersonalValue['path']): string {
  return path.reduce<string>((text, part) => joinPath(text, part), '')
}

/** Sets a value at a path that was found in this document, so every step of the path exists. */
function setAt(document: RawObject, path: PersonalValue['path'], text: string): void {
  let node = document as Record<string | number, unknown>
  for (const part of path.slice(0, -1)) node = node[part] as Record<string | number, unknown>
  node[path.at(-1)!] = text
}
