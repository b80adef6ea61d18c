import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startSite } from '../../../../stand-ins/browser/start-site.ts'
import type { Tab, TestBrowser } from '../../../../stand-ins/browser/test-browser.ts'
import { alice } from '../../../../stand-ins/provider/settings.ts'
import { startPersonDesk } from './person-desk.ts'

const program = 'oidc-token'
const done = /^You are signed in\n/
const notDone = /^You are not signed in\n/
const printed = expect.stringMatching(/^\{"token":"eyJ/)

/** The actions of a person in a browser, over the real process that signs in, at an OpenID provider. */
export function describeSignIns(startBrowser: () => Promise<TestBrowser>): void {
  let browser: TestBrowser
  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(() => browser?.close())
  const openTab = async (address: string) => {
    const tab = await browser.openTab(address)
    onTestFinished(() => tab.close())
    return tab
  }
  // A browser whose tabs have their cookies in common is known to the provider the second time.
  const enter = async (tab: Tab, password: string = alice.password) => {
    if (!(await tab.read()).includes('Password')) return
    await tab.type('name', alice.name)
    await tab.type('password', password)
    await tab.press('sign-in')
  }

  test('two windows open one tab; a wrong password first, then signed in; back, forward and reload', async () => {
    const desk = await startPersonDesk()
    const { host } = new URL(desk.provider.issuer)
    const runs = [desk.start(), desk.start('--header', 'X-Window: 2')]
    const address = await desk.untilOpened()
    const tab = await openTab(address)
    await enter(tab, 'not-mine')
    expect(await tab.read()).toContain('do not belong together')
    await enter(tab)
    expect(await tab.read()).toContain('gatepass asks for')
    await tab.press('allow')
    expect(await tab.read()).toBe(
      `You are signed in\n\nas alice\n\nThis was the sign-in to ${host}.\n\nIt is for oidc-token, with the client gatepass.\n\nYou can close this tab and go back to your work.`,
    )
    const stderr = `${program}: a browser opens for the sign-in to ${host}; if you see none, open: ${address}\n`
    for (const run of runs) expect(await run).toEqual({ status: 0, stdout: printed, stderr })
    await tab.goBack()
    expect(await tab.read()).not.toMatch(done)
    await tab.goForward()
    expect(await tab.read()).toMatch(done)
    await tab.reload()
    expect(await tab.read()).toMatch(done)
    expect(await desk.start()).toEqual({ status: 0, stdout: printed, stderr: '' })
    expect(desk.provider.requests('token', 'authorization_code')).toMatchObject([{ status: 200 }])
    expect(await desk.countOpened()).toBe(1)
  })

  test('the person denies it, and the next start asks again', async () => {
    const desk = await startPersonDesk()
    const run = desk.start()
    const tab = await openTab(await desk.untilOpened())
    await enter(tab)
    await tab.press('deny')
    expect(await tab.read()).toMatch(notDone)
    const { status, stdout, stderr } = await run
    const [, message = '', hint = ''] = /open: \S+\noidc-token: (.*)\noidc-token: hint: (.*)\n$/.exec(stderr) ?? []
    expect({ status, stdout }).toEqual({ status: 5, stdout: '' })
    const upper = (text: string) => `${text[0]?.toUpperCase()}${text.slice(1)}.`
    expect(await tab.read()).toContain(`${upper(message)}\n\nWhat to do\n\n${upper(hint)}`)
    const next = desk.start()
    const again = await openTab(await desk.untilOpened(2))
    await enter(again)
    await again.press('allow')
    expect(await again.read()).toMatch(done)
    expect(await next).toMatchObject({ status: 0, stdout: printed })
  })

  test('the tab is closed: the run ends at its deadline, and a later one joins in another tab', async () => {
    const desk = await startPersonDesk()
    const run = desk.start('--client-timeout', '4')
    const address = await desk.untilOpened()
    await (await browser.openTab(address)).close()
    expect(await run).toMatchObject({
      status: 7,
      stdout: '',
      stderr: expect.stringContaining('the next start joins it'),
    })
    const later = desk.start()
    const tab = await openTab(address)
    await enter(tab)
    await tab.press('allow')
    expect(await tab.read()).toMatch(done)
    expect(await later).toMatchObject({ status: 0, stdout: printed })
    expect(await desk.countOpened()).toBe(1)
  })

  test('pages of another origin end nothing: forged, guessed, and with the state itself', async () => {
    const desk = await startPersonDesk()
    await using attacker = await startSite('http', '127.0.0.1')
    const run = desk.start()
    const address = await desk.untilOpened()
    const query = new URL(address).searchParams
    const callback = query.get('redirect_uri') ?? ''
    const right = new URLSearchParams({ error: 'access_denied', state: query.get('state') ?? '' })
    for (const [path, forged] of [
      ['/error', '?error=access_denied'],
      ['/code', '?code=forged&state=guess'],
      ['/right', `?${right}`],
    ] as const) {
      const html = `<script>location = ${JSON.stringify(callback + forged)}</script>`
      const page = await openTab(attacker.add(path, { html }))
      await page.untilAddress(callback)
      expect(await page.read()).toMatch(path === '/right' ? /^You are not signed in yet\n/ : /^Not found$/)
    }
    const page = await openTab(attacker.add('/parts', { html: `<img src="${callback}?${right}" alt="">` }))
    await page.evaluate(`fetch(${JSON.stringify(`${callback}?${right}`)}, { mode: 'no-cors' }).then(() => 1, () => 1)`)
    const tab = await openTab(address)
    await enter(tab)
    await tab.press('allow')
    expect(await tab.read()).toMatch(done)
    expect(await run).toMatchObject({ status: 0, stdout: printed })
  })

  test('the answer comes as a form, to localhost', async () => {
    const desk = await startPersonDesk()
    const run = desk.start('--response-mode', 'form_post', '--redirect-host', 'localhost')
    const tab = await openTab(await desk.untilOpened())
    await enter(tab)
    await tab.pressAndLeave('allow')
    await tab.untilAddress(new URL(await desk.untilOpened()).searchParams.get('redirect_uri') ?? '')
    expect(await tab.read()).toMatch(done)
    expect(new URL(tab.address()).search).toBe('')
    expect(await run).toMatchObject({ status: 0, stdout: printed })
  })

  test('the provider goes down between code and token: the tab says so, and the next start begins anew', async () => {
    const desk = await startPersonDesk()
    desk.provider.fail('token', 'down')
    const run = desk.start()
    const tab = await openTab(await desk.untilOpened())
    await enter(tab)
    await tab.press('allow')
    expect(await tab.read()).toMatch(notDone)
    expect(await run).toMatchObject({ status: 6, stdout: '' })
    await desk.provider.comeBack()
    const next = desk.start()
    const again = await openTab(await desk.untilOpened(2))
    await enter(again)
    await again.press('allow')
    expect(await again.read()).toMatch(done)
    expect(await next).toMatchObject({ status: 0, stdout: printed })
  })
}
