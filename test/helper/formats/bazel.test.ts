import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { prints } from '../../setup/run-program.ts'
import { createBadge, createFormatDesk, refused } from './format-desk.ts'
import schema from './schemas/get-credentials-response.schema.json' with { type: 'json' }

const argv = ['--format', 'bazel', '--for-host', '*.example.com', '--for-host', 'cache.example:8443', 'get']
const ask = (uri: string) => ({ stdin: JSON.stringify({ uri }) })
const answer = '{"headers":{"Authorization":["Bearer badge-1"]},"expires":"2026-01-15T13:59:59Z"}\n'

test.each([
  'https://build.example.com/path?query',
  'grpcs://build.example.com/google.devtools.Service/Method',
  'https://BUILD.EXAMPLE.com:443',
  'https://a.b.example.com.',
  'https://cache.example:8443',
])('for the named server in %s the token is a header, with its end as a moment', async (uri) => {
  const desk = await createFormatDesk()
  expect(await desk.run(argv, ask(uri))).toEqual(prints(answer))
})

test('the configured headers are printed too, and a token without a known end has none', async () => {
  const desk = await createFormatDesk(createBadge('no known end'))
  expect(await desk.run(['--header', 'X-Team: a', ...argv], ask('https://build.example.com'))).toEqual(
    prints('{"headers":{"Authorization":["Bearer badge-1"],"X-Team":["a"]}}\n'),
  )
})

const validate = new Ajv2020({ strict: false }).compile(schema)

test.each([
  ['with a known end', createBadge()],
  ['without one', createBadge('no known end')],
])('the answer for a token %s fits the published schema', async (_, helper) => {
  const desk = await createFormatDesk(helper)
  const { stdout } = await desk.run(['--header', 'X-Team: a', ...argv], ask('https://build.example.com'))
  validate(JSON.parse(stdout))
  expect(validate.errors).toBeNull()
})

test('the published schema refuses a header that is not a list', () => {
  expect(validate({ headers: { Authorization: 'Bearer badge-1' } })).toBe(false)
})

const other = (server: string) =>
  refused(
    5,
    `${server} is not among the servers that for-host names`,
    'add it with --for-host, or give Bazel another helper for that host: --credential_helper=HOST=PROGRAM',
  )

test.each<[uri: string, outcome: ReturnType<typeof refused>]>([
  ['https://example.com', other('example.com:443')],
  ['https://build.example.com:8443', other('build.example.com:8443')],
  ['https://cache.example', other('cache.example:443')],
  ['https://build.example.com@evil.example', other('evil.example:443')],
  ['https://evilexample.com', other('evilexample.com:443')],
  [
    'http://build.example.com',
    refused(
      5,
      'build.example.com would get the token over plain http, which anybody on the network can read',
      'use https or grpcs',
    ),
  ],
  [
    'file:///etc',
    refused(
      5,
      'the "uri" on stdin is not an https or grpcs address',
      'let Bazel ask this helper only about https and grpcs addresses',
    ),
  ],
])('%s gets nothing', async (uri, outcome) => {
  const desk = await createFormatDesk()
  expect(await desk.run(argv, ask(uri))).toEqual(outcome)
})

const noRequest = refused(
  2,
  'the request on stdin is not one JSON object with a "uri"',
  'have the client write one, such as {"uri": "https://example.com"}',
)

test.each<[what: string, stdin: string]>([
  ['nothing', ''],
  ['text that is not JSON', 'protocol=https\n'],
  ['NUL', '\0'],
  ['null', 'null'],
  ['a list', '["https://build.example.com"]'],
  ['another member', '{"url":"https://build.example.com"}'],
  ['a number', '{"uri":1}'],
  ['JSON that is cut off', '{"uri":"https://build.example.com"'],
])('%s on stdin is a usage error', async (_what, stdin) => {
  const desk = await createFormatDesk()
  expect(await desk.run(argv, { stdin })).toEqual(noRequest)
})

test('members that a later version adds are ignored', async () => {
  const desk = await createFormatDesk()
  const stdin = '{"uri":"https://build.example.com","reason":{"deep":[1]}}'
  expect(await desk.run(argv, { stdin })).toEqual(prints(answer))
})

test('an unknown action is a usage error', async () => {
  const desk = await createFormatDesk()
  expect(await desk.run([...argv.slice(0, -1), 'put'], ask('https://build.example.com'))).toEqual(
    refused(2, '--format bazel supports only the action get', 'remove the other action'),
  )
})
