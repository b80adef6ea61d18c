import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../../../pkg-scripts/tree.ts'

const listener = 'test/sources/oauth/listener/open-listener.test.ts'
const match = 'test/sources/oauth/listener/match-callback.test.ts'
const sender = 'test/sources/oauth/listener/detect-sender.test.ts'
const families = 'test/sources/oauth/listener/address-families.slow.test.ts'
const browsers = 'test/sources/oauth/listener/callback-scenarios.ts'
const chromium = 'test/sources/oauth/listener/chromium.slow.test.ts'
const oidc = 'test/sources/oauth/oidc/sign-in/run-oidc-sign-in.test.ts'
const openers = 'test/sources/oauth/list-openers.test.ts'

/** What RFC 8252 (OAuth 2.0 for Native Apps) asks of a native application, in our words, and the test, or its row, that shows it. */
const rows: readonly [section: string, asks: string, file: string, shown: string][] = [
  ['6', 'the request goes to an external user agent, the default browser', openers, "['xdg-open', address]"],
  ['6', 'public clients use PKCE', oidc, 'PKCE, state and nonce are sent'],
  [
    '7.3',
    'the redirect URI has the loopback address and whatever port the listener has',
    listener,
    'forged requests get 404',
  ],
  [
    '7.3',
    'no version of IP is assumed: whichever is there is used',
    families,
    'without IPv4, localhost is answered on ::1',
  ],
  ['7.3', 'both versions are bound where both are there', listener, 'localhost is answered in both address families'],
  ['7.3', 'localhost, too, is answered in either version', chromium, 'localhost that means ::1'],
  [
    '8.3',
    'the port is open before the browser is, and only while a sign-in is under way',
    listener,
    'it listens on loopback addresses',
  ],
  ['8.3', 'it listens on the loopback interface only', listener, 'it listens on loopback addresses'],
  ['8.3', 'what other programs of the machine send ends nothing', listener, 'programs that connect and say nothing'],
  [
    '8.3',
    'a port that another program has is not shared with it',
    listener,
    'a port that another program uses is named',
  ],
  ['8.9', 'state against forged answers, for errors too', match, 'an error without state'],
  ['8.9', 'pages in the same browser end nothing', browsers, 'pages of another origin end nothing'],
  ['8.10', 'a redirect URI of its own for each provider that is asked', listener, 'a path of its own is new each time'],
  ['8.10', 'an answer at another URI than that of the request is rejected', match, 'a name that was led here'],
  ['8.10', 'an answer that comes from another provider is rejected', sender, "'another host'"],
  ['8.12', 'no embedded user agent: a program of the system opens the address', openers, 'rundll32.exe'],
  ['8.12', 'the last page is for a tab, not for a frame', browsers, 'the last page asks for nothing'],
]

test.each(rows)('section %s: %s', (_, __, file, shown) => {
  expect(readFileSync(join(root, file), 'utf8')).toContain(shown)
})
