import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Deadline } from '../../../src/runtime/deadline.ts'
import { resolveProgram } from '../../../src/sources/program/resolve-program.ts'
import { runProgram } from '../../../src/sources/program/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

test('the log names a program that has ended in time by its name alone', async () => {
  const stages: string[] = []
  const deadline = new Deadline({ seconds: 30, hint: '' }, { elapsedMs: () => 0 }, (stage) => stages.push(stage))
  const host = { env: {}, home: '/', platform: process.platform }
  const program = { name: process.execPath, args: ['-e', 'console.log("token")'], path: undefined }
  await runProgram(host, { deadline, context: 'background' }, program, { isWhole: () => true })
  expect(stages).toEqual([process.execPath])
})

test('a program is not given up with other work that the call can do without', async () => {
  const deadline = new Deadline({ seconds: 30, hint: '' }, { elapsedMs: () => performance.now() - begin })
  const begin = performance.now()
  const host = { env: {}, home: '/', platform: process.platform }
  const program = { name: '/bin/sh', args: ['-c', 'sleep 0.05; echo token'], path: undefined }
  const call = { deadline: deadline.shorten(0.01), context: 'background' } as const
  const { outcome } = await runProgram(host, call, program, { isWhole: () => true })
  expect(outcome).toEqual({
    ended: 'exited',
    status: 0,
    stdout: new Uint8Array(Buffer.from('token\n')),
    stderr: '',
  })
})

test.each(['linux', 'win32'] as const)('on %s a missing path is found before anything is started', async (platform) => {
  const directory = await temporaryDirectory()
  const host = { env: { PATH: '/usr/bin', PATHEXT: '.EXE;.CMD' }, home: '/', platform }
  const deadline = new Deadline({ seconds: 30, hint: '' }, { elapsedMs: () => 0 })
  const resolve = (file: string) =>
    resolveProgram(host, { deadline }, { name: join(directory, file), args: [], path: undefined })
  await writeFile(join(directory, 'there.CMD'), '')
  await chmod(join(directory, 'there.CMD'), 0o755)
  await writeFile(join(directory, 'plain.txt'), '', { mode: 0o644 })
  const outcomes = await Promise.allSettled(['missing.cmd', 'there', 'there.CMD', 'plain.txt'].map(resolve))
  const told = outcomes.map((each) => (each.status === 'fulfilled' ? each.value.file : each.reason.message))
  expect(told.map((text: string) => text.replace(`${directory}/`, ''))).toEqual([
    'missing.cmd does not exist',
    platform === 'win32' ? 'there.CMD' : 'there does not exist', // Windows starts what has one of its endings
    'there.CMD',
    'plain.txt', // the system says why it cannot be executed
  ])
})
