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

export type GatewayKind = keyof typeof gateways
export type PeopleKind = keyof typeof people

/** The helper for a gateway and its people. */
export interface HelperChoice {
  readonly helper: string
  /** Words in capitals and names of examples are to be replaced. */
  readonly args: readonly string[]
  /** The other steps, in the imperative; a sentence without its end. */
  readonly note?: string
}

/** The reason why nothing fits, and the alternative, in the imperative. */
export interface NoChoice {
  readonly reason: string
  readonly instead: string
}

/** Stands for the address of the gateway, which only the reader knows. */
export const exampleGateway = 'https://gateway.example.com'

const gcloud = '--command gcloud --command auth --command print-identity-token'.split(' ')
const openid = ['--client-id', 'CLIENT-ID', '--issuer', 'https://id.example.com', '--refresh-token-store', 'file']
const audience = ['--audience', exampleGateway]
const platform = [
  '--base-url',
  'https://api.example.com',
  '--organization',
  'ORGANIZATION',
  '--federation-rule',
  'RULE',
]
const second = ['--second-helper', 'api-key', '--header', 'X-Gateway-Key: {second.token}']

const register = 'register a public client with the provider (docs/providers.md)'
const store = 'store the key on each machine: api-key store'
const storeSecond =
  'store the second credential on each machine: api-key store; name its header as the gateway wants it'
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

/** The helpers that a rollout begins with: for people with an OpenID provider, for Bedrock, and for a key that each machine keeps. */
export const usualHelpers = { openid: 'oidc-token', bedrock: 'aws-bedrock-token', key: 'api-key' } as const

/** The choice for every kind of gateway and of people. */
export const choices: Readonly<Record<GatewayKind, Readonly<Record<PeopleKind, HelperChoice | NoChoice>>>> = {
  key: {
    aws: { helper: 'aws-secret', args: ['--secret', 'ai/key'], note: 'put the key into AWS Secrets Manager' },
    openid: keysOnly,
    workload: keysOnly,
    key: { helper: 'api-key', args: [], note: store },
    program: { helper: 'command-token', args: ['--command', 'pass', '--command', 'ai/key', '--output', 'first-line'] },
  },
  jwt: {
    aws: { helper: 'aws-identity-token', args: audience, note: trust },
    openid: { helper: 'oidc-token', args: openid, note: register },
    workload: { helper: 'command-token', args: gcloud, note: trust },
    key: {
      reason: 'the gateway wants a token that an issuer has signed, and nobody signs a static key',
      instead: 'have the gateway take keys (--gateway key), or find what people have that signs (--people openid)',
    },
    program: { helper: 'command-token', args: gcloud, note: trust },
  },
  platform: {
    aws: {
      helper: 'aws-identity-token',
      args: ['--exchange', ...audience, ...platform],
      note: 'have a federation rule made for AWS',
    },
    openid: {
      helper: 'oidc-token',
      args: [...openid, '--exchange', 'platform', ...platform],
      note: 'have a federation rule made for the provider',
    },
    workload: {
      helper: 'workload-token',
      args: ['--identity', 'file', '--identity-file', '/run/identity/token', ...platform],
      note: 'have a federation rule made for the issuer of its identity',
    },
    key: { helper: 'api-key', args: [], note: store },
    program: {
      helper: 'workload-token',
      args: ['--identity', 'command', '--identity-command', '/usr/local/bin/identity', ...platform],
      note: 'have a federation rule made for the issuer of what the program prints',
    },
  },
  bedrock: {
    aws: { helper: 'aws-bedrock-token', args: ['--profile', 'ai', '--region', 'eu-central-1'] },
    openid: awsOnly,
    workload: { helper: 'aws-bedrock-token', args: ['--profile', 'ai', '--region', 'eu-central-1'], note: webIdentity },
    key: { helper: 'api-key', args: [], note: `create a long-term key for Bedrock, and ${store}` },
    program: { helper: 'aws-bedrock-token', args: ['--profile', 'ai', '--region', 'eu-central-1'], note: asProcess },
  },
  'aws-proof': {
    aws: {
      helper: 'aws-caller-identity',
      args: ['--audience', 'gateway', '--profile', 'ai', '--region', 'eu-central-1'],
    },
    openid: awsOnly,
    workload: {
      helper: 'aws-caller-identity',
      args: ['--audience', 'gateway', '--profile', 'ai', '--region', 'eu-central-1'],
      note: webIdentity,
    },
    key: { ...awsOnly, reason: 'a proof is signed with AWS credentials, and a static key cannot sign' },
    program: {
      helper: 'aws-caller-identity',
      args: ['--audience', 'gateway', '--profile', 'ai', '--region', 'eu-central-1'],
      note: asProcess,
    },
  },
  two: {
    aws: { helper: 'aws-identity-token', args: [...audience, ...second], note: storeSecond },
    openid: { helper: 'oidc-token', args: [...openid, ...second], note: `${register}; ${storeSecond}` },
    workload: { helper: 'command-token', args: [...gcloud, ...second], note: storeSecond },
    key: {
      helper: 'api-key',
      args: [...second, '--second-option', 'key-name=second'],
      note: 'store both keys on each machine: api-key store, and api-key store --key-name second',
    },
    program: { helper: 'command-token', args: [...gcloud, ...second], note: storeSecond },
  },
}
