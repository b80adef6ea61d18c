import type { Browser, Page } from 'playwright-core'
import type { Person } from '../setup/sign-in/sign-in-to.ts'

/** Creates a person in a real browser, because the pages of glewlwyd are made by script. */
export function createPerson(browser: Browser, user: { readonly name: string; readonly password: string }): Person {
  return async ({ address }) => {
    const page = await browser.newPage()
    page.setDefaultTimeout(10_000)
    await page.goto(address)
    await logIn(page, user.name, 'a wrong password')
    await page.getByText('Authentication error').waitFor()
    await logIn(page, user.name, user.password)
    const grant = page.locator('#grant-gateway')
    const goOn = page.getByRole('button', { name: 'Continue' })
    await goOn.waitFor()
    if (await grant.isVisible()) {
      await grant.check()
      await page.getByRole('button', { name: 'Grant access' }).click()
      await page.getByText('Open ID').waitFor({ state: 'detached' })
    }
    await goOn.click()
    await page.waitForURL((url) => url.hostname === '127.0.0.1' || url.search.includes('prompt=deviceComplete'))
    if (page.url().includes('prompt=deviceComplete')) await page.getByText('Authorization complete').waitFor()
    else await page.getByText('Loading...').waitFor({ state: 'hidden' })
    const text = await page.innerText('body')
    await page.close()
    return text
  }
}

async function logIn(page: Page, name: string, password: string): Promise<void> {
  await page.fill('#username', name)
  await page.fill('#password', password)
  await page.click('#loginbut')
}
