import { expect, test } from 'vitest'
import { requireToken } from '../../../src/cli/verify/require-token.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { writeJwt } from './verify-here.ts'

const jwt = writeJwt({ sub: 'dana', filler: 'x'.repeat(200) })
const quotes = 'the quotes around it are not part of the token'
const joined = (pieces: number) => `it was broken into ${pieces} pieces, which were joined; no client sends a token so`
const wrap = (width: number, between: string) => jwt.match(new RegExp(`.{1,${width}}`, 'g'))!.join(between)

test.each<[what: string, text: string, ...notes: string[]]>([
  ['a token', jwt],
  ['its lines', `\r\n${jwt}\r\n\n`],
  ['quotes', `'${jwt}'`, quotes],
  ['quotes of a word processor', `“${jwt}”`, quotes],
  ['a JSON text', `"${jwt}",`, 'the comma or semicolon after it is not part of the token', quotes],
  ['its scheme', `bearer  ${jwt}`, 'the word Bearer before it is the scheme and not part of the token'],
  ['a variable', `export TOKEN="${jwt}"`, 'the name of a variable before it is not part of the token', quotes],
  ['lines of a terminal', wrap(80, '\n'), joined(Math.ceil(jwt.length / 80))],
  ['lines of a mail', wrap(76, '\r\n  '), joined(Math.ceil(jwt.length / 76))],
  [
    'an invisible character',
    `\u200b${jwt.slice(0, 9)}\u2060${jwt.slice(9)}`,
    'invisible characters were taken out; they come along from web pages and chats',
  ],
])('a token is read out of %s', (_what, text, ...notes) => {
  expect(read(text)).toEqual({ token: jwt, shape: undefined, notes })
})

test.each<[what: string, text: string, shape: string, ...notes: string[]]>([
  ['our JSON', JSON.stringify({ token: jwt, headers: {} }), 'JSON with a "token"'],
  ['words before it', `warning: x\n{"token": "${jwt}"}`, 'JSON with a "token"', 'lines before the JSON were ignored'],
  [
    'what a client refuses',
    JSON.stringify({ token: jwt, headers: { Authorization: 'a' } }),
    'JSON with a "token"',
    'the desktop client refuses this output: a header cannot be sent: "Authorization" belongs to the client and cannot be set',
  ],
  ['headers', `Authorization: Bearer ${jwt}\nX-Team: a\n`, 'the header Authorization'],
  ['words of curl', `-H 'authorization: Bearer ${jwt}' \\\n  -H "x-team: a"`, 'the header authorization'],
  ['another header', `X-Team: a\nX-Api-Key: ${jwt}\n`, 'the header X-Api-Key'],
  ['Git', `username=x\npassword=${jwt}\npassword_expiry_utc=1800000000\n`, "an answer of Git's credential helpers"],
  ['Bazel', `{"headers": {"Authorization": ["Bearer ${jwt}"]}}`, "an answer of Bazel's credential helpers"],
  [
    'Kubernetes',
    JSON.stringify({ kind: 'ExecCredential', apiVersion: 'client.authentication.k8s.io/v1', status: { token: jwt } }),
    'an ExecCredential',
  ],
  ['a token endpoint', `{"access_token":"${jwt}","token_type":"Bearer","expires_in":5}`, 'JSON with an "access_token"'],
])('a token is read out of a document: %s', (_what, text, shape, ...notes) => {
  expect(read(text)).toEqual({ token: jwt, shape, notes })
})

function read(text: string) {
  const { token, shape, notes } = requireToken(text)
  return { token: token.reveal(), shape, notes }
}

const empty = ['is empty', 'pipe a token in, name a file with --file, or run a helper behind --'] as const
const brokenJson = ['begins like JSON, but is not a JSON object', 'give the whole output, and nothing else'] as const

test.each<[text: string, problem: string, hint: string]>([
  ['', ...empty],
  [' \n\t', ...empty],
  ['canary canary', 'has spaces, which no token has', 'give the token alone'],
  ['canary\ncanary2', 'has 2 lines, which no token has', 'give the token alone, or the whole output of a helper'],
  [`${jwt}\n${jwt}`, 'holds 2 tokens', 'give one at a time'],
  ['eyJcanary…', 'holds "…": it was shortened where it was copied', 'copy the whole token'],
  ['canary\u00e9', 'holds U+00E9, which no token does', 'copy the token once more, and alone'],
  ['<canary>', 'is a placeholder, or a variable that no shell has replaced', 'put the token in its place'],
  ['-----BEGIN PRIVATE KEY-----\ncanary', 'is a key or a certificate and not a token', 'give the token'],
  ['a'.repeat(65_537), 'is longer than 64 KiB', 'give the token alone: none is so long'],
  ['a '.repeat(400_000), 'is longer than 64 KiB', 'give the token alone: none is so long'],
  ['["canary"]', 'is a list', 'give one token, or the output of one helper'],
  ['{"canary', ...brokenJson],
  [
    '{"sub":"canary","iss":"canary"}',
    'is the content of a token, not the token itself',
    'give the token as it is sent: three parts between dots',
  ],
  ['{"keys":[]}', 'is a key set and not a token', 'give the token, and name the key set with --keys'],
  ['{"error":"canary"}', 'is an error and holds no token', 'have the program that printed it print a token'],
  [
    '{"id_token":"canary","access_token":"canary"}',
    'holds access_token and id_token',
    'give one of them, for example with: jq -r .access_token',
  ],
  [
    '{"AccessKeyId":"canary","SecretAccessKey":"canary"}',
    'holds AWS keys (credential_process), and no part of them is a token',
    'put them into a profile to see whose they are: aws sts get-caller-identity --profile NAME; for a gateway, choose a helper that proves it: gatepass choose',
  ],
  [
    '{"data":{"token":"canary"}}',
    'is JSON in which no member is known to be a token; it has data',
    'give the token alone, for example with: jq -r .NAME',
  ],
  [`{"${'['.repeat(5)}`, ...brokenJson],
  [
    'Authorization: Bearer canary\nauthorization: Bearer canary',
    'has a header twice',
    'remove one of them: a gateway refuses a request with both',
  ],
  ['{"token":5}', 'has a "token" that is not a string', 'have the helper print a string'],
])('%j is refused: what was given %s', (text, problem, hint) => {
  expect(() => requireToken(text)).toThrow(new HelperError('usage', `what was given ${problem}`, hint))
})
