import { createSettingReason, makePublic, registerRedirect } from './create-reasons.ts'
import type { EntraRow } from './entra-row.ts'

/** What an administrator has to correct. */
export const entraSettings: readonly EntraRow[] = [
  [[50011, 500112, 70004, 900971], registerRedirect],
  [[7000218], makePublic],
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
  [
    [7000112],
    createSettingReason('names a client that is disabled', 'ask an administrator to enable the enterprise application'),
  ],
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
