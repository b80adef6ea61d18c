import { expect, test } from 'vitest'
import { type AnyHelper, defineHelper } from '../../../src/helper/define-helper.ts'
import { runHelper } from '../../../src/helper/run/run-helper.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { testHost } from '../../setup/test-host.ts'

const jammed = new HelperError('refused', 'the door is jammed', 'push harder')

const helper = defineHelper({
  summary: 'open a door',
  options: {
    door: { value: 'text', summary: 'which', required: true },
    look: { value: 'flag', summary: 'look first' },
  },
  facts: [],
  plan: async (_, { door }) => ({ inputs: {}, steps: [], door: `the ${door} door` }),
  mint: async () => ({ token: new Secret('canary-token'), expiresAt: undefined, facts: { colour: 'green' } }),
  report: async (_, { door, look }, __, { facts }) =>
    look ? [`the ${door} door is ${facts.colour}`, '  and\nshut'] : undefined,
  commands: {
    paint: {
      summary: 'paints it',
      longestSec: 60,
      run: async (_, { door }, call, plan) => {
        if (door === 'back') throw jammed
        call.tell(`${plan.door} is painted`)
        call.warn('it is wet')
      },
    },
    'close-all': { summary: 'closes every door', longestSec: 60, run: async () => {} },
  },
})

async function run(argv: readonly string[]) {
  const host = await testHost({ argv })
  const { status } = await runHelper('door', helper as AnyHelper, host)
  return { status, ...host.written }
}

test('a command tells on stderr what it did, and prints nothing', async () => {
  const stderr = 'door: the front door is painted\ndoor: warning: it is wet\n'
  expect(await run(['paint', '--door', 'front'])).toEqual({ status: 0, stdout: '', stderr })
})

const knownCommands = 'use one of: paint, close-all; see: door --help'

test.each<[argv: string[], status: number, message: string, hint: string]>([
  [['paint', '--door', 'back'], 5, jammed.message, jammed.hint],
  [['paint'], 3, 'door must be set', 'set it by argument, variable or file; see: door --help'],
  [
    ['--door', 'front', 'paint'],
    2,
    'the command paint stands after the options',
    'write it first: door paint --door front',
  ],
  [[''], 2, 'unexpected argument (options start with "--")', 'see: door --help'],
  [['pain', '--door', 'front'], 2, 'the first argument is not a command (did you mean paint?)', knownCommands],
  [['unlock'], 2, 'the first argument is not a command', knownCommands],
  [['get'], 2, '"get" is for --format bazel or git, and format is json (default)', 'see: door --help'],
  [['toString', '--door', 'front'], 2, 'unexpected argument (options start with "--")', 'see: door --help'],
])('%j is refused, or fails as the command says', async (argv, status, message, hint) => {
  expect(await run(argv)).toEqual({ status, stdout: '', stderr: `door: ${message}\ndoor: hint: ${hint}\n` })
})

test('the help lists the commands below each other', async () => {
  const { stdout } = await run(['--help'])
  expect(stdout.split('\n').slice(0, 6)).toEqual([
    'door: open a door',
    '',
    'Usage: door [OPTIONS]',
    '       door paint [OPTIONS]      paints it',
    '       door close-all [OPTIONS]  closes every door',
    '',
  ])
})

test('lines about a token are printed in its place, where an option asks for them', async () => {
  const stdout = 'the front door is green\n  and shut\n'
  expect(await run(['--door', 'front', '--look'])).toEqual({ status: 0, stdout, stderr: '' })
  expect(await run(['--door', 'front'])).toEqual({ status: 0, stdout: '{"token":"canary-token"}\n', stderr: '' })
})
