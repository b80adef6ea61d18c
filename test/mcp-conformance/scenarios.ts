/**
 * Every client scenario for authorization of `@modelcontextprotocol/conformance` 0.1.16: run against the product's sign-in, or why it
 * does not apply. What the Model Context Protocol has besides (metadata of the server, registration, which scope to ask for) is
 * done by the test's own client; PKCE, state, resource, the token request and what is made of its answer are the product's.
 */
export const scenarios = {
  'auth/metadata-default': 'run',
  'auth/metadata-var1': 'run',
  'auth/metadata-var2': 'run',
  'auth/metadata-var3': 'run',
  'auth/basic-cimd': 'run',
  'auth/scope-from-www-authenticate': 'run',
  'auth/scope-from-scopes-supported': 'run',
  'auth/scope-omitted-when-undefined': 'run',
  'auth/scope-step-up': 'run',
  'auth/scope-retry-limit': 'run',
  'auth/token-endpoint-auth-basic':
    'a client on a desktop is public (RFC 8252, section 8.5): the document has no client secret',
  'auth/token-endpoint-auth-post':
    'a client on a desktop is public (RFC 8252, section 8.5): the document has no client secret',
  'auth/token-endpoint-auth-none': 'run',
  'auth/pre-registration':
    'it hands out a client secret and requires it; a client that is registered beforehand without one is every other scenario',
  'auth/2025-03-26-oauth-metadata-backcompat': 'run',
  'auth/2025-03-26-oauth-endpoint-fallback': 'run',
  'auth/resource-mismatch': 'run',
  'auth/offline-access-scope': 'run',
  'auth/offline-access-not-supported': 'run',
  'auth/client-credentials-jwt': 'no person signs in: a workload has its own identity (docs/helpers)',
  'auth/client-credentials-basic': 'no person signs in, and a secret would lie on every desktop',
  'auth/cross-app-access-complete-flow':
    'its second server takes a client secret only (client_secret_basic); both steps are tested beside the token exchange',
} as const satisfies Readonly<Record<string, string>>
