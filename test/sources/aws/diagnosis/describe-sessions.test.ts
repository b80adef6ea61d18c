import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import type { DiagnosisLine } from '../../../../src/helper/diagnosis.ts'
import { describeRenewal } from '../../../../src/sources/aws/credentials/aws-source-kinds.ts'
import type { AwsCredentialSource } from '../../../../src/sources/aws/credentials/credential-source.ts'
import { describeSessions } from '../../../../src/sources/aws/diagnosis/sign-in-state.ts'
import { toTokenPath } from '../../../../src/sources/aws/sso/sso-session.ts'
import { testHost, testNow } from '../../../setup/test-host.ts'

const at = (hours: number) => new Date(testNow + hours * 3_600_000).toISOString().replace('.000', '')
const site = { startUrl: 'https://corp.example/start', region: 'eu-west-1', profile: 'dev', account: '1', role: 'Dev' }
const named: AwsCredentialSource = { kind: 'sso', session: 'corp', ...site }
const older: AwsCredentialSource = { kind: 'sso', ...site }
const renewable = { refreshToken: 'r', clientId: 'c', clientSecret: 's' }
const hint = 'run: aws sso login --sso-session corp'
const corp = 'the SSO session "corp"'

async function describe(source: AwsCredentialSource, file: unknown): Promise<DiagnosisLine[]> {
  const host = await testHost()
  const path = toTokenPath(source.kind === 'sso' ? source : site, host)
  await mkdir(dirname(path), { recursive: true })
  if (file !== undefined) await writeFile(path, JSON.stringify(file))
  const files = { isCustomPath: false, configPath: '' } as never // the hints alone read them
  const lines = await describeSessions({ source, describeRenewal: () => describeRenewal(source, files) }, host)
  return lines.map((line) => ({ ...line, text: line.text.replace(path, 'FILE') }))
}

test.each<[what: string, file: object, seen: DiagnosisLine]>([
  [
    'one that is renewed by itself',
    { accessToken: 'a', expiresAt: at(2), ...renewable, registrationExpiresAt: at(72) },
    {
      status: 'good',
      text: `${corp}: access token until 2026-01-15T14:00:00.000Z, in 2 h 0 min, renewed without a person; client registration until 2026-01-18T12:00:00.000Z, in 3 days`,
    },
  ],
  [
    'one that has ended, and is renewed when it is needed',
    { accessToken: 'a', expiresAt: at(-2), ...renewable },
    {
      status: 'good',
      text: `${corp}: access token expired at 2026-01-15T10:00:00.000Z, 2 h 0 min ago, renewed without a person`,
    },
  ],
  [
    'one whose client is no longer registered',
    { accessToken: 'a', expiresAt: at(-2), ...renewable, registrationExpiresAt: at(-1) },
    {
      status: 'bad',
      text: `${corp}: access token expired at 2026-01-15T10:00:00.000Z, 2 h 0 min ago, and cannot be renewed; client registration ended at 2026-01-15T11:00:00.000Z, 1 h 0 min ago`,
      hint,
    },
  ],
  ['a file without a token', {}, { status: 'bad', text: 'the SSO session "corp": FILE holds no sign-in', hint }],
])('describes the sign-in of %s', async (_what, file, seen) => {
  expect(await describe(named, file)).toEqual([seen])
})

test('describes a sign-in of the older form, which only a person renews', async () => {
  expect(await describe(older, { accessToken: 'a', expiresAt: at(0.5), ...renewable })).toEqual([
    {
      status: 'note',
      text: 'the SSO session "https://corp.example/start": access token until 2026-01-15T12:30:00.000Z, in 30 min, and cannot be renewed',
      hint: 'run: aws sso login --profile dev',
    },
  ])
})

test('nobody is signed in where there is no file', async () => {
  expect(await describe(named, undefined)).toEqual([{ status: 'bad', text: `${corp}: nobody is signed in`, hint }])
})
