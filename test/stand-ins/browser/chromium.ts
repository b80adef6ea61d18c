import { type Browser, chromium } from 'playwright-core'
import type { Tab, TestBrowser } from './test-browser.ts'

/** Launches Debian's Chromium, with nothing that it does by itself. */
export function launchChromium(more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--headless',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...more,
    ],
  })
}

/** Starts Chromium as a test drives every browser. */
export async function startChromium(
  colorScheme: 'light' | 'dark' = 'light',
  more: readonly string[] = [],
): Promise<TestBrowser> {
  const browser = await launchChromium(more)
  return { name: 'Chromium', openTab: (address) => openTab(address), close: () => browser.close() }

  async function openTab(address: string): Promise<Tab> {
    const viewport = { width: 1000, height: 700 }
    const page = await browser.newPage({ viewport, colorScheme, ignoreHTTPSErrors: true })
    await page.goto(address)
    return {
      type: (id, text) => page.fill(`#${id}`, text),
      press: async (id) => void (await Promise.all([page.waitForNavigation(), page.click(`#${id}`)])),
      pressAndLeave: (id) => page.click(`#${id}`, { noWaitAfter: true }),
      goBack: async () => void (await page.goBack()),
      goForward: async () => void (await page.goForward()),
      reload: async () => void (await page.reload()),
      untilAddress: (beginning) => page.waitForURL((address) => address.href.startsWith(beginning)),
      read: async () => (await page.innerText('body')).trim(),
      address: () => page.url(),
      evaluate: (script) => page.evaluate(script),
      close: () => page.close(),
    }
  }
}
