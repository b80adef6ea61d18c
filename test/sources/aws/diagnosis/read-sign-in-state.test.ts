import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import type { SignInState } from '../../../../src/helper/sign-in.ts'
import type { AwsCredentialSource, AwsPlan } from '../../../../src/sources/aws/credentials/credential-source.ts'
import { readSignInState } from '../../../../src/sources/aws/diagnosis/sign-in-state.ts'
import { createDpopKey, renderDpopKey } from '../../../../src/sources/aws/login/login-session.ts'
import { toLoginPath } from '../../../../src/sources/aws/login/login-site.ts'
import { toTokenPath } from '../../../../src/sources/aws/sso/sso-session.ts'
import { testHost, testNow } from '../../../setup/test-host.ts'

const hours = (count: number) => testNow + count * 3_600_000
const at = (count: number) => new Date(hours(count)).toISOString().replace('.000', '')
const site = { startUrl: 'https://corp.example/start', region: 'eu-west-1', profile: 'dev', account: '1', role: 'Dev' }
const named = { kind: 'sso', session: 'corp', ...site } as const
const older = { kind: 'sso', ...site } as const
const login = { kind: 'login', profile: 'dev', session: 'arn:aws:iam::1:user/dana', region: 'eu-west-1' } as const
const roleArn = 'arn:aws:iam::2:role/Deploy'
const over = (from: AwsCredentialSource): AwsCredentialSource => ({
  kind: 'role',
  profile: 'deploy',
  roleArn,
  region: 'eu-west-1',
  durationSec: 3600,
  from,
})
const renewable = { refreshToken: 'canary', clientId: 'c', clientSecret: 'canary' }
const dpopKey = renderDpopKey(createDpopKey())
const console = {
  accessToken: { accessKeyId: 'AKIA', secretAccessKey: 'canary', sessionToken: 'canary', expiresAt: at(0.25) },
  tokenType: 'aws_sigv4',
  clientId: 'c',
  refreshToken: 'canary',
  dpopKey,
}

async function read(source: AwsCredentialSource, file: unknown): Promise<SignInState | undefined> {
  const host = await testHost()
  const inner = source.kind === 'role' ? source.from : source
  const path =
    inner.kind === 'login' ? toLoginPath(inner.session, host) : toTokenPath(inner.kind === 'sso' ? inner : site, host)
  await mkdir(dirname(path), { recursive: true })
  if (file !== undefined) await writeFile(path, JSON.stringify(file))
  const state = await readSignInState({ source } as AwsPlan, host)
  expect(JSON.stringify(state ?? '')).not.toContain('canary')
  const text = JSON.stringify(state ?? null).replaceAll(path, 'FILE')
  return JSON.parse(text) ?? undefined
}

const subject = 'the SSO session "corp"'
const purpose = 'the role Dev in the account 1'
const lasting = 'without a person, as long as the session at AWS lasts, of which no file tells the end'

test.each<[what: string, source: AwsCredentialSource, file: unknown, state: SignInState | undefined]>([
  [
    'an SSO session that is renewed',
    named,
    { accessToken: 'canary', expiresAt: at(1), ...renewable, registrationExpiresAt: at(72) },
    {
      subject,
      purpose,
      session: {
        what: 'the access token',
        endsAt: hours(1),
        renewal: { isSilent: true, how: lasting },
      } as SignInState['session'],
    },
  ],
  [
    'an SSO session under a role',
    over(named),
    { accessToken: 'canary', expiresAt: at(1) },
    {
      subject,
      purpose: `the role ${roleArn}`,
      session: {
        what: 'the access token',
        endsAt: hours(1),
        renewal: { isSilent: false, how: 'by a person, because its file holds nothing that renews it' },
      } as SignInState['session'],
    },
  ],
  [
    'a profile that names no session',
    older,
    { accessToken: 'canary', expiresAt: at(1) },
    {
      subject: 'the SSO session "https://corp.example/start"',
      purpose,
      session: {
        what: 'the access token',
        endsAt: hours(1),
        renewal: { isSilent: false, how: 'by a person, because the profile names no sso_session' },
      } as SignInState['session'],
    },
  ],
  [
    'one that has ended',
    named,
    { accessToken: 'canary', expiresAt: at(-2) },
    {
      subject,
      purpose,
      ended: `the sign-in to ${subject} ended at ${new Date(hours(-2)).toISOString()}, 2 h 0 min ago`,
    },
  ],
  ['nobody', named, undefined, { subject, purpose }],
  [
    'a damaged file',
    named,
    [],
    { subject, purpose, ended: `nobody is signed in to ${subject}: FILE holds no sign-in` },
  ],
  [
    'a console sign-in',
    login,
    console,
    {
      subject: 'AWS',
      session: {
        account: 'arn:aws:iam::1:user/dana',
        what: 'the credentials',
        endsAt: hours(0.25),
        renewal: {
          isSilent: true,
          how: 'without a person, until at most 12 hours after the sign-in, of which no file tells the time',
        },
      },
    },
  ],
  [
    'a console sign-in that nothing renews any more',
    login,
    { ...console, accessToken: { ...console.accessToken, expiresAt: at(-12) } },
    { subject: 'AWS', ended: `the sign-in to AWS ended at ${new Date(hours(-12)).toISOString()}, 12 h 0 min ago` },
  ],
  ['a source without people', { kind: 'instance', endpoint: 'http://169.254.169.254' }, undefined, undefined],
])('the files of AWS tools tell of %s', async (_, source, file, state) => {
  expect(await read(source, file)).toEqual(state)
})
