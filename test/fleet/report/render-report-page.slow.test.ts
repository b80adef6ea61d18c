import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { renderReportPage } from '../../../src/fleet/report/render-report-page.ts'
import type { CallOutcome } from '../../../src/outcomes/call-outcome.ts'
import { exitStatus } from '../../../src/runtime/failure.ts'
import { launchChromium } from '../../stand-ins/browser/chromium.ts'
import { openHtml } from '../../stand-ins/browser/open-html.ts'
import { failureOf, nine, outcomeOf, summarize } from './sample-logs.ts'

let browser: Browser

beforeAll(async () => {
  browser = await launchChromium()
})

afterAll(() => browser?.close())

const minute = 60_000
const hostile = `<script>document.title='run'</script>"onmouseover="document.title='run'<img src=x onerror=document.title='run'>\u202e`

/** Creates an hour of ten machines that ask every minute: no network from 9:20 to 9:25, and one that a person has to sign in on. */
function createSummary() {
  const calls: [machine: string, outcome: CallOutcome][] = []
  const add = (machine: string, outcome: CallOutcome) => calls.push([machine, outcome])
  for (let at = 0; at < 60; at += 1)
    for (let machine = 0; machine < 10; machine += 1) {
      const time = nine + at * minute
      const version = machine === 0 || at < 30 ? '0.1.0' : '0.2.0'
      const isLate = machine % 2 === 0
      if (machine === 9) add(hostile, failureOf({ time, version, outcome: 'sign-in-required', status: 4 }))
      else if (at < 20 || at >= 25) add(`pc-${machine}`, outcomeOf({ time, version }))
      else if (isLate)
        add(`pc-${machine}`, failureOf({ time, version, outcome: 'late', status: 7, ms: 58_000, late: 'network' }))
      else add(`pc-${machine}`, failureOf({ time, version }))
    }
  const troubles = [{ path: `/logs/${hostile}`, records: 2, line: 3, reason: undefined }]
  return summarize(calls, { input: { unreadable: 2, troubles } })
}

const open = (colorScheme?: 'light' | 'dark') => openHtml(browser, renderReportPage(createSummary()), colorScheme)

const cells = (page: Page, selector: string) =>
  page
    .locator(selector)
    .evaluateAll((rows) =>
      rows.map((row) =>
        [...row.querySelectorAll('th, td:not(.drawn)')].map((cell) =>
          (cell as unknown as { innerText: string }).innerText.replace('\n', ' ').trim(),
        ),
      ),
    )
/** Measures the contrast between a number and the darkest shade of its cause (WCAG 2.2, section 1.4.3). */
const measureContrast = (page: Page, cause: string) =>
  page.evaluate(`(() => {
    const cell = document.querySelector('#machines .heat')
    cell.className = 'heat ${cause} shade-5'
    const context = document.createElement('canvas').getContext('2d')
    const toLuminance = (color) => {
      context.fillStyle = color
      context.fillRect(0, 0, 1, 1)
      const [red, green, blue] = [...context.getImageData(0, 0, 1, 1).data].map((value) => ((value / 255 + 0.055) / 1.055) ** 2.4)
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05
    }
    const { color, backgroundColor } = getComputedStyle(cell)
    const [low, high] = [toLuminance(color), toLuminance(backgroundColor)].toSorted((a, b) => a - b)
    return high / low
  })()`) as Promise<number>
const detail = (page: Page, section: string) => page.locator(`#${section} .detail`).textContent()

describe('the page of a fleet', () => {
  test('says what fails, when and where, in its first screen and in its tables', async () => {
    const { page, complaints } = await open()
    expect(await cells(page, '#causes tbody tr')).toEqual([
      [
        'sign-in-required (4) a person has to sign in',
        '60',
        'spread out',
        '1',
        'on one machine',
        '1',
        'aws-bedrock-token 100.0 %, interactive 100.0 %',
      ],
      [
        'late (7) no token in time',
        '25',
        '20.0 % from 2026-03-02 09:20 to 09:21',
        '5',
        'half of them on 3',
        '0',
        'aws-bedrock-token 100.0 %, interactive 100.0 %',
      ],
      [
        'unavailable (6) a server was not reached, or failed',
        '20',
        '20.0 % from 2026-03-02 09:20 to 09:21',
        '4',
        'half of them on 2',
        '0',
        'aws-bedrock-token 100.0 %, interactive 100.0 %',
      ],
    ])
    const machines = await cells(page, '#machines tbody tr')
    expect({
      headline: await page.locator('.headline').textContent(),
      machines: machines.length,
      second: machines[1],
      versions: await cells(page, '#versions .beside > .scroll tbody tr'),
      behind: await cells(page, '#versions .box tbody tr'),
      complaints: complaints(),
    }).toEqual({
      headline: '105 of 600 calls failed (17.5 %), on 10 of 10 machines; 1 still failing when the logs end.',
      machines: 10,
      second: ['pc-0', '5', '8.3 %', '', '5', '', '0.1.0', '2026-03-02 09:59'],
      versions: [
        ['0.2.0', '9', '90.0 %', '270'],
        ['0.1.0', '1', '10.0 %', '330'],
      ],
      behind: [['pc-0', '0.1.0', '2026-03-02 09:59']],
      complaints: [],
    })
  })

  test('draws a column for each minute, as high as what it says', async () => {
    const { page, complaints } = await open()
    const columns = page.locator('#time .column')
    const heights = await columns
      .nth(20)
      .locator('rect:not(.reach)')
      .evaluateAll((bars) => bars.map((bar) => [bar.getAttribute('class'), Number(bar.getAttribute('height'))]))
    await columns.nth(20).hover()
    const label = '2026-03-02 09:20 to 09:21  10 calls, 10 failed: late 5, unavailable 4, sign-in-required 1'
    expect({
      columns: await columns.count(),
      label: await columns.nth(20).getAttribute('aria-label'),
      heights,
      rows: await page.locator('#time details tbody tr').count(),
      detail: await detail(page, 'time'),
      complaints: complaints(),
    }).toEqual({
      columns: 60,
      label,
      heights: [
        ['calls', 70],
        ['sign-in-required', 19],
        ['late', 95],
        ['unavailable', 76],
      ],
      rows: 60,
      detail: label,
      complaints: [],
    })
  })

  test('has one stop for each chart, and arrow keys that lead from column to column', async () => {
    const { page } = await open()
    const focused = () =>
      page.evaluate("document.activeElement.closest('section')?.id + ' ' + document.activeElement.className.baseVal")
    for (let stops = 0; stops < 5 && (await focused()) !== 'time mark column'; stops += 1)
      await page.keyboard.press('Tab')
    const details = [await detail(page, 'time')]
    for (const key of ['End', 'ArrowLeft']) {
      await page.keyboard.press(key)
      details.push(await detail(page, 'time'))
    }
    for (let stops = 0; stops < 5 && (await page.evaluate('document.activeElement.id')) !== 'find'; stops += 1)
      await page.keyboard.press('Tab')
    expect([...details, await page.evaluate('document.activeElement.id')]).toEqual([
      '2026-03-02 09:00 to 09:01  10 calls, 1 failed: sign-in-required 1',
      '2026-03-02 09:59 to 10:00  10 calls, 1 failed: sign-in-required 1',
      '2026-03-02 09:58 to 09:59  10 calls, 1 failed: sign-in-required 1',
      'find',
    ])
  })

  test('is searched with the keyboard: for a name, and for machines that still fail', async () => {
    const { page, complaints } = await open()
    await page.focus('#find')
    await page.keyboard.type('PC-3')
    const shown = await page.locator('#machines tbody tr:visible').count()
    const found = await page.locator('#found').textContent()
    await page.fill('#find', '')
    await page.check('#still')
    const failing = await page.locator('#machines tbody tr:visible th').allTextContents()
    expect({ shown, found, failing, complaints: complaints() }).toEqual({
      shown: 1,
      found: '1 of 10',
      failing: [hostile.replace('\u202e', '\\u202e')],
      complaints: [],
    })
  })

  test('shows the name of a hostile machine as text', async () => {
    const { page, complaints } = await open()
    await page.locator('#machines tbody th').first().hover()
    const shown = hostile.replace('\u202e', '\\u202e')
    expect({
      machine: await page.locator('#machines tbody th').first().textContent(),
      input: await page.locator('#input tbody th').textContent(),
      title: await page.title(),
      complaints: complaints(),
    }).toEqual({
      machine: shown,
      input: `/logs/${shown}`,
      title: 'Calls of helpers · gatepass fleet report',
      complaints: [],
    })
  })

  test('runs no script that is injected into it', async () => {
    const { page } = await open()
    await page.evaluate(
      "document.body.append(Object.assign(document.createElement('script'), { textContent: \"document.title = 'run'\" }))",
    )
    await page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"document.title=1\">')")
    expect(await page.title()).toBe('Calls of helpers · gatepass fleet report')
  })

  test('scrolls a long table on a screen, and shows all of it on paper', async () => {
    const { page } = await open()
    await page.click('#time summary')
    const countHidden = () => page.locator('#time .box').evaluate((box) => box.scrollHeight - box.clientHeight)
    expect(await countHidden()).toBeGreaterThan(500)
    await page.emulateMedia({ media: 'print' })
    expect(await countHidden()).toBe(0)
  })

  test('fits on a narrow screen', async () => {
    const { page } = await open('light')
    await page.setViewportSize({ width: 360, height: 740 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    expect((await page.locator('#causes tbody th').first().boundingBox())?.width).toBeGreaterThan(150)
  })

  test.each([
    ['light', 'rgb(255, 255, 255)'],
    ['dark', 'rgb(20, 24, 31)'],
  ] as const)('has a %s look, in which every cause has a colour of its own', async (scheme, paper) => {
    const { page, directory } = await open(scheme)
    const style = (selector: string, property: string) =>
      page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).${property}`)
    expect(await style('body', 'backgroundColor')).toBe(paper)
    const fills = await Promise.all(
      ['late', 'unavailable', 'sign-in-required', 'calls'].map((name) => style(`#time .${name}`, 'fill')),
    )
    expect(new Set([...fills, paper]).size).toBe(5)
    const contrasts = await Promise.all(Object.keys(exitStatus).map((cause) => measureContrast(page, cause)))
    expect(Math.min(...contrasts)).toBeGreaterThan(4.5)
    expect((await page.screenshot({ path: join(directory, 'page.png') })).length).toBeGreaterThan(10_000)
  })
})
