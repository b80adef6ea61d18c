import { expect, test } from 'vitest'
import { Secret } from '../../../../src/runtime/secret.ts'
import { describeRenewal } from '../../../../src/sources/aws/credentials/aws-source-kinds.ts'
import type { AwsCredentialSource } from '../../../../src/sources/aws/credentials/credential-source.ts'

const files = {
  configPath: '/config',
  credentialsPath: '/credentials',
  missing: [],
  isCustomPath: false,
  lines: [[], []],
  profiles: {},
  profilePaths: { dev: ['/credentials'] },
  ssoSessions: {},
  services: {},
}
const secretAccessKey = new Secret('s')
const keys: AwsCredentialSource = { kind: 'keys', profile: 'dev', accessKeyId: 'AKIAEXAMPLE', secretAccessKey }
const assume = { kind: 'role', profile: 'top', roleArn: 'arn', region: 'eu-central-1', durationSec: 3600 } as const
const sso = {
  kind: 'sso',
  profile: 'dev',
  startUrl: 'https://x',
  region: 'us-west-2',
  account: '1',
  role: 'b',
} as const

test.each<[source: AwsCredentialSource, hint: string]>([
  [keys, 'put current keys into profile "dev" of /credentials'],
  [{ ...assume, from: { ...assume, from: keys } }, 'put current keys into profile "dev" of /credentials'],
  [{ ...keys, profile: 'other' }, 'put current keys into profile "other" of /config'],
  [
    { kind: 'environment', accessKeyId: 'AKIAEXAMPLE', secretAccessKey },
    'set current AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN where the client starts',
  ],
  [
    { kind: 'web-identity', roleArn: 'arn', region: 'eu-central-1', tokenFile: '/token' },
    'find out why the program that writes /token does not renew it',
  ],
  [
    { kind: 'process', profile: 'my team', command: '/bin/keys' },
    'see what it prints with: aws configure export-credentials --profile "my team"',
  ],
  [sso, 'run: aws sso login --profile dev'],
  [{ ...sso, session: 'corp' }, 'run: aws sso login --sso-session corp'],
  [
    { kind: 'login', profile: 'dev', session: 'arn:aws:iam::1:user/dev', region: 'eu-central-1' },
    'run: aws login --profile dev',
  ],
  [{ kind: 'container', endpoint: 'http://127.0.0.1/' }, 'check the role of the task or pod'],
  [
    { kind: 'instance', endpoint: 'http://169.254.169.254' },
    'check that this machine has an instance profile, or name a profile with --profile or AWS_PROFILE',
  ],
])('expired credentials are renewed where they come from: %#', (source, hint) => {
  expect(describeRenewal(source, files)).toBe(hint)
})
