import { arch } from 'node:os'
import { expect, test } from 'vitest'
import { digestNames } from '../../../src/runtime/digest.ts'
import type { Host } from '../../../src/runtime/host.ts'
import { suiteName } from '../../../src/suite/installed-programs.ts'
import { runWithoutHelper } from '../../../src/suite/run-without-helper.ts'
import { vendor } from '../../../src/vendor.ts'
import { commit, version } from '../../../src/version.ts'
import { runHere } from '../../cli/run-here.ts'
import { testHost } from '../../setup/test-host.ts'

const describe = (program: string, { runtimeVersion, platform }: Host) => ({
  program,
  version,
  commit,
  runtime: `node ${runtimeVersion}`,
  platform,
  arch: arch(),
  vendor: { name: vendor.name, names: digestNames(vendor), from: 'build' },
})

test.each([
  ['--version', '--json'],
  ['--json', '--version'],
  ['-V', '--json'],
])('gatepass %s %s is one JSON document on one line', async (...argv) => {
  const { stdout, ...rest } = await runHere(argv)
  expect({ ...rest, answer: JSON.parse(stdout), lines: stdout.split('\n').length }).toEqual({
    status: 0,
    stderr: '',
    lines: 2,
    answer: describe('gatepass', await testHost({})),
  })
})

test('the executable with every helper says the same of itself', async () => {
  const host = await testHost({ argv: ['--version', '--json'] })
  expect(await runWithoutHelper(new Map(), host, '/nowhere')).toEqual({ status: 0, work: 'finished' })
  expect(JSON.parse(host.written.stdout)).toEqual(describe(suiteName, host))
})

test('--json alone is a usage error', async () => {
  expect(await runHere(['--json'])).toEqual({
    status: 2,
    stdout: '',
    stderr: "gatepass: unknown option '--json'\ngatepass: hint: see: gatepass --help\n",
  })
})
