import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeProgram } from './credential-program.ts'
import { failure, startWorkbench } from './workbench.ts'

const argv = ['--profile', 'dev']
const region = 'eu-central-1'
const owner = 'the credential_process of profile "dev"'
const look = 'see what it says with: aws configure export-credentials --profile dev'

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
])('a credential_process that %s is reported without its output', async (_, script, what) => {
  const { bench } = await startWithProgram(script)
  await using _bench = bench
  expect(await bench.run({ argv })).toEqual(failure(5, `${owner} ${what}`, look))
})

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

test('for a credential_process that may not be executed the hint is the command that allows it', async () => {
  await using bench = await startWorkbench()
  const path = join(bench.home, 'print-keys')
  await writeFile(path, '#!/bin/sh\n')
  await bench.write({ config: { 'profile dev': { credential_process: `"${path}"`, region } } })
  expect(await bench.run({ argv })).toEqual(
    failure(3, `${owner} is not executable (${path})`, `run: chmod u+x "${path}"`),
  )
})

/** Minutes, different from those of any other run of these tests. */
const forever = `300.${process.pid}`

test('a credential_process that hangs is killed with everything it started, before the client gives up', async () => {
  const { bench } = await startWithProgram(`sleep ${forever} & sleep ${forever}`)
  await using _ = bench
  expect(await bench.run({ argv: [...argv, '--client-timeout', '3'] })).toEqual(
    failure(
      7,
      `${owner} took longer than the 1 s of this call`,
      "find out why it is slow, or raise timeoutSec in the client's document and client-timeout here",
    ),
  )
  await expectNoneLeft()
})

test('a credential_process that hangs and ignores SIGTERM is killed too', async () => {
  const { bench } = await startWithProgram(`trap '' TERM HUP INT\nsleep ${forever} & wait`)
  await using _ = bench
  expect(await bench.run({ argv: [...argv, '--client-timeout', '3'] })).toMatchObject({ status: 7 })
  await expectNoneLeft()
})

/** The system removes a killed process later, which takes time on a busy machine. */
async function expectNoneLeft(): Promise<void> {
  await expect.poll(() => findProcesses(`sleep\0${forever}`), { timeout: 5_000 }).toEqual([])
}

/** Ids of the processes of this machine with such a command line. */
async function findProcesses(commandLine: string): Promise<string[]> {
  const found = await Promise.all(
    (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      // A process may end while we look.
      .map(async (id) => ({ id, line: await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '') })),
  )
  return found.filter(({ line }) => line.startsWith(commandLine)).map(({ id }) => id)
}
