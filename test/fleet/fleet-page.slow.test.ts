import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { renderFleetPage } from '../../src/fleet/render-fleet-page.ts'
import { launchChromium } from '../stand-ins/browser/chromium.ts'
import { openHtml } from '../stand-ins/browser/open-html.ts'
import { madeChoice, makeResult } from './made-result.ts'

let browser: Browser

beforeAll(async () => {
  browser = await launchChromium()
})

afterAll(() => browser?.close())

async function open(colorScheme: 'light' | 'dark', width = 1280) {
  const busy = makeResult({
    first: { 32400: 12 },
    requests: { 32400: 15 },
    throttled: { 32400: 3 },
    rescued: { 32400: 1 },
    lost: { 32460: 2 },
  })
  const played = [
    { choice: madeChoice, result: busy },
    { choice: { ...madeChoice, renewEarly: 50 }, result: makeResult({ first: { 32400: 4 } }) },
  ]
  const name = '<img src=x onerror=alert(1)>'
  const html = renderFleetPage({ name, summary: 'a "test"', desktops: 1000, seed: 1, played })
  const { page, complaints } = await openHtml(browser, html, colorScheme)
  expect(complaints()).toEqual([])
  await page.setViewportSize({ width, height: 900 })
  return page
}

describe('the page of a fleet', () => {
  test('draws what happened, and says its numbers in a table', async () => {
    const page = await open('light')
    expect({
      title: await page.locator('h1').textContent(),
      panels: await page.locator('figcaption').allTextContents(),
      lost: await page.locator('tr.lost').allTextContents(),
    }).toEqual({
      title: '<img src=x onerror=alert(1)>',
      panels: [
        'mints in the busiest second of a minute',
        'requests to the provider in that second',
        'requests answered 429, a minute',
        'turns rescued after a 401, a minute',
        'turns lost, a minute',
      ],
      lost: ['  lost20'],
    })
  })

  test('shows the numbers of a minute by keyboard', async () => {
    const page = await open('light')
    await page.keyboard.press('Tab')
    const detail = page.locator('#detail')
    expect(await detail.textContent()).toBe(`09:00 UTC
mints in the busiest second of a minute: A 12, B 4
requests to the provider in that second: A 15, B 0
requests answered 429, a minute: A 3, B 0
turns rescued after a 401, a minute: A 1, B 0
turns lost, a minute: A 0, B 0`)
    await page.keyboard.press('ArrowRight')
    expect(await detail.textContent()).toBe(`09:01 UTC
mints in the busiest second of a minute: A 0, B 0
requests to the provider in that second: A 0, B 0
requests answered 429, a minute: A 0, B 0
turns rescued after a 401, a minute: A 0, B 0
turns lost, a minute: A 2, B 0`)
    expect(await page.locator('#minute').getAttribute('aria-valuetext')).toBe('09:01 UTC')
  })

  test('shows the numbers of the minute under the pointer', async () => {
    const page = await open('light')
    const chart = page.locator('.panel').first()
    const width = (await chart.boundingBox())?.width ?? 0
    await chart.hover({ position: { x: (width * (70 + 1120 / 2)) / 1200 + 1, y: 60 } })
    expect(await page.locator('#detail').textContent()).toMatch(/^12:0[0-2] UTC\n/)
  })

  test('keeps its charts readable on a narrow screen, where they are scrolled and the page is not', async () => {
    const page = await open('light', 390)
    const drawn = await page.locator('.panel').first().boundingBox()
    const scrolled = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    expect({ width: drawn?.width, scrolled }).toEqual({ width: 860, scrolled: 0 })
  })

  test.each([
    ['light', 'rgb(255, 255, 255)'],
    ['dark', 'rgb(20, 24, 31)'],
  ] as const)('has a %s look, in which the curves stand out from the background', async (scheme, paper) => {
    const page = await open(scheme)
    const style = (selector: string, property: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${property}`)
    expect(await style('body', 'backgroundColor')).toBe(paper)
    expect(await style('.panel .choice-a', 'fill')).not.toBe(paper)
    expect(await style('.panel .choice-b', 'stroke')).not.toBe(paper)
  })
})
