import { generateKeyPairSync, sign } from 'node:crypto'

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' })

/** Says who signed in to the console, as AWS does it. */
export function signIdToken(arn: string, clientId: string, now: Date): string {
  const iat = Math.floor(now.getTime() / 1000)
  const header = { kid: 'stand-in', typ: 'JWT', alg: 'ES384' }
  const claims = {
    sub: arn,
    aud: clientId.replace('devtools', 'cli'),
    iss: 'https://signin.aws.amazon.com/signin',
    session_arn: arn,
    exp: iat + 900,
    iat,
  }
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  const signature = sign('sha384', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}
