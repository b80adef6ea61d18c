import { generateKeyPairSync } from 'node:crypto'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fails } from '../../../setup/run-program.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'
import { runHere } from '../../run-here.ts'

const rule = { name: 'ours', aws: { accounts: ['111122223333'] }, headers: { 'x-user': '{arn}' } }

async function check(directory: string, ...argv: string[]) {
  const policy = join(directory, 'policy.json')
  await writeFile(policy, JSON.stringify({ aws: { audience: 'gateway.example' }, rules: [rule] }))
  return runHere(['gateway', 'verifier', '--check', '--log', 'text', '--policy', policy, ...argv])
}

test('--check reads what a start reads, except for the socket that systemd passes', async () => {
  const directory = await temporaryDirectory()
  const audit = ['--audit', join(directory, 'audit.log')]
  const { status, stdout, stderr } = await check(directory, '--listen', 'systemd', '--processes', '2', ...audit)
  expect({ status, stdout, told: stderr.trimEnd().split('\n').at(-1)?.replace(/^\S+ /, '') }).toEqual({
    status: 0,
    stdout: '',
    told: 'info checked: all that the server reads at its start can be used; its addresses were not tried',
  })
})

test.each<[what: string, argv: (directory: string) => string[], status: number, message: string, hint: string]>([
  [
    'a policy',
    (directory) => ['--policy', join(directory, 'broken.json')],
    3,
    'the policy HERE/broken.json cannot be used: it is not JSON: line 1, column 2',
    'fix the syntax there: a missing comma or quote, a typographic quote, a comment, a comma before a closing bracket',
  ],
  [
    'an audit',
    (directory) => ['--audit', join(directory, 'none', 'audit')],
    5,
    'the audit HERE/none/audit cannot be written (ENOENT)',
    'name a file with --audit in a directory that exists',
  ],
  [
    'a list',
    (directory) => ['--revocations', join(directory, 'none')],
    3,
    'the list of revocations cannot be used: there is no HERE/none',
    "make it, or see who may read it: ls -ld 'HERE/none'",
  ],
  [
    'a certificate',
    (directory) => ['--tls-cert', join(directory, 'x'), '--tls-key', join(directory, 'y')],
    3,
    '--tls-cert: there is no HERE/x',
    'check the path, and put the file there',
  ],
  [
    'a collector',
    () => ['--traces', 'http://collector.example'],
    3,
    'collector.example would be asked over plain http, which anybody on the network can read',
    'write https:// into --traces',
  ],
])('--check reports %s that cannot be used', async (_, argv, status, message, hint) => {
  const directory = await temporaryDirectory()
  await writeFile(join(directory, 'broken.json'), '{')
  const { stderr, ...rest } = await check(directory, ...argv(directory))
  // The log stands in front of the message.
  const said = stderr.replaceAll(/^\d{4}-.*\n/gm, '').replaceAll(directory, 'HERE')
  expect({ ...rest, stderr: said }).toEqual(fails('gatepass', status, message, hint))
})

test.skipIf(process.platform === 'win32')('--check refuses the key of a client that every user can read', async () => {
  const directory = await temporaryDirectory()
  const [policy, key] = [join(directory, 'policy.json'), join(directory, 'client.key')]
  const issuer = { issuer: 'https://id.example', audiences: ['models'], longestLifeSec: 3600 }
  const introspection = { url: 'https://id.example/introspect', clientId: 'gateway', keyFile: 'client.key' }
  const people = { name: 'people', issuer: issuer.issuer, claims: { groups: ['llm-users'] } }
  await writeFile(policy, JSON.stringify({ issuers: [{ ...issuer, introspection }], rules: [people] }))
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  await writeFile(key, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const statuses = []
  for (const mode of [0o604, 0o640]) {
    await chmod(key, mode)
    const { status, stderr } = await runHere(['gateway', 'verifier', '--check', '--policy', policy])
    statuses.push([status, stderr.includes(`the key ${key} can be read by every user of this machine`)])
  }
  expect(statuses).toEqual([
    [3, true],
    [0, false],
  ])
})

test('--check of tenants names the one that is out of service', async () => {
  const directory = await temporaryDirectory()
  const policy = { aws: { audience: 'gateway.example' }, rules: [rule] }
  await writeFile(join(directory, 'red.json'), JSON.stringify(policy))
  const tenants = ['red', 'blue'].map((name) => ({ name, hosts: [`${name}.example`], policy: `${name}.json` }))
  const file = join(directory, 'tenants.json')
  await writeFile(file, JSON.stringify({ tenants }))
  const run = async (last: number) => {
    const argv = ['--tenants', file, '--listen', 'systemd', '--request-from', 'x-forwarded', '--log', 'text']
    const { stderr, ...outcome } = await runHere(['gateway', 'verifier', '--check', ...argv])
    return {
      ...outcome,
      lines: stderr
        .trimEnd()
        .split('\n')
        .slice(-last)
        .map((line) => line.replace(/^\d\S+ /, '')),
    }
  }
  const missing = join(directory, 'blue.json')
  const without = await run(2)
  await writeFile(missing, JSON.stringify(policy))
  expect({ without, whole: await run(1) }).toEqual({
    without: {
      status: 3,
      stdout: '',
      lines: [
        `gatepass: the tenant blue is out of service: the policy ${missing} cannot be used: there is no ${missing}`,
        'gatepass: hint: correct what the log above says of each; a verifier that starts now serves the others',
      ],
    },
    whole: {
      status: 0,
      stdout: '',
      lines: ['info checked: all that the server reads at its start can be used; its addresses were not tried'],
    },
  })
})
