import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { root } from '../../../../pkg-scripts/tree.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'
import { startAppleTools } from './start-apple-tools.ts'

const run = promisify(execFile)

/** Reads the commands of docs/verify-release.md that make a PKCS #12 from PEM files. */
async function readCommands(): Promise<string> {
  const page = await readFile(join(root, 'docs', 'verify-release.md'), 'utf8')
  return /^openssl pkcs12 -export[^`]*/m.exec(page)![0]
}

test('the documented PKCS #12 has the algorithms that macOS reads, and the script imports what it decodes to', async () => {
  const directory = await temporaryDirectory()
  const subject = ['-subj', '/CN=Developer ID Application: Example (A1B2C3D4E5)']
  const pair = ['-keyout', 'application.key', '-out', 'application.pem']
  await run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, ...pair], { cwd: directory })
  const env = { PATH: '/usr/bin:/bin', SIGN_MACOS_PASSWORD: 'a long password' }
  const { stdout: encoded } = await run('bash', ['-euc', await readCommands()], { cwd: directory, env })
  const look = ['pkcs12', '-in', 'application.p12', '-info', '-noout', '-passin', 'env:SIGN_MACOS_PASSWORD']
  const { stderr } = await run('openssl', look, { cwd: directory, env })
  expect(stderr.match(/^MAC: \w+|pbe[\w-]+/gm)).toEqual([
    'MAC: sha1',
    ...Array(2).fill('pbeWithSHA1And3-KeyTripleDES-CBC'),
  ])

  const { run: runScript, readCalls } = await startAppleTools()
  const { SIGN_MACOS_PASSWORD } = env
  const runner = { SIGN_MACOS_PASSWORD, SIGN_MACOS_CERTIFICATES: encoded.trim(), RUNNER_TEMP: directory }
  expect(await runScript('import-certificates.sh', [], runner)).toEqual({ status: 0, stdout: '', stderr: '' })
  expect((await readCalls()).filter((call) => call.startsWith('security import'))).toEqual([
    `security import ${directory}/certificates.p12 -f pkcs12 -k ${directory}/signing.keychain-db -P a long password -T /usr/bin/codesign -T /usr/bin/productsign`,
  ])
})

test('a PKCS #12 that macOS cannot read is refused with the way to make another one', async () => {
  const directory = await temporaryDirectory()
  const env = {
    SIGN_MACOS_CERTIFICATES: 'AAAA',
    SIGN_MACOS_PASSWORD: 'x',
    RUNNER_TEMP: directory,
    APPLE_REFUSES: 'import',
  }
  const { run: runScript } = await startAppleTools()
  expect(await runScript('import-certificates.sh', [], env)).toEqual({
    status: 2,
    stdout: '',
    stderr:
      'security: SecKeychainItemImport: MAC verification failed during PKCS12 import (wrong password?)\nimport-certificates.sh: SIGN_MACOS_CERTIFICATES cannot be imported\nimport-certificates.sh: hint: where the password is right, the file has algorithms that macOS does not read: make it as docs/verify-release.md says\n',
  })
})
