import { expect, onTestFinished, test } from 'vitest'
import { openListener } from '../../../../src/sources/oauth/listener/open-listener.ts'
import { startChromium } from '../../../stand-ins/browser/chromium.ts'
import { startSite } from '../../../stand-ins/browser/start-site.ts'
import { describeCallbacks } from './callback-scenarios.ts'

describeCallbacks(startChromium)

test.each(['query', 'form_post'] as const)(
  'a provider on the internet comes back by %s, where fetch is blocked',
  async (responseMode) => {
    const site = await startSite('https', 'localhost')
    // Local network access: Chromium blocks what a public page loads from this machine, and lets a tab go there.
    const isPublic = `--ip-address-space-overrides=127.0.0.1:${new URL(site.origin).port}=public`
    const browser = await startChromium('light', [isPublic])
    const options = { hosts: ['127.0.0.1'], path: '/back', referrers: ['localhost'], responseMode } as const
    const listener = await openListener(options, 'Example')
    onTestFinished(
      async () => void (await Promise.all([browser.close(), listener.close(), site[Symbol.asyncDispose]()])),
    )
    const { redirectUri } = listener
    const html = `<form method="${responseMode === 'query' ? 'get' : 'post'}" action="${redirectUri}">
<input type="hidden" name="code" value="c"><input type="hidden" name="state" value="s"><button id="go">go</button></form>`
    const tab = await browser.openTab(site.add('/answer', { html }))
    const script = `fetch(${JSON.stringify(`${redirectUri}?error=x&state=s`)}, { mode: 'no-cors' }).then(() => 'sent', () => 'blocked')`
    expect(await tab.evaluate(script)).toBe('blocked')
    await tab.pressAndLeave('go')
    expect(Object.fromEntries(await listener.waitForCallback('s'))).toEqual({ code: 'c', state: 's' })
  },
)
