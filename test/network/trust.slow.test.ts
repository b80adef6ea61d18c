import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { failure, keysOf, role } from '../helpers/aws-bedrock-token/workbench.ts'
import { prints } from '../setup/run-program.ts'
import { toStableValue } from '../setup/to-stable-text.ts'
import { inHours } from '../stand-ins/tls/certificate.ts'
import { region, type Site, startSite } from './site.ts'

/** Starts a site whose profile `build` has a `ca_bundle`. */
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
  expect(toStableValue(await site.run())).toEqual({ status: 0, stdout: '{"token":"BEDROCK-KEY"}\n', stderr: '' })
})

test('AWS_CA_BUNDLE takes precedence over ca_bundle of the profile', async () => {
  await using site = await startBundleSite(() => '/nowhere/corp.pem')
  const argv = ['--profile', 'build', '--lifetime', '7200']
  const first = await site.run({ argv, env: { AWS_CA_BUNDLE: site.caPath } })
  const cached = await site.run({ argv, env: { AWS_CA_BUNDLE: '/nowhere/else.pem' } })
  const uncached = await site.run({ argv: [...argv, '--cache', 'none'] })
  expect({ first: toStableValue(first), cached, uncached }).toEqual({
    first: prints('{"token":"BEDROCK-KEY"}\n'),
    cached: first,
    uncached: failure(
      3,
      'the file of certificate authorities /nowhere/corp.pem (ca_bundle of profile "build") does not exist',
      'correct the path, or put the file there',
    ),
  })
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
  expect(toStableValue(await site.run({ env: { AWS_CA_BUNDLE: site.caPath } }))).toEqual(
    failure(
      6,
      '127.0.0.1:PORT presents a certificate that is not valid before DATE (CERT_NOT_YET_VALID)',
      'set the clock of this machine',
    ),
  )
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
      `name a file in PEM form; if this one is in DER, convert it with: openssl x509 -inform der -in '${path}' -out authority.pem`,
    ),
  )
})
