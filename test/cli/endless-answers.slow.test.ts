import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { writeShellHelper } from '../client/simulation/play.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
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
  return {
    ...outcome,
    stdout: outcome.stdout.replaceAll(new URL(url).host, 'HOST'),
    stderr: outcome.stderr.replaceAll(new URL(url).host, 'HOST'),
  }
}

const seen = 'HOST answered HTTP 200 (application/json) with more than 1024 KiB'

test('doctor says of an answer without an end what was seen of it', async () => {
  expect(await runAgainstBlanks(200, ['doctor', 'DOC', '--yes'])).toMatchObject({
    status: 1,
    stdout: expect.stringContaining(`    ${seen}\n    → check that baseUrl is the address of the API itself`),
  })
})

test('so does simulate', async () => {
  const scenario = await writeTemporary('one.json', '["turn"]')
  const words = ['simulate', 'DOC', '--yes', '--gateway', 'URL', '--scenario', scenario]
  expect(await runAgainstBlanks(200, words)).toMatchObject({
    status: 1,
    stdout: expect.stringContaining(`turn lost (gateway-error): ${seen}`),
  })
})

test.each<[what: string, status: number, words: string[], expected: object]>([
  [
    'an answer',
    200,
    ['api', 'GET', '/v1/x', '--base-url', 'URL'],
    {
      status: 6,
      stderr: expect.stringContaining('the API answered HTTP 200 (application/json) with more than 65536 KiB'),
    },
  ],
  [
    'an error',
    400,
    ['api', 'GET', '/v1/x', '--base-url', 'URL'],
    {
      status: 5,
      stderr: expect.stringContaining('gatepass: HTTP 400: the answer does not have the form that the API documents'),
    },
  ],
  ['a document', 200, ['config', 'check', 'URL'], { status: 2, stdout: expect.stringContaining('too-large') }],
])('%s without an end is given up', async (_what, status, words, expected) => {
  expect(await runAgainstBlanks(status, words)).toMatchObject(expected)
})
