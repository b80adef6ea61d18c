import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { writeShellHelper } from '../client/simulation/play.ts'
import { fails } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { toStableValue } from '../setup/to-stable-text.ts'
import { neutralNote } from './neutral-note.ts'
import { documentWith, runOnPath, writeTemporary } from './run-gatepass.ts'
import { startServer } from './start-server.ts'

/** Sends blanks for as long as somebody reads them. */
function sendBlanks(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  const blanks = Buffer.alloc(65_536, ' ')
  const send = () => {
    while (!response.destroyed && response.write(blanks));
  }
  response.on('drain', send)
  send()
}

/** Runs a command against a server that never stops, with no more memory than a bounded answer takes. */
async function runAgainstBlanks(status: number, words: readonly string[]) {
  const url = await startServer((_request, response) => sendBlanks(response, status))
  const document = JSON.parse(documentWith(await writeShellHelper('echo opaque-token')))
  document.inference.baseUrl = url
  const cwd = await temporaryDirectory()
  const path = await writeTemporary('doc.json', JSON.stringify(document))
  const argv = words.map((word) => word.replace('URL', url).replace('DOC', path))
  const env = { VENDOR_API_KEY: 'sk-vendor-api01-x', NODE_OPTIONS: '--max-old-space-size=256' }
  const outcome = await runOnPath('sh', ['-c', 'exec gatepass "$@"', 'sh', ...argv], { cwd, env })
  return toStableValue(outcome, { [new URL(url).host]: 'HOST' })
}

const seen = 'HOST answered HTTP 200 (application/json) with more than 1024 KiB'

test('doctor shows what was seen of an endless answer', async () => {
  expect(await runAgainstBlanks(200, ['doctor', 'DOC', '--yes'])).toEqual({
    status: 1,
    stdout: `\
A turn fails: ${seen}
    → check that baseUrl is the address of the API itself, and find out what answers there

good  The document
    1 note

good  The helper
    "TEMPORARY/helper"

good  One run of it, as a connection test
    exit status 0 and a bare token on stdout
    it took N ms of the 60 s that the client waits

good  The token
    an opaque token, 12 bytes
    no headers beside it
    it does not say when it expires

bad   One request to the gateway
    one turn was sent, with the token as bearer
    ${seen}
    → check that baseUrl is the address of the API itself, and find out what answers there

A turn fails.
`,
    stderr: `\
This runs:      "TEMPORARY/helper"
and sends to:   http://HOST/
${neutralNote}`,
  })
})

test('simulate reports a turn lost to an answer of endless blanks', async () => {
  const scenario = await writeTemporary('one.json', '["turn"]')
  const words = ['simulate', 'DOC', '--yes', '--gateway', 'URL', '--scenario', scenario]
  expect(await runAgainstBlanks(200, words)).toEqual({
    status: 1,
    stdout: `\
09:00:00  a session starts (interactive)
09:00:00  helper runs (interactive), because a session starts
09:00:00  token printed after N ms
09:00:00  turn lost (gateway-error): ${seen}
09:00:00  the scenario ends

helper runs:      1
turns:            1
turns waited for: 0
longest wait:     N ms
prompts shown:    0
turns lost:       1
`,
    stderr: `\
This runs:      "TEMPORARY/helper"
and sends to:   http://HOST/
`,
  })
})

test.each<[what: string, status: number, words: string[], expected: object]>([
  [
    'an answer',
    200,
    ['api', 'GET', '/v1/x', '--base-url', 'URL'],
    fails(
      'gatepass',
      6,
      'the API answered HTTP 200 (application/json) with more than 65536 KiB',
      'ask for fewer items at a time, with a smaller limit',
    ),
  ],
  [
    'an error',
    400,
    ['api', 'GET', '/v1/x', '--base-url', 'URL'],
    fails(
      'gatepass',
      5,
      'HTTP 400: the answer does not have the form that the API documents',
      "check that the address is the API's, and not that of a web page or a proxy in front of it",
    ),
  ],
  [
    'a document',
    200,
    ['config', 'check', 'URL'],
    {
      status: 2,
      stdout: `\
Errors: this will not take effect, or gives no credential
  the document  too-large
    it is larger than 5 MiB
    → check that it is the document: a document has a few kilobytes

The document cannot be read.
`,
      stderr: '',
    },
  ],
])('%s without an end is given up', async (_what, status, words, expected) => {
  expect(await runAgainstBlanks(status, words)).toEqual(expected)
})
