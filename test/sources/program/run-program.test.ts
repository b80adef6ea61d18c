import { expect, test } from 'vitest'
import { Deadline } from '../../../src/runtime/deadline.ts'
import { runProgram } from '../../../src/sources/program/run-program.ts'

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
  expect(outcome).toMatchObject({ ended: 'exited', status: 0 })
})
