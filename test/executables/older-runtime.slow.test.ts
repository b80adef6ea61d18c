import { expect, test } from 'vitest'
import { prepareRuntime } from '../../pkg-scripts/executable/runtimes.ts'
import { bundlePath, helperNames } from '../../pkg-scripts/tree.ts'
import { runExecutable } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { olderRuntimes } from './older-runtimes.ts'

test('a plain Node 22 runs the bundles', async () => {
  const node = await prepareRuntime(olderRuntimes.linux)
  for (const name of [...helperNames(), 'gatepass']) {
    const { status, stdout, stderr } = await runExecutable(node, { argv: [bundlePath(name), '--version'] })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain(`runtime ${olderRuntimes.linux.version}`)
  }
  const env = {
    HOME: await temporaryDirectory(),
    AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_REGION: 'eu-central-1',
  }
  const token = await runExecutable(node, { argv: [bundlePath('aws-bedrock-token')], env })
  expect(token).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\{"token":"bedrock-api-key-/), stderr: '' })
})
