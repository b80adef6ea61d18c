import { expect, test } from 'vitest'
import { Secret } from '../../../../src/runtime/secret.ts'
import {
  createDpopKey,
  isFresh,
  parseLoginSession,
  renderDpopKey,
  renderRenewed,
  renderSignedIn,
} from '../../../../src/sources/aws/login/login-session.ts'
import { toLoginPath } from '../../../../src/sources/aws/login/login-site.ts'

const key = createDpopKey()
const dpopKey = renderDpopKey(key)
const now = Date.UTC(2026, 0, 15, 12, 0, 0, 999)
const tokens = {
  accessKeyId: 'ASIANEW',
  secretAccessKey: new Secret('new/secret'),
  sessionToken: new Secret('new=='),
  tokenType: 'aws_sigv4',
  refreshToken: new Secret('refresh-2'),
  expiresInSec: 900,
  idToken: new Secret('a.b.c'),
  clockOffsetMs: 0,
}
const members = {
  accessToken: {
    accessKeyId: 'ASIAOLD',
    secretAccessKey: 'old/secret',
    sessionToken: 'old==',
    accountId: '111122223333',
    expiresAt: '2026-01-15T12:05:00Z',
  },
  tokenType: 'aws_sigv4',
  clientId: 'arn:aws:signin:::devtools/same-device',
  refreshToken: 'refresh-1',
  idToken: 'a.b.c',
  dpopKey,
}

test('a new sign-in is written to the byte as the AWS CLI writes it', () => {
  const details = { clientId: members.clientId, account: '111122223333', dpopKey }
  expect(renderSignedIn(tokens, details, now)).toBe(
    [
      '{"accessToken": {"accessKeyId": "ASIANEW", "secretAccessKey": "new/secret", "sessionToken": "new==",',
      '"accountId": "111122223333", "expiresAt": "2026-01-15T12:15:00Z"}, "tokenType": "aws_sigv4",',
      '"clientId": "arn:aws:signin:::devtools/same-device", "refreshToken": "refresh-2", "idToken": "a.b.c",',
      `"dpopKey": ${JSON.stringify(dpopKey)}}`,
    ].join(' '),
  )
})

test('a renewal changes credentials and refresh token, and keeps members that other tools have added', () => {
  const others = { signInRegion: 'us-west-2', note: ['é', 1, null] }
  const session = parseLoginSession(JSON.stringify({ ...members, ...others }))!
  const { credentials, refreshToken, key: _, ...rest } = session
  expect({ ...rest, accessKeyId: credentials.accessKeyId, refreshToken: refreshToken?.reveal() }).toEqual({
    region: 'us-west-2',
    clientId: members.clientId,
    members: { ...members, ...others },
    accessKeyId: 'ASIAOLD',
    refreshToken: 'refresh-1',
  })
  expect(renderRenewed(session, tokens, now)).toBe(
    [
      '{"accessToken": {"accessKeyId": "ASIANEW", "secretAccessKey": "new/secret", "sessionToken": "new==",',
      '"accountId": "111122223333", "expiresAt": "2026-01-15T12:15:00Z"}, "tokenType": "aws_sigv4",',
      '"clientId": "arn:aws:signin:::devtools/same-device", "refreshToken": "refresh-2", "idToken": "a.b.c",',
      `"dpopKey": ${JSON.stringify(dpopKey)}, "signInRegion": "us-west-2", "note": ["\\u00e9", 1, null]}`,
    ].join(' '),
  )
})

test('credentials are fresh while more than five minutes are left of them', () => {
  const session = parseLoginSession(JSON.stringify(members))!
  const end = Date.UTC(2026, 0, 15, 12, 5)
  expect([isFresh(session, end - 300_001), isFresh(session, end - 300_000)]).toEqual([true, false])
})

test('a key is kept as SEC 1, in lines of 64 characters as the AWS CLI writes them', () => {
  expect(dpopKey.split('\n').map((line) => (line.startsWith('-') ? line : line.length))).toEqual([
    '-----BEGIN EC PRIVATE KEY-----',
    ...[64, 64, 36],
    '-----END EC PRIVATE KEY-----',
    0,
  ])
})

test.each([
  ['SEC 1, as the AWS CLI writes it,', dpopKey],
  ['PKCS 8, as in the test cases of the AWS SDKs,', key.export({ format: 'pem', type: 'pkcs8' }).toString()],
])('a key in %s is read', (_, pem) => {
  expect(parseLoginSession(JSON.stringify({ ...members, dpopKey: pem }))?.key.equals(key)).toBe(true)
})

const otherCurve = `-----BEGIN PRIVATE KEY-----
MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDBrZxVHGUGRrPt2wNnH
-----END PRIVATE KEY-----`

test.each([
  ['nothing', ''],
  ['half a file', JSON.stringify(members).slice(0, 100)],
  ['a list', '[]'],
  ['no access token', JSON.stringify({ ...members, accessToken: undefined })],
  ['no secret', JSON.stringify({ ...members, accessToken: { ...members.accessToken, secretAccessKey: '' } })],
  ['no date', JSON.stringify({ ...members, accessToken: { ...members.accessToken, expiresAt: 'soon' } })],
  ['no refresh token', JSON.stringify({ ...members, refreshToken: undefined })],
  ['no client', JSON.stringify({ ...members, clientId: 1 })],
  ['no key', JSON.stringify({ ...members, dpopKey: 'key' })],
  ['an empty key', JSON.stringify({ ...members, dpopKey: '' })],
  ['a key on another curve', JSON.stringify({ ...members, dpopKey: otherCurve })],
])('a file with %s is not a sign-in', (_, text) => {
  expect(parseLoginSession(text)).toBeUndefined()
})

test.each([
  [{}, '/home/u/.aws/login/cache'],
  [{ AWS_LOGIN_CACHE_DIRECTORY: '' }, '/home/u/.aws/login/cache'],
  [{ AWS_LOGIN_CACHE_DIRECTORY: '/srv/aws' }, '/srv/aws'],
  [{ AWS_LOGIN_CACHE_DIRECTORY: '~/aws' }, '/home/u/aws'],
  [{ AWS_LOGIN_CACHE_DIRECTORY: `$ROOT/$\{NAME}/$NONE`, ROOT: '/srv', NAME: 'x' }, '/srv/x/$NONE'],
])('the file is where the AWS CLI has it: %j', (env, directory) => {
  expect(toLoginPath('arn:aws:sts::012345678910:assumed-role/Admin/admin', { env, home: '/home/u' })).toBe(
    `${directory}/4b0ba8f99f075c0633e122fd73346ce203a3faf18ea0310eb2d29df1bab2e255.json`,
  )
})
