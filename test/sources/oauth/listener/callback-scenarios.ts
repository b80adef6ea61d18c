import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createCallbackPath, type ListenerOptions } from '../../../../src/sources/oauth/listener/callback.ts'
import { openListener } from '../../../../src/sources/oauth/listener/open-listener.ts'
import { type Site, startSite } from '../../../stand-ins/browser/start-site.ts'
import type { TestBrowser } from '../../../stand-ins/browser/test-browser.ts'

const state = 'the-right-state'
const done = `You are signed in

This was the sign-in to Example.

You can close this tab and go back to your work.`

const refused = `You are not signed in yet

The answer for the sign-in to Example came from 127.0.0.1, which is not one of the provider's hosts.

What to do

If you signed in there, ask your administrator to add that host to additionalRedirectReferrerHosts.

If you did not expect this page, close it: the sign-in still waits in the tab where it began.`

const elsewhere = `This sign-in was finished elsewhere

The sign-in to Example was finished before this answer came. The answer is ignored.

What to do

If it was you, here or in another tab or program, close this tab. Otherwise sign out, and sign in again.`

/** Opens a listener that waits for an answer of `localhost`, and what has come so far. */
async function open(options: Partial<ListenerOptions> = {}) {
  const path = createCallbackPath()
  const listener = await openListener(
    { hosts: ['127.0.0.1'], path, referrers: ['localhost'], ...options },
    { subject: 'Example' },
  )
  onTestFinished(() => listener.close())
  let came: Record<string, string> | undefined
  const callback = listener.waitForCallback(state).then(async (parameters) => {
    came = Object.fromEntries(parameters)
    await listener.finish({})
  })
  const { redirectUri } = listener
  return { redirectUri, callback, came: () => came, good: `${redirectUri}?code=c&state=${state}` }
}

/** Requests that pages and providers send to a listener, in a real browser. */
export function describeCallbacks(startBrowser: () => Promise<TestBrowser>): void {
  let browser: TestBrowser
  let provider: Site
  let attacker: Site
  beforeAll(async () => {
    ;[browser, provider, attacker] = await Promise.all([
      startBrowser(),
      startSite('https', 'localhost'),
      startSite('http', '127.0.0.1'),
    ])
  })
  afterAll(async () => {
    await Promise.all([browser?.close(), provider?.[Symbol.asyncDispose](), attacker?.[Symbol.asyncDispose]()])
  })
  const visit = async (address: string, until?: string) => {
    const tab = await browser.openTab(address)
    onTestFinished(() => tab.close())
    if (until !== undefined) await tab.untilAddress(until)
    return tab
  }
  const goTo = (address: string) => `<script>location = ${JSON.stringify(address)}</script>`
  const post = (action: string, fields: Record<string, string>) => {
    const inputs = Object.entries(fields).map(
      ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
    )
    return `<form method="post" action="${action}">${inputs.join('')}</form><script>document.forms[0].submit()</script>`
  }

  test('pages of another origin end nothing, not even with the right state (RFC 8252, section 8.9)', async () => {
    const { redirectUri, came, good, callback } = await open()
    for (const query of ['?error=access_denied', '?code=forged&state=guess', '']) {
      const tab = await visit(attacker.add('/forged', { html: goTo(redirectUri + query) }), redirectUri)
      expect(await tab.read()).toBe('Not found')
    }
    const seen = await visit(attacker.add('/go', { html: goTo(good) }), redirectUri)
    expect(await seen.read()).toBe(refused)
    const posted = await visit(attacker.add('/post', { html: post(redirectUri, { code: 'c', state }) }), redirectUri)
    expect(await posted.read()).toBe('Not found')
    const parts = `<img src="${good}" alt=""><iframe src="${good}"></iframe><object data="${good}"></object>
<script src="${good}"></script><link rel="stylesheet" href="${good}">`
    const tab = await visit(attacker.add('/parts', { html: parts, headers: { 'Referrer-Policy': 'no-referrer' } }))
    for (const mode of ['no-cors', 'cors'])
      expect(
        await tab.evaluate(`fetch(${JSON.stringify(good)}, { mode: '${mode}' }).then((r) => r.type, () => 'failed')`),
      ).toMatch(/^(opaque|failed)$/)
    await tab.evaluate(
      `navigator.sendBeacon(${JSON.stringify(redirectUri)}, new URLSearchParams({ code: 'c', state: '${state}' }))`,
    )
    await tab.evaluate(`new Promise((resolve) => setTimeout(resolve, 200))`)
    expect(came()).toBeUndefined()
    const answer = await visit(provider.add('/answer', { status: 302, headers: { Location: good } }), redirectUri)
    expect(await answer.read()).toBe(done)
    await callback
    expect(came()).toEqual({ code: 'c', state })
  })

  test('a form that the provider posts from https is accepted, unlike one of another page', async () => {
    const { redirectUri, came, callback } = await open({ responseMode: 'form_post' })
    const forged = await visit(
      attacker.add('/forged', { html: post(redirectUri, { code: 'evil', state }) }),
      redirectUri,
    )
    expect(await forged.read()).toBe(refused)
    expect(came()).toBeUndefined()
    const form = post(redirectUri, { code: 'c', state, iss: 'https://a.example' })
    const tab = await visit(provider.add('/form', { html: form }), redirectUri)
    expect(await tab.read()).toBe(done)
    await callback
    expect(came()).toEqual({ code: 'c', state, iss: 'https://a.example' })
  })

  test.each(['unsafe-url', 'same-origin'])('a provider with the referrer policy %s is recognized', async (policy) => {
    const { redirectUri, came, good, callback } = await open()
    const headers = { 'Referrer-Policy': policy }
    const tab = await visit(provider.add(`/${policy}`, { html: goTo(good), headers }), redirectUri)
    expect(await tab.read()).toBe(done)
    await callback
    expect(came()).toEqual({ code: 'c', state })
  })

  test('a page that a browser fetches ahead consumes nothing', async () => {
    const { redirectUri, came, good } = await open()
    const rules = JSON.stringify({ prefetch: [{ urls: [good] }], prerender: [{ urls: [good] }] })
    const html = `<link rel="prefetch" href="${good}"><script type="speculationrules">${rules}</script><a id="go" href="${good}">go on</a>`
    const tab = await visit(provider.add('/ahead', { html }))
    await tab.evaluate(`new Promise((resolve) => setTimeout(resolve, 300))`)
    expect(came()).toBeUndefined()
    await tab.press('go')
    await tab.untilAddress(redirectUri)
    expect(await tab.read()).toBe(done)
  })

  test('reload, back and forward show the last page again', async () => {
    const { redirectUri, came, good } = await open()
    const html = `<a id="go" href="${good}">go on</a>`
    const tab = await visit(provider.add('/link', { html }))
    await tab.press('go')
    expect(await tab.read()).toBe(done)
    await tab.reload()
    expect(await tab.read()).toBe(done)
    await tab.goBack()
    expect(await tab.read()).toBe('go on')
    await tab.goForward()
    expect(await tab.read()).toBe(done)
    const twice = await visit(`${redirectUri}?code=other&state=${state}`)
    expect(await twice.read()).toBe(elsewhere)
    expect(came()).toEqual({ code: 'c', state })
  })

  test('localhost is answered', async () => {
    const { came, good } = await open({ hosts: ['localhost'] })
    expect(await (await visit(good)).read()).toBe(done)
    expect(came()).toEqual({ code: 'c', state })
  })

  test('the last page loads nothing, and runs no script', async () => {
    const { good } = await open()
    const tab = await visit(good)
    expect(await tab.evaluate(`performance.getEntriesByType('resource').map(({ name }) => name)`)).toEqual([])
    expect(await tab.evaluate(`getComputedStyle(document.querySelector('svg')).width`)).toBe('32px')
    const inject = `document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.ran = 1' })), window.ran`
    expect(await tab.evaluate(inject)).toBeUndefined()
  })
}
