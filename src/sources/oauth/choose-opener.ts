import { detectBrowserPlace } from './browser/detect-browser.ts'
import { listOpeners } from './browser/list-openers.ts'
import { openBrowser } from './browser/open-browser.ts'
import { readBrowserFacts } from './browser/read-facts.ts'
import { toBrowserEnvironment } from './browser/to-browser-environment.ts'
import type { SignInParts } from './parts.ts'

/** How an address is opened for a person. */
export interface AddressOpener {
  /** Whether a browser that is opened here is one that the person sees. */
  readonly canOpen: boolean
  /** @returns whether it was opened. */
  open(address: string): Promise<boolean>
}

/** The caller's own way, else the first program that opens a browser. */
export async function chooseOpener({ host, call, way, openAddress }: SignInParts): Promise<AddressOpener> {
  if (openAddress) return { canOpen: way !== 'device', open: (address) => openAddress(address).then(() => true) }
  const facts = await call.deadline.during('sign-in', 'finding out whether a browser can be opened', ({ signal }) =>
    readBrowserFacts(host, signal),
  )
  return {
    canOpen: way === 'browser' || (way === 'auto' && detectBrowserPlace(facts) === 'here'),
    open: (address) => openBrowser(listOpeners(facts, address), toBrowserEnvironment(host.env)),
  }
}
