import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import type { JSONWebKeySet } from 'jose'
import { isRoleSession, parseAccountId } from './aws-identities.ts'
import { type AwsOperation, AwsRefusal, type AwsRequest, type AwsWorld } from './aws-operation.ts'
import { authenticate } from './sts-authentication.ts'
import { validationError } from './sts-roles.ts'

/** The issuer of an account's identity tokens. */
export interface OutboundIdentity {
  issuer: string
  /** The keys that the issuer publishes. */
  jwks(): JSONWebKeySet
  /** The account issues no tokens from now on. */
  disable(): void
  /** How much earlier the answer says that a token ends than the token itself says. */
  stateEarlierEnd(sec: number): void
}

/** The parameters of `GetWebIdentityToken`, with `N` for the number of an item. */
export const webIdentityParameters = [
  'Audience.member.N',
  'DurationSeconds',
  'SigningAlgorithm',
  'Tags.member.N.Key',
  'Tags.member.N.Value',
]

/** Creates the issuer, and what answers `GetWebIdentityToken`. */
export function createOutboundIdentity(world: AwsWorld): OutboundIdentity & { answer: AwsOperation['answer'] } {
  const issuer = `https://${randomUUID()}.tokens.sts.global.api.aws`
  let isEnabled = true
  let earlierSec = 0
  return {
    issuer,
    jwks: () => ({
      keys: Object.values(keys).map(({ kid, publicKey }) => ({ ...publicKey().export({ format: 'jwk' }), kid })),
    }),
    disable: () => {
      isEnabled = false
    },
    stateEarlierEnd: (sec) => {
      earlierSec = sec
    },
    answer: (request, parameters) => {
      const key = authenticate(request, world)
      if (!isEnabled) throw new AwsRefusal('OutboundWebIdentityFederationDisabledException', 403, 'Not enabled')
      const asked = readAsked(parameters)
      const iat = Math.floor(world.now().getTime() / 1000)
      const exp = iat + asked.durationSec
      if (key.expiration && exp * 1000 > key.expiration.getTime())
        throw new AwsRefusal('SessionDurationEscalationException', 403, 'The duration extends the session')
      const claims = { iss: issuer, ...describeCaller(key.arn, asked, request), iat, exp, jti: randomUUID() }
      return {
        WebIdentityToken: signJwt(claims, asked.algorithm),
        Expiration: new Date((exp - earlierSec) * 1000),
      }
    },
  }
}

type Asked = ReturnType<typeof readAsked>

/** @throws {AwsRefusal} for what AWS's model does not allow */
function readAsked(parameters: Record<string, string>) {
  const list = (pattern: RegExp) => Object.entries(parameters).filter(([name]) => pattern.test(name))
  const audiences = list(/^Audience\.member\.\d+$/).map(([, text]) => text)
  const tags = list(/^Tags\.member\.\d+\.Key$/).map(
    ([name, key]) => [key, parameters[name.replace('Key', 'Value')]] as const,
  )
  const { SigningAlgorithm: algorithm = '', DurationSeconds = '300' } = parameters
  const durationSec = Number(DurationSeconds)
  const isValid =
    audiences.length >= 1 &&
    audiences.length <= 10 &&
    audiences.every((text) => text.length >= 1 && text.length <= 1000) &&
    durationSec >= 60 &&
    durationSec <= 3600 &&
    (algorithm === 'ES384' || algorithm === 'RS256') &&
    tags.length <= 50 &&
    tags.every(([key, value = '']) => key.length >= 1 && key.length <= 128 && value.length <= 256)
  if (!isValid) throw validationError('1 validation error detected')
  return { audiences, tags, durationSec, algorithm: algorithm as keyof typeof keys } // one of the two, as checked
}

/** Names a session by its role (AWS documentation, "Token claims"). */
function describeCaller(arn: string, { audiences, tags }: Asked, { headers }: AwsRequest) {
  const account = parseAccountId(arn)
  const [, partition] = arn.split(':')
  const role = isRoleSession(arn) ? arn.split('/')[1] : undefined
  const region = /\/\d{8}\/([^/]+)\//.exec(headers.authorization ?? '')?.[1]
  return {
    aud: audiences.length === 1 ? audiences[0] : audiences,
    sub: role === undefined ? arn : `arn:${partition}:iam::${account}:role/${role}`,
    'https://sts.amazonaws.com/': {
      aws_account: account,
      source_region: region,
      ...(tags.length > 0 && { request_tags: Object.fromEntries(tags) }),
    },
  }
}

interface Signer {
  kid: string
  digest: string
  publicKey(): KeyObject
  privateKey(): KeyObject
}

/** Makes the key on first use, because an RSA key takes long. */
function createSigner(
  kid: string,
  digest: string,
  make: () => { publicKey: KeyObject; privateKey: KeyObject },
): Signer {
  let pair: ReturnType<typeof make> | undefined
  const get = () => {
    pair ??= make()
    return pair
  }
  return { kid, digest, publicKey: () => get().publicKey, privateKey: () => get().privateKey }
}

const keys = {
  ES384: createSigner('EC384_0', 'sha384', () => generateKeyPairSync('ec', { namedCurve: 'P-384' })),
  RS256: createSigner('RSA_0', 'sha256', () => generateKeyPairSync('rsa', { modulusLength: 2048 })),
}

function signJwt(claims: object, alg: keyof typeof keys): string {
  const { kid, digest, privateKey } = keys[alg]
  const parts = [{ alg, kid, typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  const signed = sign(digest, Buffer.from(parts.join('.')), { key: privateKey(), dsaEncoding: 'ieee-p1363' })
  return [...parts, signed.toString('base64url')].join('.')
}
