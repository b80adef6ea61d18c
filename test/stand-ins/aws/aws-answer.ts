import { randomUUID } from 'node:crypto'
import { escapeXml } from '../../../src/runtime/text/escape.ts'
import type { AwsOperation, AwsRefusal } from './aws-operation.ts'
import { escapeHtml, type PageAnswer, renderPage } from './pages/page-answer.ts'

export interface AwsAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

export function toAnswer({ name, protocol }: AwsOperation, value: unknown): AwsAnswer {
  if (typeof value === 'string') return { status: 200, headers: { 'content-type': 'text/plain' }, body: value }
  if (protocol === 'page') return fromPage(value as PageAnswer) // as every page answers
  if (protocol === 'query')
    return toXmlAnswer(200, `${name}Response`, { [`${name}Result`]: value, ResponseMetadata: requestId() })
  if (protocol === 'json') return toJsonAnswer(200, value, { 'content-type': 'application/x-amz-json-1.1' })
  return toJsonAnswer(200, value)
}

export function toRefusalAnswer({ protocol }: AwsOperation, refusal: AwsRefusal): AwsAnswer {
  const { code, status, message, reason } = refusal
  if (protocol === 'query') {
    const Type = status < 500 ? 'Sender' : 'Receiver'
    return toXmlAnswer(status, 'ErrorResponse', { Error: { Type, Code: code, Message: message }, ...requestId() })
  }
  if (protocol === 'page') return fromPage(renderPage(code, `<p id="problem">${escapeHtml(message)}</p>`, status))
  if (protocol === 'metadata') return toJsonAnswer(status, { Code: code, Message: message })
  if (protocol === 'json')
    return toJsonAnswer(status, { __type: code, message }, { 'content-type': 'application/x-amz-json-1.1' })
  const body = {
    portal: { message, __type: `com.amazonaws.switchboard.portal#${code}` },
    oidc: { error: renderOAuthError(code), error_description: message },
    'sign-in': { error: reason ?? code, message },
  }[protocol]
  return toJsonAnswer(status, body, { 'x-amzn-errortype': code })
}

function fromPage({ html, ...answer }: PageAnswer): AwsAnswer {
  return { ...answer, body: html }
}

/** `InvalidGrantException` is `invalid_grant` in the OAuth member. */
function renderOAuthError(code: string): string {
  const words = code.replace(/Exception$/, '').match(/[A-Z][a-z]*/g) ?? [code]
  return words.join('_').toLowerCase()
}

function toJsonAnswer(status: number, value: unknown, headers: Record<string, string> = {}): AwsAnswer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) }
}

function toXmlAnswer(status: number, root: string, value: unknown): AwsAnswer {
  const body = `<${root} xmlns="https://sts.amazonaws.com/doc/2011-06-15/">${renderElements(value)}</${root}>\n`
  return { status, headers: { 'content-type': 'text/xml' }, body }
}

function renderElements(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  if (typeof value !== 'object' || value === null) return escapeXml(String(value))
  return Object.entries(value)
    .map(([name, member]) => `<${name}>${renderElements(member)}</${name}>`)
    .join('')
}

function requestId() {
  return { RequestId: randomUUID() }
}
