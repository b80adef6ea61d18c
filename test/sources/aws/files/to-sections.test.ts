import { externalDataInterceptor, loadSharedConfigFiles } from '@smithy/core/config'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  parseLines,
  refuseMalformed,
  toConfigSections,
  toSections,
} from '../../../../src/sources/aws/files/aws-files.ts'

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
  let compared = 0
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 9 }), fc.constantFrom('\n', '\r\n'), async (lines, end) => {
      const text = lines.join(end)
      const parsed = parseLines(text)
      if (isRefused(text)) return
      compared += 1
      const sdk = await readWithSdk(text)
      const { profile, ...kinds } = toConfigSections(parsed)
      const named = Object.entries(kinds).flatMap(([kind, sections]) =>
        Object.entries(sections).map(([name, section]) => [`${kind}.${name}`, section]),
      )
      expect({
        credentialsFile: toSections(parsed),
        configFile: { ...profile, ...Object.fromEntries(named) },
      }).toEqual({ credentialsFile: sdk.credentialsFile, configFile: sdk.configFile })
    }),
    { numRuns: 1_000 },
  )
  expect(compared).toBeGreaterThan(200)
})

test('the AWS CLI reads keys whatever their case, the SDK in lower case only', () => {
  expect(toSections(parseLines('[Dev]\nRegion = EU\nS3 =\n  Max_Queue = 1\n'))).toEqual({
    Dev: { region: 'EU', 's3.max_queue': '1' },
  })
})

function isRefused(text: string): boolean {
  try {
    refuseMalformed('/c', text, parseLines(text))
    return false
  } catch {
    return true
  }
}

function readWithSdk(text: string) {
  externalDataInterceptor.interceptFile('/c', text)
  return loadSharedConfigFiles({ configFilepath: '/c', filepath: '/c', ignoreCache: true })
}
