import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type HelperRun, runCredentialHelper } from '../../../src/client/launch/run-credential-helper.ts'
import type { HelperScriptCredential } from '../../../src/config/document.ts'
import { type ClientContext, helperContexts } from '../../../src/contract/context.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { type Step, writeScriptedHelper } from './scripted-helper.ts'

const setup = { env: { OWN: 'kept' }, platform: process.platform }

async function run(
  credential: Partial<HelperScriptCredential>,
  context: ClientContext = 'interactive',
  { platform = setup.platform } = {},
) {
  return toOutcome(await runCredentialHelper({ kind: 'helper-script', ...credential }, context, { ...setup, platform }))
}

async function runStep(step: Step, changes: Partial<HelperScriptCredential> = {}) {
  const { credential } = await writeScriptedHelper(step)
  return run({ ...credential, ...changes })
}

/** Returns the outcome without its duration, and with the token as text. */
function toOutcome({ durationMs: _, ...outcome }: HelperRun) {
  if (!outcome.ok) return outcome
  const { credential, ...rest } = outcome
  return { ...rest, token: credential.token.reveal(), headers: credential.headers }
}

const none = { survivors: 'none', stderr: '' }
const failed = (reason: string, message: string) => ({ ...none, ok: false, reason, message })
const succeeded = (token: string) => ({ ...none, ok: true, token, headers: {}, shape: 'bare token', warnings: [] })

describe('a run that gives a credential', () => {
  test('a bare token is the credential', async () => {
    expect(await runStep({ stdout: 'tok\n' })).toEqual(succeeded('tok'))
  })

  test('a token with headers is the credential with them', async () => {
    expect(await runStep({ stdout: '{"token":"tok","headers":{"X-A":"1"}}' })).toEqual({
      ...succeeded('tok'),
      shape: 'JSON object',
      headers: { 'X-A': '1' },
    })
  })

  test('an output that a client tolerates has a warning', async () => {
    const stdout = '\uFEFFWelcome!\n{"token":"tok","headers":{"X-A":1}}'
    expect(await runStep({ stdout })).toEqual({
      ...succeeded('tok'),
      shape: 'JSON object',
      warnings: ['byte-order-mark', 'text-before-json', 'header-value-dropped'],
    })
  })

  test('an error sentence on one line is a token with a warning', async () => {
    expect(await runStep({ stdout: 'Error: sign in first\n' })).toEqual({
      ...succeeded('Error: sign in first'),
      warnings: ['token-with-spaces'],
    })
  })

  test('stderr is kept, without the token', async () => {
    expect(await runStep({ stdout: 'tok-1\n', stderr: 'got tok-1, then tok-1 again\n' })).toEqual({
      ...succeeded('tok-1'),
      stderr: 'got [secret], then [secret] again\n',
    })
  })

  test('the token refuses to be printed', async () => {
    const { credential } = await writeScriptedHelper({ stdout: 'canary' })
    expect(JSON.parse(JSON.stringify(await runCredentialHelper(credential, 'interactive', setup)))).toEqual({
      ok: true,
      durationMs: expect.any(Number),
      credential: { token: '[secret]', headers: {} },
      shape: 'bare token',
      stderr: '',
      survivors: 'none',
      warnings: [],
    })
  })
})

describe('a run that gives no credential', () => {
  test.each<[reason: string, step: Step, message: string]>([
    ['exit-status', { stdout: 'tok', status: 4 }, 'the helper failed with exit status 4'],
    ['empty', {}, 'stdout is empty although the exit status is 0'],
    ['unrecognized', { stdout: 'a\nb' }, 'stdout is neither one line nor one JSON object'],
    ['no-token', { stdout: '{}' }, 'the JSON object has no "token"'],
    ['invalid-token', { stdout: '{"token":""}' }, 'the "token" is not one line of text within the size limit'],
    ['invalid-headers', { stdout: '{"token":"t","headers":[]}' }, '"headers" is neither an object nor null'],
    [
      'credential-process',
      { stdout: '{"Version":1,"AccessKeyId":"AKIA"}' },
      'stdout is an AWS credential_process document, which has no "token"',
    ],
    [
      'refused-header',
      { stdout: '{"token":"t","headers":{"Cookie":"a"}}' },
      'a header cannot be sent: "Cookie" belongs to the client and cannot be set',
    ],
  ])('the reason is %s', async (reason, step, message) => {
    const status = step.status === undefined ? {} : { status: step.status }
    expect(await runStep(step)).toEqual({ ...failed(reason, message), ...status })
  })

  test('the reason is encoding for bytes that are not UTF-8', async () => {
    const script = 'process.stdout.write(Buffer.from("\\ufefftok", "utf16le"))'
    expect(await run({ command: process.execPath, args: ['-e', script.replaceAll('"', "'")] })).toEqual(
      failed('encoding', 'stdout is not UTF-8 text'),
    )
  })

  test('the reason is too-large for more than a client reads', async () => {
    expect(
      await run({
        command: process.execPath,
        args: ['-e', "process.stdout.on('error', () => {}).write('x'.repeat(9e6))"],
      }),
    ).toEqual(failed('too-large', 'stdout holds more than a client reads'))
  })

  test('the reason is timeout for a helper that hangs', async () => {
    expect(await runStep({ stdout: 'tok', stderr: 'waiting', hangs: true }, { timeoutSec: 3 })).toEqual({
      ...failed('timeout', 'the helper did not end within 3 s and was killed'),
      stderr: 'waiting',
    })
  })

  test('the reason is timeout when only what the helper left behind holds its output', async () => {
    expect(await run({ command: '/bin/sh', args: ['-c', 'echo tok; sleep 30 &'], timeoutSec: 3 })).toEqual({
      ...failed('timeout', 'the helper ended, but a process that it left behind kept its output open for 3 s'),
      survivors: 'ended',
    })
  })

  test('the reason is signal for a helper that a signal ended', async () => {
    expect(await run({ command: '/bin/sh', args: ['-c', 'kill -TERM $$'] })).toEqual(
      failed('signal', 'the helper was ended by SIGTERM'),
    )
  })

  test('the reason is not-started for a program that is not there', async () => {
    expect(await run({ command: '/nonexistent/helper' })).toEqual(
      failed('not-started', 'the helper cannot be started (ENOENT)'),
    )
  })

  test.each<[credential: Partial<HelperScriptCredential>, platform: NodeJS.Platform, message: string]>([
    [{}, 'linux', 'no command is set'],
    [{ command: '~/helper' }, 'linux', 'the command is not an absolute path'],
    [{ command: '/opt/helper' }, 'win32', 'the command does not start with a drive letter, a colon and a slash'],
  ])('%o cannot be started on %s: %s', async (credential, platform, message) => {
    expect(await run(credential, 'interactive', { platform })).toEqual(failed('not-startable', message))
  })
})

describe('the environment of a run', () => {
  /** Gives the environment of a helper. */
  async function environmentOf(credential: Partial<HelperScriptCredential>, context: ClientContext) {
    const path = join(await temporaryDirectory(), 'environment')
    const script = `require('fs').writeFileSync('${path}', JSON.stringify(process.env)); console.log('t')`
    await run({ command: process.execPath, args: ['-e', script], ...credential }, context)
    return JSON.parse(await readFile(path, 'utf8'))
  }

  test.each(helperContexts)('says that the context is %s beside what the client has', async (context) => {
    expect(await environmentOf({}, context)).toEqual({
      OWN: 'kept',
      VENDOR_HELPER_CONTEXT: context,
      ...(context === 'setup-test' && { VENDOR_HELPER_MANUAL_RUN: '1' }),
    })
  })

  test('has the AWS profile and files of the document without the path of the AWS CLI', async () => {
    const awsEnv = { profile: 'team', awsDir: '/opt/aws files/', awsCliPath: '/usr/local/bin/aws' }
    expect(await environmentOf({ awsEnv }, 'background')).toEqual({
      OWN: 'kept',
      VENDOR_HELPER_CONTEXT: 'background',
      AWS_PROFILE: 'team',
      AWS_CONFIG_FILE: '/opt/aws files/config',
      AWS_SHARED_CREDENTIALS_FILE: '/opt/aws files/credentials',
    })
  })
})
