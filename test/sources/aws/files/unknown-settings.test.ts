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

const satellite = 'credential_source = Satellite'
const role = 'role_arn = arn:aws:iam::111122223333:role/a\nsource_profile = base\n'

test.each<[what: string, config: string, found: string]>([
  ['a kind that nobody knows yet', 'passkey_device = x', 'passkey_device of profile "dev" (line 2'],
  ['a source that has no name here', satellite, 'credential_source of profile "dev" (line 2'],
  ['such a source of a role', `role_arn = a\n${satellite}`, 'credential_source of profile "dev" (line 3'],
  [
    'a setting beside a known kind that is named like its others',
    `${role}role_policy = x`,
    'role_policy of profile "dev" (line 4',
  ],
  [
    'one of the profile that it names',
    `${role}[profile base]\nlogin_binding = x\nlogin_session = y`,
    'login_binding of profile "base" (line 5',
  ],
  [
    'one of its SSO session',
    'sso_session = s\n[sso-session s]\nsso_region = x\nsso_binding = y',
    'sso_binding of [sso-session s] (line 5',
  ],
])('names %s', async (_, config, found) => {
  expect(await find(`[profile dev]\n${config}\n`)).toBe(`the setting ${found} of <config>)`)
})

test.each([
  ['one that is named like none of them, beside a known kind', `${role}colour = blue`],
  ['one that another tool writes', 'aws_access_key_id = a\naws_secret_access_key = b\naws_security_token = c'],
  ['a profile that names itself', 'role_arn = a\nsource_profile = dev'],
  ['a profile without credentials', 'region = eu-central-1\noutput = json\ns3 =\n  max_queue_size = 5'],
  ['another profile', 'region = eu-central-1\n[profile other]\npasskey_device = x'],
])('names nothing of %s', async (_, config) => {
  expect(await find(`[profile dev]\n${config}\n`)).toBeUndefined()
})

test('no setting that docs/aws.md names is unknown, alone or beside others', async () => {
  const rows = await readRows('Settings of a profile')
  const lines = rows.map(({ name }) => `${name} = ${name === 'credential_source' ? 'Environment' : 'base'}`)
  const alone = await Promise.all(lines.map((line) => find(`[profile dev]\n${line}\n`)))
  const together = await find(`[profile dev]\n${lines.join('\n')}\n`)
  expect([...alone, together].filter((found) => found !== undefined)).toEqual([])
})
