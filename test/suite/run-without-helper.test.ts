import { expect, test } from 'vitest'
import { suiteName } from '../../src/suite/installed-programs.ts'
import { runWithoutHelper } from '../../src/suite/run-without-helper.ts'
import { testHost } from '../setup/test-host.ts'

test.each(['--version', '--help'])('a stdout that cannot be written fails %s with a message', async (word) => {
  const stdout = async () => {
    throw Object.assign(new Error('write'), { code: 'ENOSPC' })
  }
  const host = await testHost({ argv: [word], streams: { stdout } })
  expect({ outcome: await runWithoutHelper(new Map(), host, '/nowhere'), stderr: host.written.stderr }).toEqual({
    outcome: { status: 74, work: 'finished' },
    stderr: `${suiteName}: stdout cannot be written (ENOSPC)\n${suiteName}: hint: make room where stdout is written to\n`,
  })
})

test('a message that nobody reads leaves a thread waiting', async () => {
  const host = await testHost({ argv: ['nonsense'], streams: { flush: async () => 'abandoned' } })
  expect(await runWithoutHelper(new Map(), host, '/nowhere')).toEqual({ status: 2, work: 'abandoned' })
})
