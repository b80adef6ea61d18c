import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { checkVendorFile } from '../../pkg-scripts/build/vendor-file.ts'
import { buildSeparate, buildSuite, type Suite } from '../../pkg-scripts/executable/build-suite.ts'
import { hostTarget } from '../../pkg-scripts/executable/runtimes.ts'
import { root } from '../../pkg-scripts/tree.ts'
import { runExecutable } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { readWindowsDescriptions } from './inspect-executable.ts'

const vendorFile = checkVendorFile(join(root, 'test/setup/second-names.json'))

describe('a suite for another vendor', () => {
  let suite: Suite
  let signed: string
  beforeAll(async () => {
    // A signing tool that writes down its arguments; it does not sign for this system.
    const directory = join(root, 'dist', 'test', 'acme')
    await rm(directory, { recursive: true, force: true })
    await mkdir(directory, { recursive: true })
    signed = join(directory, 'signed')
    const command = join(directory, 'sign')
    await writeFile(command, `#!/bin/sh\necho "$SIGN_IDENTIFIER" >> '${signed}'\n`, { mode: 0o755 })
    vi.stubEnv('SIGN_COMMAND', command)
    suite = await buildSuite(hostTarget, { vendorFile }, directory)
    vi.unstubAllEnvs()
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
      expect((await runExecutable(program, { argv: ['--version'] })).stdout).toMatch(
        /, for Acme\.ai, names [0-9a-f]{8}\)\n$/,
      )
  })

  test('reads the context from its variable, and no other vendor’s', async () => {
    expect(await contextOf({ Acme_AI_HELPER_CONTEXT: 'background' })).toBe(
      'background (Acme_AI_HELPER_CONTEXT is "background")',
    )
    expect(await contextOf({ VENDOR_HELPER_CONTEXT: 'background' })).not.toContain('VENDOR')
  })

  test('makes keys for its platform on AWS, under the name of the service', async () => {
    const argv = ['--service', 'models.partner', '--workspace', 'w1']
    const { status, stdout, stderr } = await runExecutable(helper(), { argv, env: await createEnv() })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({
      token: expect.stringMatching(/^models\.partner-api-key-/),
      headers: { 'acme.ai-workspace-id': 'w1' },
    })
  })

  test('passes its own check-helper', async () => {
    const { status, stdout, stderr } = await runExecutable(suite.cli, {
      argv: ['check-helper', helper()],
      env: await createEnv(),
      timeoutMs: 120_000,
    })
    const said = { other: stdout.includes('Acme_AI_HELPER_CONTEXT'), neutral: stdout.match(/vendor/i) }
    expect({ status, stderr, said }, stdout).toEqual({ status: 0, stderr: '', said: { other: true, neutral: null } })
  })

  test('knows the keys of its configuration', async () => {
    const { stdout } = await runExecutable(suite.cli, { argv: ['config', 'fields'], env: await createEnv() })
    expect(stdout).toContain('inferenceHosted.v2Profile')
  })

  test('is signed under its identifier, with the program behind it', async () => {
    expect((await readFile(signed, 'utf8')).split('\n').filter(Boolean).sort()).toEqual([
      'example.tools.helpers.gatepass',
      'example.tools.helpers.gatepass-helpers',
    ])
  })

  test('has its publisher on Windows', async () => {
    const file = await buildSeparate('win32-x64', 'api-key', { vendorFile }, join(root, 'dist', 'test', 'acme'))
    const publishers = readWindowsDescriptions(await readFile(file)).map(({ CompanyName }) => CompanyName)
    expect(new Set(publishers)).toEqual(new Set(['Acme & Sons, Inc.']))
  })
})
