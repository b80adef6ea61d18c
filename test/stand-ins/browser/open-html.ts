import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

/** A page that was opened from a file, and what the browser complained about or asked for besides. */
interface OpenedHtml {
  readonly page: Page
  readonly directory: string
  complaints(): string[]
}

/** Opens a text of HTML, which is to need nothing but itself. */
export async function openHtml(
  browser: Browser,
  html: string,
  colorScheme: 'light' | 'dark' = 'light',
): Promise<OpenedHtml> {
  const directory = await temporaryDirectory()
  const path = join(directory, 'page.html')
  await writeFile(path, html)
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme })
  const seen: string[] = []
  page.on('console', (message) => seen.push(`console: ${message.text()}`))
  page.on('pageerror', (error) => seen.push(`error: ${error.message}`))
  page.on('request', (request) => seen.push(`request: ${request.url()}`))
  await page.goto(pathToFileURL(path).href)
  return { page, directory, complaints: () => seen.filter((line) => line !== `request: ${pathToFileURL(path).href}`) }
}
