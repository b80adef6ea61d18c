import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { root } from '../../../pkg-scripts/tree.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { mixedBatch } from '../../stand-ins/journal/mixed-batch.ts'

const standIns = join(root, 'test/stand-ins/event-log')
const run = promisify(execFile)

/** Writes a batch through a library that is compiled for this system. @returns the calls that it got. */
async function write(env: Record<string, string> = {}): Promise<string[]> {
  const library = join(await temporaryDirectory(), 'advapi32.so')
  await run('gcc', ['-shared', '-fPIC', '-Wall', '-Werror', '-o', library, join(standIns, 'windows.c')])
  const { stdout } = await run(process.execPath, [join(standIns, 'write-batch.ts'), library], { env })
  return stdout.trimEnd().split('\n')
}

const [late, , minted, , notConfigured] = mixedBatch.outcomes.map((outcome) => JSON.stringify(outcome))

test('Windows gets each event with its type, its number and one text', async () => {
  expect(await write()).toEqual([
    'register on this machine: gatepass',
    `report 2 207: ${late}`,
    `report 4 100: ${minted}`,
    `report 1 203: ${notConfigured}`,
    'report 4 102: {"time":1790000010000,"helper":"aws-bedrock-token","version":"1.2.3","cached":2}',
    'report 2 103: {"time":1790000060000,"lost":2}',
    'deregister',
  ])
})

test('a log that takes no event gets no more, and is closed', async () => {
  expect(await write({ REFUSE: 'ReportEventW' })).toEqual([
    'register on this machine: gatepass',
    `report 2 207: ${late}`,
    'deregister',
    'the Event Log of Windows accepted no event (ReportEventW)',
  ])
})

test('a log that cannot be opened gets nothing', async () => {
  const seen = await write({ REFUSE: 'RegisterEventSourceW' })
  expect(seen.toSorted()).toEqual([
    'register on this machine: gatepass',
    'the Event Log of Windows accepted no event (RegisterEventSourceW)',
  ])
})
