import { parseObject } from '../../../runtime/parse-object.ts'
import { parseElements } from './parse-elements.ts'

/** What AWS STS answers: whose keys signed the request, or the code of an error. */
export type StsAnswer =
  | { readonly kind: 'caller'; readonly caller: StsCaller }
  | { readonly kind: 'error'; readonly code: string; readonly message: string }

/** As AWS STS states it. */
export interface StsCaller {
  readonly arn: string
  readonly account: string
  readonly userId: string
}

const nameSpace = 'https://sts.amazonaws.com/doc/2011-06-15/'

/**
 * Parses an answer of AWS STS to `GetCallerIdentity`, in JSON or XML as its content type says; `undefined` for anything else,
 * such as the page of a proxy. The whole of it has to be such an answer, and name one caller in one way.
 */
export function parseAnswer(text: string, contentType: string | null): StsAnswer | undefined {
  const answer = parseTree(text, contentType?.split(';')[0]?.trim().toLowerCase() ?? '')
  if (!answer) return undefined
  return toCaller(answer) ?? toError(answer)
}

function parseTree(text: string, type: string): Readonly<Record<string, unknown>> | undefined {
  if (type === 'application/json') return parseObject(text)
  if (type === 'text/xml' || type === 'application/xml') return parseRoot(text)
  return undefined
}

/** The error of a JSON answer has no root of its own. */
function parseRoot(text: string): Readonly<Record<string, unknown>> | undefined {
  const tree = parseElements(text, nameSpace)
  return tree && 'ErrorResponse' in tree ? toObject(tree.ErrorResponse) : tree
}

function toCaller(answer: Readonly<Record<string, unknown>>): StsAnswer | undefined {
  const response = toObject(answer.GetCallerIdentityResponse)
  const { Arn: arn, Account: account, UserId: userId } = toObject(response?.GetCallerIdentityResult) ?? {}
  if (!hasOnly(answer, ['GetCallerIdentityResponse'])) return undefined
  if (!hasOnly(response, ['GetCallerIdentityResult', 'ResponseMetadata'])) return undefined
  if (typeof arn !== 'string' || typeof account !== 'string' || typeof userId !== 'string') return undefined
  const isConsistent = isArnOf(arn, account) && /^[\x21-\x7e]{1,200}$/.test(userId)
  return isConsistent ? { kind: 'caller', caller: { arn, account, userId } } : undefined
}

/** An ARN of IAM or AWS STS in this account. AWS documentation, "IAM identifiers". */
function isArnOf(arn: string, account: string): boolean {
  const [, owner] = /^arn:[a-z-]+:(?:iam|sts)::(\d{12}):[\x21-\x7e]{1,2048}$/.exec(arn) ?? []
  return owner === account
}

function toError(answer: Readonly<Record<string, unknown>>): StsAnswer | undefined {
  const { Code: code, Message: message } = toObject(answer.Error) ?? {}
  if (!hasOnly(answer, ['Error', 'RequestId'])) return undefined
  if (typeof code !== 'string' || !/^[A-Za-z.]{1,100}$/.test(code)) return undefined
  return { kind: 'error', code, message: typeof message === 'string' ? message : '' }
}

function hasOnly(value: Readonly<Record<string, unknown>> | undefined, names: readonly string[]): boolean {
  return value !== undefined && Object.keys(value).every((name) => names.includes(name))
}

function toObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Readonly<Record<string, unknown>>) : undefined // an object, as just seen
}
