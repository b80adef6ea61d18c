import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startRoleBench } from '../../network/site.ts'

const argv = ['--profile', 'build']

test('a record says what served a call and how it failed', async () => {
  await using bench = await startRoleBench()
  const env = { GATEPASS_LOG_FILE: '~/calls.log' }
  await bench.run({ argv, env })
  await bench.run({ argv, env })
  bench.aws.failAlways('AssumeRole', { kind: 'error', code: 'AccessDenied', status: 403 })
  await bench.run({ argv, env: { ...env, VENDOR_HELPER_CONTEXT: 'mid-session-refresh' } })
  bench.aws.failAlways('AssumeRole', { kind: 'silence' })
  await bench.run({ argv: [...argv, '--cache', 'none', '--client-timeout', '8'], env })
  const text = await readFile(join(bench.home, 'calls.log'), 'utf8')
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  const toKind = (failure: unknown) => (failure as { kind?: string } | undefined)?.kind
  expect(lines.map(({ served, status, failure, late }) => [served, status, toKind(failure), late])).toEqual([
    ['mint', 0, undefined, undefined],
    ['cache', 0, undefined, undefined],
    [undefined, 5, 'refused', undefined],
    [undefined, 7, 'late', 'network'],
  ])
})
