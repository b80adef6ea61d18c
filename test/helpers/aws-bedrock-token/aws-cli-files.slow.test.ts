import { readFile, writeFile } from 'node:fs/promises'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { parseSsoToken, renderSsoToken } from '../../../src/sources/aws/sso/stored-token.ts'
import { type AwsCli, findAwsCli } from '../../aws-parity/aws-cli.ts'
import { startAwsByName } from '../../aws-parity/start-aws-by-name.ts'
import { runBundle } from '../../setup/run-bundle.ts'
import { toStableText } from '../../setup/to-stable-text.ts'
import { writeBrowser } from './made-up-browser.ts'
import { expectToken } from './read-token.ts'
import { account, inMinutes } from './sign-in.ts'
import { program, startWorkbench, type Workbench } from './workbench.ts'

const startUrl = 'https://corp.awsapps.com/start'
const site = { sso_start_url: startUrl, sso_region: 'us-west-2' }
const assignments = [{ accountId: account, roleName: 'Builder' }]

/** Not every machine has one. */
const cli = await findAwsCli()

function writeProfile(bench: Workbench) {
  const role = { sso_session: 'corp', sso_account_id: account, sso_role_name: 'Builder', region: 'eu-central-1' }
  return bench.write({ config: { 'profile dev': role, 'sso-session corp': site } })
}

/** Returns the identity that the AWS CLI names for itself. */
async function askCli(bench: Workbench, { program }: AwsCli): Promise<string> {
  await using route = await startAwsByName(bench)
  const whole = { PATH: '/usr/bin:/bin', ...bench.environment, ...route.environment }
  const env = Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== undefined))
  const argv = ['sts', 'get-caller-identity', '--profile', 'dev', '--output', 'text', '--query', 'Arn']
  const { stdout, stderr } = await execa(program, argv, { env, extendEnv: false, reject: false })
  return stdout || stderr
}

const who = `arn:aws:sts::${account}:assumed-role/AWSReservedSSO_Builder_0123456789abcdef/stand-in`

describe.skipIf(!cli)('with an AWS CLI', () => {
  const aws = cli! // it would be skipped
  test('the AWS CLI uses the sign-in that a helper made, and the one that it renewed', async () => {
    await using bench = await startWorkbench()
    bench.aws.sso.addPortal(startUrl, { assignments })
    const directory = await writeProfile(bench)
    const env = await writeBrowser(bench, 'allow')
    const { stderr, ...rest } = await runBundle(program, { argv: ['sign-in', '--profile', 'dev'], env })
    expect({ ...rest, stderr: toStableText(stderr).replace(/(?<=open: )\S+/, 'ADDRESS') }).toEqual({
      status: 0,
      stdout: '',
      stderr: `\
aws-bedrock-token: a browser opens for the sign-in to the SSO session "corp"; if you see none, open: ADDRESS
aws-bedrock-token: signed in to the SSO session "corp", for the role Builder in the account 111122223333, until DATE, in 7 h 59 min, and renewed without a person
`,
    })
    expect(await askCli(bench, aws)).toBe(who)
    const path = directory.ssoCachePath('corp')
    const ended = (await readFile(path, 'utf8')).replace(/"expiresAt": "[^"]*"/, '"expiresAt": "2020-01-01T00:00:00Z"')
    await writeFile(path, ended)
    expectToken(await bench.run({ argv: ['--profile', 'dev'] }), bench.aws, 'ASIASTANDIN000000002')
    expect(await askCli(bench, aws)).toBe(who)
    expect(bench.asked().filter((operation) => operation === 'CreateToken')).toEqual(['CreateToken', 'CreateToken'])
  })

  test('a helper uses the sign-in that the AWS CLI renewed, and would write the same bytes', async () => {
    await using bench = await startWorkbench()
    const directory = await writeProfile(bench)
    const issued = { accessToken: 'canary-access', clientId: 'client-1', clientSecret: 'canary-client', assignments }
    const entry = bench.aws.addSsoSession({ ...issued, refreshToken: 'canary-refresh', expiresAt: inMinutes(-5) })
    const registered = { registrationExpiresAt: '2099-01-01T00:00:00Z' }
    await bench.write({ ssoCache: { corp: { ...entry, ...registered } } })
    expect(await askCli(bench, aws)).toBe(who)
    const text = await readFile(directory.ssoCachePath('corp'), 'utf8')
    const { refreshToken } = JSON.parse(text)
    expect(renderSsoToken(parseSsoToken(text)!, { startUrl, region: 'us-west-2' })).toBe(text)
    expect(refreshToken).toBe('canary-refresh-refreshed')
    expectToken(await bench.run({ argv: ['--profile', 'dev'] }), bench.aws, 'ASIASTANDIN000000002')
    expect(bench.asked().filter((operation) => operation === 'CreateToken')).toEqual(['CreateToken'])
  })
})
