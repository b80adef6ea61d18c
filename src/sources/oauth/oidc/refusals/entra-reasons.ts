// The meanings of the `AADSTS` codes of Microsoft Entra ID here, with a hint for each.

import { newSignInHint } from '../../flow.ts'
import {
  confidentialClient,
  consentRequired,
  createBrowserReason,
  createOutageReason,
  createPersonReason,
  createPolicyReason,
  createSettingReason,
  endedByRule,
  type ToReason,
  unassigned,
  unregisteredRedirect,
  unusableCode,
} from './refusal.ts'

const consentRows: readonly EntraRow[] = [
  [[65001], consentRequired],
  [[65004], createPolicyReason('ended, because the person did not consent', 'start again, and consent')],
  [
    [90094, 90095, 90008, 90099],
    ({ context: { clientId } }) => ({
      kind: 'refused',
      problem: 'needs the consent of an administrator',
      hint: `have an administrator grant it for the client ${clientId}: app registration, API permissions, "Grant admin consent"`,
    }),
  ],
  [
    [65002],
    createSettingReason(
      'asks for an API of Microsoft that this client ID may not use',
      'register an application of your own, and use its client ID',
    ),
  ],
  [
    [65005, 650056, 650057, 650052, 650054],
    createSettingReason(
      'asks for an API that the app registration does not list, or that the organization does not have',
      'add it in the app registration under API permissions, and consent to it for the organization',
    ),
  ],
]

/** Reasons that concern the person's account. */
const accountRows: readonly EntraRow[] = [
  [
    [16000, 50020, 50034, 51004, 90072, 500208],
    createPolicyReason('was made with an account that this tenant does not have', 'start again with another account'),
  ],
  [
    [50105],
    createPolicyReason(unassigned, 'have an administrator assign the person: enterprise application, Users and groups'),
  ],
  [[50057], createPolicyReason('was made with an account that is disabled', 'ask an administrator to enable it')],
  [[50055, 50144], createPersonReason('needs a new password', 'start again, and change the password')],
]

/** Reasons that end a sign-in in the normal course of things. */
const endRows: readonly EntraRow[] = [
  [[70008, 700082], createPersonReason('has ended, because nobody used it for too long')],
  [[50173, 50132, 50133], createPersonReason('has ended: it was revoked, or the password was changed')],
  [[70043], createPersonReason(endedByRule)],
  [[70000, 50089, 50085, 700003], createPersonReason('has ended')],
  [[54005, 501481, 700005], createPersonReason(unusableCode)],
  [[70018, 70019, 90119, 90120], createPersonReason('took too long, or another code was entered')],
  [
    [50033, 90006, 90012, 90024, 90033, 90055, 90090],
    createOutageReason('cannot be completed now, as Entra ID is busy'),
  ],
]

/** Reasons about consent, the account and the end of a sign-in, from the same list of Microsoft as the policies. */
const entraConsent: readonly EntraRow[] = [...consentRows, ...accountRows, ...endRows]

const signInLogs =
  'ask an administrator, who sees the reason under this code in the sign-in logs of the Microsoft Entra admin center'

/**
 * Conditional Access, by the codes of "Microsoft Entra authentication and authorization error codes" (Microsoft Learn). 530033
 * and 530084 are not in that list; their meaning is taken from messages in public issues: a sign-in by code under a policy that asks
 * for a managed device, and token protection.
 */
const entraPolicies: readonly EntraRow[] = [
  [
    [53003, 530032, 530035, 50131],
    createBrowserReason('was blocked by a Conditional Access policy of the organization', signInLogs),
  ],
  [
    [53000, 53001, 50129, 50155],
    createBrowserReason(
      'needs a device that the organization manages and that keeps its rules',
      `sign in on such a device, or ${signInLogs}`,
    ),
  ],
  [
    [50097, 50187],
    createBrowserReason(
      'needs a browser that proves which device this is',
      'sign in with Microsoft Edge, or with a browser that has the single sign-on of Microsoft, on a device that the organization manages',
    ),
  ],
  [
    [530033],
    createBrowserReason(
      'needs a device that the organization manages, which a sign-in with a code cannot prove',
      signInLogs,
    ),
  ],
  [
    [530084],
    createPolicyReason(
      'was blocked by a policy that binds tokens to a device (token protection), which a browser cannot satisfy',
      'ask an administrator to exclude this application from that policy',
    ),
  ],
  [
    [53002, 50127],
    createPolicyReason(
      'is allowed from approved applications only',
      'ask an administrator to approve this application',
    ),
  ],
  [
    [50074, 50076, 50078],
    createBrowserReason('needs a second factor', 'start again, and confirm with the second factor'),
  ],
  [
    [50072, 50079, 53004, 53010],
    createBrowserReason(
      'needs a second factor, and none is registered for this person',
      'register one at https://aka.ms/mfasetup, then start again',
    ),
  ],
  [
    [50158, 50161],
    createBrowserReason('needs a further proof from another service of the organization', newSignInHint),
  ],
  [
    [50053, 53011, 530034],
    createPolicyReason('was blocked, because the account or its address is at risk', signInLogs),
  ],
  [
    [500021, 500022, 500212, 500213],
    createPolicyReason(
      'is not allowed to people of that organization',
      'sign in with another account, or ask an administrator',
    ),
  ],
]

/** Reasons that an administrator has to correct. */
const entraSettings: readonly EntraRow[] = [
  [[50011, 500112, 70004, 900971], unregisteredRedirect],
  [[7000218], confidentialClient],
  [
    [9002325, 9002326, 9002327, 700084],
    createSettingReason(
      'uses a redirect URI that is registered for a single-page application',
      'in the app registration, under Authentication, move it to the platform "Mobile and desktop applications"',
    ),
  ],
  [
    [700016, 700011, 70001],
    createSettingReason(
      'names a client that this tenant does not have',
      'compare the client ID, and the tenant in the issuer, with the overview of the app registration',
    ),
  ],
  [[7000112], createSettingReason('names a client that is disabled', 'enable the enterprise application')],
  [
    [90002, 900023, 50059],
    createSettingReason('names a tenant that does not exist in this cloud', 'correct the tenant in the issuer'),
  ],
  [
    [50194, 9001023, 90124, 90130],
    createSettingReason(
      'names no tenant, which this application needs',
      'put the ID of the tenant into the issuer instead of common, organizations or consumers',
    ),
  ],
  [
    [28002, 28003, 70011, 700022, 700023, 650053],
    createSettingReason(
      'asks for scopes that are not valid together, or do not exist',
      'ask for openid, offline_access and scopes of one API only, such as api://…/access',
    ),
  ],
  [
    [50001, 500011],
    createSettingReason('asks for an API that this tenant does not have', 'correct the name of the API in the scopes'),
  ],
  [
    [901002, 9010010],
    createSettingReason(
      'sends a resource, which Entra ID does not support',
      'remove resource, and name the API in the scopes',
    ),
  ],
]

/** The reasons by the number in `AADSTS…`. */
export const entraReasons: ReadonlyMap<string, ToReason> = new Map(
  [...entraPolicies, ...entraConsent, ...entraSettings].flatMap(([codes, reason]) =>
    codes.map((code) => [String(code), reason] as const),
  ),
)

/** Codes, as the number in `AADSTS…`, and their reason. */
type EntraRow = readonly [codes: readonly number[], reason: ToReason]
