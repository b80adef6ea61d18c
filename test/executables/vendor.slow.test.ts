import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { checkVendorFile } from '../../pkg-scripts/build/vendor-file.ts'
import { hostTarget } from '../../pkg-scripts/executable/runtimes.ts'
import { buildSuite, type Suite } from '../../pkg-scripts/executable/suite.ts'
import { root } from '../../pkg-scripts/tree.ts'
import { runExecutable } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

const setting = { name: 'Acme', envPrefix: 'ACME_AI', headerPrefix: 'acme', cloudWord: 'Cirrus', keyPrefix: 'sk-acme-' }

describe('a suite for another vendor', () => {
  let suite: Suite
  beforeAll(async () => {
    const file = join(root, 'dist', 'test', 'acme.json')
    await writeFile(file, JSON.stringify(setting))
    suite = await buildSuite(hostTarget, { vendorFile: checkVendorFile(file) }, join(root, 'dist', 'test', 'acme'))
  })

  const helper = () => join(suite.directory, 'aws-bedrock-token')
  const createEnv = async (more: Record<string, string> = {}) => ({
    HOME: await temporaryDirectory(),
    AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_REGION: 'eu-central-1',
    ...more,
  })
  const contextOf = async (more: Record<string, string>) => {
    const { stdout } = await runExecutable(helper(), { argv: ['--explain'], env: await createEnv(more) })
    return /^context\n {2}(.*?);/.exec(stdout)?.[1]
  }

  test('is named for it', async () => {
    for (const program of [helper(), suite.cli])
      expect((await runExecutable(program, { argv: ['--version'] })).stdout).toMatch(/, for Acme\)\n$/)
  })

  test('reads the context from its variable, and no other vendor’s', async () => {
    expect(await contextOf({ ACME_AI_HELPER_CONTEXT: 'background' })).toBe(
      'background (ACME_AI_HELPER_CONTEXT is "background")',
    )
    expect(await contextOf({ VENDOR_HELPER_CONTEXT: 'background' })).not.toContain('VENDOR')
  })

  test('makes keys for its platform on AWS, under the name that follows from its own', async () => {
    const argv = ['--service', 'aws-external-acme', '--workspace', 'w1']
    const { status, stdout, stderr } = await runExecutable(helper(), { argv, env: await createEnv() })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({
      token: expect.stringMatching(/^aws-external-acme-api-key-/),
      headers: { 'acme-workspace-id': 'w1' },
    })
  })

  test('is found to keep the contract by its own command', async () => {
    const { status, stdout, stderr } = await runExecutable(suite.cli, {
      argv: ['check-helper', helper()],
      env: await createEnv(),
      timeoutMs: 120_000,
    })
    expect({ status, stderr }, stdout).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('ACME_AI_HELPER_CONTEXT')
    expect(stdout).not.toMatch(/vendor/i)
  })

  test('knows the keys of its configuration', async () => {
    const { stdout } = await runExecutable(suite.cli, { argv: ['config', 'fields'], env: await createEnv() })
    expect(stdout).toContain('Cirrus')
  })
})
