/** The call whose cache is recorded. */
export const awsCall = {
  program: 'aws-bedrock-token',
  argv: ['--region', 'eu-central-1'],
  env: {
    AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'example',
    VENDOR_HELPER_CONTEXT: 'interactive',
    // Paths are inputs of the key: with these it is the same in every home.
    AWS_CONFIG_FILE: '/nonexistent/config',
    AWS_SHARED_CREDENTIALS_FILE: '/nonexistent/credentials',
  },
} as const

/** The key with which a recorded entry is sealed; the keychain holds it on a desktop. */
export const sealingKeyBytes: Uint8Array = Buffer.alloc(32, 'made up')

/** The sign-in that is recorded. */
export const settings = {
  clientId: 'gatepass',
  issuer: 'https://id.example.com',
  bearerTokenType: 'id_token',
  appendOfflineAccess: true,
  redirectHost: '127.0.0.1',
  additionalRedirectReferrerHosts: [],
} as const

export const identity = {
  id: '00000000-0000-4000-8000-000000000000',
  subject: 'dana',
  idToken: 'made-up-id-token',
  accessToken: 'made-up-access-token',
  refreshToken: 'made-up-refresh-token',
} as const

export const gatewayPolicy = {
  issuers: [{ issuer: 'https://id.example.com', audiences: ['gatepass'], longestLifeSec: 3600 }],
  rules: [
    {
      name: 'people',
      issuer: 'https://id.example.com',
      claims: { groups: ['llm-*'] },
      headers: { 'x-user': '{email}' },
    },
  ],
} as const
