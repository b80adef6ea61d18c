import { expect, test } from 'vitest'
import { runCli } from '../../../../src/cli/run-cli.ts'
import { type AnyHelper, defineHelper } from '../../../../src/helper/define-helper.ts'
import { createTestCli } from '../../run-here.ts'

const plain = defineHelper({
  summary: 'open a door',
  options: {},
  facts: [],
  plan: async () => ({ inputs: {}, steps: [] }),
  mint: () => Promise.reject(new Error('it is not run')),
}) as AnyHelper
const signing: AnyHelper = { ...plain, signIn: async () => undefined }

async function init(...more: string[]) {
  const argv = ['config', 'init', '--base-url', 'https://gateway.example', ...more]
  const { cli, written } = await createTestCli(argv)
  const doors = { door: plain, 'signing-door': signing, 'slow-door': { ...plain, suggestedTtlSec: 240 } }
  await runCli({ ...cli, helpers: new Map([...cli.helpers, ...Object.entries(doors)]) })
  const { credential } = JSON.parse(written.stdout).inference
  const { args, timeoutSec, ttlSec } = credential
  return { status: written.status, args, timeoutSec, ttlSec }
}

test('a helper that can sign a person in is given 300 seconds, by the client and by its arguments', async () => {
  expect(await init('--helper', 'signing-door')).toEqual({
    status: 0,
    args: ['--client-timeout', '300'],
    timeoutSec: 300,
  })
})

test('another helper keeps the default of the client', async () => {
  expect(await init('--helper', 'door')).toEqual({ status: 0, args: undefined, timeoutSec: undefined })
})

test('a helper that suggests a ttl is given that', async () => {
  expect(await init('--helper', 'slow-door')).toEqual({ status: 0, args: ['--client-ttl', '240'], ttlSec: 240 })
})
