import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { describeStart } from '../../../src/cli/gateway/verifier/serve-until-signal.ts'
import { fails } from '../../setup/run-program.ts'
import { writeTemporary } from '../run-gatepass.ts'
import { runHere } from '../run-here.ts'

const standIn = '--sts-stand-in'
const verifier = (...argv: string[]) => runHere(['gateway', 'verifier', '--policy', '/nowhere', ...argv])

test.each(['https://127.0.0.1:1', 'http://192.0.2.1:1', 'http://localhost:1/x', 'localhost:1'])(
  'the verifier asks no stand-in for AWS STS at %s',
  async (url) => {
    expect(await verifier(standIn, url)).toEqual({
      status: 2,
      stdout: '',
      stderr: `gatepass: option '${standIn} <url>' argument '${url}' is invalid. expected an address of this machine such as http://127.0.0.1:8792.\ngatepass: hint: see: gatepass gateway verifier --help\n`,
    })
  },
)

test.each(['--listen', '--admin-listen'])(
  'a verifier that asks a stand-in does not start where other machines can reach it by %s',
  async (flag) => {
    expect(await verifier(standIn, 'http://127.0.0.1:8792', flag, '0.0.0.0:0')).toEqual({
      status: 2,
      stdout: '',
      stderr:
        'gatepass: a verifier that asks a stand-in for AWS STS must not be reachable by other machines\ngatepass: hint: listen on 127.0.0.1 or a Unix socket, or remove --sts-stand-in\n',
    })
  },
)

test('a verifier that asks a stand-in logs that at its start', () => {
  const listen = { kind: 'tcp', host: '127.0.0.1', port: 1 } as const
  const levels = (stsStandIn?: URL) =>
    describeStart({ listen, adminListen: undefined }, { policy: 'p', ...(stsStandIn && { stsStandIn }) }).map(
      ({ level, message }) => [level, message],
    )
  expect(levels(new URL('http://127.0.0.1:8792'))).toEqual([
    ...levels(),
    [
      'warning',
      'http://127.0.0.1:8792 is asked instead of AWS STS: it is a stand-in for trials, and does not prove who its callers are',
    ],
  ])
})

const dana = 'arn:aws:iam::111122223333:user/dana'

test('the stand-in overwrites no file', async () => {
  const path = await writeTemporary('credentials', '[default]\n')
  expect(await runHere(['gateway', 'sts', '--port', '0', '--caller', dana, '--credentials', path])).toEqual(
    fails('gatepass', 5, `${path} cannot be written (EEXIST)`, 'name a new file with --credentials'),
  )
  expect(await readFile(path, 'utf8')).toBe('[default]\n')
})

const invalid = (caller: string) => `option '--caller <arn...>' argument '${caller}' is invalid.`
const exampleArn =
  'expected an ARN such as arn:aws:iam::111122223333:user/dana or arn:aws:sts::111122223333:assumed-role/build/dana.'

test.each<[what: string, argv: string[], why: string]>([
  ['no caller', ['--credentials', 'x'], "required option '--caller <arn...>' not specified"],
  ['no file', ['--caller', dana], "required option '--credentials <file>' not specified"],
  [
    'a role without a session',
    ['--caller', 'arn:aws:iam::111122223333:role/build'],
    `${invalid('arn:aws:iam::111122223333:role/build')} ${exampleArn}`,
  ],
  ['markup', ['--caller', `${dana}<a>`], `${invalid(`${dana}<a>`)} ${exampleArn}`],
  [
    'a name twice',
    ['--caller', dana, dana.replace('1111', '2222')],
    `${invalid(dana.replace('1111', '2222'))} two callers would have a profile of the same name.`,
  ],
])('the stand-in refuses %s', async (_, argv, why) => {
  const { status, stdout, stderr } = await runHere(['gateway', 'sts', ...argv])
  expect({ status, stdout, stderr }).toEqual(fails('gatepass', 2, why, 'see: gatepass gateway sts --help'))
})
