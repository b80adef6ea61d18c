import { DOMParser, type ErrorHandlerFunction } from '@xmldom/xmldom'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readListing } from './page.ts'

test.each([
  ['envoy', 'With the verifier', '`http_filters` and `clusters`', ['http_filters', 'clusters']],
  ['envoy', 'With jwt_authn alone', '`http_filters`', ['http_filters']],
  ['traefik', '', '`/etc/traefik/dynamic/gateway.yaml`', ['http']],
  ['kong', 'With the verifier', '`kong.yml`', ['_format_version', 'services']],
  ['litellm', '', '`config.yaml`', ['general_settings']],
])('the YAML of %s, "%s", is well-formed', (page, heading, title, keys) => {
  const path = title.split('`')[1] ?? ''
  expect(Object.keys(parse(readListing({ page, heading, path }), { strict: true, uniqueKeys: true }))).toEqual(keys)
})

test.each([
  ['With the verifier', 'policies'],
  ['With validate-jwt alone', 'inbound'],
])('the XML of Azure API Management, "%s", is well-formed', (heading, element) => {
  const onError: ErrorHandlerFunction = (level, message) => {
    throw new Error(`${level}: ${message}`)
  }
  const text = readListing({ page: 'azure-api-management', heading, path: 'policy.xml' })
  expect(new DOMParser({ onError }).parseFromString(text, 'text/xml').documentElement?.tagName).toBe(element)
})

test('the claims for Portkey are JSON', () => {
  const claims = JSON.parse(readListing({ page: 'portkey', heading: 'A token for Portkey', path: 'claims.json' }))
  expect(Object.keys(claims)).toContain('portkey_oid')
})

/** Every gateway that asks the verifier names each header of the policy, and takes it from the caller. */
test.each([
  ['apache', 'With the verifier', '/etc/apache2/gatepass.lua'],
  ['haproxy', 'With the verifier', '/etc/haproxy/gatepass.lua'],
  ['envoy', 'With the verifier', 'http_filters'],
  ['traefik', '', '/etc/traefik/dynamic/gateway.yaml'],
  ['kong', 'With the verifier', 'kong.yml'],
  ['azure-api-management', 'With the verifier', 'policy.xml'],
])('the recipe for %s has both identity headers and takes the token away', (page, heading, path) => {
  const text = readListing({ page, heading, path }).toLowerCase()
  expect(['x-user', 'x-account', 'authorization'].filter((name) => !text.includes(name))).toEqual([])
})
