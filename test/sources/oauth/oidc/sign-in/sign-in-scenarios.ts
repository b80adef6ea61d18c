import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startSite } from '../../../../stand-ins/browser/start-site.ts'
import type { Tab, TestBrowser } from '../../../../stand-ins/browser/test-browser.ts'
import { alice } from '../../../../stand-ins/provider/settings.ts'
import { type PersonDesk, startPersonDesk } from './person-desk.ts'

const program = 'oidc-token'
const printed = '{"token":"JWT"}\n'

/** Tests what a person does in a browser, over the real process that signs in, at an OpenID provider. */
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
  // Gives the last page.
  const signIn = async (address: string) => {
    const tab = await openTab(address)
    await enter(tab)
    await tab.press('allow')
    return tab.read()
  }

  test('two windows open one tab, a wrong password can be corrected, and going back or reloading changes nothing', async () => {
    const desk = await startPersonDesk()
    const runs = [desk.start(), desk.start('--header', 'X-Window: 2')]
    const address = await desk.untilOpened()
    const tab = await openTab(address)
    await enter(tab, 'not-mine')
    const seen = [await tab.read()]
    await enter(tab)
    seen.push(await tab.read())
    await tab.press('allow')
    seen.push(await tab.read())
    const outcomes = [await runs[0], await runs[1]]
    await tab.goBack() // what the provider shows of a sign-in that is over is its own affair
    for (const move of [() => tab.goForward(), () => tab.reload()]) {
      await move()
      seen.push(await tab.read())
    }
    outcomes.push(await desk.start())
    const codes = desk.provider.requests('token', 'authorization_code').map(({ status }) => status)
    const stderr = renderOpening(desk, address)
    expect({ seen, outcomes, codes, opened: await desk.countOpened() }).toEqual({
      seen: [
        'Example Corp: sign in\n\nThis name and this password do not belong together.\n\nName  Password  sign incancel',
        'May this program act for you?\n\ngatepass asks for: openid. You are alice.\n\nallowdeny',
        renderSignedIn(desk),
        renderSignedIn(desk),
        renderSignedIn(desk),
      ],
      outcomes: [
        { status: 0, stdout: printed, stderr },
        { status: 0, stdout: '{"token":"JWT","headers":{"X-Window":"2"}}\n', stderr },
        { status: 0, stdout: printed, stderr: '' },
      ],
      codes: [200],
      opened: 1,
    })
  })

  test('a run whose sign-in the person denies fails, and the next start asks again', async () => {
    const desk = await startPersonDesk()
    const run = desk.start()
    const address = await desk.untilOpened()
    const tab = await openTab(address)
    await enter(tab)
    await tab.press('deny')
    const { host } = new URL(desk.provider.issuer)
    const denied = [await tab.read(), await run]
    const next = desk.start()
    const second = await desk.untilOpened(2)
    const message = `the sign-in to ${host} was denied in the browser`
    expect({ denied, next: [await signIn(second), await next] }).toEqual({
      denied: [
        `You are not signed in\n\nThe sign-in to ${host} was denied in the browser.\n\nWhat to do\n\nStart again, and allow it there.\n\nYou can close this tab.`,
        {
          status: 5,
          stdout: '',
          stderr: `${renderOpening(desk, address)}${program}: ${message}\n${program}: hint: start again, and allow it there\n`,
        },
      ],
      next: [renderSignedIn(desk), { status: 0, stdout: printed, stderr: renderOpening(desk, second) }],
    })
  })

  test('a run whose tab is closed ends at its deadline, and a later run joins its sign-in in another tab', async () => {
    const desk = await startPersonDesk()
    const run = desk.start('--client-timeout', '5')
    const address = await desk.untilOpened()
    await (await browser.openTab(address)).close()
    const { host } = new URL(desk.provider.issuer)
    const ended = await run
    const later = desk.start()
    expect({ ended, later: [await signIn(address), await later], opened: await desk.countOpened() }).toEqual({
      ended: {
        status: 7,
        stdout: '',
        stderr: [
          renderOpening(desk, address),
          `${program}: the sign-in to ${host} took longer than the 3 s of this call\n`,
          `${program}: hint: finish it in the browser, and the next start joins it; for more time, tell your administrator: set timeoutSec in the client's document, and client-timeout here, to 300; its page is: ${address}\n`,
        ].join(''),
      },
      later: [renderSignedIn(desk), { status: 0, stdout: printed, stderr: renderOpening(desk, address) }],
      opened: 1,
    })
  })

  test('a page of another origin cannot end a sign-in, even if it knows the state', async () => {
    const desk = await startPersonDesk()
    await using attacker = await startSite('http', '127.0.0.1')
    const run = desk.start()
    const address = await desk.untilOpened()
    const query = new URL(address).searchParams
    const callback = query.get('redirect_uri') ?? ''
    const fromElsewhere = `You are not signed in yet\n\nThe answer for the sign-in to ${new URL(desk.provider.issuer).host} came from 127.0.0.1, which is not one of the provider's hosts.\n\nWhat to do\n\nIf you signed in there, ask your administrator to add that host to additionalRedirectReferrerHosts.\n\nIf you did not expect this page, close it: the sign-in still waits in the tab where it began.`
    const right = new URLSearchParams({ error: 'access_denied', state: query.get('state') ?? '' })
    const pages: string[] = []
    for (const forged of ['?error=access_denied', '?code=forged&state=guess', `?${right}`]) {
      const html = `<script>location = ${JSON.stringify(callback + forged)}</script>`
      const page = await openTab(attacker.add(`/${pages.length}`, { html }))
      await page.untilAddress(callback)
      pages.push(await page.read())
    }
    const page = await openTab(attacker.add('/parts', { html: `<img src="${callback}?${right}" alt="">` }))
    await page.evaluate(`fetch(${JSON.stringify(`${callback}?${right}`)}, { mode: 'no-cors' }).then(() => 1, () => 1)`)
    pages.push(await signIn(address))
    expect({ pages, run: await run }).toEqual({
      pages: ['Not found', 'Not found', fromElsewhere, renderSignedIn(desk)],
      run: { status: 0, stdout: printed, stderr: renderOpening(desk, address) },
    })
  })

  test('an answer that comes as a form to localhost signs the person in', async () => {
    const desk = await startPersonDesk()
    const run = desk.start('--response-mode', 'form_post', '--redirect-host', 'localhost')
    const address = await desk.untilOpened()
    const tab = await openTab(address)
    await enter(tab)
    await tab.pressAndLeave('allow')
    await tab.untilAddress(new URL(address).searchParams.get('redirect_uri') ?? '')
    expect([await tab.read(), new URL(tab.address()).search, await run]).toEqual([
      renderSignedIn(desk),
      '',
      { status: 0, stdout: printed, stderr: renderOpening(desk, address) },
    ])
  })

  test('a provider that goes down between code and token fails the sign-in, and the next start begins a new one', async () => {
    const desk = await startPersonDesk()
    desk.provider.fail('token', 'down')
    const run = desk.start()
    const address = await desk.untilOpened()
    const lost = [await signIn(address), await run]
    const { host } = new URL(desk.provider.issuer)
    const message = `${host} cannot be reached (ECONNRESET); the code of the sign-in, which is valid once, is lost with that`
    await desk.provider.comeBack()
    const next = desk.start()
    const second = await desk.untilOpened(2)
    expect({ lost, next: [await signIn(second), await next] }).toEqual({
      lost: [
        `You are not signed in\n\n${message}.\n\nWhat to do\n\nStart again, which begins a new sign-in.\n\nYou can close this tab.`,
        {
          status: 6,
          stdout: '',
          stderr: `${renderOpening(desk, address)}${program}: ${message}\n${program}: hint: start again, which begins a new sign-in\n`,
        },
      ],
      next: [renderSignedIn(desk), { status: 0, stdout: printed, stderr: renderOpening(desk, second) }],
    })
  })
}

/** Renders the page of a sign-in that has succeeded. */
function renderSignedIn({ provider }: PersonDesk): string {
  const { host } = new URL(provider.issuer)
  return `You are signed in\n\nas alice\n\nThis was the sign-in to ${host}.\n\nIt is for ${program}, with the client gatepass.\n\nYou can close this tab and go back to your work.`
}

/** Renders the line on stderr of a run that waits for a person. */
function renderOpening({ provider }: PersonDesk, address: string): string {
  const { host } = new URL(provider.issuer)
  return `${program}: a browser opens for the sign-in to ${host}; if you see none, open: ${address}\n`
}
