import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { renderSimulationPage } from '../../../src/client/page/render-simulation-page.ts'
import { readyMadeScenarios } from '../../../src/client/simulation/ready-made-scenarios.ts'
import { launchChromium } from '../../stand-ins/browser/chromium.ts'
import { openHtml } from '../../stand-ins/browser/open-html.ts'
import { play, writeShellHelper } from '../simulation/play.ts'

let browser: Browser

beforeAll(async () => {
  browser = await launchChromium()
})

afterAll(() => browser?.close())

/** Opens a scenario's page in a browser. */
async function open(name: string, colorScheme: 'light' | 'dark' = 'light') {
  const events = await play(readyMadeScenarios[name] ?? '', { credential: await writeShellHelper() })
  const html = renderSimulationPage({ subject: 'document.json', scenario: name, summary: 'a test', events })
  const opened = await openHtml(browser, html, colorScheme)
  expect(opened.complaints()).toEqual([])
  return opened
}

const detail = (page: Page) => page.locator('#detail').textContent()
const lane = (page: Page, name: string) => page.locator(`.lane[aria-label="${name}"] .mark`)

describe('the page of a simulation', () => {
  test('draws a lane for each window, the credential, the helper, the gateway and the prompts', async () => {
    const { page, complaints } = await open('many-windows')
    expect({
      names: await page.locator('.scroll .label').allTextContents(),
      marks: [await lane(page, 'window 6').count(), await lane(page, 'credential').count()],
      waiting: await lane(page, 'helper').locator('text').allTextContents(),
      legend: await page.locator('.legend li').count(),
      complaints: complaints(),
    }).toEqual({
      names: [
        'scenario',
        ...[1, 2, 3, 4, 5, 6].map((window) => `window ${window}`),
        'credential',
        'helper',
        'gateway',
        'prompts',
      ],
      marks: [16, 4],
      waiting: ['6', '6', '6', '6'],
      legend: 4,
      complaints: [],
    })
  })

  test.each([
    ['many-windows', 'headline well', 'No turn was lost.'],
    ['network-flaps', 'headline failing', '6 of 35 turns were lost.'],
  ])('names the document first, then whether its turns went through in %s', async (name, look, verdict) => {
    const { page } = await open(name)
    const [heading, headline, scenario] = await page.locator('body > *').allTextContents()
    const shown = { heading, headline, scenario, look: await page.locator('body > *').nth(1).getAttribute('class') }
    expect(shown).toEqual({
      heading: 'document.json',
      headline: verdict,
      scenario: `Scenario ${name}: a test`,
      look,
    })
  })

  test('says that a timeline scrolls only where it does', async () => {
    const { page } = await open('many-windows')
    const says = () => page.evaluate("getComputedStyle(document.querySelector('.scroll'), '::before').content")
    expect(await says()).toBe('none')
    await page.setViewportSize({ width: 390, height: 800 })
    await expect.poll(says).toBe('"Wider than the screen: scroll it sideways. →"')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  })

  test('describes the mark under the pointer, in the same words as its title', async () => {
    const { page, complaints } = await open('network-flaps')
    const lost = lane(page, 'window 1').and(page.locator('.bad')).first()
    await lost.hover()
    const title = await lost.locator('title').textContent()
    const words = '09:55:00  turn lost (unreachable): the gateway cannot be reached'
    expect({ detail: await detail(page), title, complaints: complaints() }).toEqual({
      detail: words,
      title: words,
      complaints: [],
    })
  })

  test('has one stop for Tab, and arrow keys that lead from mark to mark and from lane to lane', async () => {
    const { page } = await open('network-flaps')
    const focused = () => page.evaluate('document.activeElement.closest(".lane")?.getAttribute("aria-label")')
    await page.keyboard.press('Tab')
    if ((await focused()) === undefined) await page.keyboard.press('Tab') // a browser may stop at a box that scrolls
    const look = async () => [await focused(), (await detail(page))?.replace(/; it took \d+ ms/, '')]
    const first = await look()
    const press = async (key: string) => {
      await page.keyboard.press(key)
      return look()
    }
    const walked = [first, await press('ArrowDown'), await press('ArrowRight'), await press('Home')]
    expect([...walked, (await press('Tab'))[0]]).toEqual([
      ['scenario', '09:55:00  the network is down, until 10:05:00'],
      ['window 1', '09:55:00  turn lost (unreachable): the gateway cannot be reached'],
      ['window 1', '10:00:00  turn lost (unreachable): the gateway cannot be reached'],
      ['window 1', '09:00:00  a session starts (interactive)\n09:00:00  turn done'],
      undefined,
    ])
  })

  test.each([
    ['light', 'rgb(255, 255, 255)'],
    ['dark', 'rgb(20, 24, 31)'],
  ] as const)('has a %s look, in which marks stand out from the background', async (scheme, paper) => {
    const { page, directory } = await open('token-revoked', scheme)
    const style = (selector: string, property: string) =>
      page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).${property}`)
    expect(await style('body', 'backgroundColor')).toBe(paper)
    expect(await style('.mark.good', 'fill')).not.toBe(paper)
    const picture = await page.screenshot({ path: join(directory, 'page.png') })
    expect(picture.length).toBeGreaterThan(10_000)
  })

  test('has every event in a table too', async () => {
    const { page } = await open('token-revoked')
    const rows = await page.locator('tbody tr').count()
    expect(rows).toBeGreaterThan(30)
    expect(await page.locator('summary').textContent()).toBe(`All ${rows} events`)
  })
})
