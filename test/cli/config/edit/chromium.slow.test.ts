import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { launchChromium, startChromium } from '../../../stand-ins/browser/chromium.ts'
import { documentWith, writeTemporary } from '../../run-gatepass.ts'
import { changedElsewhere, createDriver, describeEditor } from './page-scenarios.ts'
import { startEditor } from './start-editor.ts'

describeEditor(startChromium)

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

async function openPage(content: string, options: { width?: number; colorScheme?: 'light' | 'dark' } = {}) {
  const path = await writeTemporary('doc.json', content)
  const editor = await startEditor(path)
  const { width = 1280, colorScheme = 'light' } = options
  const context = await browser.newContext({ viewport: { width, height: 844 }, colorScheme })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const seen: string[] = []
  page.on('console', (message) => seen.push(`console: ${message.text()}`))
  page.on('pageerror', (error) => seen.push(`error: ${error.message}`))
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(editor.address).origin && !request.url().startsWith('data:'))
      seen.push(`request: ${request.url()}`)
  })
  await page.goto(editor.address)
  await page.locator('.lane').first().waitFor()
  return { path, ...editor, context, page, seen, ...createDriver(page) }
}

test('the page loads nothing from elsewhere, and violates no content security policy', async () => {
  const { page, seen } = await openPage(documentWith())
  await page.getByLabel('Format').selectOption('mobileconfig')
  const download = page.waitForEvent('download')
  await page.getByText('Save gatepass.mobileconfig').click()
  expect(await readFile(await (await download).path(), 'utf8')).toMatch(/^<\?xml version="1.0"/)
  expect(seen).toEqual([])
})

test('a script that is injected into the page does not run', async () => {
  const { page, run, seen } = await openPage(documentWith())
  await run(`const s = document.createElement('script'); s.textContent = 'document.title = "ran"'; document.body.append(s)
    const i = document.createElement('img'); i.setAttribute('onerror', 'document.title = "ran"'); i.src = 'x:'; document.body.append(i)`)
  await expect.poll(() => seen.join('\n')).toContain('Content Security Policy')
  expect(await page.title()).toBe('doc.json · gatepass config edit')
})

test('a duplicated tab does not lose what the first one saved', async () => {
  const { page, set, press, read, path } = await openPage(documentWith())
  const popup = page.waitForEvent('popup')
  await page.evaluate("window.open('/')")
  const other = createDriver(await popup)
  await expect.poll(other.text).toBe(documentWith())
  await set('inference.credential.ttlSec helper-script', '900')
  await other.set('inference.credential.timeoutSec helper-script', '20')
  await press('Save')
  await expect.poll(() => read('#state')).toBe('as it is saved')
  await other.press('Save')
  await expect.poll(() => other.read('#changed')).toBe(changedElsewhere)
  await other.press('Make my changes in it')
  await other.press('Save')
  await expect.poll(() => other.read('#state')).toBe('as it is saved')
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(JSON.parse(documentWith({ ttlSec: 900, timeoutSec: 20 })))
})

describe('without a pointer', () => {
  const label = (page: Page) =>
    page.evaluate('document.activeElement.textContent || document.activeElement.id || document.activeElement.ariaLabel')

  test('Tab leads through the page in the order in which it is read', async () => {
    const { page } = await openPage(documentWith())
    const visited: unknown[] = []
    for (let step = 0; step < 12; step += 1) {
      await page.keyboard.press('Tab')
      visited.push(await label(page))
    }
    // Undo, redo and save have nothing to do yet.
    expect(visited.slice(0, 8)).toEqual([
      ...['Finish', 'Findings', 'Fields', 'Text', 'Difference', 'Client releases', 'Exports', 'Working day'],
    ])
    expect(visited.slice(-2)).toEqual(['not set2', 'Remove $schemaVersion'])
  })

  test('a finding leads to its field, Ctrl+Z undoes, and Ctrl+S saves', async () => {
    const content = documentWith({ ttlSec: 60 })
    const { page, path, read, text } = await openPage(content)
    await page.getByRole('link', { name: 'inference.credential.ttlSec' }).first().focus()
    await page.keyboard.press('Enter')
    expect(await label(page)).toBe('field-inference-credential-ttlSec-helper-script')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('900')
    await expect.poll(text).toBe(content.replace('60', '900'))
    await page.keyboard.press('Control+z')
    await expect.poll(text).toBe(content)
    // As keys that follow each other before the browser paints.
    await page.evaluate(`(async () => {
      const press = (key) => document.dispatchEvent(new KeyboardEvent('keydown', { key, ctrlKey: true, shiftKey: key === 'Z' }))
      press('Z')
      await new Promise((resolve) => setTimeout(resolve))
      press('s')
    })()`)
    await expect.poll(() => readFile(path, 'utf8')).toBe(content.replace('60', '900'))
    await expect.poll(() => read('#state')).toBe('as it is saved')
  })

  test('every control has a name, and each part of the page is a landmark or has a heading', async () => {
    const { page } = await openPage(documentWith({ args: ['a'] }))
    const nameless = `[...document.querySelectorAll('input, select, textarea, button')].filter(control =>
      !(control.labels?.length || control.getAttribute('aria-label') || (control.tagName === 'BUTTON' && control.textContent.trim()))).map(control => control.outerHTML)`
    const missing = `[...document.querySelectorAll('[aria-describedby], [aria-labelledby]')].flatMap(each =>
      [each.getAttribute('aria-describedby'), each.getAttribute('aria-labelledby')].filter(Boolean).join(' ').split(' ')).filter(id => !document.getElementById(id))`
    const counts = ['banner', 'navigation', 'main'].map((role) => page.getByRole(role as 'main').count())
    expect({
      nameless: await page.evaluate(nameless),
      missing: await page.evaluate(missing),
      landmarks: await Promise.all(counts),
      headings: await page.getByRole('heading', { level: 2 }).allTextContents(),
    }).toEqual({
      nameless: [],
      missing: [],
      landmarks: [1, 1, 1],
      headings: ['Findings', 'Fields', 'Text', 'Difference', 'Client releases', 'Exports', 'Working day'],
    })
  })

  test('the result of a check and a save are announced', async () => {
    const { page, set, press } = await openPage(documentWith())
    const told = () => page.locator('.status[aria-live="polite"]').textContent()
    await expect.poll(told).toBe(' This document works: 1 note.')
    await set('inference.baseUrl', 'x')
    await expect.poll(told).toMatch(/This document does not work as it stands: 1 error/)
    await press('Save')
    await expect.poll(told).toMatch(/^Saved\. This document does not work/)
  })
})

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  const long = `/opt/${'long-folder/'.repeat(12)}helper`

  test.each([1280, 390])('nothing is cut off at a width of %i', async (width) => {
    const { page } = await openPage(documentWith({ command: long, args: [long] }), { width, colorScheme })
    await page.getByLabel('Format').selectOption('mobileconfig')
    await page.locator('.content').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    const beyond = `[...document.querySelectorAll('main *, header *, nav *')].filter(each => {
      const box = each.getBoundingClientRect()
      return !each.closest('.scroll, .status') && (box.right > ${width} + 1 || box.left < -1)
    }).map(each => each.outerHTML.slice(0, 100))`
    expect(await page.evaluate(beyond)).toEqual([])
  })

  test('every text has a contrast of 4.5 to 1', async () => {
    const { page } = await openPage(documentWith({ ttlSec: 60 }), { colorScheme })
    expect(await page.evaluate(contrastScript)).toEqual([])
  })
})

/** The texts with less contrast than WCAG 2.2 (1.4.3) asks for; what cannot be used is left out, as there. */
const contrastScript = `(() => {
  const parse = colour => { const p = colour.match(/[\\d.]+/g).map(Number); return { rgb: p.slice(0, 3), alpha: p[3] ?? 1 } }
  const light = rgb => { const [r, g, b] = rgb.map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b }
  const behind = each => { for (let e = each; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.alpha > 0.9) return c.rgb } return [255, 255, 255] }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const found = []
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const each = node.parentElement
    if (node.data.trim() === '' || each.closest('script, style, svg, option, :disabled, [hidden], .status')) continue
    const [a, b] = [light(parse(getComputedStyle(each).color).rgb), light(behind(each))].sort((x, y) => y - x)
    if ((a + 0.05) / (b + 0.05) < 4.5) found.push(node.data.trim().slice(0, 40))
  }
  return found
})()`
