import { createBrowserReason, createPolicyReason } from './create-reasons.ts'
import type { EntraRow } from './entra-row.ts'

const signInLogs =
  'ask an administrator, who sees the reason under this code in the sign-in logs of the Microsoft Entra admin center'

/**
 * Conditional Access, by the codes of "Microsoft Entra authentication and authorization error codes" (Microsoft Learn). 530033
 * and 530084 are not in that list; their meaning is taken from messages in public issues: a sign-in by code under a policy that asks
 * for a managed device, and token protection.
 */
export const entraPolicies: readonly EntraRow[] = [
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
      'ask an administrator to leave this application out of that policy',
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
    createBrowserReason('needs a further proof from another service of the organization', 'start again'),
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
