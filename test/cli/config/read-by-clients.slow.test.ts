import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { prints } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { runHere } from '../run-here.ts'

/** Arguments that a careless line would split, expand or end. */
const hard = ["it's", 'a b', '$HOME', '`x`', '"q"', '\\', '#', 'a;b&c|d', '*', '%PATH%', '=x']

/** A program that is not a helper of the suite, in a folder with a space; it writes down how it was started. */
let helper: string
let directory: string

beforeEach(async () => {
  directory = await temporaryDirectory()
  await mkdir(join(directory, "it's a folder"))
  helper = join(directory, "it's a folder", 'helper')
  await writeFile(
    helper,
    `#!/bin/sh
for word in "$@"; do printf '%s\\n' "$word"; done > '${directory}/started-with'
cat > '${directory}/request'
cat '${directory}/answer'
`,
    { mode: 0o755 },
  )
})

async function initFor(client: string, more: readonly string[] = []): Promise<string> {
  const words = hard.map((word) => `--arg=--watch=/${word}`)
  const gateway = client === 'aws' ? [] : ['--base-url', 'https://gateway.example/v1']
  const family = client === 'aws' ? 'aws-bedrock-token' : 'workload-token'
  const argv = ['config', 'init', '--client', client, '--helper', family, '--command', helper]
  const { status, stdout, stderr } = await runHere([...argv, ...gateway, ...words, ...more])
  if (status !== 0) throw new Error(stderr)
  return stdout
}

async function answer(text: string): Promise<void> {
  await writeFile(join(directory, 'answer'), text)
}

/** Returns the arguments of the last run. */
async function startedWith(): Promise<string[]> {
  return (await readFile(join(directory, 'started-with'), 'utf8')).split('\n').slice(0, -1)
}

const ownArguments = hard.map((word) => `--watch=/${word}`)

/** Runs a program of the system with a home of its own. */
async function runProgram(program: string, args: readonly string[], env: Record<string, string> = {}, input = '') {
  const options = { env: { PATH: '/usr/bin:/bin', HOME: directory, ...env }, extendEnv: false, reject: false, input }
  const { exitCode, stdout, stderr } = await execa(program, args, options)
  return { status: exitCode, stdout, stderr }
}

test('a TOML reader finds the settings of Codex', async () => {
  const toml = await initFor('codex')
  const program = 'import json, sys, tomllib; print(json.dumps(tomllib.loads(sys.stdin.read())))'
  const { stdout } = await execa('python3', ['-c', program], { input: toml })
  expect(JSON.parse(stdout)).toEqual({
    model_provider: 'gatepass',
    model_providers: {
      gatepass: {
        name: 'gatepass',
        base_url: 'https://gateway.example/v1',
        wire_api: 'responses',
        auth: {
          command: helper,
          args: [...ownArguments, '--format', 'token', '--client-ttl', '300'],
          timeout_ms: 60_000,
          refresh_interval_ms: 300_000,
        },
      },
    },
  })
})

test('a shell starts the line of apiKeyHelper with its words', async () => {
  await answer('sk-123456789\n')
  const { apiKeyHelper } = JSON.parse(await initFor('api-key-helper'))
  expect(await runProgram('/bin/sh', ['-c', apiKeyHelper])).toEqual({ status: 0, stdout: 'sk-123456789', stderr: '' })
  expect(await startedWith()).toEqual([...ownArguments, '--format', 'token', '--client-ttl', '300'])
})

test('kubectl reads the kubeconfig, and a YAML reader the same', async () => {
  const path = join(directory, 'kubeconfig')
  const text = await initFor('kubernetes')
  await writeFile(path, text)
  const { status, stdout } = await runProgram('kubectl', ['config', 'view', '--output=json'], { KUBECONFIG: path })
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: helper,
    args: [...ownArguments, '--format', 'exec-credential'],
    interactiveMode: 'Never',
    provideClusterInfo: false,
    installHint: `${helper} is missing: install Gatepass`,
  }
  // A kubectl adds fields that its version knows.
  expect({ status, users: JSON.parse(stdout).users }).toMatchObject({
    status: 0,
    users: [{ name: 'gatepass', user: { exec } }],
  })
  expect(parse(text).users).toEqual([{ name: 'gatepass', user: { exec } }])
})

test('the AWS command line runs the profile’s line, and takes the credentials', async () => {
  const path = join(directory, 'aws-config')
  await writeFile(path, await initFor('aws'))
  const keys = { AccessKeyId: 'AKIAEXAMPLE12345', SecretAccessKey: 'example', SessionToken: 'example' }
  await answer(JSON.stringify({ Version: 1, ...keys, Expiration: '2099-01-01T00:00:00Z' }))
  const env = { AWS_CONFIG_FILE: path, AWS_EC2_METADATA_DISABLED: 'true' }
  const { status, stdout } = await runProgram('/usr/bin/aws', ['configure', 'list', '--profile', 'gatepass'], env)
  expect({ status, line: stdout.split('\n').find((line) => line.includes('access_key')) }).toEqual({
    status: 0,
    line: expect.stringMatching(/\*2345\s+custom-process/),
  })
  expect(await startedWith()).toEqual([...ownArguments, '--format', 'credential-process'])
})

test('Git asks the helper about the one address, and no helper besides', async () => {
  const path = join(directory, 'gitconfig')
  const other = `[credential]\n\thelper = "!echo username=other; echo password=other; :"\n`
  await writeFile(path, other + (await initFor('git')))
  await answer('username=token\npassword=sk-123456789\n')
  const env = { GIT_CONFIG_GLOBAL: path, GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' }
  const fill = (url: string) => runProgram('git', ['credential', 'fill'], env, `url=${url}\n\n`)
  const asked = { outcome: await fill('https://gateway.example/v1'), argv: await startedWith() }
  const { stdout: elsewhere } = await fill('https://elsewhere.example/v1')
  expect({ asked, elsewhere }).toEqual({
    asked: {
      outcome: prints('protocol=https\nhost=gateway.example\nusername=token\npassword=sk-123456789'),
      argv: [...ownArguments, '--format', 'git', '--for-host', 'gateway.example', 'get'],
    },
    elsewhere: 'protocol=https\nhost=elsewhere.example\nusername=other\npassword=other',
  })
})

test('the script for Bazel adds its arguments before those of the request', async () => {
  await answer('{"headers":{}}\n')
  const wrapper = join(directory, 'for bazel')
  const bazelrc = await initFor('bazel', ['--wrapper', wrapper])
  const request = '{"uri":"https://gateway.example/v1"}'
  expect({
    setting: bazelrc.split('\n')[0],
    outcome: await runProgram(wrapper, ['get'], {}, request),
    argv: await startedWith(),
    request: await readFile(join(directory, 'request'), 'utf8'),
  }).toEqual({
    setting: `common "--credential_helper=gateway.example=${wrapper}"`,
    outcome: { status: 0, stdout: '{"headers":{}}', stderr: '' },
    argv: [...ownArguments, '--format', 'bazel', '--for-host', 'gateway.example', 'get'],
    request,
  })
})
