import { expect, test } from 'vitest'
import { HelperError } from '../../../../src/runtime/failure.ts'
import { parseLines } from '../../../../src/sources/aws/files/aws-files.ts'
import {
  locateSetting,
  type SectionName,
  toConfigurationError,
} from '../../../../src/sources/aws/files/locate-setting.ts'

const config = [
  '\uFEFF# mine',
  '[default]',
  'region = eu-central-1',
  '',
  '[profile "dev"] ; comment',
  'Region=eu-west-1',
  's3 =',
  '  region = eu-north-1',
  'services = local',
  '[sso-session dev]',
  'sso_region = us-east-1',
  '[services local]',
  'sts =',
  '  endpoint_url = https://sts.example',
  'ssm =',
  '  endpoint_url = https://ssm.example',
]
const credentials = ['[dev]', 'aws_access_key_id = A', '[base]', 'region = x']
const files = {
  configPath: '/c',
  credentialsPath: '/k',
  lines: [config.join('\r\n'), credentials.join('\n')].map(parseLines),
}
const profile = (name: string): SectionName => ({ kind: 'profile', name })

test.each<[section: SectionName, key: string, found: string | undefined]>([
  [profile('default'), 'region', '/c:3'],
  [profile('dev'), 'region', '/c:6'],
  [profile('dev'), 's3.region', '/c:8'],
  [profile('dev'), 'services', '/c:9'],
  [profile('dev'), 'aws_access_key_id', '/k:2'],
  [profile('base'), 'region', '/k:4'],
  [profile('dev'), 'sso_region', undefined],
  [profile('local'), 'sts', undefined],
  [{ kind: 'sso-session', name: 'dev' }, 'sso_region', '/c:11'],
  [{ kind: 'services', name: 'local' }, 'sts.endpoint_url', '/c:14'],
  [{ kind: 'services', name: 'local' }, 'ssm.endpoint_url', '/c:16'],
])('%j sets %s in its own line', (section, key, found) => {
  const at = locateSetting(files, section, key)
  expect(at && `${at.path}:${at.line}`).toBe(found)
})

test('a hint names where a profile begins in both files', () => {
  expect(toConfigurationError(files, 'dev lacks a role', { section: profile('dev') })).toEqual(
    new HelperError(
      'not-configured',
      'dev lacks a role',
      'correct the section that begins in line 5 of /c or in line 1 of /k',
    ),
  )
})
