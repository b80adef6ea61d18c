import type { Context } from 'hono'
import type { z } from 'zod'
import { Refusal } from './refusal.ts'

/**
 * Reads a JSON body of the given shape.
 * @throws {Refusal} 400 that names members and what was expected, and never a value, which may be a secret.
 */
export async function readBody<Shape extends z.ZodType>(request: Context, shape: Shape): Promise<z.infer<Shape>> {
  if (!/^application\/json\s*(;|$)/i.test(request.req.header('content-type') ?? ''))
    throw new Refusal(400, 'content-type must be application/json')
  const parsed = shape.safeParse(parseJson(decode(await request.req.arrayBuffer())))
  if (parsed.success) return parsed.data
  throw new Refusal(400, parsed.error.issues.slice(0, 5).map(renderIssue).join('; '))
}

function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Refusal(400, 'the body is not UTF-8') // a replacement character would be stored in place of what was sent
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal(400, 'the body is not JSON') // the parser's own message repeats what it read
  }
}

function renderIssue({ path, message }: z.core.$ZodIssue): string {
  return `${path.map(String).join('.') || 'the body'}: ${message}`
}
