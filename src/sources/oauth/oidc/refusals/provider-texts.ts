import {
  confidentialClient,
  createPersonReason,
  createPolicyReason,
  createSettingReason,
  endedByRule,
  type ToReason,
  unassigned,
  unregisteredRedirect,
} from './refusal.ts'

/** Okta's sentences, as its users quote them in public issues and test data; the first is in Okta's support articles. */
const okta: readonly TextRow[] = [
  [/must be a Login redirect URI in the client app settings/i, unregisteredRedirect],
  [
    /user is not assigned to the client application/i,
    createPolicyReason(unassigned, 'have an administrator assign the person: application, Assignments'),
  ],
  [
    /policy evaluation failed for this request/i,
    createPolicyReason(
      'was refused by the access policy of the authorization server',
      'have an administrator add a rule there for this client, these scopes and this person: Security, API, Access Policies',
    ),
  ],
  [
    /scopes are not configured for the authorization server/i,
    createSettingReason(
      'asks for a scope that the authorization server does not have',
      'correct the scopes, or add the scope there; for offline_access, allow the grant type Refresh Token in the application',
    ),
  ],
  [
    /PKCE code challenge is required/i,
    createSettingReason('was refused, because the client needs PKCE', 'report this: PKCE is always used'),
  ],
]

/** Google's sentences, as its users quote them. Its other refusals have codes of their own and stay in the browser. */
const google: readonly TextRow[] = [
  [/\binvalid_rapt\b/, createPersonReason(endedByRule)],
  [/token has been expired or revoked/i, createPersonReason('has ended: it expired, or was revoked')],
  [
    /client_secret is missing/i,
    createSettingReason(
      'was refused, because Google asks for the secret of this client',
      'write the secret into a file, and set client-secret-file of a helper script to its path: a document has no field for it',
    ),
  ],
]

/** Auth0's sentences, as its users quote them. */
const auth0: readonly TextRow[] = [
  [/callback url mismatch/i, unregisteredRedirect],
  [
    /grant type '?[\w:-]{1,80}'? not allowed for the client/i,
    createSettingReason(
      'uses a grant that the application does not allow',
      'allow it in the application: Settings, Advanced, Grant Types',
    ),
  ],
  [
    /unknown or invalid refresh token/i,
    createPersonReason('has ended: its refresh token expired, was revoked or was used twice'),
  ],
  [
    /service not (found|enabled within domain)/i,
    createSettingReason(
      'asks for an API that does not exist',
      'correct the parameter audience: it is the identifier of the API',
    ),
  ],
]

/** Keycloak's sentences, from its sources (TokenManager, TokenVerifier, AuthorizationEndpoint, RedirectUtils). */
const keycloak: readonly TextRow[] = [
  [/invalid parameter: redirect_uri|incorrect redirect_uri/i, unregisteredRedirect],
  [
    /maximum allowed refresh token reuse exceeded/i,
    createPersonReason(
      'has ended, because its refresh token was used twice, by another program or a copy of the store',
    ),
  ],
  [
    /(session|token) (is )?not active|session doesn't have required client|stale token|offline (user )?session not (active|found)/i,
    createPersonReason('has ended'),
  ],
  [
    /client (is )?not (enabled|allowed)|not allowed for direct|standard flow is disabled/i,
    createSettingReason(
      'was refused, because the client may not use this flow',
      'in the client, under Settings, enable it, and switch "Standard flow" on',
    ),
  ],
  [
    /offline tokens not allowed/i,
    createSettingReason(
      'asks for offline_access, which this person or client may not have',
      'give the person the realm role offline_access, or switch off appending it',
    ),
  ],
]

/** PingFederate's and Salesforce's sentences, as their users quote them. */
const pingAndSalesforce: readonly TextRow[] = [
  [/unknown, invalid, or expired refresh token|expired access\/refresh token/i, createPersonReason('has ended')],
  [
    /inactive user|ip restricted|inactive organization/i,
    createPolicyReason('was refused for this account', 'ask an administrator'),
  ],
]

/**
 * AD FS, by the number of its message. Seen in public messages: 9223 (client_id), 9224 (redirect_uri), 9602 (resource), 9605
 * (client authentication). Its own documentation lists none of them.
 */
const adfs: readonly TextRow[] = [
  [/\bMSIS9224\b/, unregisteredRedirect],
  [/\bMSIS9605\b/, confidentialClient],
  [
    /\bMSIS9223\b/,
    createSettingReason('names a client that AD FS does not have', 'compare the client ID with the application group'),
  ],
  [
    /\bMSIS9602\b/,
    createSettingReason(
      'names a resource that AD FS does not have',
      'set resource to an identifier of the Web API in the application group',
    ),
  ],
]

/** The sentences of all providers, in the order in which they are compared. */
export const providerTexts: readonly TextRow[] = [
  ...okta,
  ...google,
  ...auth0,
  ...keycloak,
  ...pingAndSalesforce,
  ...adfs,
]

/** Each pattern is one of a provider's own sentences. If a text matches, our words are shown instead of it. */
type TextRow = readonly [pattern: RegExp, reason: ToReason]
