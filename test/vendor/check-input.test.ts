import { expect, test } from 'vitest'
import { runCli } from '../../src/cli/run-cli.ts'
import { longestFileBytes } from '../../src/runtime/disk.ts'
import { vendorRules } from '../../src/vendor/rules.ts'
import { createTestCli } from '../cli/run-here.ts'
import { fails, prints } from '../setup/run-program.ts'
import { otherNames, otherSetting } from './machine-desk.ts'

async function checkInput(input: string) {
  const { cli, written } = await createTestCli(['vendor', 'check', '-'])
  const stdin = async () => Buffer.from(input)
  await runCli({ ...cli, host: { ...cli.host, streams: { ...cli.host.streams, stdin } } })
  return written
}

test('a vendor file on standard input is checked as a file', async () => {
  expect(await checkInput(JSON.stringify(otherSetting))).toEqual(
    prints(`standard input can be used. These names follow from it; look up those that are derived.\n\n${otherNames}`),
  )
})

test.each<[what: string, input: string, status: number, stdout: string]>([
  [
    'what is wrong in it',
    JSON.stringify({ ...otherSetting, keyPrefix: 'k' }),
    1,
    `standard input cannot be used:\n  keyPrefix: expected ${vendorRules.keyPrefix.expected}; found "k"\n`,
  ],
  ['that it is empty', '', 2, 'standard input is not JSON.\n'],
])('says %s', async (_, input, status, stdout) => {
  expect(await checkInput(input)).toEqual({ status, stdout, stderr: '' })
})

test('refuses standard input without an end', async () => {
  expect(await checkInput(' '.repeat(longestFileBytes + 1))).toEqual(
    fails('gatepass', 2, 'standard input is too long', 'pipe the text of one vendor file in'),
  )
})
