import { expect, test } from 'vitest'
import { describeEndpoints, resolveEndpointSettings } from '../../../src/sources/aws/endpoint-settings.ts'

const all = 'AWS_ENDPOINT_URL'

test.each<[env: Record<string, string>, lines: string[]]>([
  [{}, []],
  [{ AWS_USE_FIPS_ENDPOINT: 'true' }, ['FIPS hosts of AWS']],
  [{ AWS_USE_FIPS_ENDPOINT: 'true', AWS_USE_DUALSTACK_ENDPOINT: 'true' }, ['FIPS and dual-stack hosts of AWS']],
  [{ AWS_STS_REGIONAL_ENDPOINTS: 'legacy' }, ['the global host of AWS STS, in its old regions']],
  [{ [all]: 'https://dana:canary@x.example/aws?canary' }, [`every service at https://x.example/aws, by ${all}`]],
  [{ [`${all}_STS`]: 'http://[::1]:4566' }, [`STS at http://[::1]:4566, by ${all}_STS`]],
  [
    { [all]: 'https://x.example', [`${all}_STS`]: 'nonsense' },
    [
      `STS at an unreadable address, by ${all}_STS`,
      `SSO, SSO_OIDC, SIGNIN, SECRETS_MANAGER, SSM at https://x.example, by ${all}`,
    ],
  ],
])('%j is described', (env, lines) => {
  const files = { configPath: '/c', credentialsPath: '/k', lines: [], profiles: {}, services: {} }
  expect(describeEndpoints(resolveEndpointSettings(undefined, { env, files }))).toEqual(lines)
})
