import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { root } from '../../../pkg-scripts/tree.ts'
import { runExecutable } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

const run = promisify(execFile)
const done = { status: 0, stdout: '', stderr: '' }
const passphrase = 'a throwaway passphrase'
let key: { readonly secret: string; readonly fingerprint: string }

beforeAll(async () => {
  const GNUPGHOME = await mkdtemp(join(tmpdir(), 'gatepass key '))
  key = await createKey(GNUPGHOME)
  await rm(GNUPGHOME, { recursive: true })
})

/** Creates a key that no keyring of this machine gets to know. */
async function createKey(GNUPGHOME: string) {
  const env = { PATH: '/usr/bin:/bin', GNUPGHOME }
  const quiet = ['--batch', '--pinentry-mode', 'loopback', '--passphrase', passphrase]
  const gpg = async (...args: string[]) => (await run('gpg', [...quiet, ...args], { env })).stdout
  await gpg('--quick-generate-key', 'Release <release@example.com>', 'ed25519', 'sign', '1d')
  const listed = await gpg('--with-colons', '--list-secret-keys')
  const secret = await gpg('--armor', '--export-secret-keys')
  await run('gpgconf', ['--kill', 'gpg-agent'], { env })
  return { secret, fingerprint: /^fpr:+(\w+):$/m.exec(listed)![1]! }
}

async function writeRelease(): Promise<string> {
  const directory = join(await temporaryDirectory(), 'release')
  await run('mkdir', [directory])
  for (const name of ['b.zip', 'a.deb', 'SHA256SUMS']) await writeFile(join(directory, name), name)
  return directory
}

const sign = (directory: string, env: Readonly<Record<string, string>> = {}) =>
  runExecutable(join(root, 'packaging/sign-sums.sh'), { argv: [directory], env: { PATH: '/usr/bin:/bin', ...env } })

/** As docs/verify-release.md says, with the keyring of somebody who has imported the published key. */
async function verify(directory: string): Promise<string> {
  const env = { PATH: '/usr/bin:/bin', GNUPGHOME: await temporaryDirectory() }
  await run('gpg', ['--batch', '--import', 'gatepass-release-key.asc'], { cwd: directory, env })
  const args = ['--batch', '--status-fd', '1', '--verify', 'SHA256SUMS.asc', 'SHA256SUMS']
  const { stdout } = await run('gpg', args, { cwd: directory, env }).catch(({ stdout }) => ({ stdout: String(stdout) }))
  await run('gpgconf', ['--kill', 'gpg-agent'], { env })
  return /^\[GNUPG:\] (VALIDSIG \w+|BADSIG)/m.exec(stdout)?.[1] ?? 'no signature'
}

test('the digests of all files are signed, and the signature verifies with the published key', async () => {
  const directory = await writeRelease()
  const env = { RELEASE_OPENPGP_KEY: key.secret, RELEASE_OPENPGP_PASSPHRASE: passphrase }
  expect(await sign(directory, env)).toEqual(done)
  expect((await readdir(directory)).sort()).toEqual(
    ['SHA256SUMS', 'SHA256SUMS.asc', 'a.deb', 'b.zip', 'gatepass-release-key.asc'].sort(),
  )
  const { stdout } = await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: directory })
  expect(stdout).toBe('a.deb: OK\nb.zip: OK\n')
  expect(await verify(directory)).toBe(`VALIDSIG ${key.fingerprint}`)

  await writeFile(join(directory, 'SHA256SUMS'), `${await readFile(join(directory, 'SHA256SUMS'), 'utf8')} `)
  expect(await verify(directory)).toBe('BADSIG')
})

test('a wrong passphrase fails, and leaves no signature', async () => {
  const directory = await writeRelease()
  const failed = await sign(directory, { RELEASE_OPENPGP_KEY: key.secret, RELEASE_OPENPGP_PASSPHRASE: 'wrong' })
  expect({ ...failed, stderr: '' }).toEqual({ status: 2, stdout: '', stderr: '' })
  expect((await readdir(directory)).sort()).toEqual(['SHA256SUMS', 'a.deb', 'b.zip'])
})

test('the digests are written unsigned without a key', async () => {
  const directory = await writeRelease()
  expect(await sign(directory)).toEqual(done)
  expect((await readdir(directory)).sort()).toEqual(['SHA256SUMS', 'a.deb', 'b.zip'])
})

test('a signal leaves no key behind', async () => {
  const TMPDIR = await temporaryDirectory()
  const waiting = spawn(join(root, 'packaging/with-openpgp-key.sh'), ['sh', '-c', 'echo ready; exec sleep 1'], {
    env: { PATH: '/usr/bin:/bin', TMPDIR, RELEASE_OPENPGP_KEY: key.secret, RELEASE_OPENPGP_PASSPHRASE: passphrase },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await once(waiting.stdout, 'data')
  expect(await readdir(TMPDIR)).toHaveLength(1)
  waiting.kill('SIGTERM')
  expect(await once(waiting, 'exit')).toEqual([1, null])
  expect(await readdir(TMPDIR)).toEqual([])
})
