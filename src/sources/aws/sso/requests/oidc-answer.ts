import { HelperError } from '../../../../runtime/failure.ts'
import { parseObject } from '../../../../runtime/parse-object.ts'
import { interceptionHint } from '../../sdk/interception-hint.ts'

/** AWS refused a request, and says why by a code of RFC 6749 or RFC 8628. */
export class OidcRefusal extends Error {
  /** Such as `invalid_grant`. */
  readonly code: string

  constructor(code: string) {
    super(code)
    this.name = 'OidcRefusal'
    this.code = code
  }
}

/** AWS asks for more time between two requests (RFC 8628, section 3.5). */
export class SlowDownError extends HelperError {}

/** An answer of AWS over HTTP. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/**
 * The object that AWS answered with.
 * @param service Such as "AWS SSO in eu-central-1".
 * @throws {OidcRefusal} for a refusal; `HelperError` `unavailable` where AWS is busy ({@link SlowDownError} is one), or where
 * something else answered.
 */
export function parseOidcAnswer(answer: HttpAnswer, service: string): Record<string, unknown> {
  refuseOutage(answer, service)
  const { status, text } = answer
  const body = parseObject(text)
  if (status < 300 && body) return body
  const code = findOAuthCode(body)
  if (status >= 400 && code === 'slow_down')
    throw new SlowDownError('unavailable', `${service} is busy (${code}, HTTP ${status})`, 'try again in a moment')
  if (status >= 400 && code !== undefined) throw new OidcRefusal(code)
  throw new HelperError(
    'unavailable',
    `${service} answered with something that is no answer of AWS (HTTP ${status})`,
    interceptionHint,
  )
}

/**
 * Refuses what is no answer to the request: AWS never redirects one or answers with a web page, and while it is busy it says so.
 * @throws {HelperError} `unavailable`
 */
export function refuseOutage({ status, headers }: HttpAnswer, service: string): void {
  if (status >= 500 || status === 429 || status === 408) throw toBusy(service, describeStatus(status, headers))
  const isRedirect = status >= 300 && status < 400
  if (!isRedirect && !headers.get('content-type')?.startsWith('text/html')) return
  throw new HelperError(
    'unavailable',
    `${service} answered with ${isRedirect ? 'a redirect' : 'a web page'} (HTTP ${status}), which AWS never does`,
    interceptionHint,
  )
}

/** The code of an AWS error without its name space and address; `undefined` where there is none that looks like one. */
export function findErrorCode(headers: Headers): string | undefined {
  const [name = ''] = (headers.get('x-amzn-errortype') ?? '').split(':')
  return /^\w{1,80}$/.test(name) ? name : undefined
}

/** The member that RFC 6749 defines, or where only the name of the exception came, the same from that. */
function findOAuthCode(body: Record<string, unknown> | undefined): string | undefined {
  const code = body?.error
  return typeof code === 'string' && /^[a-z_]{1,60}$/.test(code) ? code : undefined
}

function describeStatus(status: number, headers: Headers): string {
  return [findErrorCode(headers), `HTTP ${status}`].filter(Boolean).join(', ')
}

function toBusy(service: string, what: string): HelperError {
  return new HelperError('unavailable', `${service} is busy or broken (${what})`, 'try again in a moment')
}
