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
  expect(page).toContain('<html lang="en">')
  expect(page).toContain('<title>You are signed in</title>')
  expect(page).toContain('<p>This was the sign-in to the SSO session &#34;dev&#34;.</p>')
  expect(page).toContain('<p>You can close this tab and go back to your work.</p>')
  expect(page).toContain('<meta name="color-scheme" content="light dark">')
})

test('it names the person, and what the sign-in is for', () => {
  const names = { subject: 'id.example', purpose: 'oidc-token, with the client gatepass' }
  const page = renderLastPage({ account: 'Dana (dana@example.com)' }, names)
  expect(page).toContain(
    `</h1>
<p class="who">as <bdi>Dana (dana@example.com)</bdi></p>
<p>This was the sign-in to id.example.</p>
<p>It is for oidc-token, with the client gatepass.</p>
<p>You can close this tab`,
  )
})

test.each([
  ['here', renderLastPage],
  ['elsewhere', renderLatePage],
])('what a person has written about themselves becomes no part of the page, signed in %s', (_, render) => {
  const page = render({ account: '<b>Dana</b>\u202e"' }, { subject: '<i>' })
  expect(page).toContain('<bdi>&#60;b&#62;Dana&#60;/b&#62;\\u202e&#34;</bdi>')
  expect(page).not.toMatch(/<[bi]>|\u202e/)
})

test('a tab that comes when somebody else has finished the sign-in reads who, and what to do', () => {
  const page = renderLatePage({ account: 'Mallory' }, { subject: 'id.example' })
  expect(page).toContain('</svg>This sign-in was finished elsewhere</h1>')
  expect(page).toContain(
    '<p>The sign-in to id.example was finished before this answer came, as <strong><bdi>Mallory</bdi></strong>. The answer is ignored.</p>',
  )
  expect(page).toContain('Otherwise sign out, and sign in again.')
  const unknown = '<p>The sign-in to id.example was finished before this answer came. The answer is ignored.</p>'
  expect(renderLastPage({ isElsewhere: true }, { subject: 'id.example' })).toContain(unknown)
})

test('a failure is shown with its way out, and nothing in it becomes part of the page', () => {
  const page = renderLastPage(new HelperError('refused', '<script>"&\u202e', "run `a <b>`, or ask 'her'"), {
    subject: 'x',
  })
  expect(page).toContain('</svg>You are not signed in</h1>\n<p>&#60;script&#62;&#34;&#38;\\u202e.</p>')
  expect(page).toContain('<h2>What to do</h2>\n<p>Run <code>a &#60;b&#62;</code>, or ask &#39;her&#39;.</p>')
  expect(page).toContain('<p>You can close this tab.</p>')
})

test.each([
  ['ask whoever runs the provider', 'Ask whoever runs the provider.'],
  ['is it open?', 'Is it open?'],
  ['read https://a.example/x', 'Read https://a.example/x'],
  ['a ` alone', 'A ` alone.'],
  ['wait', 'Wait.'],
  ['login.example cannot be reached', 'login.example cannot be reached.'],
  ['localhost:4000 cannot be reached', 'localhost:4000 cannot be reached.'],
])('%s is the sentence %s', (hint, sentence) => {
  expect(renderLastPage(new HelperError('refused', 'x', hint), { subject: 'x' })).toContain(`<p>${sentence}</p>`)
})

test('a tab that comes from another host reads which, and that the sign-in goes on', () => {
  const page = renderForeignPage('evil.example', { subject: 'Example' })
  expect(page).toContain('</svg>You are not signed in yet</h1>')
  expect(page).toContain(
    '<p>The answer for the sign-in to Example came from evil.example, which is not one of the provider&#39;s hosts.</p>',
  )
  expect(renderForeignPage('', { subject: 'Example' })).toContain('came from an unknown address,')
})

test('one landmark, one first heading, a language, a title; the sign beside the heading is for the eye alone', () => {
  for (const page of [
    renderLastPage({}, { subject: 'x' }),
    renderForeignPage('a.example', { subject: 'x' }),
    renderLatePage({ account: 'd' }, { subject: 'x' }),
  ]) {
    for (const once of [
      /<main/,
      /<h1>/,
      /<html lang="en">/,
      /<title>[^<]+/,
      /<svg aria-hidden="true"/,
      /name="viewport"/,
    ])
      expect(page.match(new RegExp(once, 'g'))).toHaveLength(1)
    expect(page).not.toMatch(/maximum-scale|user-scalable|<script|onload|tabindex/)
  }
})

test('it loads nothing: the policy allows its own style, by its digest, and no more', () => {
  const page = renderLastPage({}, { subject: 'x' })
  const style = /<style>(.*)<\/style>/.exec(page)?.[1] ?? ''
  const digest = createHash('sha256').update(style).digest('base64')
  expect(answerHeaders['content-security-policy']).toBe(
    `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  )
  expect(page).not.toMatch(/src=|href=|url\(|@import|<script/)
})

test.each(['light', 'dark'] as const)('in %s, every colour has a contrast of 7:1 or more on its ground', (look) => {
  const style = /<style>(.*)<\/style>/.exec(renderLastPage({}, { subject: 'x' }))?.[1] ?? ''
  const blocks = [...style.matchAll(/:root\{([^}]*)\}/g)].map(([, block = '']) => block)
  const colours = Object.fromEntries(
    [...(blocks[look === 'light' ? 0 : 1] ?? '').matchAll(/--(\w+):(#\w+)/g)].map(([, name, colour]) => [name, colour]),
  )
  for (const name of ['text', 'good', 'bad'])
    expect(computeContrast(colours[name], colours.ground), name).toBeGreaterThanOrEqual(7)
})

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
