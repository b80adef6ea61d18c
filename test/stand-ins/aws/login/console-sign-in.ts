import { generateKeyPairSync } from 'node:crypto'
import { parseAccountId } from '../aws-identities.ts'
import { type AwsOperation, AwsRefusal, type AwsRequest, type AwsWorld, parseJsonParameters } from '../aws-operation.ts'
import type { PersonPages } from '../pages/person-pages.ts'
import { parsePublicKey, renderThumbprint, verifyDpopProof } from './dpop-proof.ts'
import { signIdToken } from './id-token.ts'
import { createLoginCodes, invalidRequest, type LoginCodes } from './login-codes.ts'
import { createLoginPages, loginClients } from './login-pages.ts'

/** What `aws login` leaves in `~/.aws/login/cache`. */
export interface LoginCacheEntry {
  accessToken: {
    accessKeyId: string
    secretAccessKey: string
    sessionToken: string
    accountId: string
    expiresAt: string
  }
  tokenType: 'aws_sigv4'
  clientId: string
  refreshToken: string
  /** SEC1 PEM of the key to which the refresh token is bound. */
  dpopKey: string
}

interface LoginSession {
  arn: string
  refreshToken: string
  clientId: string
  thumbprint: string
}

interface ConsoleSignIn {
  operations: AwsOperation[]
  /** `arn` is who signed in; `expiresAt` the end of the credentials already issued. */
  addSession(session: { arn: string; expiresAt: Date }): LoginCacheEntry
  /** The person who is signed in to the console in the browser. */
  setPerson(arn: string): void
}

/** Creates the sign-in service behind `aws login`: credentials of 15 minutes, refreshed with a proof of the key that signed in. */
export function createConsoleSignIn(world: AwsWorld, origin: string, pages: PersonPages): ConsoleSignIn {
  const sessions: LoginSession[] = []
  const codes = createLoginCodes()
  let person = 'arn:aws:iam::111122223333:user/dev'
  return {
    addSession: ({ arn, expiresAt }) => {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const thumbprint = renderThumbprint(parsePublicKey(publicKey.export({ format: 'jwk' }))!) // P-256 by construction
      const { accessKeyId, secretAccessKey, sessionToken } = world.identities.issueKey(arn, expiresAt)
      return {
        accessToken: {
          accessKeyId,
          secretAccessKey,
          sessionToken,
          accountId: parseAccountId(arn),
          expiresAt: `${expiresAt.toISOString().slice(0, 19)}Z`,
        },
        tokenType: 'aws_sigv4',
        clientId: loginClients.sameDevice,
        refreshToken: addSession(sessions, { arn, clientId: loginClients.sameDevice, thumbprint }),
        dpopKey: privateKey.export({ format: 'pem', type: 'sec1' }).toString(),
      }
    },
    setPerson: (arn) => {
      person = arn
    },
    operations: [
      createTokenOperation(world, origin, { sessions, codes }),
      ...createLoginPages({ world, origin, pages, codes }, () => person),
    ],
  }
}

function addSession(sessions: LoginSession[], session: Omit<LoginSession, 'refreshToken'>): string {
  const refreshToken = `login-refresh-${sessions.length + 1}`
  sessions.push({ ...session, refreshToken })
  return refreshToken
}

const lifeSec = 900

function createTokenOperation(
  world: AwsWorld,
  origin: string,
  { sessions, codes }: { sessions: LoginSession[]; codes: LoginCodes },
): AwsOperation {
  const proveKey = createProofCheck(world, origin)
  const issue = ({ arn, refreshToken }: Pick<LoginSession, 'arn' | 'refreshToken'>) => {
    const key = world.identities.issueKey(arn, new Date(world.now().getTime() + lifeSec * 1000))
    const { accessKeyId, secretAccessKey, sessionToken } = key
    const accessToken = { accessKeyId, secretAccessKey, sessionToken }
    return { accessToken, tokenType: 'aws_sigv4', expiresIn: lifeSec, refreshToken }
  }
  return {
    name: 'CreateOAuth2Token',
    protocol: 'sign-in',
    accepts: ({ method, url }) => method === 'POST' && url.pathname === '/v1/token',
    parameters: ({ body }) => parseJsonParameters(body),
    answer: (request, parameters) => {
      if (request.headers['content-type'] !== 'application/json') throw invalidRequest('the body is not JSON')
      const thumbprint = proveKey(request)
      const { grantType, clientId = '', refreshToken } = parameters
      if (!Object.values(loginClients).includes(clientId)) throw invalidRequest('unknown client')
      if (grantType === 'authorization_code') {
        const arn = codes.redeem(parameters, world.now())
        const issued = issue({ arn, refreshToken: addSession(sessions, { arn, clientId, thumbprint }) })
        return { ...issued, idToken: signIdToken(arn, clientId, world.now()) }
      }
      if (grantType !== 'refresh_token') throw invalidRequest('unknown grantType')
      const session = sessions.find((one) => one.refreshToken === refreshToken)
      if (session?.thumbprint !== thumbprint || session.clientId !== clientId)
        throw new AwsRefusal('AccessDeniedException', 401, 'the refresh token is not valid', 'TOKEN_EXPIRED')
      session.refreshToken = `${session.refreshToken}-refreshed`
      return issue(session)
    },
  }
}

/** Gives the thumbprint of the key that the sender has proved to have, with a proof that nobody has used. */
function createProofCheck(world: AwsWorld, origin: string): (request: AwsRequest) => string {
  const seen = new Set<string>()
  return ({ method, url, headers }) => {
    const target = { method, url: `${origin}${url.pathname}`, now: world.now() }
    const proof = verifyDpopProof([headers.dpop ?? ''].flat().join(), target)
    if (typeof proof === 'string') throw invalidRequest(`DPoP proof: ${proof}`)
    if (seen.has(proof.id)) throw invalidRequest('DPoP proof: used before')
    seen.add(proof.id)
    return proof.thumbprint
  }
}
