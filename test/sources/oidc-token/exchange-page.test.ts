import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../../pkg-scripts/tree.ts'
import { commonOptions } from '../../../src/helper/options/every-helper-options.ts'
import { parseOptionFile } from '../../../src/helper/options/option-files.ts'
import { resolveOptions, toValues } from '../../../src/helper/options/resolve-options.ts'
import { exchangeForms } from '../../../src/sources/oidc-token/exchange-options.ts'
import { type OidcTokenCallOptions, oidcTokenOptions } from '../../../src/sources/oidc-token/oidc-token-options.ts'
import { toExchangeSettings } from '../../../src/sources/oidc-token/to-exchange-settings.ts'

const program = 'oidc-token'
const table = { ...commonOptions, ...oidcTokenOptions }

test('the page of token exchanges has each form, in files that the helper takes', async () => {
  const page = await readFile(join(root, 'docs', 'token-exchange.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, form]) => form)
  expect(exchangeForms.filter((form) => !rows.includes(form))).toEqual([])
  const examples = [...page.matchAll(/```json\n(\{\n[^`]*)```/g)].map(([, text = '']) => text)
  const forms = examples.map((text) => {
    const user = parseOptionFile('page', 'user', table, text)
    const options = toValues<OidcTokenCallOptions>(resolveOptions(program, table, { arguments: new Map(), user }))
    return toExchangeSettings(options, program)?.form
  })
  expect(forms).toEqual(['token-exchange', 'jwt-bearer', 'jwt-bearer', 'id-jag', 'platform'])
})
