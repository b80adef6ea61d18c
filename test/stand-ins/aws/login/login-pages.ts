import { type AwsOperation, AwsRefusal, type AwsRequest, type AwsWorld } from '../aws-operation.ts'
import { escapeHtml, type PageAnswer, renderPage } from '../pages/page-answer.ts'
import { findParameterProblem } from '../pages/parameter-problem.ts'
import type { PersonPages } from '../pages/person-pages.ts'
import type { LoginCodes } from './login-codes.ts'

/** The clients of the console sign-in, and where each may send a browser: on loopback with any port, or to AWS's own page. */
export const loginClients = {
  sameDevice: 'arn:aws:signin:::devtools/same-device',
  crossDevice: 'arn:aws:signin:::devtools/cross-device',
}

const confirmationPath = '/v1/sessions/confirmation'
const codeLifeMs = 60_000

/** Creates the pages of the console sign-in: the question whether to give a program access, and the code for another machine. */
export function createLoginPages(
  { world, origin, pages, codes }: { world: AwsWorld; origin: string; pages: PersonPages; codes: LoginCodes },
  findPerson: () => string,
): AwsOperation[] {
  const authorize = ({ url }: AwsRequest): PageAnswer => {
    const query = url.searchParams
    const problem = findParameterProblem(query, rulesOf(query.get('client_id'), origin))
    if (problem !== undefined) throw new AwsRefusal('InvalidRequest', 400, problem)
    const arn = findPerson()
    const read = (name: string) => query.get(name) ?? ''
    const back = (answer: Record<string, string>) => {
      const address = new URL(read('redirect_uri'))
      for (const [name, value] of Object.entries({ ...answer, state: read('state') }))
        address.searchParams.set(name, value)
      return address.href
    }
    return pages.ask({
      text: `Give access to AWS as ${arn}?`,
      allow: () =>
        back({
          code: codes.issue({
            arn,
            clientId: read('client_id'),
            redirectUri: read('redirect_uri'),
            codeChallenge: read('code_challenge'),
            expiresAt: new Date(world.now().getTime() + codeLifeMs),
          }),
        }),
      deny: () => back({ error: 'access_denied' }),
    })
  }
  return [page('/v1/authorize', authorize), page(confirmationPath, showCode)]
}

function rulesOf(clientId: string | null, origin: string) {
  const isCrossDevice = clientId === loginClients.crossDevice
  return {
    response_type: 'code',
    client_id: isCrossDevice ? loginClients.crossDevice : loginClients.sameDevice,
    state: /^[\w-]{16,}$/,
    code_challenge_method: 'SHA-256',
    scope: 'openid',
    redirect_uri: isCrossDevice ? `${origin}${confirmationPath}` : /^http:\/\/127\.0\.0\.1:\d+\/oauth\/callback$/,
    code_challenge: /^[\w-]{43}$/,
  }
}

/** Shows the text that a person on another machine copies to where the program runs. */
function showCode({ url }: AwsRequest): PageAnswer {
  const { searchParams: query } = url
  if (query.has('error')) return renderPage('Access denied', '')
  const answer = `state=${query.get('state')}&code=${query.get('code')}`
  const text = Buffer.from(answer).toString('base64')
  return renderPage('Copy this code', `<code id="code">${escapeHtml(text)}</code>`)
}

function page(path: `/${string}`, answer: (request: AwsRequest) => PageAnswer): AwsOperation {
  return {
    name: `GET ${path}`,
    protocol: 'page',
    accepts: ({ method, url }) => method === 'GET' && url.pathname === path,
    parameters: ({ url }) => Object.fromEntries(url.searchParams),
    answer,
  }
}
