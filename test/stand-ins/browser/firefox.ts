import puppeteer, { type Page } from 'puppeteer-core'
import type { Tab, TestBrowser } from './test-browser.ts'

/** The setting by which a page is told which look the person has chosen. */
const looks = { dark: 0, light: 1 }

/** Starts Debian's Firefox ESR, driven over WebDriver BiDi. */
export async function startFirefox(colorScheme: 'light' | 'dark' = 'light'): Promise<TestBrowser> {
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: '/usr/bin/firefox-esr',
    headless: true,
    acceptInsecureCerts: true,
    extraPrefsFirefox: { 'layout.css.prefers-color-scheme.content-override': looks[colorScheme] },
  })
  return {
    name: 'Firefox',
    openTab: async (address) => openTab(await browser.newPage(), address),
    close: () => browser.close(),
  }
}

async function openTab(page: Page, address: string): Promise<Tab> {
  await page.setViewport({ width: 1000, height: 700 })
  await page.goto(address)
  return {
    type: (id, text) => page.type(`#${id}`, text),
    press: async (id) => void (await Promise.all([page.waitForNavigation(), page.click(`#${id}`)])),
    pressAndLeave: (id) => page.click(`#${id}`),
    goBack: async () => void (await page.goBack()),
    goForward: async () => void (await page.goForward()),
    reload: async () => void (await page.reload()),
    untilAddress: async (beginning) => {
      while (!page.url().startsWith(beginning)) await new Promise((resolve) => setTimeout(resolve, 20))
      await page.waitForFunction('document.readyState === "complete"')
    },
    read: async () => String(await page.evaluate('document.body.innerText')).trim(),
    address: () => page.url(),
    evaluate: (script) => page.evaluate(script),
    close: () => page.close(),
  }
}
