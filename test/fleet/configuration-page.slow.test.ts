import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { renderConfigurationPage } from '../../src/fleet/configuration/render-configuration-page.ts'
import { simulateConfiguration } from '../../src/fleet/configuration/simulate-configuration.ts'
import { parseConfigurationScenario } from '../../src/fleet/scenario/parse-configuration-scenario.ts'
import { readyMadeConfigurations } from '../../src/fleet/scenario/ready-made-fleets.ts'
import { launchChromium } from '../stand-ins/browser/chromium.ts'
import { openHtml } from '../stand-ins/browser/open-html.ts'

let browser: Browser

beforeAll(async () => {
  browser = await launchChromium()
})

afterAll(() => browser?.close())

async function open(width = 1280) {
  const parsed = parseConfigurationScenario(readyMadeConfigurations['bad-release']!)
  if (!parsed.ok) throw new Error('the ready-made day cannot be read')
  const result = simulateConfiguration({ ...parsed.scenario.day, desktops: 200, seed: 1 })
  const name = '<img src=x onerror=alert(1)>'
  const html = renderConfigurationPage({ name, summary: 'a "test"', desktops: 200, seed: 1, result })
  const { page, complaints } = await openHtml(browser, html, 'light')
  expect(complaints()).toEqual([])
  await page.setViewportSize({ width, height: 900 })
  return page
}

describe('the page of a day at a configuration server', () => {
  test('draws the clients by release over the day, and who was blocked', async () => {
    const page = await open()
    expect({
      title: await page.locator('h1').textContent(),
      legend: await page.locator('.legend li').allTextContents(),
      panels: await page.locator('figcaption').allTextContents(),
    }).toEqual({
      title: '<img src=x onerror=alert(1)>',
      legend: ['release 1', 'release 2', 'no document'],
      panels: [
        'open clients, by release',
        'people blocked by a restart, in a minute',
        'people whose client does not work',
        'requests in the busiest second of a minute',
        'answers, a minute',
      ],
    })
  })

  test('shows the numbers of a minute by keyboard', async () => {
    const page = await open()
    await page.keyboard.press('Tab')
    await page.locator('#minute').fill('645')
    const lines = (await page.locator('#detail').textContent())?.replaceAll(/\d+/g, 'N').split('\n')
    expect(lines).toEqual([
      'N:N UTC',
      'open clients, by release: release N N, release N N, no document N',
      'people blocked by a restart, in a minute: by itself N, enforced N',
      'people whose client does not work: wrong gateway N, no document N',
      'requests in the busiest second of a minute: all N',
      'answers, a minute: N N, documents N, unreachable N',
    ])
  })

  test('scrolls its charts and not itself on a narrow screen', async () => {
    const page = await open(390)
    expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0)
  })
})
