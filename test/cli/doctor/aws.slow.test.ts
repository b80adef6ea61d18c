import { describe, expect, test } from 'vitest'
import { account, clean, role, startAwsStage, user } from './aws-stage.ts'

const region = 'eu-central-1'
const startUrl = 'https://corp.awsapps.example/start'
const identity = 'The identity behind it'
const gateway = 'One request to the gateway'

type Stage = Awaited<ReturnType<typeof startAwsStage>>

/** Profile `build` assumes a role with the keys of profile `dev`. */
async function startWithRole(trusts: string, answer?: { status: number; body: string }): Promise<Stage> {
  const stage = await startAwsStage(answer)
  stage.aws.addRole({ arn: role, trusts: [trusts] })
  const { accessKeyId, secretAccessKey } = stage.aws.addAccessKey({ arn: user })
  await stage.write({
    config: { 'profile build': { role_arn: role, source_profile: 'dev', region } },
    credentials: { dev: { aws_access_key_id: accessKeyId, aws_secret_access_key: secretAccessKey, region } },
  })
  return stage
}

const longTerm = `\
    ! profile "dev": access key AKIASTANDIN000000001, a long-term key, which is valid until somebody deletes it
        aws_access_key_id: HOME/.aws/credentials:2
        aws_secret_access_key: HOME/.aws/credentials:3
        region: HOME/.aws/credentials:4
`
const places = `\
        role_arn: HOME/.aws/config:2
        source_profile: HOME/.aws/config:3
        region: HOME/.aws/config:4
`

describe('gatepass doctor of an AWS identity', () => {
  test('walks a chain of roles, and says which permission the gateway misses', async () => {
    const message = `User: ${user} is not authorized to perform: bedrock:InvokeModel on resource: arn:aws:bedrock:canary because no identity-based policy allows the bedrock:InvokeModel action`
    const stage = await startWithRole(user, {
      status: 403,
      body: JSON.stringify({ message: message.replace('canary', 'x') }),
    })
    const { status, parts } = await stage.diagnose('build')
    expect({ status, identity: clean(parts[identity], stage.home) }).toEqual({
      status: 1,
      identity: `note
    profile = build (argument)
    ✓ clock: this machine's agrees with that of AWS STS
${longTerm}\
    ✓ profile "build": assumes ${role}: credentials until DATE, in 59 min
${places}\
    ✓ region ${region}
    ✓ caller: arn:aws:sts::${account}:assumed-role/build/SESSION
    ✓ ${sdkSays} arn:aws:sts::${account}:assumed-role/build/SESSION: ${sessions}
    → use keys that end by themselves: a sign-in (aws configure sso) or a role`,
    })
    expect(parts[gateway]?.split('\n').slice(4)).toEqual([
      '    the AWS identity of the token is not allowed bedrock:InvokeModel',
      '    to allow it, add to a policy of the identity:',
      '      {"Effect":"Allow","Action":"bedrock:InvokeModel","Resource":["arn:aws:bedrock:*::foundation-model/*","arn:aws:bedrock:*:*:inference-profile/*"]}',
      '    → have an administrator of the account allow it bedrock:InvokeModel',
    ])
  })

  test('names the step that failed, and the statement that allows it', async () => {
    const stage = await startWithRole('nobody')
    const { parts } = await stage.diagnose('build')
    expect(clean(parts[identity], stage.home)).toBe(`bad 
    profile = build (argument)
    ✓ clock: this machine's agrees with that of AWS STS
${longTerm}\
    ✗ profile "build": assumes ${role}: AWS STS refused the role ${role} of profile "build": AccessDenied
${places}\
    ✓ region ${region}
    ? second opinion: the AWS SDK's chain fails as well: AWS refused the AWS SDK, which asked for the credentials of profile "build": AccessDenied
    → have the trust policy of ${role} and the policies of this identity allow sts:AssumeRole, or correct role_arn`)
    const { stdout } = await stage.diagnose('build', { flags: ['--json'] })
    const run = JSON.parse(stdout).parts.find(({ part }: { part: string }) => part === 'run')
    expect(run.policy).toEqual({
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Resource: role }],
    })
  })

  test('says how long an SSO session lasts, and how far the clock of this machine is off', async () => {
    const stage = await startAwsStage()
    await signIn(stage, 59)
    stage.aws.setClockOffset(5 * 60_000)
    const { parts } = await stage.diagnose('dev')
    expect(clean(parts[identity], stage.home)).toBe(`note
    profile = dev (argument)
    ! clock: this machine's clock is 5 min behind that of AWS STS; tokens are dated by AWS's
    ! clock: this machine's clock is 5 min behind that of AWS SSO; tokens are dated by AWS's
    ✓ profile "dev": role Builder in account ${account}, signed in at ${startUrl}: credentials until DATE, in 1 h 4 min
${ssoPlaces}\
    ✓ region ${region}
    ✓ the SSO session "corp": access token until DATE, in 58 min, renewed without a person; client registration until DATE, in 79 days
    ✓ caller: ${ssoCaller}
    ✓ ${sdkSays} ${ssoCaller}: ${sessions}
    → set the clock of this machine`)
  })

  test('names the command that renews an SSO session which has ended', async () => {
    const stage = await startAwsStage()
    await signIn(stage, -180, { isRenewable: false })
    const { parts } = await stage.diagnose('dev')
    expect(clean(parts[identity], stage.home)).toBe(`bad 
    profile = dev (argument)
    ✓ clock: this machine's agrees with that of AWS STS
    ✓ clock: this machine's agrees with that of AWS SSO
    ✗ profile "dev": role Builder in account ${account}, signed in at ${startUrl}: the SSO session "corp" expired at DATE
${ssoPlaces}\
    ✓ region ${region}
    ✗ the SSO session "corp": access token expired at DATE, 3 h 0 min ago, and cannot be renewed
    → run: aws sso login --sso-session corp`)
  })

  test('names first the wrong clock by which a token of plain keys is dated', async () => {
    const stage = await startWithRole(user)
    stage.aws.setClockOffset(-20 * 60_000)
    const { parts } = await stage.diagnose('dev')
    expect(clean(parts[identity], stage.home)).toBe(`bad 
    profile = dev (argument)
    ✗ clock: this machine's clock is 20 min ahead of that of AWS STS; AWS refuses what is signed more than five minutes off
${longTerm}\
    ✓ region ${region}
    ✓ caller: ${user}
    ✓ ${sdkSays} ${user}: account and user agree, and so does the access key id
    → set the clock of this machine`)
  })

  test('names the algorithm of a JWT where the gateway takes another', async () => {
    const stage = await startWithRole(user, { status: 401, body: '{"error":{"message":"unsupported alg"}}' })
    const { parts } = await stage.diagnose('dev', { helper: 'aws-identity-token', args: ['--audience', 'a'] })
    expect(parts[gateway]?.split('\n').slice(5)).toEqual([
      '    the token is signed with ES384; a gateway that takes RS256 only refuses it',
      "    → set the helper's option algorithm to RS256",
    ])
  })

  test('names the file and line of the settings of a profile that leads nowhere', async () => {
    const stage = await startAwsStage()
    await stage.write({ config: { 'profile dev': { role_arn: role, region } } })
    const { parts } = await stage.diagnose('dev')
    expect(clean(parts[identity], stage.home)).toBe(`bad 
    profile = dev (argument)
    ✗ profile "dev" cannot be used as it is
        role_arn: HOME/.aws/config:2
        region: HOME/.aws/config:3
    ? second opinion: the AWS SDK's chain fails as well: the AWS SDK found no credentials for profile "dev": Could not resolve credentials using profile: [dev] in configuration/credentials file(s).`)
  })

  test('names the setting by which the AWS SDK fails, or succeeds alone', async () => {
    const stage = await startAwsStage()
    const { accessKeyId, secretAccessKey } = stage.aws.addAccessKey({ arn: user })
    const keys = `aws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`
    await stage.write({
      config: `[profile dev]\n${keys.toUpperCase().replace(secretAccessKey.toUpperCase(), secretAccessKey)}region = ${region}
[profile a]\nrole_arn = ${role}\nsource_profile = b\nregion = ${region}\n${keys}
[profile b]\nrole_arn = ${role}\nsource_profile = a\nregion = ${region}\n`,
    })
    stage.aws.addRole({ arn: role, trusts: [user, role] })
    const opinion = async (profile: string) => {
      const { parts } = await stage.diagnose(profile)
      const lines = clean(parts[identity], stage.home).split('\n')
      return lines.slice(lines.findIndex((line) => line.includes('second opinion')))
    }
    expect(await opinion('dev')).toEqual([
      '    ! second opinion: the AWS SDK\'s chain gives no credentials: the AWS SDK found no credentials for profile "dev": Could not resolve credentials using profile: [dev] in configuration/credentials file(s).',
      '      aws_access_key_id of profile "dev" (line 2 of HOME/.aws/config): a key in capitals',
      '      aws_secret_access_key of profile "dev" (line 3 of HOME/.aws/config): a key in capitals',
      '    → use keys that end by themselves: a sign-in (aws configure sso) or a role',
    ])
    expect(await opinion('a')).toEqual([
      `    ! second opinion: the AWS SDK's chain gives credentials that belong to arn:aws:sts::${account}:assumed-role/build/SESSION, as AWS STS says; aws-chain = sdk uses them`,
      '      source_profile of profile "b" (line 14 of HOME/.aws/config): a circle of source_profiles with keys in it',
    ])
  })
})

const sdkSays = "second opinion: AWS STS says that the credentials of the AWS SDK's chain belong to"
const sessions = 'account and role agree, and each is a session with an access key of its own'
const ssoCaller = `arn:aws:sts::${account}:assumed-role/AWSReservedSSO_Builder_0123456789abcdef/stand-in`

const ssoPlaces = ['sso_session', 'sso_account_id', 'sso_role_name', 'region']
  .map((key, index) => `        ${key}: HOME/.aws/config:${index + 2}\n`)
  .concat('        sso_start_url: HOME/.aws/config:8\n        sso_region: HOME/.aws/config:9\n')
  .join('')

async function signIn({ aws, write }: Stage, minutes: number, { isRenewable = true } = {}): Promise<void> {
  const entry = aws.addSsoSession({
    accessToken: 'canary-access',
    expiresAt: new Date(Date.now() + minutes * 60_000),
    clientId: 'client-1',
    clientSecret: 'canary-client',
    assignments: [{ accountId: account, roleName: 'Builder' }],
    ...(isRenewable && { refreshToken: 'canary-refresh' }),
  })
  const registrationExpiresAt = new Date(Date.now() + 80 * 86_400_000).toISOString()
  const role = { sso_session: 'corp', sso_account_id: account, sso_role_name: 'Builder', region }
  await write({
    config: { 'profile dev': role, 'sso-session corp': { sso_start_url: startUrl, sso_region: region } },
    ssoCache: { corp: { ...entry, ...(isRenewable && { registrationExpiresAt }) } },
  })
}
