import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ReleaseFolder } from '../../bootstrap/release-folder.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { startIssuerWithPolicy } from '../gateway/verifier/verifier-process.ts'
import { runGatepass } from '../run-gatepass.ts'

const device = {
  '--device-origin': 'https://config.example.com',
  '--device-issuer': 'https://id.example.com',
  '--device-client-id': 'config-server',
}

test('device sign-ins need all of their options, and a secret that nobody else can read', async () => {
  const { policy, directory } = await startIssuerWithPolicy()
  const folder = await ReleaseFolder.create()
  const publicKey = join(await temporaryDirectory(), 'release.pem')
  await writeFile(publicKey, folder.key.key.export({ type: 'spki', format: 'pem' }))
  const listen = ['--listen', '127.0.0.1:0']
  const serve = (...more: string[]) =>
    runGatepass(
      'bootstrap',
      'serve',
      '--policy',
      policy,
      '--release',
      folder.path,
      '--public-key',
      publicKey,
      ...listen,
      ...more,
    )
  const lastLines = async (...more: string[]) => {
    const { status, stdout, stderr } = await serve(...more)
    return { status, stdout, stderr: stderr.split('\n').filter((line) => line.startsWith('gatepass: ')) }
  }
  const incomplete = await lastLines('--device-origin', device['--device-origin'])
  const secret = join(directory, 'secret')
  const all = [...Object.entries(device).flat(), '--device-client-secret-file', secret]
  const missing = await lastLines(...all)
  await writeFile(secret, 'made-up')
  await chmod(secret, 0o644)
  const failed = (status: number, ...stderr: string[]) => ({ status, stdout: '', stderr })
  expect({ incomplete, missing, readable: await lastLines(...all) }).toEqual({
    incomplete: failed(
      2,
      'gatepass: device sign-ins need four options',
      'gatepass: hint: pass --device-origin, --device-issuer, --device-client-id and --device-client-secret-file, or none of them',
    ),
    missing: failed(
      3,
      `gatepass: the file ${secret}, which should hold the secret of this server, does not exist or is empty`,
      'gatepass: hint: put the secret there, or correct --device-client-secret-file',
    ),
    readable: failed(
      3,
      `gatepass: ${secret} can be read by other users`,
      `gatepass: hint: run: chmod 600 '${secret}'; if somebody may have read it, have the key replaced`,
    ),
  })
})

test.each([
  ['--device-origin', 'https://config.example.com/path', 'expected an origin such as https://config.example.com.'],
  ['--device-origin', 'http://config.example.com', 'expected an origin such as https://config.example.com.'],
  ['--device-issuer', 'http://id.example.com', 'expected an issuer such as https://id.example.com.'],
  ['--device-scope', 'profile', 'expected scopes with openid among them, by which the person is known.'],
])('%s %s is refused', async (option, value, message) => {
  const { status, stderr } = await runGatepass('bootstrap', 'serve', option, value)
  expect({ status, first: stderr.split('\n')[0]?.split(' is invalid. ')[1] }).toEqual({ status: 2, first: message })
})
