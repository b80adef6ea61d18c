import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { HelperError } from '../../../src/runtime/failure.ts'
import { type NetworkSettings, toNetworkSettings } from '../../../src/runtime/network/settings.ts'
import { prepareTrust as prepareWith } from '../../../src/runtime/network/trust.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { createAuthority } from '../../stand-ins/tls/certificate.ts'

const settings = (parts: Partial<NetworkSettings>): NetworkSettings => ({
  ...toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined }, {}),
  ...parts,
})

const prepareTrust = (network: NetworkSettings) => prepareWith(network, () => {})

async function resolveFile(text: string | undefined) {
  const path = join(await temporaryDirectory(), 'corp.pem')
  if (text !== undefined) await writeFile(path, text)
  const trust = prepareTrust(settings({ authorities: [{ path, origin: 'variable GATEPASS_CA' }] }))
  const ended = await trust.then(
    () => 'trusted',
    ({ kind, message, hint }) => ({ kind, message: message.replace(path, 'FILE'), hint: hint.replace(path, 'FILE') }),
  )
  return ended
}

test('a connection is not made where certificates would not be verified', async () => {
  await expect(prepareTrust(settings({ verification: 'switched off' }))).rejects.toEqual(
    new HelperError(
      'not-configured',
      'NODE_TLS_REJECT_UNAUTHORIZED=0 lets any server pose as the host that is asked, so nothing is sent',
      "unset it; if your organization has a certificate authority of its own, name its file in the option ca (GATEPASS_CA, or the machine's file), AWS_CA_BUNDLE or NODE_EXTRA_CA_CERTS",
    ),
  )
})

test('a file of certificates is trusted, also one that OpenSSL marks as trusted', async () => {
  const { cert } = createAuthority('Example Corp Root CA')
  expect(await resolveFile(`Example Corp\n${cert}`)).toBe('trusted')
  expect(await resolveFile(cert.replaceAll(' CERTIFICATE', ' TRUSTED CERTIFICATE'))).toBe('trusted')
})

const noCertificate = {
  kind: 'not-configured',
  message: 'FILE (variable GATEPASS_CA) holds no certificate in PEM form',
  hint: "name a file in PEM form; if this one is in DER, convert it with: openssl x509 -inform der -in 'FILE' -out authority.pem",
}

test.each<[what: string, text: string | undefined, failure: object]>([
  [
    'is missing',
    undefined,
    {
      kind: 'not-configured',
      message: 'the file of certificate authorities FILE (variable GATEPASS_CA) does not exist',
      hint: 'correct the path, or put the file there',
    },
  ],
  ['is empty', '', noCertificate],
  ['is in binary form', '\x30\x82', noCertificate],
  ['holds a key', '-----BEGIN PRIVATE KEY-----', noCertificate],
])('a file that %s fails the call', async (_, text, failure) => {
  expect(await resolveFile(text)).toEqual(failure)
})

test('the stores are read once for all connections of a call', () => {
  const network = settings({ verification: 'switched off' })
  const first = prepareTrust(network)
  const other = prepareTrust(settings({ verification: 'switched off' }))
  for (const promise of [first, other]) promise.catch(() => {})
  expect([prepareTrust(network) === first, other === first]).toEqual([true, false])
})
