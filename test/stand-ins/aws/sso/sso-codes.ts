import { createHash } from 'node:crypto'
import { type AwsOperation, AwsRefusal, type AwsWorld } from '../aws-operation.ts'
import { findParameterProblem } from '../pages/parameter-problem.ts'
import type { PersonPages } from '../pages/person-pages.ts'
import { invalid, type SsoClient, type SsoClients } from './sso-clients.ts'

interface Code {
  client: SsoClient
  redirectUri: string
  codeChallenge: string
  expiresAt: Date
}

export interface SsoCodes {
  page: AwsOperation
  /** The portal for which the code was given. @throws {AwsRefusal} for a code that is not redeemed as it was asked for. */
  redeem(members: Record<string, string>, client: SsoClient): string
}

const lifeMs = 60_000

/** Creates authorization with PKCE: the page that asks the person, and the codes that it gives. */
export function createSsoCodes(world: AwsWorld, clients: SsoClients, pages: PersonPages): SsoCodes {
  const codes = new Map<string, Code>()
  let issued = 0
  const issue = (client: SsoClient, query: URLSearchParams): string => {
    issued += 1
    const code = `canary-sso-code-${issued}`
    const [redirectUri, codeChallenge] = [query.get('redirect_uri') ?? '', query.get('code_challenge') ?? '']
    codes.set(code, { client, redirectUri, codeChallenge, expiresAt: new Date(world.now().getTime() + lifeMs) })
    return code
  }
  return {
    page: {
      name: 'GET /authorize',
      protocol: 'page',
      accepts: ({ method, url }) => method === 'GET' && url.pathname === '/authorize',
      parameters: ({ url }) => Object.fromEntries(url.searchParams),
      answer: ({ url: { searchParams: query } }) => {
        const client = clients.find(query.get('client_id') ?? '')
        if (!client?.grantTypes.includes('authorization_code')) throw invalid('parameter client_id is wrong')
        const problem = findParameterProblem(query, rulesOf(client))
        if (problem !== undefined) throw invalid(problem)
        const back = (answer: Record<string, string>) => {
          const address = new URL(query.get('redirect_uri') ?? '')
          const parameters = { ...answer, state: query.get('state') ?? '' }
          for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value)
          return address.href
        }
        return pages.ask({
          text: `Allow ${client.clientId} to access your data?`,
          allow: () => back({ code: issue(client, query) }),
          deny: () => back({ error: 'access_denied' }),
        })
      },
    },
    redeem: ({ code = '', redirectUri, codeVerifier = '' }, client) => {
      const found = codes.get(code)
      codes.delete(code)
      if (found?.client !== client || found.expiresAt <= world.now())
        throw new AwsRefusal('InvalidGrantException', 400, 'Invalid grant provided')
      if (found.redirectUri !== redirectUri) throw invalid('redirectUri differs')
      const challenge = createHash('sha256').update(codeVerifier).digest('base64url')
      if (!/^[\w.~-]{43,128}$/.test(codeVerifier) || challenge !== found.codeChallenge)
        throw new AwsRefusal('InvalidGrantException', 400, 'Invalid code verifier')
      return client.issuerUrl ?? ''
    },
  }
}

function rulesOf(client: SsoClient) {
  return {
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: /^http:\/\/127\.0\.0\.1:\d+\/oauth\/callback$/,
    state: /^[\w-]{16,}$/,
    code_challenge_method: 'S256',
    scopes: client.scopes.join(' '),
    code_challenge: /^[\w-]{43}$/,
  }
}
