import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { HelperError } from '../../../../src/runtime/failure.ts'
import {
  answerHeaders,
  renderForeignPage,
  renderLastPage,
  renderLatePage,
} from '../../../../src/sources/oauth/listener/last-page.ts'

test('the page says in plain words that the person is signed in, and what to do now', () => {
  const page = renderLastPage({}, { subject: 'the SSO session "dev"' })
  expect(page.replace(/(?<=<(style|path)[^>]*>|\bd=").*?(?=<\/style>|")/g, '…')).toMatchInlineSnapshot(`
    "<!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>You are signed in</title>
    <style>…</style>
    </head>
    <body>
    <main class="good">
    <h1><svg aria-hidden="true" viewBox="0 0 24 24"><path d="…"/></svg>You are signed in</h1>
    <p>This was the sign-in to the SSO session &#34;dev&#34;.</p>
    <p>You can close this tab and go back to your work.</p>
    </main>
    </body>
    </html>
    "
  `)
})

test('the last page names the person, and what the sign-in is for', () => {
  const names = { subject: 'id.example', purpose: 'oidc-token, with the client gatepass' }
  expect(findMain(renderLastPage({ account: 'Dana (dana@example.com)' }, names))).toMatchInlineSnapshot(`
    "<main class="good">
    <h1>You are signed in</h1>
    <p class="who">as <bdi>Dana (dana@example.com)</bdi></p>
    <p>This was the sign-in to id.example.</p>
    <p>It is for oidc-token, with the client gatepass.</p>
    <p>You can close this tab and go back to your work.</p>
    </main>"
  `)
})

test('text of a person becomes no part of the page', () => {
  const names = { subject: '<i>' }
  expect(findMain(renderLastPage({ account: '<b>Dana</b>\u202e"' }, names))).toMatchInlineSnapshot(`
    "<main class="good">
    <h1>You are signed in</h1>
    <p class="who">as <bdi>&#60;b&#62;Dana&#60;/b&#62;\\u202e&#34;</bdi></p>
    <p>This was the sign-in to &#60;i&#62;.</p>
    <p>You can close this tab and go back to your work.</p>
    </main>"
  `)
})

test('a tab that comes when somebody else has finished the sign-in says who, and what to do', () => {
  const names = { subject: 'id.example' }
  expect(findMain(renderLatePage({ account: '<b>Mallory</b>\u202e"' }, names))).toMatchInlineSnapshot(`
    "<main class="bad">
    <h1>This sign-in was finished elsewhere</h1>
    <p>The sign-in to id.example was finished before this answer came, as <strong><bdi>&#60;b&#62;Mallory&#60;/b&#62;\\u202e&#34;</bdi></strong>. The answer is ignored.</p>
    <h2>What to do</h2>
    <p>If it was you, here or in another tab or program, close this tab. Otherwise sign out, and sign in again.</p>
    </main>"
  `)
})

test('a tab that comes when nobody knows who has finished the sign-in says so', () => {
  expect(findMain(renderLastPage({ isElsewhere: true }, { subject: 'id.example' }))).toMatchInlineSnapshot(`
    "<main class="bad">
    <h1>This sign-in was finished elsewhere</h1>
    <p>The sign-in to id.example was finished before this answer came. The answer is ignored.</p>
    <h2>What to do</h2>
    <p>If it was you, here or in another tab or program, close this tab. Otherwise sign out, and sign in again.</p>
    </main>"
  `)
})

test('a failure is shown with its way out, and nothing in it becomes part of the page', () => {
  const failure = new HelperError('refused', '<script>"&\u202e', "run `a <b>`, or ask 'her'")
  expect(findMain(renderLastPage(failure, { subject: 'x' }))).toMatchInlineSnapshot(`
    "<main class="bad">
    <h1>You are not signed in</h1>
    <p>&#60;script&#62;&#34;&#38;\\u202e.</p>
    <h2>What to do</h2>
    <p>Run <code>a &#60;b&#62;</code>, or ask &#39;her&#39;.</p>
    <p>You can close this tab.</p>
    </main>"
  `)
})

test.each([
  ['report this to whoever runs the provider', 'Report this to whoever runs the provider.'],
  ['is it open?', 'Is it open?'],
  ['read https://a.example/x', 'Read https://a.example/x'],
  ['a ` alone', 'A ` alone.'],
  ['wait', 'Wait.'],
  ['login.example cannot be reached', 'login.example cannot be reached.'],
  ['localhost:4000 cannot be reached', 'localhost:4000 cannot be reached.'],
])('%s is the sentence %s', (hint, sentence) => {
  const page = renderLastPage(new HelperError('refused', 'x', hint), { subject: 'x' })
  expect([...page.matchAll(/<p>(.*)<\/p>/g)].map(([, text]) => text)).toEqual([
    'X.',
    sentence,
    'You can close this tab.',
  ])
})

test('a tab that comes from another host says which', () => {
  expect(findMain(renderForeignPage('evil.example', { subject: 'Example' }))).toMatchInlineSnapshot(`
    "<main class="bad">
    <h1>You are not signed in yet</h1>
    <p>The answer for the sign-in to Example came from evil.example, which is not one of the provider&#39;s hosts.</p>
    <h2>What to do</h2>
    <p>If you signed in there, ask your administrator to add that host to <code>additionalRedirectReferrerHosts</code>.</p>
    <p>If you did not expect this page, close it: the sign-in still waits in the tab where it began.</p>
    </main>"
  `)
})

test('a tab that does not say where it comes from is told so', () => {
  expect(findMain(renderForeignPage('', { subject: 'Example' }))).toMatchInlineSnapshot(`
    "<main class="bad">
    <h1>You are not signed in yet</h1>
    <p>The answer for the sign-in to Example came from an unknown address, which is not one of the provider&#39;s hosts.</p>
    <h2>What to do</h2>
    <p>If you signed in there, ask your administrator to add that host to <code>additionalRedirectReferrerHosts</code>.</p>
    <p>If you did not expect this page, close it: the sign-in still waits in the tab where it began.</p>
    </main>"
  `)
})

test.each([
  ['last page', renderLastPage({}, { subject: 'x' })],
  ['page for a foreign answer', renderForeignPage('a.example', { subject: 'x' })],
  ['page for a late answer', renderLatePage({ account: 'd' }, { subject: 'x' })],
])('the %s has one landmark, one first heading, a language, a title and one sign for the eye alone', (_, page) => {
  const once = [/<main/g, /<h1>/g, /<html lang="en">/g, /<title>[^<]+/g, /<svg aria-hidden="true"/g, /name="viewport"/g]
  expect({
    counts: once.map((pattern) => page.match(pattern)?.length),
    hindering: page.match(/maximum-scale|user-scalable|<script|onload|tabindex/g),
  }).toEqual({ counts: once.map(() => 1), hindering: null })
})

test('the policy of the last page allows its own style, by digest, and no more', () => {
  const page = renderLastPage({}, { subject: 'x' })
  const style = /<style>(.*)<\/style>/.exec(page)?.[1] ?? ''
  const digest = createHash('sha256').update(style).digest('base64')
  expect(answerHeaders['content-security-policy']).toBe(
    `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  )
  expect(page.match(/src=|href=|url\(|@import|<script/g)).toBeNull()
})

test.each(['light', 'dark'] as const)('in %s, every colour has a contrast of 7:1 or more on its ground', (look) => {
  const style = /<style>(.*)<\/style>/.exec(renderLastPage({}, { subject: 'x' }))?.[1] ?? ''
  const blocks = [...style.matchAll(/:root\{([^}]*)\}/g)].map(([, block = '']) => block)
  const colours = Object.fromEntries(
    [...(blocks[look === 'light' ? 0 : 1] ?? '').matchAll(/--(\w+):(#\w+)/g)].map(([, name, colour]) => [name, colour]),
  )
  const names = ['text', 'good', 'bad']
  expect(names.filter((name) => !(computeContrast(colours[name], colours.ground) >= 7))).toEqual([])
})

/** Finds the text of the page with its marks, without the sign beside its heading. */
function findMain(page: string): string {
  return (/<main.*<\/main>/s.exec(page)?.[0] ?? '').replace(/<svg.*<\/svg>/s, '')
}

/** WCAG 2.2, "contrast ratio". */
function computeContrast(one = '', other = ''): number {
  const [low = 0, high = 0] = [one, other].map(computeLuminance).sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

function computeLuminance(colour: string): number {
  const hex = colour.length === 4 ? colour.replace(/\w/g, '$&$&') : colour
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
