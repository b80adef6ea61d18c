import { expect, onTestFinished, test } from 'vitest'
import { HelperError } from '../../../../src/runtime/failure.ts'
import { renderLastPage } from '../../../../src/sources/oauth/listener/last-page.ts'
import { openListener } from '../../../../src/sources/oauth/listener/open-listener.ts'
import { launchChromium, startChromium } from '../../../stand-ins/browser/chromium.ts'
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
    const listener = await openListener(options, { subject: 'Example' })
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

test('localhost that means ::1 leads to the same listener (RFC 8252, section 7.3)', async () => {
  const browser = await startChromium('light', ['--host-resolver-rules=MAP localhost [::1]'])
  const listener = await openListener({ hosts: ['localhost'], path: '/back' }, { subject: 'Example' })
  onTestFinished(async () => void (await Promise.all([browser.close(), listener.close()])))
  const tab = browser.openTab(`${listener.redirectUri}?code=c&state=s`)
  expect(Object.fromEntries(await listener.waitForCallback('s'))).toEqual({ code: 'c', state: 's' })
  await listener.finish({})
  expect(await (await tab).read()).toBe(
    'You are signed in\n\nThis was the sign-in to Example.\n\nYou can close this tab and go back to your work.',
  )
})

test('the last page is read aloud in order, and fits small screens with large text', async () => {
  const browser = await launchChromium()
  onTestFinished(() => browser.close())
  const page = await browser.newPage({ viewport: { width: 320, height: 568 } })
  const uri = `http://localhost:43123/callback/${'Ab3'.repeat(30)}`
  await page.setContent(
    renderLastPage(new HelperError('refused', 'it was refused', `register \`${uri}\``), { subject: 'Example' }),
  )
  expect(await page.locator('body').ariaSnapshot()).toBe(
    [
      '- main:',
      '  - heading "You are not signed in" [level=1]',
      '  - paragraph: It was refused.',
      '  - heading "What to do" [level=2]',
      '  - paragraph:',
      '    - text: Register',
      `    - code: ${uri}`,
      '  - paragraph: You can close this tab.',
    ].join('\n'),
  )
  await page.evaluate('document.documentElement.style.fontSize = "200%"')
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
})
