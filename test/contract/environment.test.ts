import { expect, test } from 'vitest'
import { type AwsEnv, toAwsVariables } from '../../src/contract/environment.ts'

const none = {}
const files = (config: string, credentials: string) => ({
  AWS_CONFIG_FILE: config,
  AWS_SHARED_CREDENTIALS_FILE: credentials,
})

test.each<[awsEnv: AwsEnv | undefined, separator: '/' | '\\', env: Record<string, string>]>([
  [undefined, '/', none],
  [{}, '/', none],
  [{ profile: 'dev' }, '/', { AWS_PROFILE: 'dev' }],
  [{ awsDir: '/home/a b/.aws' }, '/', files('/home/a b/.aws/config', '/home/a b/.aws/credentials')],
  [{ awsDir: '/home/u/.aws//' }, '/', files('/home/u/.aws/config', '/home/u/.aws/credentials')],
  [{ awsDir: '/' }, '/', files('/config', '/credentials')],
  [{ awsDir: 'C:\\Users\\u\\.aws' }, '\\', files('C:\\Users\\u\\.aws\\config', 'C:\\Users\\u\\.aws\\credentials')],
  [{ awsDir: 'C:/Users/u/.aws/' }, '\\', files('C:/Users/u/.aws\\config', 'C:/Users/u/.aws\\credentials')],
  [{ awsCliPath: '/usr/local/bin/aws' }, '/', none],
  [
    { profile: 'dev', awsDir: '/aws', awsCliPath: '/bin/aws' },
    '/',
    { AWS_PROFILE: 'dev', ...files('/aws/config', '/aws/credentials') },
  ],
])('awsEnv %o on a system with %s becomes %o', (awsEnv, separator, env) => {
  expect(toAwsVariables(awsEnv, separator)).toEqual(env)
})
