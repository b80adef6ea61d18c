import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { HelperError } from '../../../../src/runtime/failure.ts'
import { answerHeaders, renderLastPage } from '../../../../src/sources/oauth/listener/last-page.ts'

test('the page says in plain words that the person is signed in, and what to do now', () => {
  const page = renderLastPage('signed-in', 'the SSO session "dev"')
  expect(page).toContain('<html lang="en">')
  expect(page).toContain('<title>You are signed in</title>')
  expect(page).toContain('<p>This was the sign-in to the SSO session &#34;dev&#34;.</p>')
  expect(page).toContain('<p>You can close this tab and go back to your work.</p>')
  expect(page).toContain('<meta name="color-scheme" content="light dark">')
})

test('a failure is shown with its way out, and nothing in it becomes part of the page', () => {
  const page = renderLastPage(new HelperError('refused', '<script>"&\u202e', "ask 'her'"), 'x')
  expect(page).toContain('<h1>You are not signed in</h1>\n<p>&#60;script&#62;&#34;&#38;\\u202e.</p>')
  expect(page).toContain('<p>What to do: ask &#39;her&#39;.</p>')
})

test('it loads nothing: the policy allows its own style, by its digest, and no more', () => {
  const page = renderLastPage('signed-in', 'x')
  const style = /<style>(.*)<\/style>/.exec(page)?.[1] ?? ''
  const digest = createHash('sha256').update(style).digest('base64')
  expect(answerHeaders['Content-Security-Policy']).toBe(
    `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  )
  expect(page).not.toMatch(/src=|href=|url\(|@import|<script/)
})
