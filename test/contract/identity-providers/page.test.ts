import { expect, test } from 'vitest'
import { checkDocument } from '../../../src/config/check/check-document.ts'
import { parseDocument } from '../../../src/config/read/read-document.ts'
import { describeRedirect } from '../../../src/contract/identity-providers/describe-redirect.ts'
import { providerFamilies } from '../../../src/contract/identity-providers/detect-family.ts'
import { validateProvider } from '../../../src/contract/identity-providers/validate-provider.ts'
import { page, shownProviders } from './page.ts'
import { toDocumentSettings, toHelperSettings } from './shown-settings.ts'

const check = (text: string) =>
  checkDocument(parseDocument(Buffer.from(text))).map(
    ({ severity, code, path, message }) => `${severity} ${code} ${path}: ${message}`,
  )

const consent =
  'info consent-asked : users are asked to agree before these take effect: inference.baseUrl, inference.credential.oidc'

test.each(shownProviders)('the document for $heading has no unexpected finding', ({ heading, document }) => {
  const ofGoogle = [
    'warning client-secret-needed inference.credential.oidc.clientId: Google gives a desktop client a secret and, as its users report, refuses a sign-in without it',
    'warning refresh-token-unasked inference.credential.oidc.issuer: Google gives no refresh token without access_type=offline and prompt=consent, so people sign in again whenever a token expires: 8 times in a working day of 8 hours, because ID tokens of Google live 60 min unless that is changed',
  ]
  const rest = heading === 'Google' ? ofGoogle : []
  expect(check(document)).toEqual([...rest, consent])
})

test('each family has a section with a document, or shares one', () => {
  const titles = Object.values(providerFamilies).map(({ title }) => title)
  const shared = ['Microsoft Entra External ID', 'PingOne', 'the provider']
  const shown = shownProviders.map(({ heading }) => heading)
  expect(shown.toSorted()).toEqual(titles.filter((title) => !shared.includes(title)).toSorted())
})

test('the table of families is that of the checker', () => {
  const rows = [
    ...page.matchAll(/^\| ([A-Z][^|`]+) \| [^|]*`[^|]+ \|( [^|]+ \| [^|]+ \| [^|]+ \| [^|]+ \| [^|]+) \|$/gm),
  ]
  const { other, ...known } = providerFamilies
  const expected = Object.values(known).map(({ title, loopback, offlineAccess, resource }) => {
    const host = loopback.host === 'either' ? 'either' : `\`${loopback.host}\``
    return [title, [host, loopback.port, loopback.path, offlineAccess, resource].join(' | ')]
  })
  expect(rows.map(([, title, rest = '']) => [title, rest.trim()]).toSorted()).toEqual(expected.toSorted())
})

/** Returns the redirect URI that a document on the page has registered. */
const redirectOf = ({ document }: (typeof shownProviders)[number]) =>
  describeRedirect(JSON.parse(document).inference.credential.oidc).uri

test.each(shownProviders.filter(({ heading }) => heading !== 'Google'))(
  'the section for $heading names the redirect URI that is registered there',
  (shown) => {
    const [, section = ''] = page.split(`## ${shown.heading}\n`)
    const uri = redirectOf(shown)
    const quoted = section.split('\n## ')[0]?.split('`')
    expect(quoted?.filter((text) => text === uri)).toEqual([uri])
  },
)

test('no redirect URI is registered for Google', () => {
  expect(shownProviders.filter((shown) => redirectOf(shown) === undefined).map(({ heading }) => heading)).toEqual([
    'Google',
  ])
})

test.each(shownProviders)('oidc-token has the same client and redirect for $heading, and breaks no rule', (shown) => {
  const { parameters, ...ofHelper } = toHelperSettings(shown)
  // The parameter that names an API of Auth0 has no place in a document.
  const withoutApi = shown.heading === 'Auth0' ? { bearerTokenType: 'id_token', scopes: 'openid email' } : {}
  expect(toDocumentSettings(shown)).toEqual({ ...ofHelper, ...withoutApi })
  const problems = validateProvider(toHelperSettings(shown), (setting) => setting)
  expect(problems.map(({ code }) => code)).toEqual(shown.heading === 'Google' ? ['client-secret-needed'] : [])
})
