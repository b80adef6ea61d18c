import { generateKeyPairSync } from 'node:crypto'
import { parseAccountId } from './aws-identities.ts'
import { type AwsOperation, AwsRefusal, type AwsRequest, type AwsWorld, parseJsonParameters } from './aws-operation.ts'
import { parsePublicKey, renderThumbprint, verifyDpopProof } from './dpop-proof.ts'

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
  thumbprint: string
}

/** The sign-in service behind `aws login`: credentials of 15 minutes, refreshed with a proof of the key that signed in. */
export function createConsoleSignIn(
  world: AwsWorld,
  origin: string,
): {
  operations: AwsOperation[]
  /** `arn` is who signed in; `expiresAt` the end of the credentials already issued. */
  addSession(session: { arn: string; expiresAt: Date }): LoginCacheEntry
} {
  const sessions: LoginSession[] = []
  const seenProofs = new Set<string>()

  const proveKey = ({ method, url, headers }: AwsRequest): string => {
    const proof = verifyDpopProof([headers.dpop ?? ''].flat().join(), {
      method,
      url: `${origin}${url.pathname}`,
      now: world.now(),
    })
    if (typeof proof === 'string') throw invalidRequest(`DPoP proof: ${proof}`)
    if (seenProofs.has(proof.id)) throw invalidRequest('DPoP proof: used before')
    seenProofs.add(proof.id)
    return proof.thumbprint
  }

  return {
    addSession: ({ arn, expiresAt }) => {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const thumbprint = renderThumbprint(parsePublicKey(publicKey.export({ format: 'jwk' }))!) // P-256 by construction
      const refreshToken = `login-refresh-${sessions.length + 1}`
      sessions.push({ arn, refreshToken, thumbprint })
      const { accessKeyId, secretAccessKey, sessionToken } = world.identities.issueKey(arn, expiresAt)
      return {
        accessToken: {
          accessKeyId,
          secretAccessKey,
          sessionToken,
          accountId: parseAccountId(arn),
          expiresAt: expiresAt.toISOString(),
        },
        tokenType: 'aws_sigv4',
        clientId,
        refreshToken,
        dpopKey: privateKey.export({ format: 'pem', type: 'sec1' }).toString(),
      }
    },
    operations: [
      {
        name: 'CreateOAuth2Token',
        protocol: 'sign-in',
        accepts: ({ method, url, body }) =>
          method === 'POST' && url.pathname === '/v1/token' && parseJsonParameters(body).grantType === 'refresh_token',
        parameters: ({ body }) => parseJsonParameters(body),
        answer: (request, parameters) => {
          const thumbprint = proveKey(request)
          if (parameters.clientId !== clientId) throw invalidRequest('unknown client')
          const session = sessions.find((one) => one.refreshToken === parameters.refreshToken)
          if (session?.thumbprint !== thumbprint) throw denied('TOKEN_EXPIRED', 'the refresh token is not valid')
          session.refreshToken = `${session.refreshToken}-refreshed`
          return answerRefresh(world, session)
        },
      },
    ],
  }
}

/** What the AWS CLI calls itself when the browser is on the same machine. */
const clientId = 'arn:aws:signin:::devtools/same-device'

const lifeSec = 900

function answerRefresh({ identities, now }: AwsWorld, { arn, refreshToken }: LoginSession) {
  const key = identities.issueKey(arn, new Date(now().getTime() + lifeSec * 1000))
  const { accessKeyId, secretAccessKey, sessionToken } = key
  const accessToken = { accessKeyId, secretAccessKey, sessionToken }
  return { accessToken, tokenType: 'aws_sigv4', expiresIn: lifeSec, refreshToken }
}

function invalidRequest(message: string): AwsRefusal {
  return new AwsRefusal('ValidationException', 400, message, 'INVALID_REQUEST')
}

function denied(reason: string, message: string): AwsRefusal {
  return new AwsRefusal('AccessDeniedException', 400, message, reason)
}
