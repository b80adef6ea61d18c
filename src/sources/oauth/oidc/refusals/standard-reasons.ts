// The meanings of the error codes of OAuth and OpenID Connect here, with a hint for each.

import { denial, newSignInHint } from '../../flow.ts'
import {
  consentRequired,
  createOutageReason,
  createPersonReason,
  createPolicyReason,
  createSettingReason,
  endElsewhereHint,
  isByCode,
  isRenewal,
  newSessionHint,
  type ToReason,
  toAdministratorHint,
  unregisteredRedirect,
  unusableCode,
} from './refusal.ts'

const newCodeHint = 'start again, which gives a new code'

/** RFC 8628, section 3.5; Entra ID's names for two of them ("device authorization grant flow", Microsoft Learn). */
const device: Readonly<Record<string, ToReason>> = {
  authorization_pending: createPolicyReason(
    'is not finished: nobody has entered the code yet',
    'enter the code, then start again',
  ),
  slow_down: createOutageReason('cannot be completed now: the provider asks for more time between two requests'),
  expired_token: createPolicyReason('took too long: the code has expired', newCodeHint),
  authorization_declined: createPolicyReason(denial.problem, denial.hint),
  bad_verification_code: createPolicyReason(unusableCode, newCodeHint),
}

const proofRequired = createSettingReason(
  'was refused, because the client has to prove a key (DPoP)',
  'switch that off for this client: a gateway gets the token alone',
)

/** RFC 8707, section 2; RFC 7009, section 2.2.1; RFC 9449, sections 5 and 8; RFC 9470, section 3; Entra ID's `invalid_resource`. */
const extensions: Readonly<Record<string, ToReason>> = {
  insufficient_user_authentication: createPersonReason(
    'needs the person to sign in anew, or in a stronger way than before',
    'start again, and sign in in the way that the organization asks for',
  ),
  invalid_target: ({ registration: { audience } }) => ({
    kind: 'not-configured',
    problem: 'asks for a resource that the provider does not have, or not for this client',
    hint: toAdministratorHint(
      `correct resource${audience === undefined ? '' : `, or remove it: this provider goes by ${audience}`}`,
    ),
  }),
  invalid_resource: createSettingReason(
    'asks for an API that the provider does not have',
    'correct the scopes or resource',
  ),
  unsupported_token_type: createPolicyReason(
    'ends nothing there: the provider revokes no token of this kind',
    endElsewhereHint,
  ),
  use_dpop_nonce: proofRequired,
  invalid_dpop_proof: proofRequired,
}

/** Google's and Salesforce's own codes ("OAuth 2.0 for iOS & Desktop Apps", authorization errors); RFC 7591's `invalid_redirect_uri`. */
const ownCodes: Readonly<Record<string, ToReason>> = {
  redirect_uri_mismatch: unregisteredRedirect,
  invalid_redirect_uri: unregisteredRedirect,
  admin_policy_enforced: createPolicyReason(
    'is not allowed by a policy of the organization',
    'have an administrator trust this client: Google Admin console, Security, API controls',
  ),
  disallowed_useragent: createPolicyReason(
    'was opened in a browser that the provider does not accept',
    'open the address in Chrome, Edge, Firefox or Safari; the variable BROWSER chooses the program',
  ),
  org_internal: createPolicyReason(
    'is for accounts of one organization only',
    'start again with an account of that organization',
  ),
  deleted_client: createSettingReason('names a client that was deleted', 'use the ID of a client that exists'),
  OAUTH_APP_BLOCKED: createPolicyReason('is blocked for this application', 'ask an administrator'),
}

/** Reasons by codes beyond RFC 6749 and OpenID Connect Core. */
const extensionReasons: Readonly<Record<string, ToReason>> = { ...device, ...extensions, ...ownCodes }

const askProvider = 'report this to whoever runs the provider, with the client ID and the time'

/** RFC 6749, sections 4.1.2.1 and 5.2. */
const oauth: Readonly<Record<string, ToReason>> = {
  invalid_request: createSettingReason(
    'was refused as not valid',
    'compare the client ID, the redirect URI and the parameters with the registration of the client',
  ),
  invalid_client: ({ registration, context: { clientSecretFile: file } }) =>
    file === undefined
      ? {
          kind: 'not-configured',
          problem: 'names a client that the provider does not know, or that has to use a secret',
          hint: toAdministratorHint(`correct the client ID; ${registration.makePublic}`),
        }
      : {
          kind: 'not-configured',
          problem:
            'names a client that the provider does not know, or whose secret is another one or is sent in another way',
          hint: toAdministratorHint(`correct client-id, the secret in ${file}, or client-auth`),
        },
  invalid_grant: (facts) =>
    isRenewal(facts)
      ? { kind: 'sign-in-required', problem: 'has ended', hint: newSessionHint }
      : { kind: 'refused', problem: 'cannot be completed: its code has expired or was used', hint: newSignInHint },
  unauthorized_client: ({ registration }) => ({
    kind: 'not-configured',
    problem: 'uses a grant that this client may not use',
    hint: toAdministratorHint(
      `allow authorization code, refresh token and, for sign-ins by code, device; ${registration.makePublic}`,
    ),
  }),
  access_denied: (facts) =>
    isRenewal(facts)
      ? { kind: 'sign-in-required', problem: 'was refused by a policy of the provider', hint: newSessionHint }
      : { kind: 'refused', ...denial },
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
    'correct the scopes; if offline_access is not allowed, switch off appending it',
  ),
  server_error: createOutageReason('cannot be completed now: the provider reports an error of its own'),
  temporarily_unavailable: createOutageReason('cannot be completed now: the provider is busy'),
}

const notSupported = createSettingReason('uses a form of request that the provider does not take', askProvider)

/** OpenID Connect Core 1.0, section 3.1.2.6, and "Unmet Authentication Requirements 1.0". */
const openid: Readonly<Record<string, ToReason>> = {
  interaction_required: createPersonReason('needs the person'),
  login_required: createPersonReason('needs the person'),
  account_selection_required: createPersonReason('needs the person to choose an account'),
  consent_required: consentRequired,
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
export const standardReasons: ReadonlyMap<string, ToReason> = new Map(
  Object.entries({ ...oauth, ...openid, ...extensionReasons }),
)
