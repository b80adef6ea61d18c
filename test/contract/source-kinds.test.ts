import { mkdir, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import apiKey from '../../helpers/api-key.ts'
import awsBedrockToken from '../../helpers/aws-bedrock-token.ts'
import awsCallerIdentity from '../../helpers/aws-caller-identity.ts'
import awsIdentityToken from '../../helpers/aws-identity-token.ts'
import awsSecret from '../../helpers/aws-secret.ts'
import commandToken from '../../helpers/command-token.ts'
import oidcToken from '../../helpers/oidc-token.ts'
import workloadToken from '../../helpers/workload-token.ts'
import { listSourceKinds } from '../../src/contract/source-kinds.ts'
import type { AnyHelper } from '../../src/helper/define-helper.ts'
import { requireArguments } from '../../src/helper/options/arguments.ts'
import { type CommonOptions, commonOptions } from '../../src/helper/options/every-helper-options.ts'
import { readOptions, toValues } from '../../src/helper/options/resolve-options.ts'
import { createCallRecord } from '../../src/helper/record/call-record.ts'
import { createCall } from '../../src/helper/run/call-settings.ts'
import { planAwsCredentials } from '../../src/sources/aws/credentials/plan-credentials.ts'
import { testHost } from '../setup/test-host.ts'

/** Returns the kind of source that a helper's plan names. */
async function planKind(helper: unknown, argv: readonly string[], env = {}) {
  const { options: own, plan } = helper as AnyHelper // a declaration of some table
  const host = await testHost({ env })
  const table = { ...commonOptions, ...own }
  const resolved = await readOptions(host, 'planned', table, await requireArguments('planned', table, argv))
  const options = toValues<CommonOptions>(resolved)
  return (await plan(host, options, createCall('planned', host, resolved, createCallRecord()))).sourceKind
}

const keys = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'example' }
const web = {
  AWS_REGION: 'eu-central-1',
  AWS_ROLE_ARN: 'arn:aws:iam::111122223333:role/a',
  AWS_WEB_IDENTITY_TOKEN_FILE: '/tmp/token',
}
const job = { ACTIONS_ID_TOKEN_REQUEST_URL: 'https://ci.example/id', ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'x' }
const target = ['--base-url', 'https://api.example', '--organization', 'o', '--federation-rule', 'r', '--audience', 'a']
const client = ['--client-id', 'c', '--bearer-token-type', 'id_token']

test.each<[string, unknown, readonly string[], Record<string, string>]>([
  ['keychain', apiKey, [], {}],
  ['file', apiKey, ['--key-file', '/run/key'], {}],
  ['variable', apiKey, ['--key-variable', 'KEY'], {}],
  ['command', commandToken, ['--command', '/bin/true'], {}],
  ['aws-environment', awsBedrockToken, [], keys],
  ['aws-web-identity', awsCallerIdentity, ['--audience', 'none'], web],
  ['aws-environment', awsIdentityToken, ['--audience', 'a'], keys],
  ['aws-environment', awsSecret, ['--secret', 's'], keys],
  ['github-actions', workloadToken, [...target, '--identity', 'github-actions'], job],
  ['aws-environment', workloadToken, [...target, '--identity', 'aws'], keys],
  ['oidc-okta', oidcToken, [...client, '--issuer', 'https://acme.okta.com'], {}],
  ['oidc-other', oidcToken, [...client, '--issuer', 'https://sso.acme.example/secret-path'], {}],
])('a source is called %s', async (kind, helper, argv, env) => {
  const isKnown = listSourceKinds().some((known) => known === kind)
  expect({ told: await planKind(helper, argv, env), isKnown }).toEqual({ told: kind, isKnown: true })
})

test('an assumed role is called by the source that its chain begins with', async () => {
  const host = await testHost({ env: keys })
  await mkdir(`${host.home}/.aws`)
  const sso =
    'sso_start_url = https://x.awsapps.com/start\nsso_region = eu-central-1\nsso_account_id = 111122223333\nsso_role_name = r'
  const role = 'role_arn = arn:aws:iam::111122223333:role/b\nsource_profile = person'
  await writeFile(`${host.home}/.aws/config`, `[profile person]\n${sso}\n[profile robot]\n${role}\n`)
  expect(
    (
      await planAwsCredentials(host, {
        profile: 'robot',
        region: 'eu-central-1',
        path: undefined,
        'aws-chain': 'auto',
        'watch-variable': [],
        watch: [],
      })
    ).sourceKind,
  ).toBe('aws-sso')
})
