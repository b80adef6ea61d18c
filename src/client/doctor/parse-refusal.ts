import { parseJson } from '../../runtime/values/json-value.ts'

/** The members in which services put the message of an error, most specific first. */
const messageNames = [
  'message',
  'Message',
  'error_description',
  'errorMessage',
  'detail',
  'title',
  'description',
  'msg',
]

/** The members in which services put the code of an error. `type` may be a URL that describes its kind (RFC 9457). */
const codeNames = ['code', 'Code', 'error_code', 'errorCode', '__type', 'type', 'error']

/** The members that may contain the error object: in the API's own envelope, RFC 6749, RFC 9457 and the answers of other gateways. */
const wrappers = ['error', 'Error', 'errors', 'detail', 'fault']

/** Parses the body of an answer in any form; empty for an empty body. */
export function parseRefusal(body: string): StatedRefusal {
  const text = body.trim()
  if (/^<(!doctype|html|head)/i.test(text)) return toRefusal(undefined, /<title[^>]*>([^<]*)/i.exec(text)?.[1])
  const value = parseJson(text)
  if (typeof value === 'string') return toRefusal(undefined, value)
  const objects = listObjects(value)
  const code = findText(objects, codeNames)
  const message = findText(objects, messageNames)
  return toRefusal(code, message ?? (code === undefined ? text : undefined))
}

/** The code and message of a gateway's refusal. */
interface StatedRefusal {
  readonly code: string | undefined
  readonly message: string | undefined
}

function toRefusal(code: string | undefined, message: string | undefined): StatedRefusal {
  return { code, message: message?.trim() || undefined }
}

/** Lists the object and the nested objects that may describe the error, innermost first. */
function listObjects(value: unknown): Record<string, unknown>[] {
  const [first] = Array.isArray(value) ? value : [value]
  if (typeof first !== 'object' || first === null) return []
  const inner = wrappers.flatMap((name) => listObjects(first[name]))
  return [...inner, first]
}

function findText(objects: readonly Record<string, unknown>[], names: readonly string[]): string | undefined {
  const found = objects.flatMap((object) => names.map((name) => object[name]))
  const text = found.find((value) => typeof value === 'number' || (typeof value === 'string' && value.trim() !== ''))
  return text === undefined ? undefined : String(text)
}
