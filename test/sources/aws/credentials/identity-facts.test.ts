import { expect, test } from 'vitest'
import { collectIdentityFacts } from '../../../../src/sources/aws/credentials/aws-source-kinds.ts'
import { type AwsFiles, parseLines } from '../../../../src/sources/aws/files/aws-files.ts'

const source = { kind: 'instance', endpoint: 'http://169.254.169.254' } as const
const files: AwsFiles = {
  configPath: '/c',
  credentialsPath: '/k',
  isCustomPath: false,
  missing: [],
  profiles: {},
  profilePaths: {},
  ssoSessions: {},
  services: {},
  lines: [[], []],
}

const describeAs = async (content: readonly string[], env: Record<string, string> = {}) =>
  JSON.stringify(
    await collectIdentityFacts(source, { ...files, lines: content.map(parseLines) }, { env, home: '/home/dana' }),
  )

test('the same section has different meanings in the two files', async () => {
  expect(await describeAs(['[profile a]\n[b]', ''])).not.toBe(await describeAs(['[profile a]', '[b]\n']))
})

test('a variable of AWS counts in any case, as on Windows, unlike its secrets', async () => {
  const [none, role, secret] = [{}, { aws_role_arn: 'r' }, { aws_secret_access_key: 's' }]
  const [plain, other, same] = await Promise.all([none, role, secret].map((env) => describeAs(['', ''], env)))
  expect([other === plain, same === plain]).toEqual([false, true])
})

test.each<[content: string, env: Record<string, string>]>([
  ['', { AWS_ENDPOINT_URL_STS: 'https://sts.example' }],
  ['', { AWS_USE_FIPS_ENDPOINT: 'true' }],
  ['[services local]\nsts =\n  endpoint_url = https://sts.example\n', {}],
])('another endpoint of AWS is another identity: %j %j', async (content, env) => {
  expect(await describeAs([content, ''], env)).not.toBe(await describeAs(['', '']))
})
