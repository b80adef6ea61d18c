import { createOutageReason, createPersonReason, createPolicyReason, createSettingReason } from './create-reasons.ts'
import type { EntraRow } from './entra-row.ts'

const consentRows: readonly EntraRow[] = [
  [
    [65001],
    createPersonReason(
      'needs a consent that nobody has given',
      'start again and consent, or have an administrator consent for the organization',
    ),
  ],
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
      'add it in the app registration under API permissions, and have an administrator consent',
    ),
  ],
]

/** What concerns the person's account. */
const accountRows: readonly EntraRow[] = [
  [
    [16000, 50020, 50034, 51004, 90072, 500208],
    createPolicyReason('was made with an account that this tenant does not have', 'start again with another account'),
  ],
  [
    [50105],
    createPolicyReason(
      'is for people who are assigned to the application',
      'have an administrator assign the person: enterprise application, Users and groups',
    ),
  ],
  [[50057], createPolicyReason('was made with an account that is disabled', 'ask an administrator to enable it')],
  [[50055, 50144], createPersonReason('needs a new password', 'start again, and change the password')],
]

/** What ends, as it has to. */
const endRows: readonly EntraRow[] = [
  [[70008, 700082], createPersonReason('has ended, because nobody used it for too long')],
  [[50173, 50132, 50133], createPersonReason('has ended: it was revoked, or the password was changed')],
  [[70043], createPersonReason('has ended, because the organization asks for a sign-in from time to time')],
  [[70000, 50089, 50085, 700003], createPersonReason('has ended')],
  [[54005, 501481, 700005], createPersonReason('cannot be completed with this code')],
  [[70018, 70019, 90119, 90120], createPersonReason('took too long, or another code was entered')],
  [
    [50033, 90006, 90012, 90024, 90033, 90055, 90090],
    createOutageReason('cannot be completed now, as Entra ID is busy'),
  ],
]

/** What somebody has to agree to, what concerns the account, and what ends. Microsoft's list, as for the policies. */
export const entraConsent: readonly EntraRow[] = [...consentRows, ...accountRows, ...endRows]
