import { parsePrincipal, stsNamespace } from '../../contract/aws/caller-identity.ts'
import { isObject } from '../../runtime/values/json-value.ts'
import { parseUniqueObject } from '../jwt/unique-object.ts'
import type { Identity } from '../verdict.ts'

/** The answer of AWS STS: the caller whose keys signed the request, or an error. */
export type StsAnswer =
  | { readonly kind: 'caller'; readonly caller: StsCaller }
  | { readonly kind: 'error'; readonly code: string; readonly message: string }

/** The caller, as AWS STS states it. */
export interface StsCaller {
  readonly arn: string
  readonly account: string
  readonly userId: string
}

/**
 * Parses an answer of AWS STS to `GetCallerIdentity`, in JSON or XML by its content type; `undefined` for anything else, such as a proxy's
 * page. The whole text must be an answer that names exactly one caller.
 */
export function parseStsAnswer(text: string, contentType: string | null): StsAnswer | undefined {
  const answer = parseTree(text, contentType?.split(';')[0]?.trim().toLowerCase() ?? '')
  if (!answer) return undefined
  return toCaller(answer) ?? toError(answer)
}

function parseTree(text: string, type: string): Readonly<Record<string, unknown>> | undefined {
  if (type === 'application/json') return parseUniqueObject(text)
  if (type === 'text/xml' || type === 'application/xml') return parseRoot(text)
  return undefined
}

/** In JSON, an error has no root element of its own. */
function parseRoot(text: string): Readonly<Record<string, unknown>> | undefined {
  const tree = parseElements(text)
  return tree && 'ErrorResponse' in tree ? findObject(tree.ErrorResponse) : tree
}

function toCaller(answer: Readonly<Record<string, unknown>>): StsAnswer | undefined {
  const response = findObject(answer.GetCallerIdentityResponse)
  const { Arn: arn, Account: account, UserId: userId } = findObject(response?.GetCallerIdentityResult) ?? {}
  if (!hasOnly(answer, ['GetCallerIdentityResponse'])) return undefined
  if (!hasOnly(response, ['GetCallerIdentityResult', 'ResponseMetadata'])) return undefined
  if (typeof arn !== 'string' || typeof account !== 'string' || typeof userId !== 'string') return undefined
  const isConsistent = isArnOf(arn, account) && /^[\x21-\x7e]{1,200}$/.test(userId)
  return isConsistent ? { kind: 'caller', caller: { arn, account, userId } } : undefined
}

/** Returns whether an ARN of IAM or AWS STS belongs to this account (AWS documentation, "IAM identifiers"). */
function isArnOf(arn: string, account: string): boolean {
  const [, owner] = /^arn:[a-z-]+:(?:iam|sts)::(\d{12}):[\x21-\x7e]{1,2048}$/.exec(arn) ?? []
  return owner === account
}

function toError(answer: Readonly<Record<string, unknown>>): StsAnswer | undefined {
  const { Code: code, Message: message } = findObject(answer.Error) ?? {}
  if (!hasOnly(answer, ['Error', 'RequestId'])) return undefined
  if (typeof code !== 'string' || !/^[A-Za-z.]{1,100}$/.test(code)) return undefined
  return { kind: 'error', code, message: typeof message === 'string' ? message : '' }
}

function hasOnly(value: Readonly<Record<string, unknown>> | undefined, names: readonly string[]): boolean {
  return value !== undefined && Object.keys(value).every((name) => names.includes(name))
}

function findObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isObject(value) ? value : undefined
}

/** Elements by their names. Each holds either text or elements; siblings have different names. */
interface Elements {
  readonly [name: string]: string | Elements
}

/** One tag or one text. AWS STS writes no attribute except the name space of the root, no comments and no CDATA sections. */
const piece =
  /<\?xml [^<>]*\?>\s*|<(?<opened>[A-Za-z]\w{0,63})(?: xmlns="(?<space>[^"<>]*)")?(?<empty>\s*\/)?>|<\/(?<closed>\w+)>|(?<text>[^<]+)/y

const maxDepth = 8

/** An open element, with its content so far. */
interface OpenElement {
  readonly name: string
  readonly elements: Map<string, string | Elements>
  text: string
}

/**
 * Parses a whole answer in the subset of XML that the AWS Query protocol uses; `undefined` for anything else, so that a text of which only
 * a part looks like an answer is rejected.
 */
function parseElements(xml: string): Elements | undefined {
  const root: OpenElement = { name: '', elements: new Map(), text: '' }
  const open = [root]
  piece.lastIndex = 0
  while (piece.lastIndex < xml.length) {
    const isFirst = piece.lastIndex === 0
    const found = piece.exec(xml)
    if (!found?.groups) return undefined
    const { opened, space, empty, closed, text } = found.groups
    const isDeclaration = [opened, closed, text].every((part) => part === undefined)
    if (isDeclaration ? !isFirst : !addPiece({ opened, space, empty, closed, text }, open)) return undefined
  }
  return open.length === 1 && root.elements.size === 1 ? toValue(root) : undefined
}

interface XmlPiece {
  readonly opened: string | undefined
  readonly space: string | undefined
  readonly empty: string | undefined
  readonly closed: string | undefined
  readonly text: string | undefined
}

/**
 * Adds a piece.
 * @returns whether the piece is allowed at this place.
 */
function addPiece({ opened, space, empty, closed, text }: XmlPiece, open: OpenElement[]): boolean {
  const parent = open.at(-1)!
  if (text !== undefined) {
    parent.text += text
    return open.length > 1 || text.trim() === ''
  }
  if (opened !== undefined) {
    const isRoot = open.length === 1
    const isWanted = isRoot ? space === stsNamespace && parent.elements.size === 0 : space === undefined
    if (!isWanted || parent.elements.has(opened) || open.length > maxDepth) return false
    // The name is already set while the element is open, so that a sibling of the same name is rejected.
    parent.elements.set(opened, '')
    if (empty === undefined) open.push({ name: opened, elements: new Map(), text: '' })
    return true
  }
  return closed === parent.name && open.length > 1 && closeElement(open)
}

function closeElement(open: OpenElement[]): boolean {
  const element = open.pop()!
  if (element.elements.size > 0 && element.text.trim() !== '') return false
  const value = element.elements.size > 0 ? toValue(element) : decodeText(element.text)
  if (value === undefined) return false
  open.at(-1)!.elements.set(element.name, value)
  return true
}

function toValue({ elements }: OpenElement): Elements {
  return Object.fromEntries(elements)
}

/** The predefined entities (XML 1.0, section 4.6). */
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Returns `undefined` for a text with any other entity or character reference. */
function decodeText(text: string): string | undefined {
  const reference = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,6}));/g
  if (text.replaceAll(reference, '').includes('&')) return undefined
  return text.replaceAll(reference, (_, name: string | undefined, code: string) =>
    name === undefined ? String.fromCodePoint(Number(code)) : entities[name]!,
  )
}

/**
 * Returns the claims of an AWS identity that rules and headers name. `role` is the role's name without its path, because AWS STS omits the
 * path.
 */
export function toCallerClaims({ arn, account, userId }: StsCaller, partition: string): Identity['claims'] {
  const { role, sessionName } = parsePrincipal(arn)
  return { arn, account, user_id: userId, partition, ...(role !== undefined && { role, session: sessionName }) }
}
