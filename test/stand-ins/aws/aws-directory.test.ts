import { mkdtempDisposable, readdir, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeAwsDirectory } from './aws-directory.ts'

test('writes the files where the SDK reads them, readable by their owner only', async () => {
  await using home = await mkdtempDisposable(join(tmpdir(), 'aws-directory-'))
  const entry = { accessToken: 'a', expiresAt: '2030-01-01T00:00:00.000Z', clientId: 'c', clientSecret: 's' }
  const directory = await writeAwsDirectory(home.path, {
    config: { default: { region: 'eu-central-1' }, 'profile dev': { sso_session: 'corp', output: 'json' } },
    credentials: '[default]\naws_access_key_id = AKIA\n',
    ssoCache: { corp: entry },
  })
  const config = join(home.path, '.aws', 'config')
  const credentials = join(home.path, '.aws', 'credentials')
  // printf corp | sha1sum
  const cached = join(home.path, '.aws/sso/cache/ee0bfd2552fbd840c02cc48b6e823320543c450f.json')
  expect({
    environment: directory.environment,
    config: await readFile(config, 'utf8'),
    credentials: await readFile(credentials, 'utf8'),
    ssoCachePath: directory.ssoCachePath('corp'),
    ssoCache: JSON.parse(await readFile(cached, 'utf8')),
    mode: (await stat(cached)).mode & 0o777,
  }).toEqual({
    environment: {
      HOME: home.path,
      USERPROFILE: home.path,
      AWS_CONFIG_FILE: config,
      AWS_SHARED_CREDENTIALS_FILE: credentials,
    },
    config: '[default]\nregion = eu-central-1\n\n[profile dev]\nsso_session = corp\noutput = json\n',
    credentials: '[default]\naws_access_key_id = AKIA\n',
    ssoCachePath: cached,
    ssoCache: entry,
    mode: 0o600,
  })
})

test('points to missing files when none are given', async () => {
  await using home = await mkdtempDisposable(join(tmpdir(), 'aws-directory-'))
  const { configPath } = await writeAwsDirectory(home.path, {})
  expect({ configPath, written: await readdir(home.path) }).toEqual({
    configPath: join(home.path, '.aws', 'config'),
    written: [],
  })
})
