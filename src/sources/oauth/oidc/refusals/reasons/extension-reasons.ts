import { createOutageReason, createPolicyReason, createSettingReason, registerRedirect } from './create-reasons.ts'
import type { FindReason } from './refusal.ts'

/** RFC 8628, section 3.5; Entra ID's names for two of them ("device authorization grant flow", Microsoft Learn). */
const device: Readonly<Record<string, FindReason>> = {
  authorization_pending: createPolicyReason(
    'is not finished: nobody has entered the code yet',
    'enter the code, then start again',
  ),
  slow_down: createOutageReason('cannot be completed now: the provider asks for more time between two requests'),
  expired_token: createPolicyReason('took too long: the code has expired', 'start again, which gives a new code'),
  authorization_declined: createPolicyReason('was denied in the browser', 'start again, and allow it there'),
  bad_verification_code: createPolicyReason(
    'cannot be completed with this code',
    'start again, which gives a new code',
  ),
}

/** RFC 8707, section 2; RFC 7009, section 2.2.1; RFC 9449, sections 5 and 8; Entra ID's `invalid_resource`. */
const extensions: Readonly<Record<string, FindReason>> = {
  invalid_target: ({ registration: { audience } }) => ({
    kind: 'not-configured',
    problem: 'asks for a resource that the provider does not have, or not for this client',
    hint: `correct resource${audience === undefined ? '' : `, or remove it: this provider goes by ${audience}`}`,
  }),
  invalid_resource: createSettingReason(
    'asks for an API that the provider does not have',
    'correct the scopes or resource',
  ),
  unsupported_token_type: createPolicyReason(
    'ends nothing there: the provider revokes no token of this kind',
    'end the session at the provider, on its page of sessions',
  ),
  use_dpop_nonce: createSettingReason(
    'was refused, because the client has to prove a key (DPoP)',
    'switch that off for this client: a gateway gets the token alone',
  ),
  invalid_dpop_proof: createSettingReason(
    'was refused, because the client has to prove a key (DPoP)',
    'switch that off for this client: a gateway gets the token alone',
  ),
}

/** Google's and Salesforce's own codes ("OAuth 2.0 for iOS & Desktop Apps", authorization errors); RFC 7591's `invalid_redirect_uri`. */
const ownCodes: Readonly<Record<string, FindReason>> = {
  redirect_uri_mismatch: registerRedirect,
  invalid_redirect_uri: registerRedirect,
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
export const extensionReasons: Readonly<Record<string, FindReason>> = { ...device, ...extensions, ...ownCodes }
