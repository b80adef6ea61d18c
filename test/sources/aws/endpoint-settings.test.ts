import { expect, test } from 'vitest'
import { HelperError } from '../../../src/runtime/failure.ts'
import { type AwsService, resolveEndpointSettings } from '../../../src/sources/aws/endpoint-settings.ts'
import { parseLines } from '../../../src/sources/aws/files/aws-files.ts'
import { resolveEndpoint } from '../../../src/sources/aws/resolve-endpoint.ts'

interface Given {
  env?: Record<string, string>
  dev?: Record<string, string>
  service?: AwsService
  region?: string
}

function resolve({ env = {}, dev = {}, service = 'sts', region = 'eu-central-1' }: Given) {
  const files = {
    configPath: '/config',
    credentialsPath: '/credentials',
    lines: [],
    profiles: { dev, default: { endpoint_url: 'https://default.example' } },
    services: { local: { 'sts.endpoint_url': 'https://section.example/sts', 's3.endpoint_url': 'https://s3.example' } },
  }
  const { url, region: signedFor } = resolveEndpoint(
    { service, region },
    resolveEndpointSettings('dev', { env, files }),
  )
  return `${url.href} for ${signedFor}`
}

const profile = { services: 'local', endpoint_url: 'https://profile.example' }
const all = { AWS_ENDPOINT_URL: 'https://all.example' }
const ofSts = { AWS_ENDPOINT_URL_STS: 'https://sts.example' }
const usual = 'https://sts.eu-central-1.amazonaws.com/ for eu-central-1'
const fips = 'https://sts-fips.eu-central-1.amazonaws.com/ for eu-central-1'
const dualStack = 'https://sts.eu-central-1.api.aws/ for eu-central-1'
const global = 'https://sts.amazonaws.com/ for us-east-1'

// The order of AWS's documentation, "Service-specific endpoints".
test.each<[what: string, given: Given, endpoint: string]>([
  ['the variable of the service', { env: { ...all, ...ofSts }, dev: profile }, 'https://sts.example/ for eu-central-1'],
  ['the variable for all services', { env: all, dev: profile }, 'https://all.example/ for eu-central-1'],
  ['the services section', { dev: profile }, 'https://section.example/sts for eu-central-1'],
  ['the profile', { dev: { endpoint_url: profile.endpoint_url } }, 'https://profile.example/ for eu-central-1'],
  ['the profile, for another service', { dev: profile, service: 'ssm' }, 'https://profile.example/ for eu-central-1'],
  [
    "AWS's own host",
    { dev: { services: 'local' }, service: 'ssm' },
    'https://ssm.eu-central-1.amazonaws.com/ for eu-central-1',
  ],
  ['an empty variable', { env: { AWS_ENDPOINT_URL_STS: '', AWS_ENDPOINT_URL: '' } }, usual],
  [
    'the variable that ignores them all',
    { env: { ...ofSts, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'TRUE' }, dev: profile },
    usual,
  ],
  ['the key that ignores them all', { env: all, dev: { ...profile, ignore_configured_endpoint_urls: 'true' } }, usual],
  [
    'the variable that overrides that key',
    { env: { ...all, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'false' }, dev: { ignore_configured_endpoint_urls: 'true' } },
    'https://all.example/ for eu-central-1',
  ],
  [
    'a local address',
    { env: { AWS_ENDPOINT_URL: 'http://localhost:4566' } },
    'http://localhost:4566/ for eu-central-1',
  ],
  ['FIPS by variable', { env: { AWS_USE_FIPS_ENDPOINT: 'true' } }, fips],
  ['FIPS by profile', { dev: { use_fips_endpoint: 'True' } }, fips],
  ['FIPS switched off', { env: { AWS_USE_FIPS_ENDPOINT: 'false' }, dev: { use_fips_endpoint: 'true' } }, usual],
  ['dual-stack by variable', { env: { AWS_USE_DUALSTACK_ENDPOINT: 'true' } }, dualStack],
  ['dual-stack by profile', { dev: { use_dualstack_endpoint: 'true' } }, dualStack],
  [
    'the regional STS',
    { env: { AWS_STS_REGIONAL_ENDPOINTS: 'regional' }, dev: { sts_regional_endpoints: 'legacy' } },
    usual,
  ],
  ['the global STS', { env: { AWS_STS_REGIONAL_ENDPOINTS: 'legacy' } }, global],
  ['the global STS by profile', { dev: { sts_regional_endpoints: 'legacy' } }, global],
  ['the region aws-global', { region: 'aws-global' }, global],
  [
    'a configured address before the global STS',
    { env: { ...ofSts, AWS_STS_REGIONAL_ENDPOINTS: 'legacy' } },
    'https://sts.example/ for eu-central-1',
  ],
  [
    'the regional STS of a region that the global one never served',
    { env: { AWS_STS_REGIONAL_ENDPOINTS: 'legacy' }, region: 'ap-east-1' },
    'https://sts.ap-east-1.amazonaws.com/ for ap-east-1',
  ],
  [
    'FIPS before the global STS',
    { env: { AWS_STS_REGIONAL_ENDPOINTS: 'legacy', AWS_USE_FIPS_ENDPOINT: 'true' } },
    fips,
  ],
])('%s decides where a service is asked', (_, given, endpoint) => {
  expect(resolve(given)).toBe(endpoint)
})

test.each<[given: Given, message: string, hint: string]>([
  [
    { env: { AWS_USE_FIPS_ENDPOINT: 'yes' } },
    'AWS_USE_FIPS_ENDPOINT is neither true nor false',
    'correct or remove AWS_USE_FIPS_ENDPOINT',
  ],
  [
    { dev: { use_dualstack_endpoint: '1' } },
    'use_dualstack_endpoint of profile "dev" is neither true nor false',
    'correct it in /config',
  ],
  [
    { dev: { sts_regional_endpoints: 'global' } },
    'sts_regional_endpoints of profile "dev" is neither regional nor legacy',
    'correct it in /config',
  ],
  [
    { dev: { services: 'gone' } },
    'profile "dev" names services "gone", which has no [services gone]',
    'correct it in /config',
  ],
  [
    { dev: { services: 'local' }, env: { AWS_USE_FIPS_ENDPOINT: 'true' } },
    'endpoint_url of sts in [services local] sets an address, and use_fips_endpoint another',
    'remove one of the two; AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true sets endpoint_url of sts in [services local] aside',
  ],
  [
    { env: { AWS_ENDPOINT_URL_STS: 'sts.example' } },
    'AWS_ENDPOINT_URL_STS is not a web address',
    'set it to an address such as https://sts.eu-central-1.amazonaws.com, or remove it',
  ],
  [
    { env: { AWS_ENDPOINT_URL: 'http://sts.example' } },
    'sts.example would be asked over plain http, which anybody on the network can read',
    'write https:// into AWS_ENDPOINT_URL',
  ],
])('%j is refused', (given, message, hint) => {
  expect(() => resolve(given)).toThrow(new HelperError('not-configured', message, hint))
})

test.each([
  ['[profile dev]\nendpoint_url = x\n', 'endpoint_url of profile "dev" (line 2 of /config) is not a web address'],
  [
    '[profile dev]\nservices = local\n[services local]\nsts =\n  endpoint_url = x\n',
    'endpoint_url of sts in [services local] (line 5 of /config) is not a web address',
  ],
])('an address in a file is named with its line', (config, message) => {
  const inServices = config.includes('services')
  const files = {
    configPath: '/config',
    credentialsPath: '/credentials',
    lines: [parseLines(config)],
    profiles: { dev: inServices ? { services: 'local' } : { endpoint_url: 'x' } },
    services: { local: { 'sts.endpoint_url': 'x' } },
  }
  const settings = resolveEndpointSettings('dev', { env: {}, files })
  expect(() => resolveEndpoint({ service: 'sts', region: 'eu-central-1' }, settings)).toThrow(message)
})
