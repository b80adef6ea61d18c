import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { releaseFiles } from '../../../src/bootstrap/release.ts'
import { runHere } from '../run-here.ts'
import { createServedFolder } from './served.ts'

const check = (argv: readonly string[]) => runHere(['bootstrap', 'serve', '--check', '--log', 'text', ...argv])

test('--check reads policy, keys, release, secrets and device sign-ins, but no --state', async () => {
  const given = await createServedFolder([{ customHeaders: { 'x-key': '{secret.key}' } }])
  const secret = join(given.home, 'secret')
  await writeFile(secret, 'hunter2\n', { mode: 0o600 })
  const state = join(given.home, 'state', 'served.json')
  await mkdir(join(given.home, 'state'), { mode: 0o700 })
  const device = ['--device-origin', 'https://config.example', '--device-issuer', 'https://idp.example']
  const client = ['--device-client-id', 'config', '--device-client-secret-file', secret]
  const argv = [
    ...given.argv,
    '--secret',
    `key=${secret}`,
    '--state',
    state,
    '--listen',
    'systemd',
    ...device,
    ...client,
  ]
  const { status, stdout, stderr } = await check(argv)
  expect({
    status,
    stdout,
    told: stderr.trimEnd().split('\n').at(-1)?.replace(/^\S+ /, ''),
    isKept: existsSync(state),
  }).toEqual({
    status: 0,
    stdout: '',
    isKept: false,
    told: 'info checked: all that the server reads at its start can be used; its addresses were not tried',
  })
})

test('--check refuses a secret whose file is missing', async () => {
  const given = await createServedFolder([{ customHeaders: { 'x-key': '{secret.key}' } }])
  const secret = join(given.home, 'secret')
  const { stderr, ...refused } = await check([...given.argv, '--secret', `key=${secret}`])
  expect({ ...refused, stderr: stderr.split('\n').find((line) => line.startsWith('gatepass: ')) }).toEqual({
    status: 3,
    stdout: '',
    stderr: `gatepass: the secret key is not there: the file ${secret} does not have it`,
  })
})

test('--check fails for a release that a server would only log', async () => {
  const { argv, folder } = await createServedFolder([{ v: 1 }])
  await rm(join(folder.path, releaseFiles.pointer))
  const { status, stdout, stderr } = await check(argv)
  expect({ status, stdout, stderr: stderr.slice(stderr.indexOf('gatepass:')) }).toEqual({
    status: 6,
    stdout: '',
    stderr: `gatepass: there is no release in ${folder.path}: it has no current.json
gatepass: hint: name the folder that a release was published to; if it is being copied, that file comes last
`,
  })
})
