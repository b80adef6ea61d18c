import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findProcesses } from '../../setup/find-processes.ts'
import { writeProgram } from './credential-program.ts'
import { expectToken } from './read-token.ts'
import { failure, startWorkbench, user } from './workbench.ts'

const argv = ['--profile', 'dev']
const region = 'eu-central-1'
const owner = 'the credential_process of profile "dev"'
const look = 'see what it prints with: aws configure export-credentials --profile dev'

/** Profile `dev` runs a script of the test's own. */
async function startWithProgram(script: string) {
  const bench = await startWorkbench()
  const path = await writeProgram(join(bench.home, 'print-keys'), script)
  await bench.write({ config: { 'profile dev': { credential_process: `"${path}" --token canary`, region } } })
  return { bench, path }
}

const keys = { AccessKeyId: 'AKIAEXAMPLE', SecretAccessKey: 'canary' }
const print = (document: unknown) => `echo '${JSON.stringify(document)}'`

test.each([
  ['fails', 'echo canary; echo canary >&2; exit 3', 'failed with exit status 3'],
  ['is killed', 'kill -9 $$', 'failed with exit status 137'],
  ['prints rubbish', 'echo canary', 'printed something that is not one JSON object'],
  ['prints nothing', '', 'printed something that is not one JSON object'],
  ['prints a list', print([keys]), 'printed something that is not one JSON object'],
  ['prints another version', print({ Version: 2, ...keys }), 'printed a document whose "Version" is not 1'],
  ['prints no key', print({ Version: 1, AccessKeyId: 'AKIAEXAMPLE' }), 'printed no AccessKeyId or no SecretAccessKey'],
  ['prints no date', print({ Version: 1, ...keys, Expiration: 'soon' }), 'printed an "Expiration" that is not a date'],
  [
    'prints half of a surrogate pair',
    `echo '{"Version":1,"AccessKeyId":"AKIA\\ud800","SecretAccessKey":"canary"}'`,
    'printed a text with half of a surrogate pair, which is not Unicode',
  ],
  ['fails while a child holds its stdout', 'sleep 60 & exit 3', 'failed with exit status 3'],
])('a credential_process that %s is reported without its output', async (_, script, what) => {
  const { bench } = await startWithProgram(script)
  await using _bench = bench
  expect(await bench.run({ argv })).toEqual(failure(5, `${owner} ${what}`, look))
})

test.each([
  ['a child', 'sleep 60 &'],
  ['a child in a session of its own', 'setsid sleep 60 &'],
])('a credential_process that has printed its document gives a token although %s holds its pipes', async (_, start) => {
  await using bench = await startWorkbench()
  const { accessKeyId, secretAccessKey } = bench.aws.addAccessKey({ arn: user })
  const document = print({ Version: 1, AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey })
  const note = join(bench.home, 'child')
  const path = await writeProgram(join(bench.home, 'print-keys'), `${start}\necho $! >'${note}'\n${document}`)
  await bench.write({ config: { 'profile dev': { credential_process: `"${path}"`, region } } })
  const begin = Date.now()
  expectToken(await bench.run({ argv }), bench.aws, accessKeyId)
  expect(Date.now() - begin).toBeLessThan(5_000)
  const child = Number(await readFile(note, 'utf8'))
  // A process with a session of its own is beyond reach, as the security page says. A killed process ends when it is next scheduled.
  const isLeft = start.startsWith('setsid')
  await expect.poll(() => isRunning(child)).toBe(isLeft)
  if (isLeft) process.kill(child, 'SIGKILL')
})

test('the message of the deadline says that a child holds the stdout of a credential_process', async () => {
  const { bench } = await startWithProgram('sleep 60 &')
  await using _ = bench
  expect(await bench.run({ argv: [...argv, '--client-timeout', '5'] })).toEqual(
    failure(
      7,
      `${owner} has ended without a whole document, and a program that it started and that holds its stdout open took longer than the 3 s of this call`,
      "find out why it is slow, or raise timeoutSec in the client's document and client-timeout here",
    ),
  )
})

/** A process that has ended stays in the table until somebody asks for its status, as a zombie. */
async function isRunning(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z')
  return !/\) [ZX]/.test(status)
}

test('for expired credentials of a credential_process the message says when they expired', async () => {
  const { bench } = await startWithProgram(print({ Version: 1, ...keys, Expiration: '2020-01-01T00:00:00Z' }))
  await using _ = bench
  expect(await bench.run({ argv })).toEqual(
    failure(
      4,
      'the credentials of profile "dev" expired at 2020-01-01T00:00:00.000Z',
      'see what it prints with: aws configure export-credentials --profile dev',
    ),
  )
})

test.each(['no-such-program', '/no/such program'])(
  'a credential_process that is not found is named without its arguments: %s',
  async (name) => {
    await using bench = await startWorkbench({
      config: { 'profile dev': { credential_process: `"${name}" --token canary`, region } },
    })
    expect(await bench.run({ argv })).toEqual(
      failure(
        3,
        `${owner} was not found (${name}), or a program that it runs was not`,
        'write the absolute path of the program into the profile, or set --path to the directories to look in',
      ),
    )
  },
)

test.each([
  'TOK=$(printf canary canary) no-such-program',
  'TOK="a b"canary no-such-program',
  'TOK=a\\ canary no-such-program',
  'TOK=canary;no-such-program',
  '(TOK=canary no-such-program)',
  'no-such-program&&canary',
])('no word of the line is shown where only a shell can tell the program: %s', async (line) => {
  await using bench = await startWorkbench({ config: { 'profile dev': { credential_process: line, region } } })
  expect(await bench.run({ argv })).toEqual(
    failure(
      3,
      `${owner} was not found, or a program that it runs was not`,
      'write the absolute path of the program into the profile, or set --path to the directories to look in',
    ),
  )
})

test('for a credential_process that may not be executed the hint is the command that allows it', async () => {
  await using bench = await startWorkbench()
  const path = join(bench.home, 'print-keys')
  await writeFile(path, '#!/bin/sh\n')
  await bench.write({ config: { 'profile dev': { credential_process: `"${path}"`, region } } })
  expect(await bench.run({ argv })).toEqual(
    failure(3, `${owner} is not executable (${path}), or a program that it runs is not`, `run: chmod u+x "${path}"`),
  )
})

const late = failure(
  7,
  `${owner} took longer than the 3 s of this call`,
  "find out why it is slow, or raise timeoutSec in the client's document and client-timeout here",
)

/** Minutes, different from those of any other run of these tests. */
const forever = `300.${process.pid}`

test('a credential_process that hangs is killed with everything it started, before the client gives up', async () => {
  const { bench } = await startWithProgram(`sleep ${forever} & sleep ${forever}`)
  await using _ = bench
  expect(await bench.run({ argv: [...argv, '--client-timeout', '5'] })).toEqual(late)
  await expectNoneLeft()
})

test('a credential_process that hangs and ignores SIGTERM is killed too', async () => {
  const { bench } = await startWithProgram(`trap '' TERM HUP INT\nsleep ${forever} & wait`)
  await using _ = bench
  expect(await bench.run({ argv: [...argv, '--client-timeout', '5'] })).toEqual(late)
  await expectNoneLeft()
})

/** The system removes a killed process later, which takes time on a busy machine. */
async function expectNoneLeft(): Promise<void> {
  await expect.poll(() => findProcesses(`sleep\0${forever}`), { timeout: 5_000 }).toEqual([])
}
