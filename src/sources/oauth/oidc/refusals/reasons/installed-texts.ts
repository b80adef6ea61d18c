import {
  createPersonReason,
  createPolicyReason,
  createSettingReason,
  makePublic,
  registerRedirect,
} from './create-reasons.ts'
import type { TextRow } from './text-row.ts'

/** Keycloak's sentences, from its sources (TokenManager, TokenVerifier, AuthorizationEndpoint, RedirectUtils). */
const keycloak: readonly TextRow[] = [
  [/invalid parameter: redirect_uri|incorrect redirect_uri/i, registerRedirect],
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
      'give the person the realm role offline_access, or switch off that it is appended',
    ),
  ],
]

/** PingFederate's and Salesforce's sentences, as their users quote them. */
const others: readonly TextRow[] = [
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
  [/\bMSIS9224\b/, registerRedirect],
  [/\bMSIS9605\b/, makePublic],
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

/** Sentences of providers that organizations install themselves, and of Salesforce. */
export const installedTexts: readonly TextRow[] = [...keycloak, ...others, ...adfs]
