import {
  createOutageReason,
  createPersonReason,
  createPolicyReason,
  createSettingReason,
  newSessionHint,
} from './create-reasons.ts'
import { extensionReasons } from './extension-reasons.ts'
import { type FindReason, isByCode, isRenewal } from './refusal.ts'

const askProvider = 'ask whoever runs the provider, with the client ID and the time'

/** RFC 6749, sections 4.1.2.1 and 5.2. */
const oauth: Readonly<Record<string, FindReason>> = {
  invalid_request: createSettingReason(
    'was refused as not valid',
    'compare the client ID, the redirect URI and the parameters with the registration of the client',
  ),
  invalid_client: ({ registration, context: { clientSecretFile: file } }) =>
    file === undefined
      ? {
          kind: 'not-configured',
          problem: 'names a client that the provider does not know, or that has to use a secret',
          hint: `correct the client ID; ${registration.makePublic}`,
        }
      : {
          kind: 'not-configured',
          problem:
            'names a client that the provider does not know, or whose secret is another one or is sent in another way',
          hint: `correct client-id, the secret in ${file}, or client-auth`,
        },
  invalid_grant: (facts) =>
    isRenewal(facts)
      ? { kind: 'sign-in-required', problem: 'has ended', hint: newSessionHint }
      : { kind: 'refused', problem: 'cannot be completed: its code has expired or was used', hint: 'start again' },
  unauthorized_client: ({ registration }) => ({
    kind: 'not-configured',
    problem: 'uses a grant that this client may not use',
    hint: `allow authorization code, refresh token and, for sign-ins by code, device; ${registration.makePublic}`,
  }),
  access_denied: (facts) =>
    isRenewal(facts)
      ? { kind: 'sign-in-required', problem: 'was refused by a policy of the provider', hint: newSessionHint }
      : { kind: 'refused', problem: 'was denied in the browser', hint: 'start again, and allow it there' },
  unsupported_response_type: createSettingReason(
    'was refused, because the client may not use the authorization code flow',
    'allow that flow in the registration of the client',
  ),
  unsupported_grant_type: (facts) => ({
    kind: 'not-configured',
    problem: 'uses a grant that the provider does not have',
    hint: isByCode(facts) ? 'sign in with a browser: --sign-in browser' : askProvider,
  }),
  invalid_scope: createSettingReason(
    'asks for a scope that this client may not have',
    'correct the scopes; where offline_access is not allowed, switch off that it is appended',
  ),
  server_error: createOutageReason('cannot be completed now: the provider reports an error of its own'),
  temporarily_unavailable: createOutageReason('cannot be completed now: the provider is busy'),
}

const notSupported = createSettingReason('uses a form of request that the provider does not take', askProvider)

/** OpenID Connect Core 1.0, section 3.1.2.6, and "Unmet Authentication Requirements 1.0". */
const openid: Readonly<Record<string, FindReason>> = {
  interaction_required: createPersonReason('needs the person'),
  login_required: createPersonReason('needs the person'),
  account_selection_required: createPersonReason('needs the person to choose an account'),
  consent_required: createPersonReason(
    'needs a consent that nobody has given',
    'start again and consent, or have an administrator consent for the organization',
  ),
  invalid_request_uri: notSupported,
  invalid_request_object: notSupported,
  request_not_supported: notSupported,
  request_uri_not_supported: notSupported,
  registration_not_supported: notSupported,
  unmet_authentication_requirements: createPolicyReason(
    'needs a stronger way of signing in than was used',
    'start again, and use the second factor that the organization asks for',
  ),
}

/** The reasons by the code `error`. */
export const standardReasons: ReadonlyMap<string, FindReason> = new Map(
  Object.entries({ ...oauth, ...openid, ...extensionReasons }),
)
