import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { fails } from '../../setup/run-program.ts'
import { startMachineDesk } from '../../vendor/machine-desk.ts'

const helper = 'aws-bedrock-token'
const path = `/etc/gatepass/${helper}.json`
const late = (words: string, hint: string) =>
  fails(helper, 7, `reading the configuration files (waiting for ${path}) took longer than ${words}`, `${hint}`)
const ofClient = "find out why it is slow, or raise timeoutSec in the client's document and client-timeout here"
const ofDisk = 'keep it on a local disk; see what is mounted there with: mount'

test('a machine’s file on a disk that does not respond ends a call before its client gives up', async () => {
  const desk = await startMachineDesk()
  await execa('mkfifo', [join(desk.machine, `${helper}.json`)])
  const calls: [argv: string[], env: Record<string, string>, seconds: number, outcome: ReturnType<typeof late>][] = [
    [['--client-timeout', '3'], { GATEPASS_CLIENT_TIMEOUT: '600' }, 1, late('the 1 s of this call', ofClient)],
    [[], { GATEPASS_CLIENT_TIMEOUT: '3' }, 1, late('the 1 s of this call', ofClient)],
    [[], { GATEPASS_CLIENT_TIMEOUT: 'soon' }, 10, late('10 s', ofDisk)],
    [['--client-timeout', '600'], {}, 10, late('10 s', ofDisk)],
  ]
  const outcomes = calls.map(async ([argv, env, seconds]) => {
    const begin = performance.now()
    const outcome = await desk.run(helper, argv, env)
    return { ...outcome, isInTime: performance.now() - begin < (seconds + 2) * 1000 }
  })
  expect(await Promise.all(outcomes)).toEqual(calls.map(([, , , outcome]) => ({ ...outcome, isInTime: true })))
})
