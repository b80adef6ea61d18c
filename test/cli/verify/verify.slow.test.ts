import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { listenDuringTest } from '../../setup/listen-during-test.ts'
import { fails } from '../../setup/run-program.ts'
import { toStableText } from '../../setup/to-stable-text.ts'
import { createTestKey, signClaims } from '../../verify/jwt/issuer.ts'
import { pipeToGatepass, runGatepass, writeTemporary } from '../run-gatepass.ts'
import { answerGatepass } from '../run-on-terminal.ts'

const now = Math.floor(Date.now() / 1000)
const key = await createTestKey('ES256')

/** An issuer on this machine, with the paths that it was asked for. */
async function startIssuer() {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers.authorization ?? ''}`.trim())
    const page = request.url === '/keys' ? { keys: [key.jwk] } : { issuer: url, jwks_uri: `${url}/keys` }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(page))
  })
  const url = `http://127.0.0.1:${await listenDuringTest(server)}`
  return { url, asked }
}

test('keys are fetched only from an issuer that is named', async () => {
  const { url, asked } = await startIssuer()
  const token = await signClaims(key, { iss: url, iat: now - 60, exp: now + 600 }, { jku: `${url}/evil` })
  const alone = await pipeToGatepass(token, 'verify')
  const askedAlone = [...asked]
  const verified = await pipeToGatepass(token, 'verify', '--issuer', url, '--audience', 'https://gateway.example')
  expect({
    alone: [alone.status, askedAlone],
    verified: [verified.status, verified.stdout.split('\n').at(-2), verified.stderr, asked],
  }).toEqual({
    alone: [0, []],
    verified: [0, 'Good.', '', ['/.well-known/openid-configuration', '/keys']],
  })
})

test('the output of a helper is read, and its messages are passed on without its token', async () => {
  const token = await signClaims(key, { iat: now - 60, exp: now + 600 })
  const script = await writeTemporary('helper.sh', `echo "got ${token}" >&2; echo 'Authorization: Bearer ${token}'`)
  const { status, stdout, stderr } = await runGatepass('verify', '--', '/bin/sh', script)
  expect([status, stdout.split('\n')[0]]).toEqual([0, `a JWT, ${token.length} bytes, out of the header Authorization`])
  expect(stderr).toBe('gatepass: warning: the helper says: got [secret]\n')
})

const checkHelper = `follow its message, or see what a client makes of it, with the same arguments: gatepass check-helper '/bin/sh'`

test.each<[what: string, script: string, status: number, message: string, hint: string]>([
  [
    'fails',
    'echo "hint: sign in" >&2; exit 4',
    6,
    'the helper failed with exit status 4; on stderr: hint: sign in',
    checkHelper,
  ],
  [
    'prints no token',
    'echo',
    2,
    'what was given is empty',
    'pipe a token in, name a file with --file, or run a helper behind --',
  ],
  ['prints endless output', '/usr/bin/yes 2>/dev/null', 6, 'the helper printed more than a client reads', checkHelper],
])('gatepass verify says what is wrong with a helper that %s', async (_what, script, status, message, hint) => {
  const path = await writeTemporary('helper.sh', script)
  expect(await runGatepass('verify', '--', '/bin/sh', path)).toEqual(fails('gatepass', status, message, hint))
})

test('an endless device and ten megabytes are refused at once', async () => {
  expect(await runGatepass('verify', '--file', '/dev/zero')).toEqual(
    fails('gatepass', 2, 'the file of --file is not a file', 'check the path; a token itself is piped in'),
  )
  expect(await pipeToGatepass('a'.repeat(10_000_000), 'verify')).toEqual(
    fails('gatepass', 2, 'what was given is longer than 1024 KiB', 'give a token, or the output of a helper'),
  )
})

test('a terminal shows the life of a token and nothing of the token', async () => {
  const token = await signClaims(key, { iat: now - 300, exp: now + 300 })
  const { status, shown } = await answerGatepass('(what you type is not shown): ', `${token}\r`, ['verify'])
  expect([status, shown.includes(token.slice(0, 30))]).toEqual([0, false])
  expect(toStableText(shown)).toBe(`\
Token (what you type is not shown): 
a JWT, 291 bytes
    iss: https://id.example
    sub: dana
    aud: https://gateway.example
    alg (header): ES256
    kid (header): key-ES256
    typ (header): JWT
    life: 10 min

✓ expiry: it ends DATE, in 4 min
✓ issued at: it was issued DATE, 5 min ago
– signature: not verified: name the issuer or its keys with --issuer, --keys or --policy

Nothing is wrong with what it states; who made it was not verified.
`)
})
