import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { externalDataInterceptor, loadSharedConfigFiles } from '@smithy/core/config'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AwsFiles, readAwsFiles } from '../../../../src/sources/aws/files/aws-files.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'

const names = [
  'default',
  'profile dev',
  'profile "dev"',
  "profile 'a'",
  'profile "a\'',
  'profile a b',
  'profile.b',
  'dev',
]
const others = ['services x', 'plugins', ' default ', 'sso-session corp', 'profile  two', 'sso-session.a.b', 'x]y', '']
const heading = fc.constantFrom(...names, ...others).map((name) => `[${name}]`)
const setting = fc.tuple(
  fc.constantFrom('', '', '  ', '\t'),
  fc.constantFrom('region', 's3', 'sts', 'role_arn ', 'x.y', 'a b', 'é', ''),
  fc.constantFrom('=', ' = ', ''),
  fc.constantFrom('', '', 'v', ' v ', 'a=b', 'a ; comment', 'a;b', '# c', '"q"', '\u00a0x', 'true#'),
)
const line = fc.oneof(
  heading,
  setting.map((parts) => parts.join('')),
  fc.constantFrom('', '# [dev]', '  ; a = b'),
)

test('a file that is not refused means the same as to the SDK', async () => {
  const path = join(await temporaryDirectory(), 'c')
  let compared = 0
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 9 }), fc.constantFrom('\n', '\r\n'), async (lines, end) => {
      const text = lines.join(end)
      await writeFile(path, text)
      const config = await read('AWS_CONFIG_FILE', path)
      const credentials = await read('AWS_SHARED_CREDENTIALS_FILE', path)
      if (!config || !credentials) return
      compared += 1
      const sdk = await readWithSdk(text)
      const named = Object.entries({ 'sso-session': config.ssoSessions, services: config.services }).flatMap(
        ([kind, sections]) => Object.entries(sections).map(([name, section]) => [`${kind}.${name}`, section]),
      )
      expect({
        credentialsFile: credentials.profiles,
        configFile: { ...config.profiles, ...Object.fromEntries(named) },
      }).toEqual({ credentialsFile: sdk.credentialsFile, configFile: sdk.configFile })
    }),
    { numRuns: 1_000 },
  )
  expect(compared).toBeGreaterThan(200)
})

test('the AWS CLI reads keys whatever their case, the SDK in lower case only', async () => {
  const path = join(await temporaryDirectory(), 'c')
  await writeFile(path, '[Dev]\nRegion = EU\nS3 =\n  Max_Queue = 1\n')
  expect((await read('AWS_SHARED_CREDENTIALS_FILE', path))?.profiles).toEqual({
    Dev: { region: 'EU', 's3.max_queue': '1' },
  })
})

/** Reads one of the two files, without the other; `undefined` if it is refused. */
async function read(
  variable: 'AWS_CONFIG_FILE' | 'AWS_SHARED_CREDENTIALS_FILE',
  path: string,
): Promise<AwsFiles | undefined> {
  return readAwsFiles({ env: { [variable]: path }, home: '/nonexistent' }).catch(() => undefined)
}

function readWithSdk(text: string) {
  externalDataInterceptor.interceptFile('/c', text)
  return loadSharedConfigFiles({ configFilepath: '/c', filepath: '/c', ignoreCache: true })
}
