// Holds the table of helpers by the gateway's credential and the people's accounts.

/** The credentials that gateways accept, by the name that `--gateway` takes. */
export const gateways = {
  key: 'an API key that does not change: LiteLLM, Portkey, Envoy AI Gateway, agentgateway, a gateway of your own',
  jwt: 'a JWT of an issuer that it trusts: LiteLLM, Portkey, Kong, Envoy AI Gateway, agentgateway, AgentCore, nginx, HAProxy, Apache',
  platform: "the platform's own API: a key, or an access token",
  bedrock: 'a key of AWS Bedrock, or a gateway that passes one on',
  'aws-proof': 'a proof of an AWS identity, as aws-iam-authenticator and Vault take it',
  two: "two credentials at once: Google's IAP, Cloudflare Access, Azure API Management, Databricks",
} as const

/** The accounts and keys that people, or their machines, already have, by the name that `--people` takes. */
export const people = {
  aws: 'an AWS profile, of any kind',
  openid: 'an account with an OpenID provider: Entra ID, Okta, Google, Keycloak, …',
  workload: 'no person: a workload with an identity, as in CI, Kubernetes or a cloud',
  key: 'a static key that somebody hands out',
  program: 'another program that prints a token, such as gcloud, az, vault or a script',
} as const

/** The value of `--gateway`. */
export type GatewayKind = keyof typeof gateways
/** The value of `--people`. */
export type PeopleKind = keyof typeof people

/** The helper for a gateway and its people. */
export interface HelperChoice {
  readonly helper: string
  /** Words in capitals, and example names, must be replaced. */
  readonly args: readonly string[]
  /** Further steps, in the imperative; a sentence without its full stop. */
  readonly note?: string
}

/** Why no helper fits, and the alternative in the imperative. */
export interface NoChoice {
  readonly reason: string
  readonly instead: string
}

/** An example address, because only the reader knows the gateway's. */
export const exampleGateway = 'https://gateway.example.com'

const audience = ['--audience', exampleGateway]
const profile = ['--profile', 'ai', '--region', 'eu-central-1']
const platform = [
  '--base-url',
  'https://api.example.com',
  '--organization',
  'ORGANIZATION',
  '--federation-rule',
  'RULE',
]

/** The helpers with arguments that do not depend on the situation. */
const storedKey = { helper: 'api-key', args: [] }
const secret = { helper: 'aws-secret', args: ['--secret', 'ai/key'] }
const bedrockKey = { helper: 'aws-bedrock-token', args: profile }
const callerProof = { helper: 'aws-caller-identity', args: ['--audience', 'gateway', ...profile] }
const awsToken = { helper: 'aws-identity-token', args: audience }
const exchanged = { helper: 'workload-token', args: [] }
const command = { helper: 'command-token', args: [] }
const signIn = {
  helper: 'oidc-token',
  args: ['--client-id', 'CLIENT-ID', '--issuer', 'https://id.example.com', '--refresh-token-store', 'file'],
}
const second = ['--second-helper', storedKey.helper, '--header', 'X-Gateway-Key: {second.token}']
const gcloud = withArguments(command, '--command gcloud --command auth --command print-identity-token'.split(' '))

function withArguments(choice: HelperChoice, args: readonly string[]): HelperChoice {
  return { ...choice, args: [...choice.args, ...args] }
}

const register = 'register a public client with the provider (docs/providers.md)'
const store = `store the key on each machine: ${storedKey.helper} store`
const storeSecond = `store the second credential on each machine: ${storedKey.helper} store; name its header as the gateway wants it`
const trust = 'have the gateway trust the issuer, and check the audience'
const webIdentity = 'give the workload an AWS profile with web_identity_token_file and role_arn'
const asProcess = 'make the program the credential_process of an AWS profile, if it gives AWS credentials'

const keysOnly: NoChoice = {
  reason: 'a gateway that takes keys alone cannot tell who sends one',
  instead: 'have it take a JWT (--gateway jwt), or hand out keys (--people key)',
}
const awsOnly: NoChoice = {
  reason: 'AWS verifies its own identities alone',
  instead: 'give people an AWS profile, which IAM Identity Center does with your provider (--people aws)',
}

/** The usual helpers of a rollout: for people with an OpenID provider, for Bedrock, and for a key that each machine stores. */
export const usualHelpers = { openid: signIn.helper, bedrock: bedrockKey.helper, key: storedKey.helper } as const

/** The helper for every kind of gateway and of people, or the reason why none fits. */
export const choices: Readonly<Record<GatewayKind, Readonly<Record<PeopleKind, HelperChoice | NoChoice>>>> = {
  key: {
    aws: { ...secret, note: 'put the key into AWS Secrets Manager' },
    openid: keysOnly,
    workload: keysOnly,
    key: { ...storedKey, note: store },
    program: withArguments(command, ['--command', 'pass', '--command', 'ai/key', '--output', 'first-line']),
  },
  jwt: {
    aws: { ...awsToken, note: trust },
    openid: { ...signIn, note: register },
    workload: { ...gcloud, note: trust },
    key: {
      reason: 'the gateway wants a token that an issuer has signed, and nobody signs a static key',
      instead: 'have the gateway take keys (--gateway key), or find what people have that signs (--people openid)',
    },
    program: { ...gcloud, note: trust },
  },
  platform: {
    aws: {
      ...awsToken,
      args: ['--exchange', ...awsToken.args, ...platform],
      note: 'have a federation rule made for AWS',
    },
    openid: {
      ...withArguments(signIn, ['--exchange', 'platform', ...platform]),
      note: 'have a federation rule made for the provider',
    },
    workload: {
      ...withArguments(exchanged, ['--identity', 'file', '--identity-file', '/run/identity/token', ...platform]),
      note: 'have a federation rule made for the issuer of its identity',
    },
    key: { ...storedKey, note: store },
    program: {
      ...withArguments(exchanged, [
        ...['--identity', 'command', '--identity-command', '/usr/local/bin/identity'],
        ...platform,
      ]),
      note: 'have a federation rule made for the issuer of what the program prints',
    },
  },
  bedrock: {
    aws: bedrockKey,
    openid: awsOnly,
    workload: { ...bedrockKey, note: webIdentity },
    key: { ...storedKey, note: `create a long-term key for Bedrock, and ${store}` },
    program: { ...bedrockKey, note: asProcess },
  },
  'aws-proof': {
    aws: callerProof,
    openid: awsOnly,
    workload: { ...callerProof, note: webIdentity },
    key: { ...awsOnly, reason: 'a proof is signed with AWS credentials, and a static key cannot sign' },
    program: { ...callerProof, note: asProcess },
  },
  two: {
    aws: { ...withArguments(awsToken, second), note: storeSecond },
    openid: { ...withArguments(signIn, second), note: `${register}; ${storeSecond}` },
    workload: { ...withArguments(gcloud, second), note: storeSecond },
    key: {
      ...withArguments(storedKey, [...second, '--second-option', 'key-name=second']),
      note: `store both keys on each machine: ${storedKey.helper} store, and ${storedKey.helper} store --key-name second`,
    },
    program: { ...withArguments(gcloud, second), note: storeSecond },
  },
}
