import { expect, test } from 'vitest'
import { readAwsFiles } from '../../../../src/sources/aws/files/aws-files.ts'
import { findUnknownSetting } from '../../../../src/sources/aws/files/unknown-settings.ts'
import { readRows } from '../../../aws-parity/read-tables.ts'
import { testHost } from '../../../setup/test-host.ts'
import { writeAwsDirectory } from '../../../stand-ins/aws/aws-directory.ts'

/** Finds the settings of profile `dev` that our own chain does not know, in words; the path of the file stands for itself. */
async function find(config: string): Promise<string | undefined> {
  const host = await testHost()
  const { environment, configPath } = await writeAwsDirectory(host.home, { config })
  const files = await readAwsFiles({ ...host, env: environment })
  return findUnknownSetting('dev', files)?.words.replace(configPath, '<config>')
}

const role = 'role_arn = arn:aws:iam::111122223333:role/a\nsource_profile = base\n'

test.each<[what: string, config: string, found: string | undefined]>([
  [
    'a kind that nobody knows yet',
    'passkey_device = x',
    'the setting passkey_device of profile "dev" (line 2 of <config>)',
  ],
  [
    'a source that has no name here',
    'credential_source = Satellite',
    'the setting credential_source of profile "dev" (line 2 of <config>)',
  ],
  [
    'such a source of a role',
    `role_arn = a\ncredential_source = Satellite`,
    'the setting credential_source of profile "dev" (line 3 of <config>)',
  ],
  [
    'a setting beside a known kind that is named like its others',
    `${role}role_policy = x`,
    'the setting role_policy of profile "dev" (line 4 of <config>)',
  ],
  [
    'one of the profile that it names',
    `${role}[profile base]\nlogin_binding = x\nlogin_session = y`,
    'the setting login_binding of profile "base" (line 5 of <config>)',
  ],
  [
    'one of its SSO session',
    'sso_session = s\n[sso-session s]\nsso_region = x\nsso_binding = y',
    'the setting sso_binding of [sso-session s] (line 5 of <config>)',
  ],
  ['one that is named like none of them, beside a known kind', `${role}colour = blue`, undefined],
  [
    'one that another tool writes',
    'aws_access_key_id = a\naws_secret_access_key = b\naws_security_token = c',
    undefined,
  ],
  ['a profile that names itself', 'role_arn = a\nsource_profile = dev', undefined],
  [
    'a profile with nothing that concerns credentials',
    'region = eu-central-1\noutput = json\ns3 =\n  max_queue_size = 5',
    undefined,
  ],
  ['another profile', 'region = eu-central-1\n[profile other]\npasskey_device = x', undefined],
])('names %s', async (_, config, found) => {
  expect(await find(`[profile dev]\n${config}\n`)).toBe(found)
})

test('no setting that docs/aws.md names is unknown, alone or beside others', async () => {
  const rows = await readRows('Settings of a profile')
  const lines = rows.map(({ name }) => `${name} = ${name === 'credential_source' ? 'Environment' : 'base'}`)
  const alone = await Promise.all(lines.map((line) => find(`[profile dev]\n${line}\n`)))
  expect(alone.filter((found) => found !== undefined)).toEqual([])
  expect(await find(`[profile dev]\n${lines.join('\n')}\n`)).toBe(undefined)
})
