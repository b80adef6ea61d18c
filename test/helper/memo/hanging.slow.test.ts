import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { exitStatus } from '../../../src/runtime/failure.ts'
import { runBundle } from '../../setup/run-bundle.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { writeAwsDirectory } from '../../stand-ins/aws/aws-directory.ts'

const helper = 'aws-bedrock-token'

/** Prepares a home with a token in the cache, whose options file says that the client waits for five seconds. */
async function startHome() {
  const home = await temporaryDirectory()
  const { environment } = await writeAwsDirectory(home, {
    config: { default: { region: 'eu-central-1' } },
    credentials: { default: { aws_access_key_id: 'AKIAEXAMPLE', aws_secret_access_key: 'example' } },
  })
  const options = join(home, '.config', 'gatepass')
  await mkdir(options, { recursive: true, mode: 0o700 })
  await writeFile(join(options, `${helper}.json`), '{"client-timeout":5}', { mode: 0o600 })
  const call = async (more: Readonly<Record<string, string>> = {}) => {
    const begin = performance.now()
    const env = { HOME: home, ...environment, ...more }
    const outcome = await runBundle(helper, { env, timeoutMs: 10_000 })
    return { ...outcome, isInTime: performance.now() - begin < 5000 }
  }
  await sleep(2100) // then no file is too new
  return { home, call, minted: await call() }
}

test('a call with a memo of files that do not respond ends by the deadline of its options, and names the file', async () => {
  const { home, call, minted } = await startHome()
  expect(await call()).toEqual(minted)
  const files = ['config', 'credentials'].map((name) => join(home, '.aws', name))
  for (const path of files) {
    await rm(path)
    await execa('mkfifo', ['-m', '600', path])
  }
  const hint = "find out why it is slow, or raise timeoutSec in the client's document and client-timeout here"
  expect(await call()).toEqual({
    status: exitStatus.late,
    stdout: '',
    isInTime: true,
    stderr: `${helper}: reading the configuration (waiting for ${files[0]}) took longer than the 3 s of this call\n${helper}: hint: ${hint}\n`,
  })
})

test('a call ends although the disk does not take its memo', async () => {
  const { home, call, minted } = await startHome()
  const pipe = join(home, 'pipe')
  await execa('mkfifo', ['-m', '600', pipe])
  const preload = join(import.meta.dirname, 'hang-drafts.cjs')
  expect(await call({ HANGING_PIPE: pipe, NODE_OPTIONS: `--require "${preload}"` })).toEqual(minted)
})
