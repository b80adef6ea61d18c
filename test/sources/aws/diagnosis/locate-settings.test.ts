import { externalDataInterceptor, loadSharedConfigFiles } from '@smithy/core/config'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { locateProfileSettings, locateSectionSettings } from '../../../../src/sources/aws/diagnosis/locate-settings.ts'

const paths = { configPath: '/home/dana/.aws/config', credentialsPath: '/home/dana/.aws/credentials' }

const config = `# of the team
[profile dev]
region = eu-central-1 # near
Role_Arn=arn:aws:iam::1:role/build
s3 =
  max_queue = 5
output = json
  region = nested below nothing
[default]
region = us-east-1

[profile "dev"]
source_profile = base
role_arn = arn:aws:iam::1:role/other
[sso-session corp]
sso_region = eu-west-1
[profile default]
output = text
`
const credentials = `[dev]
region = eu-west-3
[default]
aws_access_key_id = AKIA
`

const at = (line: number) => `${paths.configPath}:${line}`

test('every setting of a profile has its line, and those that do not count are named', () => {
  expect(locateProfileSettings({ ...paths, content: [config, credentials] }, 'dev')).toEqual([
    { key: 'region', place: `${paths.credentialsPath}:2`, ignored: [at(3), at(8)] },
    { key: 'role_arn', place: at(14), ignored: [at(4)] },
    { key: 's3.max_queue', place: at(6), ignored: [] },
    { key: 'output', place: at(7), ignored: [] },
    { key: 'source_profile', place: at(13), ignored: [] },
  ])
})

test('[profile default] replaces [default] of the configuration file', () => {
  expect(locateProfileSettings({ ...paths, content: [config, credentials] }, 'default')).toEqual([
    { key: 'output', place: at(18), ignored: [] },
    { key: 'aws_access_key_id', place: `${paths.credentialsPath}:4`, ignored: [] },
  ])
})

test('a session has its lines; one that is not there has none', () => {
  const files = { ...paths, content: [config, credentials] }
  expect(locateSectionSettings(files, 'sso-session', 'corp')).toEqual([
    { key: 'sso_region', place: at(16), ignored: [] },
  ])
  expect([locateSectionSettings(files, 'services', 'corp'), locateProfileSettings(files, 'nobody')]).toEqual([[], []])
})

/** A line of a file, with a value that tells its number. */
const lines = fc.array(
  fc.constantFrom(
    '[default]',
    '[profile dev]',
    '[profile "a b"]',
    '[dev]',
    '[x y]',
    'a =',
    ' a =',
    'a',
    ' a',
    'b',
    '  b',
    '# c',
    'b c',
    ' =',
    '',
  ),
  { maxLength: 12 },
)

test('the lines are those whose values the SDK reads', async () => {
  let runs = 0
  await fc.assert(
    fc.asyncProperty(lines, async (given) => {
      runs += 1
      const text = given.map((line, index) => (/[ab]$/.test(line) ? `${line} = ${index + 1}` : line)).join('\n')
      const file = `/nowhere/${runs}`
      externalDataInterceptor.interceptFile(file, text)
      externalDataInterceptor.interceptFile(`${file}c`, text)
      const { configFile, credentialsFile } = await loadSharedConfigFiles({
        configFilepath: file,
        filepath: `${file}c`,
      })
      for (const profile of ['default', 'dev']) {
        const read = { ...configFile[profile], ...credentialsFile[profile] }
        const located = locateProfileSettings({ configPath: '', credentialsPath: '', content: [text, text] }, profile)
        expect(Object.fromEntries(located.map(({ key, place }) => [key, place.slice(1)]))).toEqual(read)
      }
    }),
    { numRuns: 300 },
  )
})
