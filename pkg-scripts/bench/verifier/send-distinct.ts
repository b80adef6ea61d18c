// A process of its own: sends as many tokens as are asked for, each signed for one request, so that none of them is remembered.

import { createPrivateKey, sign } from 'node:crypto'
import { encodePart } from '../../../src/runtime/tokens/jwt.ts'
import { sendLoad } from '../send-load.ts'

const [url = '', privateJwk = '', claims = '', count = ''] = process.argv.slice(2)
const key = createPrivateKey({ key: JSON.parse(privateJwk), format: 'jwk' })
const header = encodePart({ alg: 'ES256', kid: 'bench', typ: 'at+jwt' })
const iat = Math.floor(Date.now() / 1000)
const lead = `GET ${new URL(url).pathname} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer `
let made = 0

await sendLoad({ url, bytes: renderNext }, Number(count))

function renderNext(): string {
  made += 1
  // Every answer has the same length, because all name the same caller.
  const said = { ...JSON.parse(claims), sub: 'caller-0', email: 'caller-0@bench.example', iat, exp: iat + 3600 }
  const input = `${header}.${encodePart({ ...said, jti: `${process.pid}-${made}` })}`
  const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' })
  return `${lead}${input}.${signature.toString('base64url')}\r\n\r\n`
}
