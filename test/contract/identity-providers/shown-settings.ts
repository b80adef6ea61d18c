import { toOidcSettings as fromDocument } from '../../../src/client/credentials/sign-in-settings.ts'
import { commonOptions } from '../../../src/helper/options/every-helper-options.ts'
import { parseOptionFile } from '../../../src/helper/options/option-files.ts'
import { resolveOptions } from '../../../src/helper/options/resolve-options.ts'
import type { OidcSettings } from '../../../src/sources/oauth/oidc/oidc-settings.ts'
import { type OidcTokenOptions, oidcTokenOptions } from '../../../src/sources/oidc-token/oidc-token-options.ts'
import { toOidcSettings as fromOptions } from '../../../src/sources/oidc-token/to-settings.ts'
import type { ShownProvider } from './page.ts'

/** Returns the settings that the client signs in with if it gets the document of a section. */
export function toDocumentSettings({ document }: ShownProvider): OidcSettings {
  const settings = fromDocument(JSON.parse(document).inference.credential.oidc)
  if (!settings) throw new Error('the document names no provider')
  return settings
}

/** Returns the settings that `oidc-token` signs in with if its file has those of a section. */
export function toHelperSettings({ helper }: ShownProvider): OidcSettings {
  const table = { ...oidcTokenOptions, ...commonOptions }
  const resolved = resolveOptions('oidc-token', table, {
    arguments: new Map(),
    user: parseOptionFile('page', 'user', table, helper),
  })
  const options = Object.fromEntries([...resolved].map(([name, { value }]) => [name, value]))
  return fromOptions(options as OidcTokenOptions, 'oidc-token') // every option of the table has been resolved
}
