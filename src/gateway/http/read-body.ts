import type { Context } from 'hono'
import * as z from 'zod'
import { parseJson } from '../../runtime/values/json-value.ts'
import { maxNames, quoteNames } from '../store/workspaces.ts'
import { Refusal } from './request-headers.ts'

/**
 * Reads a JSON body of the given shape.
 * @throws {Refusal} 400 that names members and what was expected, and never a value, which may be a secret.
 */
export async function readBody<Shape extends z.ZodType>(request: Context, shape: Shape): Promise<z.infer<Shape>> {
  if (!/^application\/json\s*(;|$)/i.test(request.req.header('content-type') ?? ''))
    throw new Refusal(400, 'content-type must be application/json')
  const value = parseJson(decode(await request.req.arrayBuffer()))
  if (value === undefined) throw new Refusal(400, 'the body is not JSON')
  const parsed = shape.safeParse(value)
  if (parsed.success) return parsed.data
  throw new Refusal(400, renderIssues(parsed.error.issues.slice(0, 5)))
}

/** A text of 1 to `most` UTF-16 code units, as the client counts them; the library would count code points. */
export function createTextShape(most: number) {
  return z.string().refine(({ length }) => length >= 1 && length <= most, `expected 1 to ${most} characters`)
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: ArrayBuffer): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new Refusal(400, 'the body is not UTF-8') // a replacement character would be stored in place of what was sent
  }
}

/** Describes the problems, member by member. Names of unknown members come from the caller, so few are repeated, and long ones are cut. */
function renderIssues(issues: readonly z.core.$ZodIssue[]): string {
  let left = maxNames
  const lines = issues.map((issue) => {
    const where = issue.path.map(String).join('.') || 'the body'
    if (issue.code !== 'unrecognized_keys') return `${where}: ${issue.message}`
    const names = quoteNames(issue.keys, left)
    left -= Math.min(left, issue.keys.length)
    return `${where}: unknown members: ${names}`
  })
  return lines.join('; ')
}

/** An answer whose JSON is already text. */
export function answerJson(request: Context, json: string): Response {
  return request.body(json, 200, { 'content-type': 'application/json' })
}
