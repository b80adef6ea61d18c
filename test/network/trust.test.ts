import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { failure, keysOf, role } from '../helpers/aws-bedrock-token/workbench.ts'
import { inHours } from '../stand-ins/tls/certificate.ts'
import { region, type Site, startSite } from './site.ts'

const missing =
  "if that is your organization's certificate authority, name the file with its certificate in the option ca (GATEPASS_CA, or the machine's file), AWS_CA_BUNDLE or NODE_EXTRA_CA_CERTS"

test.each(['AWS_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS', 'GATEPASS_CA'])('%s names a private authority', async (variable) => {
  await using site = await startSite()
  const outcome = await site.run({ env: { [variable]: site.caPath } })
  expect({ status: outcome.status, stderr: outcome.stderr, asked: site.bench.asked() }).toEqual({
    status: 0,
    stderr: '',
    asked: ['AssumeRole'],
  })
})

/** A site whose profile `build` has a `ca_bundle`. */
async function startBundleSite(path: (site: Site) => string): Promise<Site> {
  const site = await startSite()
  await site.bench.write({
    config: { 'profile build': { role_arn: role, source_profile: 'dev', region, ca_bundle: path(site) } },
    credentials: { dev: keysOf(site.bench.aws) },
  })
  return site
}

test.each<[name: string, path: (site: Site) => string]>([
  ['in full', ({ caPath }) => caPath],
  ['from the home directory', () => '~/corp.pem'],
])('ca_bundle of the profile, written %s, names a private authority', async (_, path) => {
  await using site = await startBundleSite(path)
  expect(await site.run()).toMatchObject({ status: 0, stderr: '' })
})

test('AWS_CA_BUNDLE counts before ca_bundle of the profile, and neither makes another token', async () => {
  await using site = await startBundleSite(() => '/nowhere/corp.pem')
  const argv = ['--profile', 'build', '--lifetime', '7200']
  const first = await site.run({ argv, env: { AWS_CA_BUNDLE: site.caPath } })
  expect(first).toMatchObject({ status: 0, stderr: '' })
  expect(await site.run({ argv, env: { AWS_CA_BUNDLE: '/nowhere/else.pem' } })).toEqual(first)
  expect(await site.run({ argv: [...argv, '--cache', 'none'] })).toEqual(
    failure(
      3,
      'the file of certificate authorities /nowhere/corp.pem (ca_bundle of profile "build") does not exist',
      'correct the path, or put the file there',
    ),
  )
})

test('a private authority that is not trusted is named, with the settings that add it, and nothing is sent', async () => {
  await using site = await startSite()
  expect(await site.run()).toEqual(
    failure(
      6,
      `127.0.0.1:${site.front.port} presents a certificate issued by "Example Corp Root CA", which this machine does not trust (UNABLE_TO_VERIFY_LEAF_SIGNATURE)`,
      missing,
    ),
  )
  expect(site.front.requests).toBe(0)
})

test('a certificate that has expired is reported with its date', async () => {
  const until = new Date('2024-05-01T00:00:00Z')
  await using site = await startSite({ from: new Date('2024-01-01T00:00:00Z'), until })
  expect(await site.run({ env: { AWS_CA_BUNDLE: site.caPath } })).toEqual(
    failure(
      6,
      `127.0.0.1:${site.front.port} presents a certificate that expired at 2024-05-01T00:00:00.000Z (CERT_HAS_EXPIRED)`,
      'have it renewed; or set the clock of this machine',
    ),
  )
})

test('a certificate that is not valid yet is reported with its date', async () => {
  await using site = await startSite({ from: inHours(24), until: inHours(48) })
  const { status, stderr } = await site.run({ env: { AWS_CA_BUNDLE: site.caPath } })
  expect({ status, stderr }).toEqual({
    status: 6,
    stderr: expect.stringMatching(
      /presents a certificate that is not valid before 20.*Z \(CERT_NOT_YET_VALID\)\n.*clock/,
    ),
  })
})

test('a certificate for another host is reported with that host, and nothing is sent', async () => {
  await using site = await startSite({ names: ['other.example'] })
  expect(await site.run({ env: { AWS_CA_BUNDLE: site.caPath } })).toEqual(
    failure(
      6,
      `127.0.0.1:${site.front.port} presents a certificate for DNS:other.example (ERR_TLS_CERT_ALTNAME_INVALID)`,
      `find out what answers in the place of 127.0.0.1:${site.front.port}, or correct the endpoint`,
    ),
  )
  expect(site.front.requests).toBe(0)
})

test('a missing file of authorities is reported with the setting that names it', async () => {
  await using site = await startSite()
  expect(await site.run({ env: { AWS_CA_BUNDLE: '/nowhere/corp.pem' } })).toEqual(
    failure(
      3,
      'the file of certificate authorities /nowhere/corp.pem (variable AWS_CA_BUNDLE) does not exist',
      'correct the path, or put the file there',
    ),
  )
})

test('a file of authorities that is not PEM is reported with the command that converts it', async () => {
  await using site = await startSite()
  const path = join(site.bench.home, 'corp.der')
  await writeFile(path, 'canary')
  expect(await site.run({ argv: ['--profile', 'build', '--ca', path] })).toEqual(
    failure(
      3,
      `${path} (argument) holds no certificate in PEM form`,
      `convert it with: openssl x509 -inform der -in '${path}' -out authority.pem; and name that file`,
    ),
  )
})

test('switching verification off is refused with the way out, and nothing was sent', async () => {
  await using site = await startSite()
  expect(await site.run({ env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } })).toEqual(
    failure(
      3,
      'NODE_TLS_REJECT_UNAUTHORIZED=0 lets any server pose as the host that is asked, so nothing is sent',
      "unset it; if your organization has a certificate authority of its own, name its file in the option ca (GATEPASS_CA, or the machine's file), AWS_CA_BUNDLE or NODE_EXTRA_CA_CERTS",
    ),
  )
  expect(site.front.requests).toBe(0)
})

test('plain http beyond this machine is refused before anything is sent', async () => {
  await using site = await startSite()
  expect(await site.run({ env: { AWS_ENDPOINT_URL_STS: 'http://sts.gatepass.invalid' } })).toEqual(
    failure(
      3,
      'sts.gatepass.invalid would be asked over plain http, which everybody on the way can read',
      'write https:// into AWS_ENDPOINT_URL_STS',
    ),
  )
})
