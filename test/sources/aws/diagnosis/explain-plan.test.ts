import { expect, test } from 'vitest'
import { Secret } from '../../../../src/runtime/secret.ts'
import { describeSource } from '../../../../src/sources/aws/credentials/aws-source-kinds.ts'
import type { AwsCredentialSource } from '../../../../src/sources/aws/credentials/credential-source.ts'
import { explainAwsPlan } from '../../../../src/sources/aws/diagnosis/explain-plan.ts'
import { parseLines } from '../../../../src/sources/aws/files/aws-files.ts'

const configPath = '/home/dana/.aws/config'
const config = `[profile dev]
sso_session = corp
sso_account_id = 111122223333
output = json
[sso-session corp]
sso_region = eu-west-1
[profile edge]
role_arn = arn:aws:iam::1:role/edge
credential_source = Environment
`
const files = {
  configPath,
  credentialsPath: '/home/dana/.aws/credentials',
  isCustomPath: false,
  missing: [],
  profilePaths: {},
  ssoSessions: {},
  services: {},
  lines: [parseLines(config), []],
  profiles: { dev: { sso_session: 'corp' }, edge: {} },
}
const role = (profile: string, from: AwsCredentialSource) =>
  ({
    kind: 'role',
    profile,
    roleArn: 'arn:aws:iam::1:role/edge',
    region: 'eu-central-1',
    durationSec: 3600,
    from,
  }) as const
const sso: AwsCredentialSource = {
  kind: 'sso',
  profile: 'dev',
  session: 'corp',
  startUrl: 'https://corp.example/start',
  region: 'eu-west-1',
  account: '111122223333',
  role: 'Dev',
}
const keys = { accessKeyId: 'AKIA1', secretAccessKey: new Secret('s') }

test.each<[what: string, source: AwsCredentialSource, lines: string[]]>([
  [
    'an SSO profile has its own settings and those of its session',
    sso,
    [
      'profile "dev": role Dev in account 111122223333, signed in at https://corp.example/start',
      `  sso_session: ${configPath}:2`,
      `  sso_account_id: ${configPath}:3`,
      `  sso_region: ${configPath}:6`,
    ],
  ],
  [
    'a role over the environment has those of its profile',
    role('edge', { kind: 'environment', ...keys }),
    [
      'profile "edge": assumes arn:aws:iam::1:role/edge with',
      `  role_arn: ${configPath}:8`,
      `  credential_source: ${configPath}:9`,
      'environment: access key AKIA1',
    ],
  ],
  [
    'a profile that is its own source has them once',
    role('edge', { kind: 'keys', profile: 'edge', ...keys }),
    [
      'profile "edge": assumes arn:aws:iam::1:role/edge with',
      `  role_arn: ${configPath}:8`,
      `  credential_source: ${configPath}:9`,
      'profile "edge": access key AKIA1',
    ],
  ],
])('%s', (_what, source, lines) => {
  const steps = ['what it is for', ...describeSource(source), 'region eu-central-1']
  expect(explainAwsPlan({ source, files }, steps)).toEqual(['what it is for', ...lines, 'region eu-central-1'])
})
