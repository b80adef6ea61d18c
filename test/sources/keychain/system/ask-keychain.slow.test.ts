import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { Deadline } from '../../../../src/runtime/deadline.ts'
import { Secret } from '../../../../src/runtime/secret.ts'
import type { KeychainPrompt } from '../../../../src/sources/keychain/keychain.ts'
import type { SystemKeychain } from '../../../../src/sources/keychain/system/ask-keychain.ts'
import { createMacosKeychain } from '../../../../src/sources/keychain/system/open-system-keychain.ts'
import { toFailureParts } from '../../../setup/failure-parts.ts'
import { waitUntil } from '../../../setup/wait-until.ts'
import { startStandInKeychain } from '../../../stand-ins/keychain/system-keychain.ts'

const item = { service: 'api-key', account: 'default', label: 'Gatepass' }
const secret = 'sk-it-must-be-seen-nowhere'

const startDeadline = (seconds = 20) => {
  const begin = performance.now()
  return new Deadline({ seconds, hint: 'start again' }, { elapsedMs: () => performance.now() - begin })
}

const open = (child: SystemKeychain['child'], prompt: KeychainPrompt = 'never') =>
  createMacosKeychain({ child, prompt, otherwise: 'keep it in a file' })

/** Ids of the children that run with this library, and what any program can read of them. */
const findChildren = (directory: string) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const [commandLine, environment] = ['cmdline', 'environ'].map((file) =>
          readFileSync(`/proc/${pid}/${file}`, 'utf8'),
        )
        return commandLine?.includes('child.ts') && commandLine.includes(directory)
          ? [{ pid: Number(pid), commandLine, environment }]
          : []
      } catch {
        return [] // it has ended
      }
    })

test('ends a child that hangs after 5 s, and shows nobody its secret meanwhile', async () => {
  const { behave, child, directory, list } = await startStandInKeychain('darwin')
  await behave('hang')
  const begin = performance.now()
  const written = open({ ...child, env: { HOME: '/home/somebody' } })
    .write(item, new Secret(secret), startDeadline())
    .catch(toFailureParts)
  await waitUntil('the child asks the keychain', async () => (await list()).includes('hanging'))
  const [seen] = findChildren(directory)
  const outcome = await written
  const isInTime = performance.now() - begin < 6500
  expect({
    isSecretShown: seen?.commandLine?.includes(secret),
    environment: seen?.environment,
    outcome,
    isInTime,
    left: findChildren(directory),
  }).toEqual({
    isSecretShown: false,
    environment: 'HOME=/home/somebody\0',
    outcome: [
      'unavailable',
      'the macOS keychain did not answer within 5 s',
      'see whether this answers: security show-keychain-info; if not, sign in to the Mac anew; or keep it in a file',
    ],
    isInTime: true,
    left: [],
  })
})

test('ends a child at the deadline of the call, also where a person may be asked', async () => {
  const { behave, child, directory } = await startStandInKeychain('darwin')
  await behave('hang')
  expect(await open(child, 'allowed').read(item, startDeadline(1)).catch(toFailureParts)).toEqual([
    'late',
    'waiting for the macOS keychain took longer than the 1 s of this call',
    'start again',
  ])
  await vi.waitUntil(() => findChildren(directory).length === 0)
})

test('a child ends by itself where nobody is left who could end it', async () => {
  const { behave, child, directory, list } = await startStandInKeychain('darwin')
  await behave('hang')
  const request = { operation: 'read', item, prompt: 'never', limitSec: 2 }
  const { program, args } = child.command
  // A parent that is killed as a client kills a helper. It is a Node too, so that the child answers it.
  const script = `require('node:child_process').spawn(${JSON.stringify(program)}, ${JSON.stringify(args)}, { stdio: ['pipe', 'inherit', 'inherit'] }).stdin.end(${JSON.stringify(JSON.stringify(request))}); setInterval(() => {}, 1000)`
  const parent = spawn(process.execPath, ['-e', script], { stdio: 'ignore' })
  await waitUntil('the child asks the keychain', async () => (await list()).includes('hanging'))
  parent.kill('SIGKILL')
  await once(parent, 'exit')
  expect(findChildren(directory).length).toBe(1)
  await vi.waitUntil(() => findChildren(directory).length === 0, { timeout: 4000 })
})

test('says how a child ended that crashed, was killed or was another program', async () => {
  const { behave, child, directory } = await startStandInKeychain('darwin')
  const toBroken = (end: string) => [
    'unavailable',
    `the process that asks the macOS keychain gave no answer: ${end}`,
    'try again; if it stays so, keep it in a file',
  ]
  await behave('hang')
  const killed = open(child).read(item, startDeadline()).catch(toFailureParts)
  await vi.waitUntil(() => findChildren(directory).length === 1)
  for (const { pid } of findChildren(directory)) process.kill(pid, 'SIGKILL')
  const run = (program: string, ...args: string[]) =>
    open({ command: { program, args, argv0: program }, env: {} })
      .read(item, startDeadline())
      .catch(toFailureParts)
  expect([
    await killed,
    await run('/bin/echo', '{"state":"found"}'),
    await run('/bin/sh', '-c', 'head -c 9000000 /dev/zero'),
    await run('/bin/false'),
    await run('/nonexistent/program'),
  ]).toEqual(
    [
      'it was ended by SIGKILL',
      'it ended with 0',
      'it was ended by SIGKILL',
      'it ended with 1',
      'it could not be started (ENOENT)',
    ].map(toBroken),
  )
})

test('three children at once each give their own answer', async () => {
  const { child } = await startStandInKeychain('darwin')
  const keychain = open(child)
  const accounts = ['one', 'two', 'three']
  await Promise.all(
    accounts.map((account) => keychain.write({ ...item, account }, new Secret(`of ${account}`), startDeadline())),
  )
  const read = await Promise.all(accounts.map((account) => keychain.read({ ...item, account }, startDeadline())))
  expect(read.map((found) => found?.reveal())).toEqual(accounts.map((account) => `of ${account}`))
})
