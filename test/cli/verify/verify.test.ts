import { expect, test } from 'vitest'
import { fails, prints } from '../../setup/run-program.ts'
import { secondsFromNow, verifyHere, writeJwt } from './verify-here.ts'

const claims = {
  iss: 'https://login.example.com',
  sub: 'dana',
  aud: ['api', 'other'],
  iat: secondsFromNow(-1200),
  exp: secondsFromNow(2400),
  jti: 'canary-jti',
  nonce: 'canary-nonce',
  team: 'canary-team',
}

test('a JWT is described without a claim that its signature holds', async () => {
  expect(await verifyHere(`Bearer ${writeJwt(claims)}\r\n`)).toEqual(
    prints(`an ID token (JWT), 282 bytes
    iss: https://login.example.com
    sub: dana
    aud: api, other
    alg (header): ES256
    kid (header): k1
    life: 1 h 0 min
    not shown: jti, nonce, team
    ! the word Bearer before it is the scheme and not part of the token

✓ expiry: it ends 2026-01-15T12:40:00.000Z, in 40 min
✓ issued at: it was issued 2026-01-15T11:40:00.000Z, 20 min ago
– signature: not verified: name the issuer or its keys with --issuer, --keys or --policy

Nothing is wrong with what it states; who made it was not verified.
`),
  )
})

test.each(['\ufeff', ''])(
  'reads a token in the UTF-16 of PowerShell that begins with %j, and says that no client does',
  async (mark) => {
    const { stdout } = await verifyHere(Buffer.from(`${mark}${writeJwt({ sub: 'dana' })}\r\n`, 'utf16le'), '--json')
    expect(JSON.parse(stdout).notes).toEqual(['it was UTF-16, as PowerShell writes files; no client reads that'])
  },
)

test('standard input may be named -, behind the options', async () => {
  const token = writeJwt(claims)
  expect(await verifyHere(token, '--json', '-')).toEqual(await verifyHere(token, '--json'))
})

test.each([
  [['-', '--json'], 'nothing may follow -, which names standard input', 'write options before -'],
  [['--file', '/nowhere', '-'], 'both - (standard input) and --file are given', 'give only one of them'],
])('standard input as - is refused in %j', async (argv, message, hint) => {
  expect(await verifyHere(writeJwt(claims), ...argv)).toEqual(fails('gatepass', 2, message, hint))
})

test('a claim is shown on demand, and one that has expired is wrong', async () => {
  const token = writeJwt({ ...claims, exp: secondsFromNow(-3600) })
  const { status, stdout, stderr } = await verifyHere(token, '--claim', 'team', '--json')
  expect({ status, stderr, ...JSON.parse(stdout) }).toEqual({
    status: 1,
    stderr: '',
    verdict: 'bad',
    kind: 'jwt',
    title: 'an ID token (JWT)',
    bytes: Buffer.byteLength(token),
    states: [
      { name: 'iss', value: 'https://login.example.com' },
      { name: 'sub', value: 'dana' },
      { name: 'aud', value: 'api, other' },
      { name: 'team', value: 'canary-team' },
      { name: 'alg (header)', value: 'ES256' },
      { name: 'kid (header)', value: 'k1' },
    ],
    notShown: ['jti', 'nonce'],
    life: { issuedAt: '2026-01-15T11:40:00.000Z', expiresAt: '2026-01-15T11:00:00.000Z' },
    checks: [
      {
        name: 'expiry',
        status: 'unmet',
        message: 'it ended 2026-01-15T11:00:00.000Z, 1 h 0 min ago',
        reason: 'expired',
        hint: 'get a new one; if this one is new, check the clock of this machine, and of whoever issued it',
      },
      { name: 'issued at', status: 'met', message: 'it was issued 2026-01-15T11:40:00.000Z, 20 min ago' },
      {
        name: 'signature',
        status: 'not asked',
        message: 'not verified: name the issuer or its keys with --issuer, --keys or --policy',
      },
    ],
    headers: [],
    warnings: [],
    notes: [],
  })
})

test('only the names of headers beside a token are shown', async () => {
  const output = {
    token: 'canary',
    headers: { 'X-Team': 'canary', 'Proxy-Authorization': `Bearer ${writeJwt(claims)}` },
  }
  const { stdout } = await verifyHere(JSON.stringify(output))
  expect(stdout).toBe(
    [
      'an opaque token, 6 bytes, out of JSON with a "token"',
      '    headers beside it: X-Team: ***, Proxy-Authorization: an ID token (JWT) until 2026-01-15T12:40:00.000Z',
      '    ! it states nothing: only whoever issued it can say what it is',
      '',
      '– signature: not verified: only whoever issued it can',
      '',
      'Nothing is wrong with what it states; who made it was not verified.',
      '',
    ].join('\n'),
  )
})

const argument = `gatepass: a token must not be an argument: other users of this machine see command lines, and shells keep them
gatepass: hint: pipe it in, name a file with --file, or run a helper behind --; replace the token if others may have seen it
`
const option = "gatepass: unknown option '--token=[secret]'\ngatepass: hint: see: gatepass verify --help\n"

test.each<[what: string, argv: string[], stderr: string]>([
  ['a token', [writeJwt(claims)], argument],
  ['a word', ['canary'], argument],
  ['a token behind --', ['--', writeJwt(claims)], argument],
  [
    'a word behind --, which is no program',
    ['--', 'canary'],
    'gatepass: the program behind -- is not on PATH\ngatepass: hint: write its path\n',
  ],
  ['a token as the value of an option', [`--token=${writeJwt(claims)}`], option],
  ['a word as the value of such an option', ['--token=canary'], option],
  [
    'a token in place of a file',
    ['--file', writeJwt(claims)],
    'gatepass: the file of --file cannot be read (ENAMETOOLONG)\ngatepass: hint: check who may read it\n',
  ],
])('%s on the command line is refused, and not repeated', async (_what, argv, stderr) => {
  expect(await verifyHere('', ...argv)).toEqual({ status: 2, stdout: '', stderr })
})
