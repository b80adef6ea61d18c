import { expect, test } from 'vitest'
import { type AwsEnv, toAwsVariables } from '../../src/contract/environment.ts'

const none = {}
const files = (config: string, credentials: string) => ({
  AWS_CONFIG_FILE: config,
  AWS_SHARED_CREDENTIALS_FILE: credentials,
})

test.each<[awsEnv: AwsEnv | undefined, platform: NodeJS.Platform, env: Record<string, string>]>([
  [undefined, 'linux', none],
  [{}, 'linux', none],
  [{ profile: 'dev' }, 'linux', { AWS_PROFILE: 'dev' }],
  [{ awsDir: '/home/a b/.aws' }, 'linux', files('/home/a b/.aws/config', '/home/a b/.aws/credentials')],
  [{ awsDir: '/home/u/.aws//' }, 'linux', files('/home/u/.aws/config', '/home/u/.aws/credentials')],
  [{ awsDir: '/' }, 'linux', files('/config', '/credentials')],
  [{ awsDir: 'C:\\Users\\u\\.aws' }, 'win32', files('C:\\Users\\u\\.aws\\config', 'C:\\Users\\u\\.aws\\credentials')],
  [{ awsDir: 'C:/Users/u/.aws/' }, 'win32', files('C:/Users/u/.aws\\config', 'C:/Users/u/.aws\\credentials')],
  [{ awsCliPath: '/usr/local/bin/aws' }, 'linux', none],
  [
    { profile: 'dev', awsDir: '/aws', awsCliPath: '/bin/aws' },
    'darwin',
    { AWS_PROFILE: 'dev', ...files('/aws/config', '/aws/credentials') },
  ],
])('awsEnv %o on %s becomes %o', (awsEnv, platform, env) => {
  expect(toAwsVariables(awsEnv, platform)).toEqual(env)
})
