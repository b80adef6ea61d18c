import { defineField, defineFields, rules } from './define-field.ts'
import type { Field } from './field.ts'
import { chooseLaterRelease } from './release.ts'

/**
 * The rows of `oidc`, which are the same in both kinds of sign-in.
 * @param flat The flat key of the object that holds them.
 * @param objectSince First client release that reads the object, and so the earliest for any field in it.
 */
export function defineOidcFields(flat: string, objectSince: string): Field[] {
  return defineFields('oidc', [
    defineField(
      'clientId',
      'clientId',
      rules.nonEmpty,
      objectSince,
      'Client ID of the app registration: a public client with PKCE.',
      { required: true },
    ),
    defineField('issuer', 'issuer', rules.uri, objectSince, 'HTTPS issuer with discovery; set it, or both URLs.'),
    defineField(
      'authorizationUrl',
      'authorizationUrl',
      rules.uri,
      objectSince,
      'HTTPS authorization endpoint, where there is no issuer.',
    ),
    defineField('tokenUrl', 'tokenUrl', rules.uri, objectSince, 'HTTPS token endpoint, where there is no issuer.'),
    defineField(
      'bearerTokenType',
      'bearerTokenType',
      rules.choice('id_token', 'access_token'),
      objectSince,
      'Which token the gateway gets; `access_token` where it checks tokens as an OAuth resource server.',
      { default: 'id_token' },
    ),
    defineField(
      'scopes',
      'scopes',
      rules.nonEmpty,
      objectSince,
      'Scopes to ask for, with spaces between them; needed with `access_token`.',
    ),
    defineField(
      'appendOfflineAccess',
      'appendOfflineAccess',
      rules.boolean,
      '1.11847.0',
      'Adds `offline_access` to the scopes, so that there is a refresh token.',
      { default: true },
    ),
    defineField(
      'resource',
      'resource',
      rules.nonEmpty,
      '1.30096.1',
      'Resource indicator (RFC 8707) of the gateway; leave unset for a hosted enterprise directory.',
    ),
    defineField(
      'redirectPort',
      'redirectPort',
      rules.integer(1024, 65535),
      objectSince,
      'Fixed loopback port for the sign-in redirect; otherwise any free one.',
    ),
    defineField(
      'redirectHost',
      'redirectHost',
      rules.choice('127.0.0.1', 'localhost'),
      '2.110.0',
      'Host of the sign-in redirect; `localhost` only where the registration says so.',
    ),
    defineField(
      'additionalRedirectReferrerHosts',
      'additionalRedirectReferrerHosts',
      rules.text,
      '1.20186.0',
      'More hosts, with spaces between them, from which the sign-in may come back.',
    ),
  ]).map((field) => ({ ...field, flat: `${flat}.${field.flat}`, since: chooseLaterRelease(field.since!, objectSince) }))
}
