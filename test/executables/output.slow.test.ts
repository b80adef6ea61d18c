import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { quoteForShell } from '../../src/runtime/text/quote.ts'
import { failingCall, mintingCall, nameToken, runStorm } from '../runtime/storm.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

const path = join(inject('suite').directory, 'aws-bedrock-token')

test('on a busy machine each of 100 calls that fail prints its message whole and once', async () => {
  // A hint names an executable as it was started.
  const { stderr, ...rest } = failingCall.outcome
  const outcome = { ...rest, stderr: stderr.replace(': aws-bedrock-token --help', `: ${quoteForShell([path])} --help`) }
  expect(await runStorm(path, 100, { argv: failingCall.argv })).toEqual([[100, outcome]])
})

test('on a busy machine each of 100 calls that succeed prints one token', async () => {
  const env = { ...mintingCall, HOME: await temporaryDirectory() }
  const seen = await runStorm(path, 100, { env }, nameToken)
  expect(seen).toEqual([[100, { status: 0, stdout: 'one token', stderr: '' }]])
})
