import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { readCommit } from '../../pkg-scripts/commit.ts'
import { prepareRuntime } from '../../pkg-scripts/executable/prepare-runtime.ts'
import { listHelpers, toBundlePath } from '../../pkg-scripts/tree.ts'
import { digestNames } from '../../src/runtime/digest.ts'
import { vendor } from '../../src/vendor.ts'
import { version } from '../../src/version.ts'
import { documentWith } from '../cli/run-gatepass.ts'
import { runBundleOn } from '../setup/run-bundle.ts'
import type { ExecutableOptions } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { toStableText } from '../setup/to-stable-text.ts'
import { startOlderPlatform } from './older-platform.ts'
import { olderRuntimes } from './older-runtimes.ts'

let node: string
beforeAll(async () => {
  node = await prepareRuntime(olderRuntimes.linux)
})

const run = (name: string, options: ExecutableOptions) => runBundleOn(node, name, options)

/** Runs a program that prints nothing on stderr, and returns its stdout. */
async function printed(name: string, options: ExecutableOptions): Promise<string> {
  const { stdout, ...rest } = await run(name, options)
  expect(rest, `${name} ${options.argv?.join(' ')}`).toEqual({ status: 0, stderr: '' })
  return stdout
}

describe('on the oldest Node', () => {
  test.each([...listHelpers(), 'gatepass'])('%s names the runtime that it runs on', async (name) => {
    const names = `for ${vendor.name}, names ${digestNames(vendor)}`
    expect(await printed(name, { argv: ['--version'] })).toBe(
      `${name} ${version} (commit ${readCommit()}, runtime ${olderRuntimes.linux.version}, ${names})\n`,
    )
  })

  test('every command shows its help', async () => {
    for (const name of listHelpers()) await expectSameHelp(name, [])
    const commands = await expectSameHelp('gatepass', [])
    expect(commands).toEqual(expect.arrayContaining(['gateway keys create', 'api messages create', 'config check']))
  })

  test.each<[command: string, status?: number]>([
    ['config init --helper workload-token --base-url https://gateway.example.com'],
    ['config check document.json --os linux'],
    ['config check document.json --os linux --json'],
    ['config convert document.json --to flat'],
    ['config export document.json --to reg'],
    ['config export document.json --to mobileconfig --identifier com.example.ai --organization Example'],
    ['config diff document.json document.json'],
    ['config diff document.json other.json', 1],
    ['config fields'],
    ['config schema'],
    ['completion bash'],
    ['completion zsh'],
    ['completion fish'],
    ['complete -- gateway k'],
    ['simulate --scenario token-revoked'],
    ['simulate --list'],
    ['cache list'],
    ['cache clear'],
    ['gateway keys maximum 7d --db state.db'],
    ['config check missing.json', 2],
  ])('gatepass %s gives the same outcome as on this one', async (command, status = 0) => {
    const cwd = await temporaryDirectory()
    const commandWindows = 'C:\\Gatepass\\aws-bedrock-token.exe'
    await writeFile(join(cwd, 'document.json'), documentWith({ commandWindows }))
    await writeFile(join(cwd, 'other.json'), documentWith({ commandWindows, ttlSec: 600 }))
    const options = { argv: command.split(' '), env: { HOME: cwd }, cwd }
    const outcome = await run('gatepass', options)
    expect(outcome).toEqual(await runBundleOn(process.execPath, 'gatepass', options))
    expect(outcome.status).toBe(status)
  })

  test('gatepass check-helper runs a helper through every rule', async () => {
    const helper = join(await temporaryDirectory(), 'helper')
    await writeFile(helper, '#!/bin/sh\necho opaque-token-$$\n')
    await chmod(helper, 0o755)
    const env = { HOME: await temporaryDirectory(), PATH: '/usr/bin:/bin' }
    const report = await printed('gatepass', { argv: ['check-helper', helper], env, timeoutMs: 120_000 })
    expect(report.split('\n').at(-2)?.replaceAll(/\d+/g, 'N')).toBe(
      'N rules: N passed, N not applicable. N runs in N s.',
    )
  })

  test('aws-bedrock-token signs a key, and serves it again', async () => {
    const keys = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret', AWS_REGION: 'eu-central-1' }
    const env = { HOME: await temporaryDirectory(), ...keys }
    const minted = await printed('aws-bedrock-token', { env })
    expect(toStableText(minted)).toBe('{"token":"BEDROCK-KEY"}\n')
    expect(await printed('aws-bedrock-token', { env })).toBe(minted)
    expect(toStableText(await printed('gatepass', { argv: ['cache', 'list'], env }))).toBe(`\
aws-bedrock-token  1 h 59 min left
    environment: access key AKIAEXAMPLE
    region eu-central-1
    region = eu-central-1 (variable AWS_REGION)
    aws-chain = auto (default)
    service = bedrock (default)
    minted DATE (unknown), expires DATE
`)
  })

  test('a gateway serves a helper, the API and a simulation', async () => {
    const { url, seed, env, helper, stop } = await startOlderPlatform(node)
    const minted = await printed('workload-token', { argv: helper, env })
    expect(toStableText(minted)).toBe('{"token":"sk-vendor-oat01-SECRET"}\n')
    expect(await printed('workload-token', { argv: helper, env })).toBe(minted)

    const api = (...argv: string[]) => printed('gatepass', { argv: ['api', ...argv, '--base-url', url], env })
    expect(JSON.parse(await api('GET', `/v1/sessions/${seed.session}/resources`)).data).toHaveLength(3)
    expect(await api('messages', 'create', 'hello', '--model', 'any')).not.toBe('')

    const document = JSON.parse(documentWith({ command: node, args: [toBundlePath('workload-token'), ...helper] }))
    document.inference.baseUrl = url
    const path = join(env.HOME, 'document.json')
    await writeFile(path, JSON.stringify(document))
    const words = [node, toBundlePath('workload-token'), ...helper]
    // A word with a space is in quotes, and the path of this folder may have one.
    const command = words.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ')
    const announced = `This runs:      ${command}\nand sends to:   ${url}/\n`
    const examined = await run('gatepass', { argv: ['doctor', path, '--yes', '--json'], env })
    expect({ ...examined, stdout: outcomesOf(examined.stdout) }).toEqual({
      status: 0,
      stdout: new Set(['good']),
      stderr: `${announced}gatepass: the names in force are neutral: a file that is made with them reaches no client as it is
gatepass: hint: name your client in a vendor file; see: gatepass vendor --help
`,
    })
    const scenario = join(env.HOME, 'short.yaml')
    await writeFile(scenario, '[start, turn, turn]')
    const argv = ['simulate', path, '--yes', '--gateway', url, '--scenario', scenario, '--json']
    const played = await run('gatepass', { argv, env })
    const { helperRuns, turns, lostTurns } = JSON.parse(played.stdout).summary
    expect({ ...played, stdout: { helperRuns, turns, lostTurns } }).toEqual({
      status: 0,
      stdout: { helperRuns: 1, turns: 2, lostTurns: 0 },
      stderr: announced,
    })
    const { status, stderr } = await stop()
    const [heading, ...requests] = stderr.trimEnd().split('\n')
    expect({
      status,
      heading: toStableText(heading ?? ''),
      failed: requests.filter((line) => !/^[A-Z]+ \/\S* 200 req_/.test(line)),
    }).toEqual({
      status: 0,
      heading:
        'gatepass: this is a stand-in for the platform, for trials on this machine only; its state is in TEMPORARY/state.db',
      failed: [],
    })
  })
})

function outcomesOf(report: string): Set<string> {
  return new Set(JSON.parse(report).parts.map(({ outcome }: { outcome: string }) => outcome))
}

/** Compares the help of a command and of all below it with what this Node shows; gives the commands. */
async function expectSameHelp(name: string, path: readonly string[]): Promise<string[]> {
  const argv = [...path, '--help']
  const help = await printed(name, { argv })
  expect(help).toBe((await runBundleOn(process.execPath, name, { argv })).stdout)
  // Up to the empty line, because the exit statuses that follow are indented alike.
  const [, list = ''] = /\nCommands:\n(.*?)(?:\n\n|$)/s.exec(help) ?? []
  const found = [path.join(' ')]
  for (const [, child = ''] of list.matchAll(/^ {2}(?!help )(\S+)/gm))
    found.push(...(await expectSameHelp(name, [...path, child])))
  return found
}
