import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toContextVariables } from '../../../src/contract/detect-context.ts'
import { type AnyHelper, defineHelper } from '../../../src/helper/define-helper.ts'
import { runHelper } from '../../../src/helper/run/run-helper.ts'
import type { SignOut } from '../../../src/helper/sign-in.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { testHost, testNow } from '../../setup/test-host.ts'

const hung = new HelperError('late', 'another run took longer than the 60 s of this call', 'start again')

const signsOut = async () => ({ wasSignedIn: true, wasUnderWay: false })

/** Creates a helper whose sign-in ends as a test says. */
function createDoor(signOut: () => Promise<Omit<SignOut, 'subject'>>) {
  return defineHelper({
    summary: 'open a door',
    options: { door: { value: 'text', summary: 'which', required: true } },
    facts: [],
    plan: async () => ({ inputs: {}, steps: [] }),
    mint: async () => ({ token: new Secret('t'), expiresAt: new Date(testNow + 7_200_000), facts: {} }),
    signOut: async (_, { door }) => ({ subject: `the ${door} door`, ...(await signOut()) }),
  }) as AnyHelper
}

async function run(helper: AnyHelper, argv: readonly string[], home?: string) {
  const host = await testHost({ argv, ...(home && { home }) })
  const { status } = await runHelper('door', helper, host)
  return { host, outcome: { status, ...host.written } }
}

test.each([
  [true, false, 'signed out of the front door'],
  [false, false, 'nobody was signed in to the front door'],
  [true, true, 'signed out of the front door; the sign-in that was under way is ended'],
])('the command says on stderr how it ended, and prints nothing', async (wasSignedIn, wasUnderWay, said) => {
  const { outcome } = await run(
    createDoor(async () => ({ wasSignedIn, wasUnderWay })),
    ['sign-out', '--door', 'front'],
  )
  expect(outcome).toEqual({ status: 0, stdout: '', stderr: `door: ${said}\n` })
})

test('sign-out removes the cached tokens of this helper, and leaves those of others', async () => {
  const helper = createDoor(signsOut)
  const { host } = await run(helper, ['--door', 'front'])
  const cache = join(host.home, '.cache', 'gatepass')
  await writeFile(join(cache, 'other-1.json'), '{}')
  const tokens = async () =>
    (await readdir(cache)).filter((name) => name.endsWith('.json')).map((name) => name.replace(/-\w+/, '-KEY'))
  const before = await tokens()
  await run(helper, ['sign-out', '--door', 'front'], host.home)
  expect({ before, after: await tokens() }).toEqual({
    before: ['door-KEY.json', 'other-KEY.json'],
    after: ['other-KEY.json'],
  })
})

test('tokens that cannot be removed are a warning', async () => {
  const { home } = await testHost()
  await mkdir(join(home, '.cache'))
  const cache = join(home, '.cache', 'gatepass')
  await writeFile(cache, '')
  const helper = createDoor(signsOut)
  const { outcome } = await run(helper, ['sign-out', '--door', 'front'], home)
  expect(outcome).toEqual({
    status: 0,
    stdout: '',
    stderr: `door: signed out of the front door\ndoor: warning: cannot remove the cached tokens from ${cache}: ${cache} is not a directory\n`,
  })
})

test.each<[what: string, argv: string[], status: number, message: string, hint: string]>([
  ['cannot be ended', ['sign-out', '--door', 'front'], 7, hung.message, hung.hint],
  [
    'is not known, because an option is missing',
    ['sign-out'],
    3,
    'door must be set',
    'set it by argument, variable or file; see: door --help',
  ],
])('sign-out fails where the sign-in %s', async (_, argv, status, message, hint) => {
  const helper = createDoor(() => Promise.reject(hung))
  const { outcome } = await run(helper, argv)
  expect(outcome).toEqual({ status, stdout: '', stderr: `door: ${message}\ndoor: hint: ${hint}\n` })
})

test('a client may run it in any context, because nobody is asked', async () => {
  const env = toContextVariables('background')
  const host = await testHost({ argv: ['sign-out', '--door', 'front'], env })
  const { status } = await runHelper('door', createDoor(signsOut), host)
  expect({ status, ...host.written }).toEqual({ status: 0, stdout: '', stderr: 'door: signed out of the front door\n' })
})

const { signOut: _signOut, ...plain } = createDoor(signsOut)

test('a helper without a sign-out refuses the command', async () => {
  expect((await run(plain, ['sign-out', '--door', 'front'])).outcome).toEqual({
    stderr: 'door: unexpected argument (options start with "--")\ndoor: hint: see: door --help\n',
    status: 2,
    stdout: '',
  })
})

test('the help names the command for a sign-out where the helper has one', async () => {
  const usageOf = async (each: typeof plain) =>
    (await run(each, ['--help'])).outcome.stdout.match(/^.* \[OPTIONS\].*$/gm)
  expect([await usageOf(createDoor(signsOut)), await usageOf(plain)]).toEqual([
    ['Usage: door [OPTIONS]', '       door sign-out [OPTIONS]  signs you out, here and at the provider'],
    ['Usage: door [OPTIONS]'],
  ])
})
