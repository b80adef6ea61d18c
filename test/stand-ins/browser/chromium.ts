import { type Browser, chromium } from 'playwright-core'
import type { Tab, TestBrowser } from './test-browser.ts'

/** Debian's Chromium, with nothing that it does by itself. */
export function launchChromium(): Promise<Browser> {
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
    ],
  })
}

/** That browser, as a test drives any. */
export async function startChromium(colorScheme: 'light' | 'dark' = 'light'): Promise<TestBrowser> {
  const browser = await launchChromium()
  return { name: 'Chromium', openTab: (address) => openTab(address), close: () => browser.close() }

  async function openTab(address: string): Promise<Tab> {
    const page = await browser.newPage({ viewport: { width: 1000, height: 700 }, colorScheme })
    await page.goto(address)
    return {
      press: async (id) => void (await Promise.all([page.waitForNavigation(), page.click(`#${id}`)])),
      pressAndLeave: (id) => page.click(`#${id}`, { noWaitAfter: true }),
      goBack: async () => void (await page.goBack()),
      goForward: async () => void (await page.goForward()),
      read: async () => (await page.innerText('body')).trim(),
      address: () => page.url(),
      evaluate: (script) => page.evaluate(script),
      photograph: async (path) => void (await page.screenshot({ path })),
      close: () => page.close(),
    }
  }
}
