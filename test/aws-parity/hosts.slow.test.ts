import { expect, test } from 'vitest'
import { account, inMinutes, signInToConsole, startUrl } from '../helpers/aws-bedrock-token/sign-in.ts'
import { keysOf, role, startWorkbench, user, type Workbench } from '../helpers/aws-bedrock-token/workbench.ts'
import { startAwsByName } from './start-aws-by-name.ts'

const argv = ['--profile', 'dev']

async function writeRole(bench: Workbench, settings: Record<string, string>): Promise<void> {
  const dev = { role_arn: role, source_profile: 'base', ...settings }
  await bench.write({ config: { 'profile dev': dev }, credentials: { base: keysOf(bench.aws) } })
}

async function writeSso(bench: Workbench, region: string, settings: Record<string, string> = {}): Promise<void> {
  const entry = bench.aws.addSsoSession({
    accessToken: 'canary-access',
    expiresAt: inMinutes(60),
    clientId: 'client-1',
    clientSecret: 'canary-client',
    assignments: [{ accountId: account, roleName: 'Builder' }],
  })
  const dev = { sso_session: 'corp', sso_account_id: account, sso_role_name: 'Builder', region, ...settings }
  const site = { sso_start_url: startUrl, sso_region: region }
  await bench.write({ config: { 'profile dev': dev, 'sso-session corp': site }, ssoCache: { corp: entry } })
}

// The hosts that a run asks the proxy for; they are those of AWS's endpoint rules.
test.each<[host: string, what: string, prepare: (bench: Workbench) => Promise<unknown>, env?: Record<string, string>]>([
  ['sts.cn-north-1.amazonaws.com.cn', 'China', (bench) => writeRole(bench, { region: 'cn-north-1' })],
  [
    'sts.us-gov-west-1.amazonaws.com',
    'GovCloud with FIPS',
    (bench) => writeRole(bench, { region: 'us-gov-west-1', use_fips_endpoint: 'true' }),
  ],
  [
    'sts-fips.us-east-1.api.aws',
    'FIPS and dual-stack',
    (bench) => writeRole(bench, { region: 'us-east-1', use_dualstack_endpoint: 'true' }),
    { AWS_USE_FIPS_ENDPOINT: 'true' },
  ],
  [
    'sts.amazonaws.com',
    'the global STS',
    (bench) => writeRole(bench, { region: 'us-east-2', sts_regional_endpoints: 'legacy' }),
  ],
  [
    'vpce.example',
    'a services section',
    (bench) => {
      const dev = `[profile dev]\nrole_arn = ${role}\nsource_profile = base\nregion = us-east-1\nservices = private\n`
      const services = '[services private]\nsts =\n  endpoint_url = https://vpce.example\n'
      return bench.write({ config: `${dev}${services}`, credentials: { base: keysOf(bench.aws) } })
    },
  ],
  ['portal.sso.us-gov-west-1.amazonaws.com', 'the SSO portal', (bench) => writeSso(bench, 'us-gov-west-1')],
  [
    'portal.sso-fips.us-east-1.amazonaws.com',
    'the SSO portal with FIPS',
    (bench) => writeSso(bench, 'us-east-1', { use_fips_endpoint: 'true' }),
  ],
  ['eu-central-1.signin.aws.amazon.com', 'a console sign-in', (bench) => signInToConsole(bench, user, inMinutes(-5))],
])('%s is asked for %s', async (host, _, prepare, env = {}) => {
  await using bench = await startWorkbench()
  await using route = await startAwsByName(bench)
  await prepare(bench)
  const { status } = await bench.run({
    argv: [...argv, '--client-timeout', '10'],
    env: { ...route.environment, ...env },
  })
  // The proxy does not know the host, and a helper asks it again as for anything that is briefly out of reach.
  expect({ status, asked: [...new Set(route.asked)] }).toEqual({ status: 6, asked: [`CONNECT ${host}:443`] })
})
