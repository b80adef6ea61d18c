import { createServer } from 'node:http'
import { describe, expect, test } from 'vitest'
import { startStrictGateway } from '../../client/session/test-gateway.ts'
import { writeShellHelper } from '../../client/simulation/play.ts'
import { listenDuringTest } from '../../setup/listen-during-test.ts'
import { toStableText } from '../../setup/to-stable-text.ts'
import { neutralNote } from '../neutral-note.ts'
import { documentWith, runGatepass, writeTemporary } from '../run-gatepass.ts'
import { startServer } from '../start-server.ts'

async function writeDocument(
  baseUrl: string,
  credential: Record<string, unknown>,
  more: Record<string, unknown> = {},
): Promise<string> {
  const document = JSON.parse(documentWith(credential))
  Object.assign(document.inference, { baseUrl, ...more })
  return writeTemporary('doc.json', JSON.stringify(document))
}

/** Starts a gateway that answers everything in one way, with everything that it was sent. */
async function startEcho(status: number, headers: Record<string, string> = {}): Promise<string> {
  const server = createServer((request, response) => {
    const sent = JSON.stringify(request.headers)
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify({ error: { type: 'authentication_error', message: `no: ${sent}` } }))
  })
  return `http://127.0.0.1:${await listenDuringTest(server)}`
}

const clean = (text: string) =>
  text
    .replace(/\d+ ms/g, 'N ms')
    .replace(/127\.0\.0\.1:\d+/g, 'GATEWAY')
    .replace(/"\/.*helper"/g, 'HELPER')
    .replace(/"content-length":"\d+"/, '"content-length":"N"')

const outcomes = (stdout: string) =>
  Object.fromEntries(
    JSON.parse(stdout).parts.map(({ part, outcome }: { part: string; outcome: string }) => [part, outcome]),
  )

/** Returns the report of the request to the gateway, and after it. */
const requestIn = (stdout: string) => clean(stdout.slice(stdout.indexOf('bad   One request')))

const rest = (outcome: string) => ({ helper: outcome, run: outcome, token: outcome, gateway: outcome })

describe('gatepass doctor', () => {
  test('shows what was run, printed, sent and answered for a valid document', async () => {
    const { url } = await startStrictGateway('opaque-token')
    const helper = await writeShellHelper('echo \'{"token": "opaque-token", "headers": {"X-Team": "blue"}}\'')
    const path = await writeDocument(url, helper, { customHeaders: { 'X-Tenant': 'acme' } })
    const { status, stdout, stderr } = await runGatepass('doctor', path, '--yes')
    expect({ status, stdout: clean(stdout), stderr: clean(stderr) }).toEqual({
      status: 0,
      stdout: `\
A turn succeeds: the gateway answered it

good  The document
    1 note

good  The helper
    HELPER

good  One run of it, as a connection test
    exit status 0 and a JSON object on stdout
    it took N ms of the 60 s that the client waits

good  The token
    an opaque token, 12 bytes
    headers beside it: X-Team: ***
    it does not say when it expires

good  One request to the gateway
    one turn was sent, with the token as bearer
    customHeaders: X-Tenant: ***
    HTTP 200
    the gateway answered the turn

A turn succeeds.
`,
      stderr: `This runs:      HELPER\nand sends to:   http://GATEWAY/\n${neutralNote}`,
    })
  })

  test('explains a refusal, and shows its request id', async () => {
    const url = await startEcho(401, { 'request-id': 'req_0b9f7d0e-1f7c-4a58-9a0b-3f6f4f1a2b3c' })
    const path = await writeDocument(url, await writeShellHelper('echo opaque-token'))
    const { status, stdout } = await runGatepass('doctor', path, '--yes')
    expect({ status, request: requestIn(stdout) }).toEqual({
      status: 1,
      request: `\
bad   One request to the gateway
    one turn was sent, with the token as bearer
    HTTP 401
    it says: authentication_error: no: {"authorization":"Bearer [secret]","content-type":"application/json","vendor-version":"2023-06-01","host":"GATEWAY","connection":"close","content-length":"N"}
    request id: req_0b9f7d0e-1f7c-4a58-9a0b-3f6f4f1a2b3c
    the gateway does not know this token: it is meant for another gateway, issuer or account, or was revoked
    → ask the gateway's operators whom they trust; if they take keys, set authScheme to "x-api-key"

A turn fails.
`,
    })
  })

  test.each<[body: string, words: string, answer: object]>([
    [
      '{"error":"invalid_token","error_description":"no"}',
      'invalid_token: no',
      { code: 'invalid_token', message: 'no' },
    ],
    ['{"error":{"message":"no"}}', 'no', { message: 'no' }],
    ['upstream connect error', 'upstream connect error', { message: 'upstream connect error' }],
  ])('shows the words of the gateway in %s', async (body, words, answer) => {
    const url = await startServer((_request, response) => response.writeHead(401, { 'request-id': 'req_1' }).end(body))
    const path = await writeDocument(url, await writeShellHelper('echo opaque-token'))
    const { stdout: shown } = await runGatepass('doctor', path, '--yes')
    expect(requestIn(shown)).toBe(`\
bad   One request to the gateway
    one turn was sent, with the token as bearer
    HTTP 401
    it says: ${words}
    request id: req_1
    the gateway does not know this token: it is meant for another gateway, issuer or account, or was revoked
    → ask the gateway's operators whom they trust; if they take keys, set authScheme to "x-api-key"

A turn fails.
`)
    const { stdout } = await runGatepass('doctor', path, '--yes', '--json')
    expect(JSON.parse(stdout).parts.at(-1).answer).toEqual({ status: 401, ...answer, requestId: 'req_1' })
  })

  test('tells programs the code of a gateway that cannot be reached', async () => {
    const path = await writeDocument('http://127.0.0.1:9', await writeShellHelper('echo opaque-token'))
    const { stdout } = await runGatepass('doctor', path, '--yes', '--json')
    expect(JSON.parse(stdout).parts.at(-1).answer).toEqual({ code: 'ECONNREFUSED' })
  })

  test('says how long a token lives, and when that is too short for the ttl', async () => {
    const { url } = await startStrictGateway()
    const script = `claims=$(printf '{"exp":%s}' $(($(date +%s) + 600)) | base64 | tr -d '=\\n'); echo "eyJhbGciOiJub25lIn0.$claims.x"`
    const path = await writeDocument(url, await writeShellHelper(script))
    const { stdout } = await runGatepass('doctor', path, '--yes')
    const [part = ''] = /^note {2}The token\n(?: {4}.*\n)+/m.exec(stdout) ?? []
    const words = toStableText(part)
      .replace(/another (9|10) min/, 'another 10 min')
      .replace(/ttlSec to (59\d|600)\b/, 'ttlSec to 600')
    expect(words).toBe(`\
note  The token
    a JWT, 46 bytes
    no headers beside it
    it is valid for another 10 min, until DATE (JWT exp)
    the client keeps it for 1 h 0 min
    → set ttlSec to 600 or less, or have the helper request a longer lifetime
`)
  })

  test('shows why a helper fails, in its own words', async () => {
    const path = await writeDocument(
      'http://127.0.0.1:9',
      await writeShellHelper('echo "helper: the session \\"corp\\" has expired" >&2; exit 4'),
    )
    const { status, stdout } = await runGatepass('doctor', path, '--yes')
    expect({ status, stdout: clean(stdout).split('\n\n').toSpliced(1, 2) }).toEqual({
      status: 1,
      stdout: [
        `A turn fails: the helper failed with exit status 4: helper: the session "corp" has expired
    → follow its message; if a person has to sign in first, sign in and try again`,
        `bad   One run of it, as a connection test
    exit-status: the helper failed with exit status 4
    it took N ms of the 60 s that the client waits
    on stderr:
      helper: the session "corp" has expired
    → follow its message; if a person has to sign in first, sign in and try again`,
        ' –    The token\n    skipped: an earlier part failed',
        ' –    One request to the gateway\n    skipped: an earlier part failed',
        'A turn fails.\n',
      ],
    })
  })

  test('runs the helper as a connection test does', async () => {
    const { url } = await startStrictGateway('setup-test-1')
    const script = 'echo "$VENDOR_HELPER_CONTEXT-$VENDOR_HELPER_MANUAL_RUN"'
    const path = await writeDocument(url, await writeShellHelper(script))
    const { status, stdout } = await runGatepass('doctor', path, '--yes')
    expect({ status, verdict: stdout.split('\n\n').at(-1) }).toEqual({ status: 0, verdict: 'A turn succeeds.\n' })
  })

  test('tries a key that is in the document', async () => {
    const { url } = await startStrictGateway('canary-key-1')
    const path = await writeDocument(url, {
      kind: 'static',
      apiKey: 'canary-key-1',
      authScheme: 'x-api-key',
      command: undefined,
    })
    const { status, stdout } = await runGatepass('doctor', path, '--yes', '--json')
    expect({ status, outcomes: outcomes(stdout), isKeyShown: stdout.includes('canary') }).toEqual({
      status: 0,
      outcomes: { document: 'good', helper: 'good', token: 'good', gateway: 'good' },
      isKeyShown: false,
    })
  })

  test.each<[what: string, document: string, expected: Record<string, string>, status?: number]>([
    ['cannot be read', '{', { document: 'bad', ...rest('not examined') }, 2],
    ['has an error', documentWith({ command: '~/helper' }), { document: 'bad', ...rest('not examined') }],
    [
      'names a helper that is missing',
      documentWith({ command: '/nowhere/h' }),
      { document: 'bad', ...rest('not examined') },
    ],
    ['turns nothing on', '{"inference": {}}', { document: 'good', ...rest('not examined') }],
    [
      'lets the client itself sign in',
      documentWith({
        kind: 'external-idp',
        oidc: { clientId: 'c', issuer: 'https://127.0.0.1:9' },
        command: undefined,
      }),
      { document: 'good', provider: 'bad', 'sign-in': 'not examined', token: 'not examined', gateway: 'not examined' },
    ],
  ])('examines no more than it can of a document that %s', async (_, document, expected, expectedStatus = 1) => {
    const path = await writeTemporary('doc.json', document)
    const { status, stdout } = await runGatepass('doctor', path, '--yes', '--json')
    expect({ status, outcomes: outcomes(stdout) }).toEqual({ status: expectedStatus, outcomes: expected })
  })

  test('sends no token over http beyond this machine, and runs nothing for it', async () => {
    const path = await writeDocument('http://gateway.example.com', await writeShellHelper())
    const { status, stdout } = await runGatepass('doctor', path, '--yes', '--json')
    const { parts } = JSON.parse(stdout)
    expect({ status, gateway: parts.at(-1), run: parts[2].outcome }).toEqual({
      status: 1,
      gateway: {
        part: 'gateway',
        outcome: 'bad',
        lines: ['baseUrl would carry the token unencrypted to gateway.example.com'],
        hint: 'use https://',
      },
      run: 'not examined',
    })
  })

  test('runs nothing where nobody can be asked', async () => {
    const path = await writeDocument('https://gateway.example.com/v1?key=canary', await writeShellHelper())
    const { status, stdout, stderr } = await runGatepass('doctor', path)
    expect({ status, stdout, stderr: clean(stderr) }).toEqual({
      status: 2,
      stdout: '',
      stderr: `This runs:      HELPER
and sends to:   https://gateway.example.com/v1?…
gatepass: standard input is not a terminal
gatepass: hint: read the lines above, then pass --yes
`,
    })
  })
})

describe('no secret is in what doctor prints', () => {
  const canary = 'canary-7f3a91c2d4'

  test.each<[what: string, script: string, status: number]>([
    ['the token and a header', `echo '{"token":"${canary}","headers":{"X-A":"${canary}-header","X-B":"blue"}}'`, 200],
    ['a stderr that repeats them', `echo ${canary}; echo "got ${canary}, or ${canary.slice(0, 10)}..." >&2`, 200],
    ['a gateway that repeats everything', `echo '{"token":"${canary}","headers":{"X-A":"${canary}-header"}}'`, 401],
    ['an output that is refused', `echo ${canary}; echo ${canary}-2; echo ${canary} >&2`, 200],
    [
      'an output with a header that is refused',
      `echo '{"token":"${canary}","headers":{"Cookie":"${canary}"}}'; echo ${canary} >&2`,
      200,
    ],
    ['a run that fails after it has printed', `echo ${canary}; echo "no: ${canary}" >&2; exit 1`, 200],
    [
      'credentials for the AWS tools',
      `echo '{"Version":1,"AccessKeyId":"AKIA${'C'.repeat(16)}","SecretAccessKey":"${canary}"}'; echo ${canary} >&2`,
      200,
    ],
    ['a failure that shows what looks like a token', `echo "got Bearer ${canary}, token=${canary}" >&2; exit 1`, 200],
    ['an end by a signal', `echo ${canary}; echo ${canary} >&2; kill -TERM $$`, 200],
  ])('with %s', async (_, script, status) => {
    const url = await startEcho(status, { 'request-id': canary, 'www-authenticate': `Bearer ${canary}` })
    const more = { customHeaders: { 'X-Tenant': `${canary}-tenant` } }
    const helper = await writeShellHelper(script)
    const path = await writeDocument(url, { ...helper, args: ['--client-secret', canary] }, more)
    for (const flags of [[], ['--json']]) {
      const { stdout, stderr } = await runGatepass('doctor', path, '--yes', ...flags)
      expect(stdout).toContain(flags.length > 0 ? '"parts"' : 'One request to the gateway')
      expect(stdout + stderr).not.toMatch(/canary|AKIAC/)
    }
  })

  test('with a key in the document', async () => {
    const url = await startEcho(401)
    const path = await writeDocument(url, { kind: 'static', apiKey: canary, command: undefined })
    const { stdout, stderr } = await runGatepass('doctor', path, '--yes')
    expect(stdout + stderr).not.toContain('canary')
  })
})
